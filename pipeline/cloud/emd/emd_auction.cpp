#include "pipeline/cloud/emd/emd_auction.h"

#include <algorithm>
#include <functional>

namespace parallax::emd {

Auction::Auction(const Problem& problem) : problem_(problem) {
  const std::size_t n = problem.size, padded = static_cast<std::size_t>(problem.num_boxes) * kBoxSize;
  const std::size_t boxes = problem.b.low_x.size();
  price_.assign(padded, kFar);
  std::fill_n(price_.begin(), n, 0);
  box_min_price_.assign(boxes, kFar);
  bounds_.assign(boxes, 0);
  object_of_.assign(n, -1);
  person_of_.assign(n, -1);
  hint_.resize(n);
  for (std::size_t i = 0; i < n; ++i) hint_[i] = static_cast<std::int32_t>(i / kBoxSize);
  label_.assign(n, 0);
  best_.assign(padded, -kFar);
  box_max_best_.assign(boxes, -kFar);
  own_cost_.assign(n, 0);
  wish_.assign(n, 0);
  improved_.assign(padded, 0);
}

Choice Auction::Choose(std::int32_t person) {
  const Choice choice =
      FindBestTwo(problem_.b, price_.data(), box_min_price_.data(), bounds_.data(), problem_.num_boxes,
                  hint_[person], problem_.a.x[person], problem_.a.y[person], problem_.a.z[person]);
  hint_[person] = choice.object / kBoxSize;
  return choice;
}

void Auction::RefreshBoxPrices() {
  for (int box = 0; box < problem_.num_boxes; ++box) {
    box_min_price_[box] =
        *std::min_element(price_.begin() + box * kBoxSize, price_.begin() + (box + 1) * kBoxSize);
  }
}

double Auction::MeanDistance() const {
  double sum = 0;
  for (int i = 0; i < problem_.size; ++i) sum += problem_.Distance(i, object_of_[i]);
  return sum / problem_.size;
}

void Auction::StartPhase(std::int32_t epsilon) {
  const std::int32_t least = *std::min_element(price_.begin(), price_.begin() + problem_.size);
  std::int64_t sum = 0;
  for (int j = 0; j < problem_.size; ++j) sum -= price_[j] -= least;
  RefreshBoxPrices();
  unassigned_.clear();
  for (std::int32_t i = 0; i < problem_.size; ++i) {
    const Choice choice = Choose(i);
    sum += choice.value - RoundingOfValue(choice.value);
    const std::int32_t object = object_of_[i];
    if (object >= 0 && problem_.Cost(i, object) + price_[object] > choice.value + epsilon) {
      person_of_[object] = -1;
      object_of_[i] = -1;
    }
    if (object_of_[i] < 0) unassigned_.push_back(i);
  }
  best_lower_ = std::max(best_lower_, static_cast<double>(sum) / problem_.size);
}

void Auction::Bid(std::int32_t person, std::int32_t epsilon, std::vector<std::int32_t>* displaced) {
  const Choice choice = Choose(person);
  const std::int32_t object = choice.object;
  price_[object] += std::min(choice.second_value - choice.value, kLargestRaise) + epsilon;
  const std::int32_t before = person_of_[object];
  if (before >= 0) {
    object_of_[before] = -1;
    displaced->push_back(before);
  }
  person_of_[object] = person;
  object_of_[person] = object;
}

// Shortest paths by Dijkstra's method, in the order of the raise (label - price): free objects have raise 0;
// an object held by person i reaches what i could take instead, at the reduced cost + epsilon >= 0.
void Auction::UpdatePrices(std::int32_t epsilon) {
  const int n = problem_.size;
  std::fill_n(best_.begin(), n, kFar);
  std::fill_n(box_max_best_.begin(), problem_.num_boxes, kFar);
  std::size_t waiting = unassigned_.size();
  for (const std::int32_t i : unassigned_) wish_[i] = Choose(i).value;
  heap_.clear();
  const auto entry = [](std::int32_t raise, std::int32_t j) {
    return static_cast<std::uint64_t>(raise) << 32 | static_cast<std::uint32_t>(j);
  };
  for (std::int32_t j = 0; j < n; ++j) {
    label_[j] = kFar;
    if (person_of_[j] >= 0) {
      own_cost_[person_of_[j]] = problem_.Cost(person_of_[j], j);
    } else {
      label_[j] = price_[j];
      heap_.push_back(entry(0, j));
    }
  }
  // Unassigned persons stand in the heap too, as n + i: when the last is met, no path can grow shorter.
  std::int32_t raise = 0;
  const std::greater<> later;
  while (!heap_.empty() && waiting > 0) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    raise = static_cast<std::int32_t>(heap_.back() >> 32);
    const auto j = static_cast<std::int32_t>(heap_.back() & 0xffffffffu);
    heap_.pop_back();
    if (j >= n) {
      if (best_[j - n] - wish_[j - n] == raise) --waiting;
      continue;
    }
    if (label_[j] - price_[j] != raise) continue;  // a shorter path came later
    const int count = LowerBest(problem_.a, best_.data(), box_max_best_.data(), bounds_.data(),
                                problem_.num_boxes, problem_.b.x[j], problem_.b.y[j], problem_.b.z[j],
                                label_[j], person_of_[j], improved_.data());
    for (int k = 0; k < count; ++k) {
      const std::int32_t i = improved_[k], own = object_of_[i];
      if (own < 0) {
        heap_.push_back(entry(best_[i] - wish_[i], n + i));
      } else {
        const std::int32_t label = best_[i] + epsilon - own_cost_[i];
        if (label >= label_[own]) continue;
        label_[own] = label;
        heap_.push_back(entry(label - price_[own], own));
      }
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }
  for (int j = 0; j < n; ++j) price_[j] = std::min(label_[j], price_[j] + raise);
  RefreshBoxPrices();
}

bool Auction::RunPhase(std::int32_t epsilon, int end_unassigned, const EmdOptions& options, EmdStop* stop) {
  std::int64_t bids = 0;
  std::vector<std::int32_t> displaced;
  while (static_cast<int>(unassigned_.size()) > end_unassigned) {
    if (options.max_rounds > 0 && rounds_ >= options.max_rounds) {
      *stop = EmdStop::kRounds;
      return false;
    }
    if (options.time_limit_s > 0 && watch_.s() > options.time_limit_s) {
      *stop = EmdStop::kTime;
      return false;
    }
    if (bids > problem_.size / 4 + 8) {
      UpdatePrices(epsilon);
      bids = 0;
    }
    displaced.clear();
    for (const std::int32_t i : unassigned_) Bid(i, epsilon, &displaced);
    bids += static_cast<std::int64_t>(unassigned_.size());
    std::swap(unassigned_, displaced);
    ++rounds_;
  }
  return true;
}

EmdStop Auction::Run(const EmdOptions& options) {
  const int n = problem_.size;
  // Points matched in curve order: a bound from above, and the answer where the clouds are the same.
  for (int i = 0; i < n; ++i) object_of_[i] = person_of_[i] = i;
  const double upper = MeanDistance();
  StartPhase(0);
  EmdStop stop = EmdStop::kGap;
  for (std::int32_t epsilon = FirstEpsilon(upper);;) {
    const std::int32_t last = FinalEpsilon(best_lower_, options.gap);
    epsilon = std::max(epsilon, last);
    const int end_unassigned = epsilon == last ? 0 : static_cast<int>(kCoarseEnd * n);
    if (!RunPhase(epsilon, end_unassigned, options, &stop)) return stop;
    const std::int32_t next = std::max(1, epsilon / kEpsilonDivisor);
    if (unassigned_.empty()) {
      const double mean = MeanDistance();
      std::vector<std::int32_t> match = object_of_, owner = person_of_;
      StartPhase(next);
      const bool within_gap = mean - best_lower_ <= options.gap * mean;
      if (within_gap || epsilon == 1) {
        object_of_ = std::move(match);
        person_of_ = std::move(owner);
        return within_gap ? EmdStop::kGap : EmdStop::kResolution;
      }
    } else {
      StartPhase(next);
    }
    epsilon = next;
  }
}

}  // namespace parallax::emd
