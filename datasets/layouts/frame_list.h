// A FrameSource over frames that lie in files: each data set only lists where they are.
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

// Where one frame is. Nothing is opened before it is read.
struct FrameRecipe {
  std::string name;  // the data set's own; unique, file-name safe
  std::filesystem::path left, right;
  std::optional<PictureLayout> layout{};  // of left, where it holds both images and there is no right
  std::vector<std::filesystem::path> calibration{};  // files that add_rig reads, there or not
  std::vector<std::filesystem::path> truth{};        // files that add_truth reads, there or not
  std::string note{};                                // as the frame's
  std::optional<double> timestamp_s;
  bool rectified = true;
  // Adds the rig (or rig_note), and what else the calibration tells. Called with the images in place, for
  // several frames at once (as is the next one).
  std::function<void(StereoFrame&)> add_rig;
  // Adds the truth or truth_note. Called with the images in place, and only if truth is asked for.
  std::function<void(StereoFrame&)> add_truth;
};

// Where the frames of a data set are, in its order.
class FrameRecipes {
 public:
  FrameRecipes() = default;
  FrameRecipes(std::vector<FrameRecipe> recipes);
  // num_frames of them, each made when it is asked for, by at(number from 0), which may be called in several
  // threads at a time: a million frames need no more memory than their names.
  FrameRecipes(std::size_t num_frames, std::function<FrameRecipe(std::size_t)> at);

  std::size_t size() const { return parts_.empty() ? 0 : parts_.back().end; }
  bool empty() const { return size() == 0; }
  FrameRecipe At(std::size_t number) const;
  // Those of others come after these.
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

// Throws Error unless both images have the same size, depth and channels; the names are the message's.
void CheckSamePair(const CameraImage& left, const CameraImage& right, const std::string& left_name,
                   const std::string& right_name);

}  // namespace parallax
