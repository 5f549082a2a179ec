#include "pipeline/cloud/distances/distances.h"

#include <cmath>
#include <limits>
#include <string>

#include "parallax/error.h"

namespace parallax {
namespace {

void CheckMatrix(const MatrixView& matrix, const char* name) {
  const std::string size =
      std::to_string(matrix.rows) + " rows of " + std::to_string(matrix.dims) + " numbers";
  if (matrix.rows < 1 || matrix.dims < 1 || matrix.data == nullptr)
    throw InvalidArgument(std::string(name) + " has " + size + ": there is nothing to measure");
  if (matrix.stride < matrix.dims) {
    throw InvalidArgument(std::string(name) + " has " + size + " but a stride of " +
                          std::to_string(matrix.stride) + ": the stride must be at least one row");
  }
  if (matrix.rows > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument(std::string(name) + " has " + size + ": at most 2147483647 rows");
}

}  // namespace

void CheckDistanceInput(const MatrixView& a, const MatrixView& b, const DistanceOptions& options) {
  CheckMatrix(a, "the first set");
  CheckMatrix(b, "the second set");
  if (a.dims != b.dims) {
    throw InvalidArgument("the first set has " + std::to_string(a.dims) + " numbers in a row, the second " +
                          std::to_string(b.dims) + ": both must have the same");
  }
  if (options.block_rows < 0) {
    throw InvalidArgument("blocks of " + std::to_string(options.block_rows) +
                          " rows: must be 1 or more, or 0 for automatic");
  }
}

void CheckHistogram(float largest, int num_bins) {
  if (!(largest > 0) || !std::isfinite(largest)) {
    throw InvalidArgument("histogram up to " + std::to_string(largest) +
                          ": the upper end must be positive and finite");
  }
  if (num_bins < 1 || num_bins > 1 << 20)
    throw InvalidArgument("histogram of " + std::to_string(num_bins) + " bins: must be 1 to 1048576");
  if (!std::isfinite(static_cast<float>(num_bins) / largest))
    throw InvalidArgument("histogram up to " + std::to_string(largest) +
                          ": its bins are too narrow for floats");
}

}  // namespace parallax
