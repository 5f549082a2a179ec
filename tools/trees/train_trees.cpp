// Trains the trees of refinement.trees on frames with truth: those that judge pixels
// (pipeline/trees/pixel_trees.h), then those that choose values for the pixels that stay rejected
// (pipeline/trees/candidate_choice.h). Gradient boosting of the log loss (Friedman 2001), oblivious trees, features
// as histograms of 256 values. tools/train_trees builds and runs it.
//
// To be judged, a pixel's winner is the example, "wrong" its label. What the pixel has without the trees is
// known, and what it would have with the opposite verdict nearly so (a rejected one its winner, a kept one the
// value of a plane): where both are right or both wrong, the verdict matters little, and the example weighs
// little. To be chosen, each candidate of a pixel is an example; pixels whose candidates are all right or all
// wrong weigh little. Trees that choose are trained on maps judged by trees that had not seen them, as they
// will be asked of such.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "config/frame_parameters.h"
#include "config/parameters_yaml.h"
#include "datasets/source.h"
#include "parallax/error.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/cpu/filters/cpu_map_filters.h"
#include "pipeline/cpu/filters/judgement_kernels.h"
#include "pipeline/reference/refinement.h"
#include "pipeline/rules/gray_image.h"
#include "pipeline/trees/candidate_choice.h"
#include "pipeline/trees/pixel_trees.h"
#include "pipeline/types/stage_results.h"

namespace parallax {
namespace {

constexpr double kLearningRate = 0.16, kLearningRateOfChoice = 0.24;
constexpr double kRidge = 20, kLeastHessian = 30;
constexpr double kShareOfExamples = 0.4, kShareOfFeatures = 0.5;  // that a tree is grown on
// The shares of pixels that become examples; right kept pixels are limited for each frame.
constexpr double kShareOfRightKept = 1.0 / 8, kShareOfRejected = 0.6, kMostRightKept = 20000;
constexpr double kShareOfClearChoices = 0.2;  // of the pixels whose candidates are all right or all wrong
constexpr double kWeightWithoutEffect = 0.1;
constexpr double kWeightOfSet = 1.5e6;  // of all pixels with truth of a set
constexpr int kLeafScale = 128;         // leaves hold log odds times this

// Frames on which the trees are trained.
struct DataSet {
  const char* folder;   // below the data folder
  const char* name;     // folders of one name are left out together
  float largest_px;     // error of a right pixel
  float largest_share;  // and this share of the truth, whichever is larger
  bool is_driving = false;
};
constexpr DataSet kDataSets[] = {
    {"kitti2012", "KITTI 2012", 3, 0, true},
    {"kitti2012_more", "KITTI 2012", 3, 0, true},
    {"kitti2015_gray", "KITTI 2015", 3, 0.05F, true},
    {"eth3d", "ETH3D", 1, 0},
    {"eth3d_more", "ETH3D", 1, 0},
    {"instereo2k", "InStereo2K", 1, 0},
    {"middlebury/MiddEval3", "Middlebury", 1, 0},
    {"middlebury/scenes2003", "Middlebury", 1, 0},
    {"middlebury/scenes2005", "Middlebury", 1, 0},
    {"middlebury/scenes2006", "Middlebury", 1, 0},
};

struct Frame {
  std::string name;
  const DataSet* set = nullptr;
  std::size_t fold = 0;
  Parameters parameters;
  double weight = 1;  // of each pixel with truth
  HostImage<std::uint8_t> gray;
  HostImage<float> truth, selected, finished, from_planes;
  DisparityMap judged;  // before the trees
  std::vector<HostImage<std::uint8_t>> features;

