#include "datasets/source.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "datasets/layouts/frame_list.h"
#include "datasets/layouts/image_pair.h"
#include "datasets/layouts/layouts.h"
#include "datasets/live/camera_source.h"
#include "datasets/live/gstreamer_source.h"
#include "datasets/live/players.h"
#include "datasets/live/recording_source.h"
#include "datasets/live/ros2_source.h"
#include "datasets/synthetic/synthetic_source.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

constexpr std::optional<Metric> kOfKitti2012 = Metric::kKitti2012, kOfKitti2015 = Metric::kKitti2015,
                                kOfMiddlebury = Metric::kMiddlebury, kOfEth3d = Metric::kEth3d;
// Ordered as the enumerators.
constexpr SourceTraits kTraits[] = {
    {SourceKind::kKitti2012, "kitti2012", {kOfKitti2012, kOfKitti2015}, true, true, 0},
    {SourceKind::kKitti2015, "kitti2015", {kOfKitti2015, kOfKitti2012}, true, true, 0.5F},
    {SourceKind::kKittiOdometry, "kitti_odometry", {kOfKitti2015, kOfKitti2012}, false, true, 0},
    {SourceKind::kKittiRaw, "kitti_raw", {kOfKitti2015, kOfKitti2012}, false, true, 0},
    {SourceKind::kMiddleburyV3, "middlebury_v3", {kOfMiddlebury}, true, true, 0},
    {SourceKind::kMiddleburyClassic, "middlebury_classic", {kOfMiddlebury}, true, true, 0},
    {SourceKind::kEth3d, "eth3d", {kOfEth3d}, true, true, 0.2F},
    {SourceKind::kEuroc, "euroc", {kOfMiddlebury}, false, true, 0},
    {SourceKind::kPair, "pair", {kOfMiddlebury}, false, false, 0},
    {SourceKind::kVideo, "video", {kOfMiddlebury}, false, false, 0},
    {SourceKind::kCamera, "camera", {kOfMiddlebury}, false, false, 0},
    {SourceKind::kRecording, "recording", {kOfMiddlebury}, false, false, 0},
    {SourceKind::kSynthetic, "synthetic", {kOfKitti2015, kOfKitti2012, kOfMiddlebury}, true, true, 0},
};

// "a", then "a, b", ...
void AppendToList(std::string& list, std::string_view item, std::string_view separator = ", ") {
  if (!list.empty()) list += separator;
  list += item;
}

std::optional<SourceKind> ForcedKind(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::string all;
  for (const SourceTraits& traits : kTraits) {
    if (traits.name == name) return traits.kind;
    AppendToList(all, traits.name);
  }
  throw InvalidArgument("'" + name + "' is not a kind of source; use one of " + all);
}

