#include "app/scores/estimate_files.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/pfm.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax::app {
namespace fs = std::filesystem;
namespace {

// The regular files of a folder, sorted by name; empty if the folder does not exist.
std::vector<fs::path> FilesOf(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const FolderEntry& entry : ReadFolder(folder)) {
    if (entry.IsFile()) files.push_back(entry.path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Finds NAME/disp0SGM.pfm, but not the truth that the data sets keep in the same folder.
std::optional<fs::path> FindInSceneFolder(const fs::path& folder) {
  for (const fs::path& file : FilesOf(folder)) {
    const std::string stem = file.stem().string();
    if (EndingOf(file) == ".pfm" && stem.starts_with("disp0") && stem != "disp0GT") return file;
  }
  return std::nullopt;
}

// Whether name stands in stem with no letter or digit on either side.
bool ContainsAsPart(std::string_view stem, std::string_view name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = stem.find(name); at != std::string_view::npos; at = stem.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(stem[at - 1])) && (end == stem.size() || !is_word(stem[end]))) return true;
  }
  return false;
}

std::string NotReadText(const fs::path& file) {
  return file.string() + ": disparities are read from .png (16-bit, KITTI) or .pfm files";
}

void AddEstimatesBelow(const fs::path& folder, int depth, std::vector<std::string>& files) {
  for (const FolderEntry& entry : ReadFolder(folder)) {
    const std::string ending = EndingOf(entry.path);
    if (ending == ".png" || ending == ".pfm") files.push_back(entry.path.string());
    std::error_code gone;
    if (depth > 0 && entry.IsFolder() && !fs::is_symlink(entry.path, gone))
      AddEstimatesBelow(entry.path, depth - 1, files);
  }
}

}  // namespace

HostImage<float> ReadEstimate(const fs::path& file) {
  if (EndingOf(file) == ".pfm") return ReadPfm(file);
  if (EndingOf(file) == ".png") return ReadDisparityPng(file);
  throw Error(NotReadText(file));
}

EstimateFiles::EstimateFiles(fs::path folder_or_file, Metric metric)
    : path_(std::move(folder_or_file)),
      is_file_(fs::is_regular_file(path_)),
      png_first_(metric == Metric::kKitti2012 || metric == Metric::kKitti2015) {
  if (!is_file_ && !fs::is_directory(path_)) {
    throw Error(path_.string() + ": no such folder of estimates (--estimates)");
  }
  if (is_file_ && EndingOf(path_) != ".pfm" && EndingOf(path_) != ".png") throw Error(NotReadText(path_));
}

std::optional<fs::path> EstimateFiles::Find(const std::string& frame_name) const {
  if (is_file_) return path_;
  for (const std::string_view extension : Extensions()) {
    const bool is_png = extension == ".png";
    for (const char* folder : {"", is_png ? "disparity" : "pfm", "data", "disp_0", "data/disp_0"}) {
      fs::path file = path_ / folder / (frame_name + std::string(extension));
      if (fs::is_regular_file(file)) return file;
    }
    if (is_png) continue;
    if (auto file = FindInSceneFolder(path_ / frame_name)) return file;
  }
  return FindByPart(frame_name);
}

std::vector<std::string> EstimateFiles::All() const {
  if (is_file_) return {path_.string()};
  std::vector<std::string> files;
  AddEstimatesBelow(path_, 2, files);  // data/disp_0/NAME.png
  return files;
}

std::array<std::string_view, 2> EstimateFiles::Extensions() const {
  constexpr std::string_view kPng = ".png", kPfm = ".pfm";
  return png_first_ ? std::array{kPng, kPfm} : std::array{kPfm, kPng};
}

std::optional<fs::path> EstimateFiles::FindByPart(const std::string& frame_name) const {
  const std::vector<fs::path> files = FilesOf(path_);
  for (const std::string_view extension : Extensions()) {
    std::optional<fs::path> found;
    for (const fs::path& file : files) {
      if (EndingOf(file) != extension || !ContainsAsPart(file.stem().string(), frame_name)) continue;
      if (found) {
        throw Error("both " + found->string() + " and " + file.filename().string() +
                    " may be the estimate of " + frame_name + ": name it " + frame_name +
                    std::string(extension));
      }
      found = file;
    }
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace parallax::app
