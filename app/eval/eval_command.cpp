// parallax eval: the official figures of estimates, read from files or made by the matcher.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/cloud/cloud_options.h"
#include "app/commands.h"
#include "app/eval/eval_options.h"
#include "app/eval/eval_session.h"
#include "app/eval/eval_source.h"
#include "app/options/named_rig.h"
#include "app/options/shared_options.h"
#include "app/output/output_files.h"
#include "app/scores/estimate_files.h"
#include "app/session/schedule.h"
#include "app/team/shared_run.h"
#include "app/team/team.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

// Scores one file against another.
void EvaluateFiles(const EvalOptions& options) {
  if (options.truth.disparity.empty() || options.estimate_file.empty() || options.metric.empty()) {
    throw InvalidArgument(
        "name a SOURCE, or two files and how to score them: --truth FILE --estimate FILE --metric NAME");
  }
  CheckFoldersOf(options.outputs);
  CheckFilesApart(
      {options.truth.disparity, options.truth.nonoccluded, options.truth.objects, options.estimate_file},
      WrittenFiles(options.outputs));
  const Metric metric = MetricNamed(options.metric);
  EvalSession session({options.metric, options.truth.disparity, options.estimate_file, "", ""}, {metric},
                      options.outputs);
  StereoFrame frame;
  frame.name = std::filesystem::path(options.estimate_file).stem().string();
  frame.truth = ReadTruth(options.truth);
  const HostImage<float> estimate = ReadEstimate(options.estimate_file);
  EvaluatedFrame evaluated{estimate.ConstView(), &*frame.truth};
  if (options.max_disparity_px) evaluated.max_disparity_px = *options.max_disparity_px;
  evaluated.round = options.round;
  try {
    session.Add(session.Score(frame, evaluated, std::nullopt, 0));
  } catch (const InvalidArgument& error) {  // which files do not fit is what the user has to know
    throw Error(options.estimate_file + ": " + error.what() + " (" + options.truth.disparity + ")");
  }
  session.Finish(false);
}

void RunEval(const EvalOptions& options) {
  if (!options.source.empty() && !options.estimate_file.empty()) {
    throw InvalidArgument("--estimate scores two files without a SOURCE; with one, use --estimates");
  }
  if (options.source.empty() && options.clouds.enabled) {
    throw InvalidArgument("--cloud needs a SOURCE, whose calibration makes clouds of disparities");
  }
  if (options.uncertainty && (options.source.empty() || !options.estimates.empty())) {
    throw InvalidArgument(
        "--uncertainty scores the matcher's own uncertainty: name a SOURCE, and leave out --estimate and "
        "--estimates");
  }
  if (options.scores.empty() && (options.used_scores.resume || options.used_scores.overwrite))
    throw InvalidArgument(
        "--resume and --overwrite act on stored scores: name their folder with --scores DIR");
  if (options.source.empty()) {
    if (!options.scores.empty()) throw InvalidArgument("--scores keeps the scores of a SOURCE: name one");
    return EvaluateFiles(options);
  }
  if (options.shard_text.empty()) {
    const std::unique_ptr<Team> team = JoinTeam();
    if (!team) return EvaluateSource(options, nullptr);
    EvalOptions share = options;
    share.matching = ShareOf(*team, options.matching);
    return RunInTeam(team.get(), [&](SharedRun* shared) { EvaluateSource(share, shared); });
  }
  if (options.scores.empty()) {
    throw InvalidArgument(
        "--shard needs --scores DIR, below which the shard keeps its scores for parallax merge");
  }
  if (!options.outputs.csv_file.empty() || !options.outputs.json_file.empty()) {
    throw InvalidArgument(
        "--shard: a shard has no totals: leave out --csv and --json, and use those of parallax merge");
  }
  EvalOptions share = options;
  share.shard = ParseShard(options.shard_text);
  share.scores /= share.shard->FolderName();
  EvaluateSource(share, nullptr);
}

}  // namespace

void AddEvalCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "eval", "Score disparities against ground truth with the benchmarks' official metrics");
  const auto o = std::make_shared<EvalOptions>();
  command->add_option("source", o->source,
                      "SOURCE: a data-set folder, LEFT RIGHT files, synthetic:NAME, ...");
  AddKindOption(*command, o->kind);
  AddMaxFramesOption(*command, o->max_frames);
  AddCheckOption(*command, o->check);
  AddShowFilledOption(*command, o->show_filled);
  command
      ->add_option("--metric", o->metric,
                   "Metric to use instead of the source's own: kitti2012, kitti2015, middlebury or eth3d")
      ->type_name("NAME");
  command
      ->add_option("--estimates", o->estimates, "Score these .png and .pfm disparities instead of matching")
      ->type_name("DIR|FILE");
  AddMatchingOptions(*command, o->matching, Devices::kSeveral);
  AddRigOptions(*command, o->rig);
  command->add_option("--csv", o->outputs.csv_file, "Write every figure as CSV")->type_name("FILE");
  AddJsonOption(*command, o->outputs.json_file, "every figure");
  command
      ->add_option(
          "--report,--output", o->outputs.report,
          "Write a page with tables, curves and pictures: index.html in this folder, or one FILE.html")
      ->type_name("DIR|FILE");
  AddTruthOptions(*command, o->truth);
  command->add_option("--estimate", o->estimate_file, "Score this file against --truth, without a SOURCE")
      ->type_name("FILE");
  command
      ->add_option("--max-disparity", o->max_disparity_px,
                   "Middlebury: clip estimates to this (px of the estimate)")
      ->check(CheckPositive)
      ->type_name("PX");
  command->add_flag("--round", o->round, "Middlebury: round estimates to whole pixels first");
  AddCloudScoreOptions(*command, o->clouds);
  command->add_flag(
      "--uncertainty", o->uncertainty,
      "Score the matcher's uncertainty: the share of errors below 3 px within one and two sigma");
  command
      ->add_option("--scores", o->scores,
                   "Keep the scores of every frame in this folder, for --resume and --shard")
      ->type_name("DIR");
  CLI::Option* resume = command->add_flag(
      "--resume", o->used_scores.resume,
      "Continue with the scores in --scores: skip frames already scored from the same files");
  AddOverwriteOption(*command, o->used_scores)->excludes(resume);
  AddShardOption(*command, o->shard_text);
  command->callback([o] {
    RunOpenCvInCallersThread();
    RunEval(*o);
  });
}

}  // namespace parallax::app
