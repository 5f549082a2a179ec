#include "app/view/output_pages.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "app/session/input_text.h"
#include "app/view/display.h"
#include "app/view/viewed_file.h"
#include "config/parameters_yaml.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

// The results of a frame that could be read; the rest is empty.
struct Results {
  HostImage<float> disparity, sigma;
  HostImage<std::uint8_t> confidence, validity;
};

std::optional<fs::path> FileIn(const fs::path& folder, const FinishedResult& result,
                               const std::string& place) {
  for (const ResultFile& file : result.files) {
    if (file.path.starts_with(place + "/")) return folder / file.path;
  }
  return std::nullopt;
}

}  // namespace

bool OutputPages::IsThere(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / kJournalName, error);
}

OutputPages::OutputPages(fs::path folder) : folder_(std::move(folder)) {
  std::map<std::string, FinishedResult> finished;  // what was written again counts as it was written last
  for (const JournalRecord& record : ReadJournal(folder_ / kJournalName)) {
    std::optional<NamedResult> frame = FinishedResultOf(record);
    if (frame && !frame->result.files.empty()) finished[frame->name] = std::move(frame->result);
  }
  for (auto& [name, result] : finished) frames_.push_back({name, std::move(result)});
  if (frames_.empty()) {
    throw Error((folder_ / kJournalName).string() +
                ": has no finished frame: name an output folder of parallax run");
  }
  const fs::path parameters = folder_ / "parameters.yaml";
  std::error_code error;
  if (fs::exists(parameters, error)) parameters_ = LoadParameters(parameters.string());
}

ViewerFrame OutputPages::Read(std::size_t number) {
  const auto& [name, result] = frames_.at(number);
  const auto file = [&, &result = result](const char* place) { return FileIn(folder_, result, place); };
  const InputParts input =
      ParseInputText(std::string(result.Get(kInputKey))).value_or(InputParts{{}, std::nullopt});
  ViewerFrame page;
  page.name = name;
  ShownFrame shown;
  shown.name = name;
  shown.index = number;
  shown.rig = input.rig;
  if (const std::optional<StereoFrame> source = origins_.Read(result.origin, input.left)) {
    shown.left = DisplayImage(ViewOf(source->left));
    shown.right = DisplayImage(ViewOf(source->right));
  }
  page.status = !shown.left.Empty()     ? ""
                : result.origin.empty() ? "a camera's images are not kept; run --record keeps them"
                                        : "the source's images no longer exist";

  const auto results = std::make_shared<Results>();
  if (const auto pfm = file("pfm")) {
    results->disparity = ReadPfm(*pfm);
  } else if (const auto png = file("disparity")) {
    results->disparity = ReadDisparityPng(*png);
  }
  if (results->disparity.Empty()) {
    // A folder with depths or clouds alone is shown as a single file would be.
    for (const auto& [place, kind] : {std::pair("depth", FileKind::kDepth), {"cloud", FileKind::kCloud}}) {
      if (const auto path = file(place)) return ReadViewedFile(*path, kind);
    }
    throw Error(folder_.string() + ": contains neither disparity, depth nor cloud of " + name);
  }
  const auto same_size = [&](const auto& image) {
    return image.width() == results->disparity.width() && image.height() == results->disparity.height();
  };
  if (const auto path = file("confidence")) results->confidence = ReadGray8(*path);
  if (const auto path = file("validity")) results->validity = ReadGray8(*path);
  if (const auto path = file("sigma")) results->sigma = ReadPfm(*path);
  if (!same_size(results->confidence)) results->confidence = {};
  if (!same_size(results->validity)) results->validity = {};
  if (page.status.empty() && results->validity.Empty() && parameters_.filter.fill)
    page.status = "filled pixels look like measured ones; run --write validity tells them apart";
  shown.a = MakeShownSet(results->disparity.ConstView(), results->validity.ConstView(),
                         results->confidence.ConstView(), input.rig, parameters_, results);
  if (same_size(results->sigma))
    shown.a.sigma_px = std::make_shared<const ImageOnDemand>([results] { return results->sigma.Clone(); });
  shown.width = results->disparity.width();
  shown.height = results->disparity.height();
  if (!shown.left.Empty() && !same_size(shown.left)) shown.left = {}, shown.right = {};
  const HostImage<Rgb8> colors =
      shown.left.Empty() ? ColorsOf(shown, PaneView::kDisparity) : HostImage<Rgb8>{};
  CloudInput cloud{.disparity = shown.a.disparity,
                   .colors = colors.Empty() ? shown.left.ConstView() : colors.ConstView()};
  if (!results->confidence.Empty()) cloud.confidence = shown.a.confidence;
  if (!results->validity.Empty()) cloud.validity = shown.a.validity;
  AddCloud(cloud, input.rig, parameters_.reprojection, page);
  page.shown = std::make_shared<const ShownFrame>(std::move(shown));
  return page;
}

}  // namespace parallax::app
