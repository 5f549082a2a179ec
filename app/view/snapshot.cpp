#include "app/view/snapshot.h"

#include <system_error>

#include "app/output/output_files.h"
#include "config/parameters_yaml.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

void WriteValues(const fs::path& file, HostImageView<const float> values) {
  if (!values.Empty()) WritePfm(file, values);
}

void WriteSet(const fs::path& folder, const std::string& prefix, const ShownSet& set) {
  const auto file = [&](const char* name) { return folder / (prefix + name); };
  WriteValues(file("disparity.pfm"), set.disparity);
  WriteValues(file("depth.pfm"), set.depth_m.ConstView());
  if (set.sigma_px != nullptr) WriteValues(file("sigma.pfm"), set.sigma_px->image().ConstView());
  if (!set.confidence.Empty()) WritePng(file("confidence.png"), set.confidence);
  if (!set.validity.Empty()) WritePng(file("validity.png"), set.validity);
  if (!set.backend.empty()) WriteTextFile(file("parameters.yaml"), ToYaml(set.parameters));
}

}  // namespace

void WriteSnapshot(const fs::path& folder, const Snapshot& snapshot) {
  std::error_code error;
  if (!fs::create_directory(folder, error)) {
    throw Error(folder.string() + ": cannot be made: " + (error ? error.message() : "it is there already") +
                ": choose another --save-to");
  }
  WritePng(folder / "window.png", snapshot.window.ConstView());
  WriteTextFile(folder / "state.json", snapshot.state);
  if (snapshot.frame != nullptr) {
    const ShownFrame& frame = *snapshot.frame;
    if (!frame.left.Empty()) WritePng(folder / "left.png", frame.left.ConstView());
    if (!frame.right.Empty()) WritePng(folder / "right.png", frame.right.ConstView());
    if (frame.truth != nullptr) WriteValues(folder / "truth.pfm", frame.truth->disparity.ConstView());
    WriteSet(folder, "", frame.a);
    if (frame.b) WriteSet(folder, "b-", *frame.b);
  }
  if (snapshot.cloud == nullptr) return;
  const auto cloud = snapshot.show_filled ? snapshot.cloud : WithoutFilled(snapshot.cloud);
  WritePly(folder / "cloud.ply", cloud->cloud);
}

}  // namespace parallax::app
