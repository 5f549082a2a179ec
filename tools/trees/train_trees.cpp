// Trains the trees of refinement.trees (pipeline/pixel_trees.h) on KITTI's frames with truth: gradient
// boosting of the log loss (Friedman 2001), oblivious trees, features as histograms of 256 values.
// tools/train_trees builds and runs it.
//
// A pixel's winner is the example, "wrong" its label. What the pixel has without the trees is known, and what
// it would have with the opposite verdict nearly so (a rejected one its winner, a kept one the value of a
// plane): where both are right or both wrong, the verdict matters little, and the example weighs little.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "config/parameters_yaml.h"
#include "datasets/source.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/cpu/filters/map_filters.h"
#include "pipeline/error.h"
#include "pipeline/pixel_trees.h"
#include "pipeline/reference/refinement.h"
#include "pipeline/stage_results.h"

namespace parallax {
namespace {

constexpr double kLearningRate = 0.08, kRidge = 20, kLeastHessian = 30;
constexpr double kShareOfExamples = 0.4, kShareOfFeatures = 0.5;       // that a tree is grown on
constexpr double kShareOfRightKept = 1.0 / 8, kShareOfRejected = 0.6;  // of the pixels that become examples
constexpr double kWeight = 0.3, kWeightOf2012 = 2.5, kWeightWithoutEffect = 0.1;
constexpr int kLeafScale = 128;  // leaves hold log odds times this

struct Frame {
  std::string name;
  bool is_2015 = false;
  HostImage<std::uint8_t> gray;
  HostImage<float> truth, selected, finished, from_planes;
  DisparityMap judged;  // before the trees
  std::vector<HostImage<std::uint8_t>> features;

  int width() const { return truth.width(); }
  int height() const { return truth.height(); }
  bool HasTruth(int x, int y) const { return !std::isnan(truth(x, y)); }
  // More than 3 px off, on KITTI 2015 more than 5 % as well.
  bool IsWrong(float disparity, int x, int y) const {
    const float error = std::fabs(disparity - truth(x, y));
    return !(error <= 3.0F || (is_2015 && error <= 0.05F * truth(x, y)));
  }
  double PercentWrong(const HostImage<float>& disparity) const {
    double wrong = 0, all = 0;
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) {
        if (!HasTruth(x, y)) continue;
        all += 1, wrong += IsWrong(disparity(x, y), x, y) ? 1 : 0;
      }
    }
    return 100 * wrong / all;
  }
};

Frame MakeFrame(const Parameters& parameters, StereoFrame input, bool is_2015, ThreadPool& threads) {
  Frame frame;
  frame.name = input.name;
  frame.is_2015 = is_2015;
  frame.truth = std::move(input.truth->disparity);
  if (!input.truth->nonoccluded.Empty()) {
    for (int y = 0; y < frame.height(); ++y) {
      for (int x = 0; x < frame.width(); ++x) {
        if (input.truth->nonoccluded(x, y) != 255)
          frame.truth(x, y) = std::numeric_limits<float>::quiet_NaN();
      }
    }
  }
  frame.gray = std::get<HostImage<std::uint8_t>>(input.left).Clone();
  StageResults stages;
  DisparityMap map;
  MakeCpuMatcher(parameters, {.width = frame.width(), .height = frame.height()})
      ->Compute(ViewOf(input.left), ViewOf(input.right), map, nullptr, &stages);
  frame.finished = std::move(map.disparity);
  frame.judged = Clone(stages.Get<DisparityMap>("without_speckles"));
  frame.selected = stages.Get<DisparityMap>("selected").disparity.Clone();
  frame.features = reference::PixelFeatures(parameters, frame.gray.ConstView(), frame.selected.ConstView(),
                                            frame.judged, threads);
  DisparityMap all_rejected = Clone(frame.judged);
  all_rejected.validity.Fill(kMismatched);
  reference::FillFromPlanes(parameters, frame.gray.ConstView(), all_rejected, threads);
  frame.from_planes = std::move(all_rejected.disparity);
  return frame;
}

