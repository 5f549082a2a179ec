// A FrameSource over frames in files; each data set only lists their places.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/layouts/picture_halves.h"
#include "datasets/source.h"

namespace parallax {

// The files of one frame. Nothing is opened before it is read.
struct FrameRecipe {
  std::string name;  // the data set's own; unique, file-name safe
  std::filesystem::path left, right;
  std::optional<PictureLayout> layout{};             // of left, if it holds both images and there is no right
  std::vector<std::filesystem::path> calibration{};  // files that add_rig reads, existing or not
  std::vector<std::filesystem::path> truth{};        // files that add_truth reads, existing or not
  std::string note{};                                // as the frame's
  std::optional<double> timestamp_s;
  bool rectified = true;
  // Adds the rig and the calibration's other values; sets rig_note instead if there is no rig. Called after
  // the images are read. Several threads may call it at once, each for another frame (add_truth as well).
  std::function<void(StereoFrame&)> add_rig;
  // Adds the truth; sets truth_note instead if the frame has none. Called after the images are read, and only if
  // truth is requested.
  std::function<void(StereoFrame&)> add_truth;
};

// The frames of a data set, in its order.
class FrameRecipes {
 public:
  FrameRecipes() = default;
  FrameRecipes(std::vector<FrameRecipe> recipes);
  // num_frames frames, each made on request by at(number from 0), which may be called in several threads at a
  // time: a million frames need no more memory than their names.
  FrameRecipes(std::size_t num_frames, std::function<FrameRecipe(std::size_t)> at);

  std::size_t size() const { return parts_.empty() ? 0 : parts_.back().end; }
  bool empty() const { return size() == 0; }
  FrameRecipe At(std::size_t number) const;
  // Appends the frames of another list.
  void Append(FrameRecipes others);

 private:
  struct Part {
    std::size_t begin = 0, end = 0;              // numbers of its frames
    std::function<FrameRecipe(std::size_t)> at;  // from 0 in the part
  };
  std::vector<Part> parts_;  // none of them empty
};

// Reads the frames in their order. Read() throws Error when images or truth differ in size, or in depth or
// channels, naming the files.
std::unique_ptr<FrameSource> MakeFrameList(SourceKind kind, FrameRecipes frames, bool with_truth);

// Throws Error unless both images have the same size, depth and channels; the names are for the message.
void CheckSamePair(const CameraImage& left, const CameraImage& right, const std::string& left_name,
                   const std::string& right_name);

}  // namespace parallax
