#include <fmt/format.h>

#include "app/eval/score_folder.h"
#include "app/merge/merge_shards.h"
#include "app/merge/shard_folders.h"
#include "app/output/output_files.h"
#include "app/report/eval_report.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

// The file of a picture's address in a page ("frames/a%20b.png").
std::string FileOfAddress(const std::string& address) {
  std::string file;
  for (std::size_t i = 0; i < address.size(); ++i) {
    if (address[i] == '%' && i + 2 < address.size()) {
      file += static_cast<char>(std::stoi(address.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      file += address[i];
    }
  }
  return file;
}

void CheckOutputs(const EvalOutputs& outputs, const EvalDescription& scored) {
  if (outputs.report.empty()) return;
  if (scored.report.empty()) {
    throw InvalidArgument("--report " + outputs.report +
                          ": the shards were scored without --report: start them again with it");
  }
  if (IsSingleFile(outputs.report) != IsSingleFile(scored.report)) {
    throw InvalidArgument(fmt::format("--report {}: the shards have --report {}: name {}", outputs.report,
                                      scored.report,
                                      IsSingleFile(scored.report) ? "a FILE.html" : "a folder, too"));
  }
}

// The pictures that a shard drew, where the page finds them.
void FetchPictures(const PageFrame& page, const EvalDescription& scored, const std::string& report) {
  std::vector<const PagePicture*> pictures{&page.thumbnail};
  for (const PagePicture& picture : page.pictures) pictures.push_back(&picture);
  for (const PagePicture* picture : pictures) {
    const std::string file = FileOfAddress(picture->address);
    const fs::path to = fs::path(report) / file, from = fs::path(scored.report) / file;
    std::error_code error;
    if (fs::exists(to, error)) continue;
    if (!fs::exists(from, error))
      throw Error(to.string() + ": is missing, and so is " + from.string() +
                  ": copy the shards' pictures there");
    LinkOrCopy(from, to);
  }
}

}  // namespace

void MergeScores(const MergeOptions& options, const std::vector<fs::path>& places) {
  const std::vector<ShardFolder> shards =
      ReadShards(places, kScoresName, kEvalRecord, [](const ShardFolder& a, const ShardFolder& b) {
        return DifferenceOf(*b.common, *a.common, Compared::kShards);
      });
  const EvalDescription scored = EvalDescriptionOf(*shards.front().common);
  for (const ShardFolder& shard : shards) CheckOutputs(options.eval, EvalDescriptionOf(*shard.common));

  EvalSession session(scored.subject, scored.metrics, options.eval);
  if (scored.has_clouds)
    session.ScoreClouds(std::make_unique<CloudEvaluator>(scored.clouds, scored.cloud_backend),
                        scored.cloud_limits);
  for (const auto& [index, frame] : FramesOf(shards, kScoreRecord)) {
    ScoredFrame taken = ScoredFrameOf(*frame.record);
    const EvalDescription of_shard = EvalDescriptionOf(*frame.shard->common);
    if (taken.page && !options.eval.report.empty() && !IsSingleFile(options.eval.report))
      FetchPictures(*taken.page, of_shard, options.eval.report);
    session.Add(std::move(taken));
  }
  session.Finish(false);
}

}  // namespace parallax::app