// True for such a share of the calls.
bool Drawn(std::mt19937& random, double share) {
  return static_cast<double>(random()) < share * 4294967296.0;
}

struct Examples {
  std::array<std::vector<std::uint8_t>, kNumPixelFeatures> features;
  std::vector<std::uint8_t> is_wrong;
  std::vector<float> weights;
};

Examples ExamplesOf(const std::vector<Frame>& frames, const std::vector<std::size_t>& chosen) {
  Examples examples;
  std::mt19937 random(7);
  for (const std::size_t i : chosen) {
    const Frame& frame = frames[i];
    for (int y = 0; y < frame.height(); ++y) {
      for (int x = 0; x < frame.width(); ++x) {
        const std::uint8_t validity = frame.judged.validity(x, y);
        if (!frame.HasTruth(x, y) || (validity & kOutOfRange) != 0) continue;
        const bool is_kept = (validity & kRejected) == 0,
                   is_wrong = frame.IsWrong(frame.selected(x, y), x, y);
        const float other = is_kept ? frame.from_planes(x, y) : frame.finished(x, y);
        const double share = !is_kept ? kShareOfRejected : is_wrong ? 1.0 : kShareOfRightKept;
        if (!Drawn(random, share)) continue;
        double weight = kWeight / share;
        if (!frame.is_2015) weight *= kWeightOf2012;
        if (is_wrong == frame.IsWrong(other, x, y)) weight *= kWeightWithoutEffect;
        for (std::size_t f = 0; f < examples.features.size(); ++f)
          examples.features[f].push_back(frame.features[f](x, y));
        examples.is_wrong.push_back(is_wrong ? 1 : 0);
        examples.weights.push_back(static_cast<float>(weight));
      }
    }
  }
  return examples;
}

struct Member {  // of the examples that a tree is grown on
  std::uint32_t example;
  std::uint8_t node;
  float gradient, hessian;
};
struct Sums {
  double gradient = 0, hessian = 0;
  double Gain() const { return gradient * gradient / (hessian + kRidge); }
};

// The threshold with the largest gain over all nodes of a level; gain 0 where there is none.
struct Split {
  int feature = 0, threshold = 255;
  double gain = 0;
};
Split BestSplit(const Examples& examples, const std::vector<Member>& members, int feature, int num_nodes) {
  std::vector<std::array<float, 2>> bins(static_cast<std::size_t>(num_nodes) * 256, {0.0F, 0.0F});
  const std::vector<std::uint8_t>& values = examples.features[static_cast<std::size_t>(feature)];
  for (const Member& member : members) {
    std::array<float, 2>& bin = bins[member.node * std::size_t{256} + values[member.example]];
    bin[0] += member.gradient, bin[1] += member.hessian;
  }
  std::array<double, 256> gains{};
  for (int node = 0; node < num_nodes; ++node) {
    const auto* bin = bins.data() + node * std::ptrdiff_t{256};
    Sums all, below;
    for (int i = 0; i < 256; ++i) all.gradient += bin[i][0], all.hessian += bin[i][1];
    for (std::size_t i = 0; i < 255; ++i) {
      below.gradient += bin[i][0], below.hessian += bin[i][1];
      const Sums above{all.gradient - below.gradient, all.hessian - below.hessian};
      if (below.hessian < kLeastHessian || above.hessian < kLeastHessian) continue;
      gains[i] += below.Gain() + above.Gain() - all.Gain();
    }
  }
  const auto best = std::max_element(gains.begin(), gains.end());
  return {feature, static_cast<int>(best - gains.begin()), *best};
}

