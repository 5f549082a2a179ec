// The exact assignment by shortest augmenting paths: Jonker & Volgenant 1987, "A shortest augmenting path
// algorithm for dense and sparse linear assignment problems"; Crouse 2016, "On implementing 2D rectangular
// assignment algorithms". Rows are persons, columns objects; the dual of a column is minus its price.
//
// The auction's prices leave few rows to augment, by short paths; boxes of columns that cannot shorten the
// path to a free one are passed over. All numbers are doubles, the distances too.
#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "pipeline/cloud/emd/emd.h"
#include "pipeline/cloud/emd/emd_auction.h"
#include "pipeline/cloud/emd/emd_problem.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ShortestAugmentingPaths {
 public:
  ShortestAugmentingPaths(const emd::Problem& problem, std::span<const std::int32_t> prices)
      : problem_(problem),
        price_(prices.begin(), prices.end()),
        value_(problem.size),
        distance_(problem.size, kInfinity),
        from_(problem.size, -1),
        done_(problem.size, 0),
        object_of_(problem.size, -1),
        person_of_(problem.size, -1),
        box_min_price_(problem.num_boxes, kInfinity) {
    for (int j = 0; j < problem.size; ++j) {
      double& least = box_min_price_[j / emd::kBoxSize];
      least = std::min(least, price_[j]);
    }
  }

  std::vector<std::int32_t> Solve() {
    for (int i = 0; i < problem_.size; ++i) {
      const int object = Nearest(i);
      if (person_of_[object] >= 0) continue;
      person_of_[object] = i;
      object_of_[i] = object;
    }
    for (int i = 0; i < problem_.size; ++i) {
      if (object_of_[i] < 0) Augment(i);
    }
    return object_of_;
  }

  // sum_i min_j (distance + price) - sum_j price, by the values and prices: the dual's objective.
  double DualMean() const {
    double sum = 0;
    for (const double value : value_) sum += value;
    for (const double price : price_) sum -= price;
    return sum / problem_.size;
  }

 private:
  // Calls visit(j, distance + price) for the objects of every box where that may be below limit().
  template <typename Limit, typename Visit>
  void Scan(int person, Limit limit, Visit visit) {
    const emd::Side& b = problem_.b;
    const float x = problem_.a.x[person], y = problem_.a.y[person], z = problem_.a.z[person];
    for (int box = 0; box < problem_.num_boxes; ++box) {
      const float dx = std::max(0.0f, std::max(b.low_x[box] - x, x - b.high_x[box]));
      const float dy = std::max(0.0f, std::max(b.low_y[box] - y, y - b.high_y[box]));
      const float dz = std::max(0.0f, std::max(b.low_z[box] - z, z - b.high_z[box]));
      const double below = limit() - box_min_price_[box];
      if (!(below > 0) || (dx * dx + dy * dy + dz * dz) * (1 - 1e-6f) >= below * below) continue;
      const int end = std::min(problem_.size, (box + 1) * emd::kBoxSize);
      for (int j = box * emd::kBoxSize; j < end; ++j) visit(j, problem_.Distance(person, j) + price_[j]);
    }
  }

  // Sets the person's value.
  int Nearest(int person) {
    double best = problem_.Distance(person, person) + price_[person];
    int object = person;
    Scan(
        person, [&] { return best; },
        [&](int j, double value) {
          if (value < best) {
            best = value;
            object = j;
          }
        });
    value_[person] = best;
    return object;
  }

  void Augment(int start) {
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> queue;
    double end_distance = kInfinity;  // of the nearest free object met so far
    std::vector<int> touched, done;
    int person = start;
    double length = 0;  // of the path to person
    while (true) {
      const double base = length - value_[person];
      Scan(
          person, [&] { return end_distance - base; },
          [&](int j, double value) {
            const double through = value + base;
            if (through >= distance_[j] || through >= end_distance || done_[j]) return;
            if (distance_[j] == kInfinity) touched.push_back(j);
            distance_[j] = through;
            from_[j] = person;
            if (person_of_[j] < 0) end_distance = through;
            queue.emplace(through, j);
          });
      std::pair<double, int> next;
      do {
        next = queue.top();
        queue.pop();
      } while (next.first != distance_[next.second] || done_[next.second]);
      length = next.first;
      const int object = next.second;
      if (person_of_[object] < 0) {
        Finish(start, object, length, done);
        break;
      }
      done.push_back(object);
      done_[object] = 1;
      person = person_of_[object];
    }
    for (const int j : touched) {
      distance_[j] = kInfinity;
      done_[j] = 0;
    }
  }

  // New prices along the tree of shortest paths, then the pairs along the path to object.
  void Finish(int start, int object, double length, const std::vector<int>& done) {
    value_[start] += length;
    for (const int j : done) {
      const double raise = std::max(0.0, length - distance_[j]);
      price_[j] += raise;
      value_[person_of_[j]] += raise;
    }
    while (true) {
      const int person = from_[object];
      person_of_[object] = person;
      std::swap(object, object_of_[person]);
      if (person == start) return;
    }
  }

  const emd::Problem& problem_;
  std::vector<double> price_, value_;  // of objects; of persons: the least distance + price
  std::vector<double> distance_;       // of objects, from the row being augmented
  std::vector<int> from_;              // the person before the object on its path
  std::vector<char> done_;             // the path to the object is final (rounding must not reopen it)
  std::vector<std::int32_t> object_of_, person_of_;
  std::vector<double> box_min_price_;  // or less: prices only rise
};

}  // namespace

EmdResult ExactEmd(const EmdPair& pair) {
  EmdOptions options;
  options.gap = 1e-9;
  CheckEmdInput(pair, options);
  const Stopwatch watch;
  const emd::Problem problem = emd::MakeProblem(pair);
  emd::Auction auction(problem);
  auction.Run(options);
  ShortestAugmentingPaths paths(problem, auction.prices());
  EmdResult result;
  emd::SetMatch(pair, problem.scale, problem.a.order, problem.b.order, paths.Solve(), &result);
  result.lower_m = std::clamp(paths.DualMean() * problem.scale.unit_m, 0.0, result.upper_m);
  result.rounds = auction.rounds();
  result.stop = EmdStop::kExact;
  result.seconds = watch.s();
  return result;
}

}  // namespace parallax
