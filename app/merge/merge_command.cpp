#include "app/merge/merge_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/eval/score_folder.h"
#include "app/merge/merge_shards.h"
#include "app/merge/shard_folders.h"
#include "app/options/shared_options.h"
#include "app/output/output_files.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

void Merge(const MergeOptions& options) {
  const auto runs = ShardPlaces(options.folders, std::string(kJournalName));
  const auto scores = ShardPlaces(options.folders, kScoresName);
  if (runs.empty() && scores.empty()) {
    throw Error(options.folders.front() +
                ": contains no shards: name the folders of `run --output DIR --shard I/N` or `eval "
                "--scores DIR --shard I/N`");
  }
  if (!runs.empty() && !scores.empty()) {
    throw InvalidArgument(runs.front().string() + ": is a shard of run, but " + scores.front().string() +
                          " one of eval: keep them in separate folders");
  }
  const bool has_eval_outputs =
      !options.eval.csv_file.empty() || !options.eval.json_file.empty() || !options.eval.report.empty();
  if (!runs.empty()) {
    if (has_eval_outputs)
      throw InvalidArgument(
          "--csv, --json and --report belong to eval, but these are shards of run: leave them out");
    return MergeRuns(options, runs);
  }
  if (!options.output.empty() || options.used_folder.overwrite)
    throw InvalidArgument(
        "--output and --overwrite belong to run, but these are shards of eval: leave them out");
  CheckFolder(options.eval.csv_file);
  CheckFolder(options.eval.json_file);
  MergeScores(options, scores);
}

}  // namespace

void AddMergeCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("merge", "Join the shards of run or eval into what one process would have written");
  const auto o = std::make_shared<MergeOptions>();
  command->add_option("folders", o->folders, "Folders of shards, or folders that hold them")
      ->type_name("DIR")
      ->required();
  command
      ->add_option(
          "-o,--output", o->output,
          "For run: folder for the results, as hard links where possible [the one DIR that holds the "
          "shards]")
      ->type_name("DIR");
  AddOverwriteOption(*command, o->used_folder);
  command->add_option("--csv", o->eval.csv_file, "For eval: write every figure as CSV")->type_name("FILE");
  AddJsonOption(*command, o->eval.json_file, "every figure of eval");
  command
      ->add_option(
          "--report", o->eval.report,
          "For eval, if the shards had --report: the page, index.html in this folder, or one FILE.html")
      ->type_name("DIR|FILE");
  command->callback([o] { Merge(*o); });
}

}  // namespace parallax::app
