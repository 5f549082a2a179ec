// What all `parallax cloud` commands share: options, and reading of clouds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallax/cloud.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace CLI {
class App;
}

namespace parallax::app {

struct CloudOptions {
  std::string backend = "auto";
  int device = 0;
  int num_threads = 0;  // 0 = all cores
  std::string json_file;

  // Throws what MakeCloudMeasures throws.
  std::unique_ptr<CloudMeasures> Measures() const;
};
// Declares --backend, --device, --threads and --json. options must outlive the parsing.
void AddCloudOptions(CLI::App& command, CloudOptions& options);

// Checks for CLI11's options. Return an empty text for a finite number above 0 (or at least 0), otherwise the error
// message.
std::string CheckPositive(const std::string& text);
std::string CheckNotNegative(const std::string& text);

// Declares --output, a file for the coloured cloud; empty = none. content: what the colours show.
void AddCloudOutput(CLI::App& command, std::string& file, const std::string& content);
// Called before anything is computed. Throws InvalidArgument for a name that ends in no known format.
void CheckCloudOutput(const std::string& file);

// The finite points of a file.
struct InputCloud {
  std::string file;
  PointCloud cloud;
  std::size_t num_in_file = 0;
  std::vector<std::int32_t> index_in_file;  // of every point; empty if none was left out
  std::string left_out = "not finite";      // how the left-out points are described

  std::int32_t IndexInFile(std::size_t i) const {
    return index_in_file.empty() ? static_cast<std::int32_t>(i) : index_in_file[i];
  }
  // "a.ply: 31 622 points (3 not finite, left out)".
  std::string Description() const;
};
// The ascending indices of the finite ones among `count` items of a file; empty if all are finite. Throws
// Error if the file has no items, no finite ones, or more than 2^31 - 1.
std::vector<std::int32_t> FiniteOnes(const std::string& file, std::size_t count, const std::string& thing,
                                     const std::function<bool(std::size_t)>& is_finite);

// The treatment of points so far away that single precision cannot hold their distances (LargestCoordinate).
enum class FarPoints { kRefused, kLeftOut };

// Throws Error for a file that cannot be read, holds no finite points or more than 2^31 - 1, and for points
// that are refused.
InputCloud ReadInputCloud(const std::filesystem::path& path, FarPoints far_points = FarPoints::kRefused);

// Throws Error if a value is too large for distances. values: `dims` numbers for each row; thing: what a row is
// called in the message, such as "point"; index_in_file: see InputCloud.
void CheckDistancesFit(const std::string& file, const std::string& thing, std::span<const float> values,
                       int dims, const std::vector<std::int32_t>& index_in_file);

// Throws Error if the cloud has k points or fewer.
void CheckHasNeighbours(const InputCloud& input, int k);

}  // namespace parallax::app