  int width() const { return truth.width(); }
  int height() const { return truth.height(); }
  bool HasTruth(int x, int y) const { return !std::isnan(truth(x, y)); }
  bool IsWrong(float disparity, int x, int y) const {
    return !(std::fabs(disparity - truth(x, y)) <=
             std::max(set->largest_px, set->largest_share * truth(x, y)));
  }
  double NumPixelsWithTruth() const {
    double count = 0;
    for (int y = 0; y < height(); ++y) {
      for (int x = 0; x < width(); ++x) count += HasTruth(x, y) ? 1 : 0;
    }
    return count;
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

Frame MakeFrame(const ChosenParameters& chosen, StereoFrame input, const DataSet& set, ThreadPool& threads) {
  Frame frame;
  frame.name = input.name;
  frame.set = &set;
  const Parameters& parameters = frame.parameters = ParametersOfFrame(input, chosen);
  frame.truth = std::move(input.truth->disparity);
  if (!input.truth->nonoccluded.Empty()) {
    for (int y = 0; y < frame.height(); ++y) {
      for (int x = 0; x < frame.width(); ++x) {
        if (input.truth->nonoccluded(x, y) != 255)
          frame.truth(x, y) = std::numeric_limits<float>::quiet_NaN();
      }
    }
  }
  frame.gray = HostImage<std::uint8_t>(frame.width(), frame.height());
  GrayRows(ViewOf(input.left), 0, frame.height(), frame.gray.View());
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

// Returns true in the given share of the calls.
bool Drawn(std::mt19937& random, double share) {
  return static_cast<double>(random()) < share * 4294967296.0;
}

struct Examples {
  std::vector<std::vector<std::uint8_t>> features;
  std::vector<std::uint8_t> is_wrong;
  std::vector<float> weights;
};
// Numbers of frames, ascending.
using Chosen = std::vector<std::size_t>;

Examples ExamplesOf(const std::vector<Frame>& frames, const Chosen& chosen) {
  Examples examples;
  examples.features.resize(kNumPixelFeatures);
  std::mt19937 random(7);
  for (const std::size_t i : chosen) {
    const Frame& frame = frames[i];
    const double share_of_right =
        std::min(kShareOfRightKept, kMostRightKept / std::max(1.0, frame.NumPixelsWithTruth()));
    for (int y = 0; y < frame.height(); ++y) {
      for (int x = 0; x < frame.width(); ++x) {
        const std::uint8_t validity = frame.judged.validity(x, y);
        if (!frame.HasTruth(x, y) || (validity & kOutOfRange) != 0) continue;
        const bool is_kept = (validity & kRejected) == 0,
                   is_wrong = frame.IsWrong(frame.selected(x, y), x, y);
        const float other = is_kept ? frame.from_planes(x, y) : frame.finished(x, y);
        const double share = !is_kept ? kShareOfRejected : is_wrong ? 1.0 : share_of_right;
        if (!Drawn(random, share)) continue;
        double weight = frame.weight / share;
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

// The threshold with the largest gain over all nodes of a level; gain 0 if no threshold gains.
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

// Trees: PixelTrees or CandidateTrees.
template <typename Trees>
Trees Train(const Examples& examples, double learning_rate) {
  Trees trees{};
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
    for (int f = 0; f < static_cast<int>(examples.features.size()); ++f) {
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
      const double value = -learning_rate * kLeafScale * leaves[i].gradient / (leaves[i].hessian + kRidge);
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

// A frame as some trees have judged it, with holes filled.
struct JudgedFrame {
  DisparityMap filled, from_planes;
  HostImage<DisparityPlane> planes;
};

// Runs the filters that follow the judgement of the trees; stages may be null.
DisparityMap Finish(const Parameters& parameters, const Frame& frame, DisparityMap map, ThreadPool& threads,
                    StageResults* stages) {
  Parameters rest = parameters;
  rest.filter.speckle_size = 0;
  cpu::SpeckleFilter speckles(frame.width(), frame.height());
  AlignedBuffer<std::uint8_t> workspace(
      cpu::FilterWorkspaceBytes(rest, frame.width(), frame.height(), threads.num_threads()));
  cpu::FilterMap(rest, frame.gray.ConstView(), {}, speckles, map, workspace.data(), threads, stages);
  return map;
}

DisparityMap Judged(const PixelTrees& trees, const Frame& frame, ThreadPool& threads) {
  DisparityMap map = Clone(frame.judged);
  constexpr int kVector = 64;  // elements past the width that the kernel reaches
  const std::ptrdiff_t stride = frame.width() + 2 * kVector;
  threads.ParallelFor(frame.height(), [&](int y) {
    std::vector<std::uint8_t> features(static_cast<std::size_t>(kNumPixelFeatures * stride));
    std::vector<std::int16_t> sums(static_cast<std::size_t>(stride));
    for (int f = 0; f < kNumPixelFeatures; ++f)
      std::copy_n(frame.features[static_cast<std::size_t>(f)].Row(y), frame.width(),
                  features.data() + f * stride);
    cpu::SumLeavesRow(trees.bias, trees.trees, kNumTrees, features.data(), stride, frame.width(),
                      sums.data());
    for (int x = 0; x < frame.width(); ++x) {
      std::uint8_t& validity = map.validity(x, y);
      if (!Changes(validity, sums[static_cast<std::size_t>(x)], !std::isnan(frame.selected(x, y)))) continue;
      const bool was_kept = (validity & kRejected) == 0;
      validity = was_kept ? kMismatched : kValid;
      map.disparity(x, y) = was_kept ? std::numeric_limits<float>::quiet_NaN() : frame.selected(x, y);
    }
  });
  return map;
}

JudgedFrame JudgeFrame(const PixelTrees& trees, const Frame& frame, ThreadPool& threads) {
  const Parameters& parameters = frame.parameters;
  StageResults stages;
  Finish(parameters, frame, Judged(trees, frame, threads), threads, &stages);
  JudgedFrame judged{
      Clone(stages.Get<DisparityMap>("filled")), Clone(stages.Get<DisparityMap>("planes")), {}};
  judged.planes = reference::FitPlanes(parameters, judged.filled, threads);
  return judged;
}

void AddChoicesOf(const Frame& frame, const JudgedFrame& judged, std::mt19937& random, Examples& examples) {
  examples.features.resize(kNumCandidateFeatures);
  const CandidateView view =
      reference::ViewOfCandidates(frame.parameters, frame.gray.ConstView(), judged.filled, judged.planes);
  for (int y = 0; y < frame.height(); ++y) {
    for (int x = 0; x < frame.width(); ++x) {
      Candidates candidates;
      if (!frame.HasTruth(x, y) ||
          !FindCandidates(view, x, y, judged.from_planes.disparity(x, y), candidates)) {
        continue;
      }
      int num_wrong = 0;
      for (const float value : candidates.values) num_wrong += frame.IsWrong(value, x, y) ? 1 : 0;
      const bool is_clear = num_wrong == 0 || num_wrong == kNumCandidates;
      const double share = is_clear ? kShareOfClearChoices : 1.0;
      if (!Drawn(random, share)) continue;
      double weight = frame.weight / share;
      if (is_clear) weight *= kWeightWithoutEffect;
      MakeCandidateFeatures(view, x, y, candidates, [&](CandidateFeature feature, int, std::uint8_t byte) {
        examples.features[static_cast<std::size_t>(feature)].push_back(byte);
      });
      for (const float value : candidates.values) {
        examples.is_wrong.push_back(frame.IsWrong(value, x, y) ? 1 : 0);
        examples.weights.push_back(static_cast<float>(weight));
      }
    }
  }
}

struct Score {
  double without, judged, chosen;  // % wrong
};

class Trainer {
 public:
  Trainer(const std::vector<Frame>& frames, std::size_t num_folds, ThreadPool& threads)
      : frames_(frames), num_folds_(num_folds), threads_(threads) {}

  // Over all frames that `take` accepts.
  template <typename Take>
  Chosen Choose(const Take& take) const {
    Chosen chosen;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (take(i)) chosen.push_back(i);
    }
    return chosen;
  }
  std::size_t FoldOf(std::size_t frame) const { return frames_[frame].fold; }

  // Trains the judging trees: for each set on all its frames, and for each fold of it on the other folds.
  void PrepareJudges(const std::vector<Chosen>& sets) {
    std::vector<Chosen> missing;
    const auto add = [&](const Chosen& chosen) {
      if (!chosen.empty() && judges_.emplace(chosen, PixelTrees{}).second) missing.push_back(chosen);
    };
    for (const Chosen& chosen : sets) {
      add(chosen);
      for (std::size_t fold = 0; fold < num_folds_; ++fold) add(Without(chosen, fold));
    }
    threads_.ParallelFor(static_cast<int>(missing.size()), [&](int i) {
      const Chosen& chosen = missing[static_cast<std::size_t>(i)];
      judges_.at(chosen) = Train<PixelTrees>(ExamplesOf(frames_, chosen), kLearningRate);
    });
  }
  const PixelTrees& Judges(const Chosen& chosen) const { return judges_.at(chosen); }

  CandidateTrees TrainChoice(const Chosen& chosen, ThreadPool& threads) const {
    Examples examples;
    std::mt19937 random(7);
    for (const std::size_t i : chosen) {
      const PixelTrees& judges = Judges(Without(chosen, FoldOf(i)));
      AddChoicesOf(frames_[i], JudgeFrame(judges, frames_[i], threads), random, examples);
    }
    return Train<CandidateTrees>(examples, kLearningRateOfChoice);
  }

  Score ScoreOf(std::size_t i, const PixelTrees& judges, const CandidateTrees& trees,
                ThreadPool& threads) const {
    const Frame& frame = frames_[i];
    const JudgedFrame judged = JudgeFrame(judges, frame, threads);
    const CandidateView view =
        reference::ViewOfCandidates(frame.parameters, frame.gray.ConstView(), judged.filled, judged.planes);
    Parameters last = frame.parameters;
    last.filter.fill = last.refinement.planes = false;
    DisparityMap chosen = Clone(judged.from_planes);
    threads.ParallelFor(frame.height(), [&](int y) {
      for (int x = 0; x < frame.width(); ++x) {
        Candidates candidates;
        if (!FindCandidates(view, x, y, chosen.disparity(x, y), candidates)) continue;
        std::uint8_t features[kNumCandidates][kNumCandidateFeatures];
        MakeCandidateFeatures(view, x, y, candidates,
                              [&](CandidateFeature feature, int k, std::uint8_t byte) {
                                features[k][static_cast<int>(feature)] = byte;
                              });
        int sums[kNumCandidates];
        for (int k = 0; k < kNumCandidates; ++k) {
          sums[k] = trees.bias;
          for (const PixelTree& tree : trees.trees) sums[k] += LeafOf(tree, features[k]);
        }
        chosen.disparity(x, y) = candidates.values[BestCandidate(sums)];
      }
    });
    const auto percent = [&](const DisparityMap& map) {
      return frame.PercentWrong(Finish(last, frame, Clone(map), threads, nullptr).disparity);
    };
    return {frame.PercentWrong(frame.finished), percent(judged.from_planes), percent(chosen)};
  }

  // Every frame is scored by trees that were trained on the frames of the other groups alone, and on maps
  // that such trees have judged. group_of: of each frame.
  void CrossValidate(const std::vector<std::size_t>& group_of) {
    const std::size_t num_groups = *std::max_element(group_of.begin(), group_of.end()) + 1;
    std::vector<Chosen> others;
    for (std::size_t group = 0; group < num_groups; ++group)
      others.push_back(Choose([&](std::size_t i) { return group_of[i] != group; }));
    PrepareJudges(others);
    std::vector<Score> scores(frames_.size());
    threads_.ParallelFor(static_cast<int>(num_groups), [&](int number) {
      const auto group = static_cast<std::size_t>(number);
      ThreadPool threads(std::max(1, threads_.num_threads() / static_cast<int>(num_groups)));
      const CandidateTrees trees = TrainChoice(others[group], threads);
      for (std::size_t i = 0; i < frames_.size(); ++i) {
        if (group_of[i] == group) scores[i] = ScoreOf(i, Judges(others[group]), trees, threads);
      }
    });
    for (std::size_t i = 0; i < frames_.size();) {
      const std::string_view name = frames_[i].set->name;
      Score sum{};
      int count = 0, num_better_judged = 0, num_better_chosen = 0;
      for (; i < frames_.size() && frames_[i].set->name == name; ++i) {
        const Score& score = scores[i];
        std::cout << "  " << frames_[i].name << ' ' << score.without << " -> " << score.judged << " -> "
                  << score.chosen << '\n';
        sum.without += score.without, sum.judged += score.judged, sum.chosen += score.chosen, ++count;
        num_better_judged += score.judged < score.without ? 1 : 0;
        num_better_chosen += score.chosen < score.judged ? 1 : 0;
      }
      std::cout << name << ": " << sum.without / count << " -> judged " << sum.judged / count << ", "
                << num_better_judged << " of " << count << " better -> chosen " << sum.chosen / count << ", "
                << num_better_chosen << " better" << std::endl;
    }
  }

 private:
  Chosen Without(const Chosen& chosen, std::size_t fold) const {
    Chosen rest;
    for (const std::size_t i : chosen) {
      if (FoldOf(i) != fold) rest.push_back(i);
    }
    return rest;
  }

  const std::vector<Frame>& frames_;
  std::size_t num_folds_;
  ThreadPool& threads_;
  std::map<Chosen, PixelTrees> judges_;  // by the frames that they were trained on
};

// name: "General" or "Driving".
void Write(const PixelTrees& judging, const CandidateTrees& choosing, const std::string& name,
           const std::string& path) {
  std::ofstream out(path);
  out << "// Made by tools/train_trees; see pipeline/trees/pixel_trees.h and\n"
         "// pipeline/trees/candidate_choice.h.\n#pragma once\n\n#include "
         "\"pipeline/trees/candidate_choice.h\"\n"
         "#include \"pipeline/trees/pixel_trees.h\"\n\nnamespace parallax {\n\n// clang-format off\n";
  const auto list = [&](const auto& values) {
    out << '{';
    for (std::size_t i = 0; i < std::size(values); ++i) out << (i > 0 ? "," : "") << int{values[i]};
    out << '}';
  };
  const auto table = [&](const std::string& declaration, const auto& trees) {
    out << "inline constexpr " << declaration << '{' << trees.bias << ", {\n";
    for (const PixelTree& tree : trees.trees) {
      out << "  {";
      list(tree.features), out << ',', list(tree.thresholds), out << ',', list(tree.leaves), out << "},\n";
    }
    out << "}};\n";
  };
  table("PixelTrees k" + name + "Trees", judging);
  table("CandidateTrees k" + name + "CandidateTrees", choosing);
  out << "// clang-format on\n\n}  // namespace parallax\n";
  if (!out.flush()) throw Error("cannot write '" + path + "': is there a folder, and room?");
}

void Run(const std::vector<std::string>& arguments) {
  std::string data, output, trees = "general";
  std::size_t num_folds = 4;
  bool validates = true;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--data") {
      data = arguments[i + 1];
    } else if (arguments[i] == "--trees" &&
               (arguments[i + 1] == "general" || arguments[i + 1] == "driving")) {
      trees = arguments[i + 1];
    } else if (arguments[i] == "--folds") {
      num_folds = static_cast<std::size_t>(std::clamp(std::atoi(arguments[i + 1].c_str()), 2, 9));
    } else if (arguments[i] == "--validate") {
      validates = arguments[i + 1] != "no";
    } else if (arguments[i] == "--output") {
      output = arguments[i + 1];
    } else {
      throw InvalidArgument("unknown option '" + arguments[i] +
                            "': use --data, --trees general|driving, --folds, --validate or --output");
    }
  }
  ThreadPool threads(0);
  std::vector<Frame> frames;
  const bool is_driving = trees == "driving";
  const ChosenParameters parameters =
      LoadChosenParameters(is_driving ? "kitti-accurate" : "accurate", {"refinement.trees=none"});
  // Counts the sites of each data set. Frames of one site, such as ETH3D's playground_1l and playground_2s,
  // share a fold.
  std::map<std::string_view, std::map<std::string, std::size_t>> sites;
  for (const DataSet& set : kDataSets) {
    if (is_driving && !set.is_driving) continue;
    const auto source = OpenSource({data + "/" + set.folder}, {.kind = {}, .with_truth = true});
    while (source->NextName()) {
      frames.push_back(MakeFrame(parameters, source->Read(), set, threads));
      const std::string& name = frames.back().name;
      auto& of_set = sites[set.name];
      frames.back().fold =
          of_set.emplace(name.substr(0, name.find('_')), of_set.size()).first->second % num_folds;
    }
  }
  std::map<std::string_view, double> num_pixels;
  for (const Frame& frame : frames) num_pixels[frame.set->name] += frame.NumPixelsWithTruth();
  for (Frame& frame : frames) frame.weight = kWeightOfSet / num_pixels[frame.set->name];
  std::cout << frames.size() << " frames" << std::endl;
  Trainer trainer(frames, num_folds, threads);
  if (validates) {
    std::vector<std::size_t> by_frame, by_set;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      by_frame.push_back(trainer.FoldOf(i));
      by_set.push_back(
          static_cast<std::size_t>(std::distance(num_pixels.begin(), num_pixels.find(frames[i].set->name))));
    }
    std::cout << num_folds << " folds of frames:\n";
    trainer.CrossValidate(by_frame);
    std::cout << "trained on the other sets alone:\n";
    trainer.CrossValidate(by_set);
  }
  if (output == "-") return;
  const Chosen all = trainer.Choose([](std::size_t) { return true; });
  trainer.PrepareJudges({all});
  if (output.empty()) output = "pipeline/trees/" + trees + "_trees.h";
  Write(trainer.Judges(all), trainer.TrainChoice(all, threads), is_driving ? "Driving" : "General", output);
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