PixelTrees Train(const Examples& examples) {
  PixelTrees trees{};
  std::mt19937 random(1);
  const std::size_t count = examples.is_wrong.size();
  double wrong = 0, all = 0;
  for (std::size_t i = 0; i < count; ++i)
    all += examples.weights[i], wrong += examples.weights[i] * examples.is_wrong[i];
  trees.bias = static_cast<int>(std::lround(std::log(wrong / (all - wrong)) * kLeafScale));
  std::vector<int> sums(count, trees.bias);
  std::vector<Member> members;
  for (PixelTree& tree : trees.trees) {
    members.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (!Drawn(random, kShareOfExamples)) continue;
      const double p = 1 / (1 + std::exp(-static_cast<double>(sums[i]) / kLeafScale)),
                   weight = examples.weights[i];
      members.push_back({static_cast<std::uint32_t>(i), 0,
                         static_cast<float>(weight * (p - examples.is_wrong[i])),
                         static_cast<float>(weight * std::max(p * (1 - p), 1e-6))});
    }
    std::vector<int> features;
    for (int f = 0; f < kNumPixelFeatures; ++f) {
      if (Drawn(random, kShareOfFeatures)) features.push_back(f);
    }
    for (int level = 0; level < kTreeDepth; ++level) {
      Split best;
      for (const int feature : features) {
        const Split split = BestSplit(examples, members, feature, 1 << level);
        if (split.gain > best.gain) best = split;
      }
      tree.features[level] = static_cast<std::uint8_t>(best.feature);
      tree.thresholds[level] = static_cast<std::uint8_t>(best.threshold);
      const std::vector<std::uint8_t>& values = examples.features[static_cast<std::size_t>(best.feature)];
      for (Member& member : members)
        member.node =
            static_cast<std::uint8_t>(2 * member.node + (values[member.example] > best.threshold ? 1 : 0));
    }
    std::array<Sums, kTreeLeaves> leaves{};
    for (const Member& member : members)
      leaves[member.node].gradient += member.gradient, leaves[member.node].hessian += member.hessian;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const double value = -kLearningRate * kLeafScale * leaves[i].gradient / (leaves[i].hessian + kRidge);
      tree.leaves[i] = static_cast<std::int8_t>(std::clamp(std::lround(value), -127L, 127L));
    }
    for (std::size_t i = 0; i < count; ++i) {
      int leaf = 0;
      for (int level = 0; level < kTreeDepth; ++level)
        leaf = 2 * leaf + (examples.features[tree.features[level]][i] > tree.thresholds[level] ? 1 : 0);
      sums[i] += tree.leaves[leaf];
    }
  }
  return trees;
}

double PercentWrongWith(const PixelTrees& trees, const Parameters& parameters, const Frame& frame,
                        ThreadPool& threads) {
  DisparityMap map = Clone(frame.judged);
  for (int y = 0; y < frame.height(); ++y) {
    for (int x = 0; x < frame.width(); ++x) {
      int sum = trees.bias;
      for (const PixelTree& tree : trees.trees) {
        int leaf = 0;
        for (int level = 0; level < kTreeDepth; ++level)
          leaf = 2 * leaf + (frame.features[tree.features[level]](x, y) > tree.thresholds[level] ? 1 : 0);
        sum += tree.leaves[leaf];
      }
      std::uint8_t& validity = map.validity(x, y);
      if (!Changes(validity, sum, !std::isnan(frame.selected(x, y)))) continue;
      const bool was_kept = (validity & kRejected) == 0;
      validity = was_kept ? kMismatched : kValid;
      map.disparity(x, y) = was_kept ? std::numeric_limits<float>::quiet_NaN() : frame.selected(x, y);
    }
  }
  Parameters rest = parameters;
  rest.filter.speckle_size = 0;
  cpu::SpeckleFilter speckles(frame.width(), frame.height());
  AlignedBuffer<std::uint8_t> workspace(
      cpu::FilterWorkspaceBytes(rest, frame.width(), frame.height(), threads.num_threads()));
  cpu::FilterMap(rest, frame.gray.ConstView(), {}, speckles, map, workspace.data(), threads, nullptr);
  return frame.PercentWrong(map.disparity);
}

