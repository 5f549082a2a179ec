#include "datasets/layouts/image_pair.h"

#include <glob.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> Expand(const std::string& pattern) {
  if (fs::is_regular_file(pattern)) return {pattern};  // a name may hold brackets
  if (fs::is_directory(pattern)) {
    std::vector<fs::path> images = ListImages(pattern);
    if (!images.empty()) return images;
    throw Error(pattern + ": the folder contains no images; for a data set, name only its folder");
  }
  glob_t matches{};
  std::vector<fs::path> files;
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    files.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  globfree(&matches);
  if (files.empty()) throw Error(pattern + ": no such image, or nothing matches this glob");
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return NaturalLess(a.string(), b.string()); });
  return files;
}

// Names from stems, with the folder's name before them where stems are equal, and a number if that fails.
std::vector<std::string> NamesOf(const std::vector<fs::path>& files) {
  std::map<std::string, int> uses;
  for (const fs::path& file : files) ++uses[file.stem().string()];
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const fs::path& file : files) {
    const std::string stem = file.stem().string();
    std::string name = uses[stem] > 1 ? NameOfFolder(file.parent_path()) + "_" + stem : stem;
    name = FileNameSafe(name);
    if (taken.contains(name)) name.append("_").append(std::to_string(names.size()));
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

// The part in which two names differ: both without their common beginning and end.
std::pair<std::string, std::string> DifferenceOf(const fs::path& left, const fs::path& right) {
  const std::string a = left.stem().string(), b = right.stem().string();
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t begin = 0, end = 0;
  while (begin < shorter && a[begin] == b[begin]) ++begin;
  while (end < shorter - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  return {a.substr(begin, a.size() - begin - end), b.substr(begin, b.size() - begin - end)};
}

void AddNoRig(StereoFrame& frame) { frame.rig_note = "no calibration: image pairs carry none"; }

}  // namespace

std::vector<FrameRecipe> ListStackedPictures(const std::string& pictures, PictureLayout layout) {
  const std::vector<fs::path> files = Expand(pictures);
  const std::vector<std::string> names = NamesOf(files);
  std::vector<FrameRecipe> frames(files.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    frames[i].name = names[i];
    frames[i].left = files[i];
    frames[i].layout = layout;
    frames[i].add_rig = AddNoRig;
  }
  return frames;
}

std::vector<FrameRecipe> ListImagePairs(const std::string& left, const std::string& right) {
  const std::vector<fs::path> left_files = Expand(left);
  const std::vector<fs::path> right_files = Expand(right);
  if (left_files.size() != right_files.size()) {
    throw Error(left + " gives " + std::to_string(left_files.size()) + " images, but " + right + " gives " +
                std::to_string(right_files.size()) + "; a pair needs one of each");
  }
  const std::vector<std::string> names = NamesOf(left_files);
  std::vector<FrameRecipe> frames(left_files.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    frames[i].name = names[i];
    frames[i].left = left_files[i];
    frames[i].right = right_files[i];
    if (DifferenceOf(left_files[i], right_files[i]) != DifferenceOf(left_files[0], right_files[0])) {
      frames[i].note = "paired by order with " + right_files[i].filename().string() +
                       ", and the two names differ in another way than those of the first pair";
    }
    if (left_files[i] == right_files[i]) frames[i].note = "left and right are the same file";
    frames[i].add_rig = AddNoRig;
  }
  return frames;
}

}  // namespace parallax
