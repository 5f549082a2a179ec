// parallax eval: the official figures of estimates, read from files or made by the matcher.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/cloud/cloud_options.h"
#include "app/commands.h"
#include "app/eval/estimate_files.h"
#include "app/eval/eval_options.h"
#include "app/eval/eval_session.h"
#include "app/eval/eval_source.h"
#include "app/options/named_rig.h"
#include "app/options/shared_options.h"
#include "app/output/output_files.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

// Scores one file against another.
void EvaluateFiles(const EvalOptions& options) {
  if (options.truth.disparity.empty() || options.estimate_file.empty() || options.metric.empty()) {
    throw InvalidArgument(
        "name a SOURCE, or two files and how to score them: --truth FILE --estimate FILE --metric NAME");
  }
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
    session.Score(frame, evaluated, std::nullopt);
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
        "--uncertainty is the matcher's: name a SOURCE, and leave out --estimate and --estimates");
  }
  CheckFolder(options.outputs.csv_file);  // before frames are matched for minutes
  CheckFolder(options.outputs.json_file);
  if (options.source.empty()) return EvaluateFiles(options);
  EvaluateSource(options);
}

}  // namespace

void AddEvalCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("eval", "Official figures of disparities against ground truth");
  const auto o = std::make_shared<EvalOptions>();
  command->add_option("source", o->source,
                      "SOURCE: a data-set folder, LEFT RIGHT files, synthetic:NAME, ...");
  AddKindOption(*command, o->kind);
  AddMaxFramesOption(*command, o->max_frames);
  command
      ->add_option("--metric", o->metric,
                   "kitti2012, kitti2015, middlebury or eth3d instead of the source's own benchmark")
      ->type_name("NAME");
  command->add_option("--estimates", o->estimates, "Score the .png and .pfm disparities here; do not match")
      ->type_name("DIR|FILE");
  AddMatchingOptions(*command, o->matching);
  AddRigOptions(*command, o->rig);
  command->add_option("--csv", o->outputs.csv_file, "Write every figure as CSV")->type_name("FILE");
  AddJsonOption(*command, o->outputs.json_file, "every figure");
  command
      ->add_option(
          "--report,--output", o->outputs.report,
          "Write a page with tables, curves and pictures: index.html in this folder, or one FILE.html")
      ->type_name("DIR|FILE");
  command
      ->add_option("--picture", o->outputs.pictures,
                   "Write for print: the first frame's images and errors as FILE.png, every frame's as "
                   "{name}.png, the "
                   "curves as FILE.svg; may be repeated")
      ->type_name("FILE");
  AddTruthOptions(*command, o->truth);
  command->add_option("--estimate", o->estimate_file, "Without SOURCE: score this file against --truth")
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
  command->callback([o] { RunEval(*o); });
}

}  // namespace parallax::app
