// The auction of n persons (a's points) for n objects (b's points), on one CPU thread.
//
// Every person wants the object of least cost + price. An unassigned person bids: it raises the price of its
// best object to the point where the second best is equally good, plus epsilon. An assigned person's object
// is then within epsilon of its best one (epsilon-complementary slackness). So a complete assignment costs at
// most n epsilon more than the cheapest, and sum_i min_j (cost + price) - sum_j price is a lower bound for
// any prices.
//
// Where many persons compete for few objects, bids raise prices by little more than epsilon each. A global
// price update replaces these bidding wars: it raises each price by the length of the shortest path from the
// object to a free one (over the persons that hold objects, in reduced costs plus epsilon), after which the
// best choices lead straight to the free objects (Goldberg & Kennedy 1995, "An efficient cost scaling
// algorithm for the assignment problem", section 4.3, in the auction's terms).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/cloud/emd/emd.h"
#include "pipeline/cloud/emd/emd_kernels.h"
#include "pipeline/cloud/emd/emd_problem.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::emd {

class Auction {
 public:
  explicit Auction(const Problem& problem);

  // Runs until there is a complete assignment within the gap, a limit of options is reached, or epsilon is at
  // its smallest.
  EmdStop Run(const EmdOptions& options);

  std::span<const std::int32_t> match() const { return object_of_; }  // curve order; -1 = unassigned
  std::span<const std::int32_t> prices() const { return {price_.data(), object_of_.size()}; }
  double lower_mean() const { return best_lower_; }  // of true distances, units
  std::int64_t rounds() const { return rounds_; }

 private:
  // Keeps the pairs that satisfy slackness for epsilon and updates the lower bound.
  void StartPhase(std::int32_t epsilon);
  // Bids until at most end_unassigned persons are unassigned. False, with the reason in *stop, if a limit was
  // reached first.
  bool RunPhase(std::int32_t epsilon, int end_unassigned, const EmdOptions& options, EmdStop* stop);
  void Bid(std::int32_t person, std::int32_t epsilon, std::vector<std::int32_t>* displaced);
  void UpdatePrices(std::int32_t epsilon);
  Choice Choose(std::int32_t person);
  void RefreshBoxPrices();
  double MeanDistance() const;

  const Problem& problem_;
  std::vector<std::int32_t> price_, box_min_price_, bounds_;
  std::vector<std::int32_t> object_of_, person_of_, hint_;  // -1 = none; hint_: box of the last choice
  std::vector<std::int32_t> unassigned_;
  // Working memory of UpdatePrices.
  std::vector<std::int32_t> label_, best_, box_max_best_, own_cost_, wish_, improved_;
  std::vector<std::uint64_t> heap_;
  double best_lower_ = 0;
  std::int64_t rounds_ = 0;
  Stopwatch watch_;
};

}  // namespace parallax::emd
