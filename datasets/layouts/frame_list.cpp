#include "datasets/layouts/frame_list.h"

#include <algorithm>
#include <utility>

#include "datasets/formats/image_file.h"
#include "datasets/system/file_identity.h"
#include "parallax/error.h"

namespace parallax {
namespace {

std::string SizeText(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }
std::string SizeText(const CameraImage& image) {
  return SizeText(WidthOf(ViewOf(image)), HeightOf(ViewOf(image)));
}

const char* PixelText(const CameraImage& image) {
  constexpr const char* kTexts[] = {"8-bit gray", "16-bit gray", "8-bit colour"};
  return kTexts[image.index()];
}

template <typename T>
void CheckSize(const HostImage<T>& image, const CameraImage& left, const FrameRecipe& recipe,
               const char* what) {
  if (image.Empty()) return;
  if (image.width() != WidthOf(ViewOf(left)) || image.height() != HeightOf(ViewOf(left))) {
    throw Error(recipe.name + ": the " + what + " is " + SizeText(image.width(), image.height()) + ", but " +
                recipe.left.string() + " is " + SizeText(left));
  }
}

class FrameList final : public FrameSource {
 public:
  FrameList(SourceKind kind, FrameRecipes frames, bool with_truth)
      : kind_(kind),
        recipes_(std::make_shared<const FrameRecipes>(std::move(frames))),
        with_truth_(with_truth) {}

  SourceKind kind() const override { return kind_; }
  std::optional<std::size_t> num_frames() const override { return recipes_->size(); }
  std::optional<std::string> NextName() override {
    return next_ < recipes_->size() ? std::optional(recipes_->At(next_).name) : std::nullopt;
  }
  void Skip() override {
    if (next_ < recipes_->size()) ++next_;
  }
  std::string NextOrigin() override { return next_ < recipes_->size() ? OriginOf(recipes_->At(next_)) : ""; }
  std::vector<std::string> InputFiles() const override {
    std::vector<std::string> files;
    for (std::size_t i = 0; i < recipes_->size(); ++i) {
      const FrameRecipe recipe = recipes_->At(i);
      for (const std::filesystem::path& file : FilesOf(recipe)) files.push_back(file.string());
      if (!with_truth_) continue;
      for (const std::filesystem::path& file : recipe.truth) files.push_back(file.string());
    }
    return files;
  }

  StereoFrame Read() override {
    if (next_ >= recipes_->size())
      throw Error("there is no frame after the last of " + std::to_string(next_));
    return ReadRecipe(recipes_->At(next_++), with_truth_);
  }
  std::function<StereoFrame()> Defer() override {
    if (next_ >= recipes_->size()) return {};
    return [recipes = recipes_, index = next_++, with_truth = with_truth_] {
      return ReadRecipe(recipes->At(index), with_truth);
    };
  }

 private:
  static StereoFrame ReadRecipe(const FrameRecipe& recipe, bool with_truth) {
    StereoFrame frame;
    frame.name = recipe.name;
    frame.origin = OriginOf(recipe);  // before they are read: a change meanwhile shows later
    frame.note = recipe.note;
    frame.timestamp_s = recipe.timestamp_s;
    frame.rectified = recipe.rectified;
    CameraImage left = ReadImage(recipe.left);
    if (recipe.layout) {
      CheckHalves(WidthOf(ViewOf(left)), HeightOf(ViewOf(left)), *recipe.layout, recipe.left.string());
      SplitPicture(left, *recipe.layout, frame);
    } else {
      frame.left = std::move(left);
      frame.right = ReadImage(recipe.right);
      CheckSamePair(frame.left, frame.right, recipe.left.string(), recipe.right.string());
    }
    if (recipe.add_rig) recipe.add_rig(frame);
    if (with_truth) AddTruth(recipe, frame);
    return frame;
  }

  static std::string OriginOf(const FrameRecipe& recipe) {
    std::string origin = StampOf(FilesOf(recipe));
    if (recipe.layout) (origin += ' ') += kPictureLayoutNames[static_cast<std::size_t>(*recipe.layout)];
    return origin;
  }

  static std::vector<std::filesystem::path> FilesOf(const FrameRecipe& recipe) {
    std::vector<std::filesystem::path> files{recipe.left};
    if (!recipe.right.empty()) files.push_back(recipe.right);
    files.insert(files.end(), recipe.calibration.begin(), recipe.calibration.end());
    return files;
  }

  static void AddTruth(const FrameRecipe& recipe, StereoFrame& frame) {
    if (recipe.add_truth) {
      recipe.add_truth(frame);
    } else {
      frame.truth_note = "this source has no ground truth";
    }
    if (!frame.truth) return;
    CheckSize(frame.truth->disparity, frame.left, recipe, "true disparity map");
    CheckSize(frame.truth->nonoccluded, frame.left, recipe, "mask of non-occluded pixels");
    CheckSize(frame.truth->objects, frame.left, recipe, "object map");
  }

  SourceKind kind_;
  const std::shared_ptr<const FrameRecipes> recipes_;  // outlive the source where frames are deferred
  const bool with_truth_;
  std::size_t next_ = 0;
};

}  // namespace

void CheckSamePair(const CameraImage& left, const CameraImage& right, const std::string& left_name,
                   const std::string& right_name) {
  if (SizeText(left) != SizeText(right)) {
    throw Error("left and right image differ in size: " + left_name + " is " + SizeText(left) + ", " +
                right_name + " is " + SizeText(right) + "; give the two images of one pair");
  }
  if (left.index() != right.index()) {
    throw Error("left and right image differ in pixel type: " + left_name + " is " + PixelText(left) + ", " +
                right_name + " is " + PixelText(right) + "; convert one of them");
  }
}

FrameRecipes::FrameRecipes(std::vector<FrameRecipe> recipes) {
  const std::size_t num_frames = recipes.size();
  const auto kept = std::make_shared<const std::vector<FrameRecipe>>(std::move(recipes));
  Append({num_frames, [kept](std::size_t number) { return (*kept)[number]; }});
}

FrameRecipes::FrameRecipes(std::size_t num_frames, std::function<FrameRecipe(std::size_t)> at) {
  if (num_frames > 0) parts_.push_back({0, num_frames, std::move(at)});
}

FrameRecipe FrameRecipes::At(std::size_t number) const {
  const auto part = std::upper_bound(parts_.begin(), parts_.end(), number,
                                     [](std::size_t n, const Part& p) { return n < p.end; });
  return part->at(number - part->begin);
}

void FrameRecipes::Append(FrameRecipes others) {
  const std::size_t before = size();
  for (Part& part : others.parts_)
    parts_.push_back({before + part.begin, before + part.end, std::move(part.at)});
}

std::unique_ptr<FrameSource> MakeFrameList(SourceKind kind, FrameRecipes frames, bool with_truth) {
  return std::make_unique<FrameList>(kind, std::move(frames), with_truth);
}

}  // namespace parallax