// Every frame is scored by trees that were trained on the frames of the other folds alone. fold_of: of each
// frame.
void CrossValidate(const std::vector<Frame>& frames, const std::vector<std::size_t>& fold_of,
                   const Parameters& parameters, ThreadPool& threads) {
  std::vector<double> with(frames.size());
  const std::size_t num_folds = *std::max_element(fold_of.begin(), fold_of.end()) + 1;
  for (std::size_t fold = 0; fold < num_folds; ++fold) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (fold_of[i] != fold) others.push_back(i);
    }
    const PixelTrees trees = Train(ExamplesOf(frames, others));
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (fold_of[i] == fold) with[i] = PercentWrongWith(trees, parameters, frames[i], threads);
    }
  }
  for (const bool is_2015 : {false, true}) {
    double before = 0, after = 0;
    int count = 0, num_better = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i].is_2015 != is_2015) continue;
      const double without = frames[i].PercentWrong(frames[i].finished);
      std::cout << "  " << frames[i].name << ' ' << without << " -> " << with[i] << '\n';
      before += without, after += with[i], ++count, num_better += with[i] < without ? 1 : 0;
    }
    std::cout << (is_2015 ? "KITTI 2015" : "KITTI 2012") << ": " << before / count << " -> " << after / count
              << ", " << num_better << " of " << count << " better\n";
  }
}

void Write(const PixelTrees& trees, const std::string& path) {
  std::ofstream out(path);
  out << "// Made by tools/train_trees, of KITTI 2012 and 2015; see pipeline/pixel_trees.h.\n#pragma once\n\n"
         "#include \"pipeline/pixel_trees.h\"\n\nnamespace parallax {\n\n// clang-format off\n"
         "inline constexpr PixelTrees kDrivingTrees{"
      << trees.bias << ", {\n";
  const auto list = [&](const auto& values) {
    out << '{';
    for (std::size_t i = 0; i < std::size(values); ++i) out << (i > 0 ? "," : "") << int{values[i]};
    out << '}';
  };
  for (const PixelTree& tree : trees.trees) {
    out << "  {";
    list(tree.features), out << ", ", list(tree.thresholds), out << ",\n   ", list(tree.leaves),
        out << "},\n";
  }
  out << "}};\n// clang-format on\n\n}  // namespace parallax\n";
  if (!out.flush()) throw Error("cannot write '" + path + "': is there a folder, and room?");
}

void Run(const std::vector<std::string>& arguments) {
  std::string data, output = "pipeline/driving_trees.h";
  std::size_t num_folds = 4;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--data") {
      data = arguments[i + 1];
    } else if (arguments[i] == "--folds") {
      num_folds = static_cast<std::size_t>(std::atoi(arguments[i + 1].c_str()));
    } else if (arguments[i] == "--output") {
      output = arguments[i + 1];
    } else {
      throw InvalidArgument("unknown option '" + arguments[i] + "': use --data, --folds or --output");
    }
  }
  Parameters parameters = LoadParameters("kitti-accurate");
  parameters.refinement.trees = TreeSet::kNone;
  ThreadPool threads(0);
  std::vector<Frame> frames;
  for (const bool is_2015 : {false, true}) {
    const auto source =
        OpenSource({data + (is_2015 ? "/kitti2015_gray" : "/kitti2012")}, {.kind = {}, .with_truth = true});
    while (source->NextName()) frames.push_back(MakeFrame(parameters, source->Read(), is_2015, threads));
  }
  std::cout << frames.size() << " frames\n";
  if (num_folds > 1) {
    std::vector<std::size_t> by_frame, by_set;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      by_frame.push_back(i % num_folds);
      by_set.push_back(frames[i].is_2015 ? 1 : 0);
    }
    std::cout << num_folds << " folds of frames:\n";
    CrossValidate(frames, by_frame, parameters, threads);
    std::cout << "trained on the other set alone:\n";
    CrossValidate(frames, by_set, parameters, threads);
  }
  if (output == "-") return;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < frames.size(); ++i) all.push_back(i);
  Write(Train(ExamplesOf(frames, all)), output);
}

}  // namespace
}  // namespace parallax

int main(int argc, char** argv) {
  try {
    parallax::Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "train_trees: " << error.what() << '\n';
    return 1;
  }
}
