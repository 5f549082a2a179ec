#include "app/view/origin_reader.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/named_rig.h"
#include "app/session/input_text.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/source.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

// The files that a stamp names (datasets/system/file_identity.h, StampOf); empty for any other text.
std::vector<std::string> FilesOfStamp(std::string_view stamps) {
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin < stamps.size();) {
    const std::size_t end = std::min(stamps.find("; ", begin), stamps.size());
    const std::string_view stamp = stamps.substr(begin, end - begin);
    begin = end + 2;
    const std::size_t time = stamp.rfind(' ');
    const std::size_t size = time == std::string::npos ? time : stamp.rfind(' ', time - 1);
    if (size == std::string::npos || stamp.front() != '/') return {};
    files.emplace_back(stamp.substr(0, size));
  }
  return files;
}

// The word after a key; empty if the text does not hold it.
std::string WordAfter(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return "";
  return text.substr(at + key.size(), text.find(' ', at + key.size()) - at - key.size());
}

// Reads from an origin how its frames were rectified (RigOptions::RectificationText, and the rig's files).
RigOptions RigOf(const std::string& options) {
  RigOptions rig;
  rig.size = WordAfter(options, " --rectified-size ");
  if (const std::string zoom = WordAfter(options, " --zoom "); !zoom.empty()) rig.zoom = zoom;
  constexpr std::string_view kRig = " --rig ";
  if (const std::size_t at = options.find(kRig); at != std::string::npos) {
    for (const std::string& file : FilesOfStamp(std::string_view(options).substr(at + kRig.size())))
      rig.rig += (rig.rig.empty() ? "" : ",") + file;
  }
  return rig;
}

std::unique_ptr<FrameSource> OpenOrigin(std::string source, bool is_numbered, const RigOptions& rig) {
  SourceOptions options;
  for (std::size_t i = 0; i < kPictureLayoutNames.size(); ++i) {
    const std::string layout = std::string(" ") + kPictureLayoutNames[i];
    if (!source.ends_with(layout)) continue;
    source.resize(source.size() - layout.size());
    options.live.layout = static_cast<PictureLayout>(i);
  }
  std::vector<std::string> spec = FilesOfStamp(source);
  if (source.starts_with("synthetic:")) spec = {source};
  if (!is_numbered && !options.live.layout) {  // of a data set: two images, and more
    if (spec.size() < 2) return nullptr;
    spec.resize(2);
    options.kind = NameOf(SourceKind::kPair);
  }
  return spec.empty() ? nullptr : WithRig(OpenSource(spec, options), rig);
}

}  // namespace

std::optional<StereoFrame> OriginReader::Read(const std::string& origin, const std::string& left) {
  const std::size_t options_at = std::min(origin.find(" --"), origin.size());
  const std::size_t number_at = origin.rfind(" #", options_at);
  std::optional<std::uint64_t> number;
  if (number_at != std::string::npos)
    number = ParseCount(std::string_view(origin).substr(number_at + 2, options_at - number_at - 2));
  const std::string options = origin.substr(options_at);
  std::string source = origin.substr(0, number ? number_at : options_at);
  try {
    if (!source_ || opened_ != source + options || position_ > number.value_or(0)) {
      opened_.clear();
      source_ = OpenOrigin(source, number.has_value(), RigOf(options));
      opened_ = source + options;
      position_ = 0;
    }
    if (!source_) return std::nullopt;
    for (; position_ < number.value_or(0); ++position_) {
      if (!source_->NextName()) return std::nullopt;
      source_->Skip();
    }
    ++position_;
    StereoFrame frame = source_->Read();
    if (ImageText(frame.left) == left) return frame;
  } catch (const Error&) {  // results are shown without it
    source_.reset();
  }
  return std::nullopt;
}

}  // namespace parallax::app