bool IsGlob(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

std::unique_ptr<FrameSource> OpenFolder(const std::string& folder, std::optional<SourceKind> forced,
                                        bool with_truth) {
  std::vector<std::pair<const Layout*, FrameRecipes>> found;
  std::string looked_for;
  for (const Layout& layout : kLayouts) {
    if (forced && layout.kind != *forced) continue;
    FrameRecipes frames = layout.find(folder, forced.has_value());
    if (!frames.empty()) found.emplace_back(&layout, std::move(frames));
    AppendToList(looked_for, NameOf(layout.kind), "; ");
    looked_for += ": ";
    looked_for += layout.looked_for;
  }
  if (found.size() == 1) return MakeFrameList(found[0].first->kind, std::move(found[0].second), with_truth);
  if (found.empty()) {
    throw Error(folder + ": " +
                (looked_for.empty() ? "a folder cannot be read as '" + std::string(NameOf(*forced)) + "'"
                                    : "no data set recognised; looked for " + looked_for));
  }
  std::string kinds;
  for (const auto& [layout, frames] : found) {
    AppendToList(kinds, NameOf(layout->kind));
    kinds += " (" + frames.At(0).left.string() + ")";
  }
  throw Error(folder + ": holds several data sets: " + kinds + "; name the folder of one, or the kind");
}

// Explains how cameras and streams are named if the text looks like one but is not; otherwise empty.
std::string NamedAsSource(const std::string& spec) {
  if (spec.find("://") != std::string::npos) {
    return "; a stream is named by its pipeline: \"gst:uridecodebin uri=" + spec +
           " ! videoconvert ! appsink\"";
  }
  const bool is_number = !spec.empty() && spec.find_first_not_of("0123456789,") == std::string::npos;
  return is_number || spec.starts_with("/dev/video") ? "; a camera is named camera:" + spec : "";
}

std::unique_ptr<FrameSource> OpenOne(const std::string& spec, std::optional<SourceKind> forced,
                                     const SourceOptions& options) {
  std::error_code too_long;  // to be a name: a pipeline
  const bool exists = fs::exists(spec, too_long);
  if (!exists && spec.starts_with("camera:")) return OpenCamera(spec, options.live);
  if (!exists && spec.starts_with("gst:")) return OpenGstreamer(spec, options.live);
  if (!exists && spec.starts_with("ros2:")) return OpenRos2(spec, options.live);
  if (!exists && spec.starts_with("synthetic:")) return OpenSyntheticSource(spec, options);
  const bool is_folder = fs::is_directory(spec);
  if (options.live.layout && !forced && (is_folder || IsGlob(spec) || IsImageName(spec)))
    return MakeFrameList(SourceKind::kPair, ListStackedPictures(spec, *options.live.layout), false);
  if (is_folder) return OpenFolder(spec, forced, options.with_truth);
  if (exists && (IsVideoName(spec) || forced == SourceKind::kVideo))
    return OpenVideo({spec}, options.live.layout.value_or(PictureLayout::kSideBySide));
  if (exists && (forced == SourceKind::kRecording || (!forced && IsRecording(spec))))
    return OpenRecording(spec);
  if (IsGlob(spec) || IsImageName(spec)) {
    throw InvalidArgument(spec +
                          ": image files need two arguments, left and right (quote globs: 'left/*.png'); "
                          "if each picture holds both, name the layout");
  }
  const std::string remedy = NamedAsSource(spec);
  if (exists) {
    throw Error(spec + ": is not a readable folder, image, video or recording" +
                (remedy.empty() ? " (its extension is unknown)" : remedy));
  }
  throw Error(spec + ": no such file or folder" +
              (remedy.empty()
                   ? "; a source is a data-set folder, left and right images, a video, a recording "
                     "(.mcap), camera:N, gst:PIPELINE, ros2:TOPICS or synthetic:NAME"
                   : remedy));
}

std::unique_ptr<FrameSource> OpenTwo(const std::string& left, const std::string& right,
                                     std::optional<SourceKind> forced, bool with_truth) {
  const bool videos = IsVideoName(left) && IsVideoName(right) && !IsGlob(left) && !IsGlob(right);
  if (forced == SourceKind::kVideo || (videos && !forced)) return OpenVideo({left, right});
  if (forced && *forced != SourceKind::kPair) {
    throw InvalidArgument(left + " " + right + ": two arguments cannot be read as '" +
                          std::string(NameOf(*forced)) + "', only as pair or video");
  }
  return MakeFrameList(SourceKind::kPair, ListImagePairs(left, right), with_truth);
}

}  // namespace

const SourceTraits& TraitsOf(SourceKind kind) { return kTraits[static_cast<std::size_t>(kind)]; }

std::unique_ptr<FrameSource> OpenSource(const std::vector<std::string>& spec, const SourceOptions& options) {
  const std::optional<SourceKind> forced = ForcedKind(options.kind);
  if (spec.size() == 1) return OpenOne(spec[0], forced, options);
  if (spec.size() == 2) return OpenTwo(spec[0], spec[1], forced, options.with_truth);
  throw InvalidArgument(std::to_string(spec.size()) +
                        " source arguments given; use one (folder, video, camera:N, gst:'PIPELINE', "
                        "synthetic:NAME) or two (left right; quote globs: 'left/*.png' 'right/*.png')");
}

}  // namespace parallax
