#include "pipeline/cloud/emd/emd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "parallax/error.h"
#include "pipeline/cloud/emd/emd_auction.h"
#include "pipeline/cloud/emd/emd_problem.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax {

void CheckEmdInput(const EmdPair& pair, const EmdOptions& options) {
  if (!(options.gap > 0) || !std::isfinite(options.gap)) {
    throw InvalidArgument("emd: gap " + std::to_string(options.gap) + " must be above 0");
  }
  if (!(options.time_limit_s >= 0)) {
    throw InvalidArgument("emd: time limit " + std::to_string(options.time_limit_s) +
                          " s must be 0 (none) or more");
  }
  if (options.max_rounds < 0) {
    throw InvalidArgument("emd: the limit of " + std::to_string(options.max_rounds) +
                          " rounds must be 0 (no limit) or more");
  }
  if (pair.a.size() != pair.b.size()) {
    throw InvalidArgument("emd: clouds of " + std::to_string(pair.a.size()) + " and " +
                          std::to_string(pair.b.size()) + " points; sample both to the same number");
  }
  if (pair.a.empty()) throw InvalidArgument("emd: the clouds have no points");
  if (pair.a.size() > 1u << 27) {
    throw InvalidArgument("emd: " + std::to_string(pair.a.size()) +
                          " points; at most 2^27, sample the clouds");
  }
  for (const std::span<const Point3f> cloud : {pair.a, pair.b}) {
    const auto bad = std::find_if(cloud.begin(), cloud.end(), [](const Point3f& p) {
      return !std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z);
    });
    if (bad != cloud.end()) {
      throw InvalidArgument("emd: point " + std::to_string(bad - cloud.begin()) +
                            " is not finite; remove such points first");
    }
  }
}

EmdResult AuctionEmd(const EmdPair& pair, const EmdOptions& options) {
  CheckEmdInput(pair, options);
  const Stopwatch watch;
  const emd::Problem problem = emd::MakeProblem(pair);
  emd::Auction auction(problem);
  EmdResult result;
  result.stop = auction.Run(options);
  std::vector<std::int32_t> match(auction.match().begin(), auction.match().end());
  emd::CompleteMatch(match);
  emd::SetMatch(pair, problem.scale, problem.a.order, problem.b.order, match, &result);
  result.lower_m = std::min(auction.lower_mean() * problem.scale.unit_m, result.upper_m);
  result.rounds = auction.rounds();
  result.seconds = watch.s();
  return result;
}

}  // namespace parallax
