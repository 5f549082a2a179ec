#include "pipeline/cloud/distances/cpu_distances.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "pipeline/cloud/distances/distance_kernels.h"

namespace parallax {
namespace {

constexpr int kSmallestProductDims = 24;       // measured: docs/benchmarks.md
constexpr std::int64_t kLargestTaskRows = 32;  // of a tile, with kTilePanels panels: 256 KiB
constexpr std::int64_t kTilePanels = 64;
constexpr std::int64_t kBlockSize = 1 << 22;  // distances a block, where the caller leaves it open

std::int64_t DivideUp(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// What both matrices share, computed once.
class Job {
 public:
  Job(const MatrixView& a, const MatrixView& b, DistanceMethod method, ThreadPool& pool)
      : a_(a), method_(Chosen(method, a.dims)) {
    PackColumns(b, pool);
    if (method_ == DistanceMethod::kDirect) return;
    row_norms_ = AlignedBuffer<float>(a.rows);
    for (std::int64_t i = 0; i < a.rows; ++i)
      row_norms_.data()[i] = SquaredNorm(a.data + i * a.stride, a.dims);
    if (method_ != DistanceMethod::kProductTf32) return;
    rounded_ = AlignedBuffer<float>(a.rows * a.dims);
    for (std::int64_t i = 0; i < a.rows; ++i)
      std::transform(a.data + i * a.stride, a.data + i * a.stride + a.dims, rounded_.data() + i * a.dims,
                     RoundToTf32);
    a_.data = rounded_.data();
    a_.stride = a.dims;
  }

  std::int64_t num_rows() const { return a_.rows; }
  const PackedColumns& columns() const { return columns_; }

  void Compute(std::int64_t first_row, int num_rows, std::int64_t first_panel, std::int64_t num_panels,
               float* out, std::int64_t stride) const {
    const float* norms = row_norms_.size() == 0 ? nullptr : row_norms_.data() + first_row;
    ComputeDistances({a_.data + first_row * a_.stride, a_.stride, num_rows, norms, first_panel, num_panels},
                     columns_, out, stride);
  }

 private:
  static DistanceMethod Chosen(DistanceMethod method, int dims) {
    if (method != DistanceMethod::kAuto) return method;
    return dims < kSmallestProductDims ? DistanceMethod::kDirect : DistanceMethod::kProduct;
  }

  void PackColumns(const MatrixView& b, ThreadPool& pool) {
    columns_.num_columns = b.rows;
    columns_.num_panels = DivideUp(b.rows, kPanelColumns);
    columns_.dims = b.dims;
    columns_.panels = AlignedBuffer<float>(columns_.num_panels * b.dims * kPanelColumns);
    const bool norms = method_ != DistanceMethod::kDirect, tf32 = method_ == DistanceMethod::kProductTf32;
    if (norms) columns_.norms = AlignedBuffer<float>(columns_.num_panels * kPanelColumns);
    pool.ParallelFor(static_cast<int>(DivideUp(columns_.num_panels, kTilePanels)), [&](int part) {
      const std::int64_t first = part * kTilePanels * kPanelColumns;
      for (std::int64_t i = first; i < first + kTilePanels * kPanelColumns; ++i) {
        if (i >= columns_.num_panels * kPanelColumns) break;
        float* out = columns_.panels.data() + i / kPanelColumns * b.dims * kPanelColumns + i % kPanelColumns;
        const float* row = i < b.rows ? b.data + i * b.stride : nullptr;
        for (int d = 0; d < b.dims; ++d, out += kPanelColumns)
          *out = row == nullptr ? 0 : tf32 ? RoundToTf32(row[d]) : row[d];
        if (norms) columns_.norms.data()[i] = row == nullptr ? 0 : SquaredNorm(row, b.dims);
      }
    });
  }

  MatrixView a_;
  DistanceMethod method_;
  PackedColumns columns_;
  AlignedBuffer<float> row_norms_, rounded_;
};

// Rows a task: a tile's, or fewer, so that every thread gets some tasks.
int RowsPerTask(std::int64_t num_rows, const ThreadPool& pool) {
  return static_cast<int>(std::clamp<std::int64_t>(num_rows / (4 * pool.num_threads()), 1, kLargestTaskRows));
}

// Calls make_state() once for each task, visit(state, row, distances, count, first_column) for every row and
// chunk of columns, in ascending order of columns, and finish(state). Tasks of different rows run
// concurrently. count is a multiple of 32: values past the last column are NaN.
template <typename MakeState, typename Visit, typename Finish>
void VisitTiles(const Job& job, ThreadPool& pool, const MakeState& make_state, const Visit& visit,
                const Finish& finish) {
  const int task_rows = RowsPerTask(job.num_rows(), pool);
  const std::int64_t panels = job.columns().num_panels;
  pool.ParallelFor(static_cast<int>(DivideUp(job.num_rows(), task_rows)), [&](int task) {
    const std::int64_t first_row = std::int64_t{task} * task_rows;
    const int rows = static_cast<int>(std::min<std::int64_t>(task_rows, job.num_rows() - first_row));
    const std::int64_t stride = std::min(kTilePanels, panels) * kPanelColumns;
    AlignedBuffer<float> tile(rows * stride);
    auto state = make_state();
    for (std::int64_t panel = 0; panel < panels; panel += kTilePanels) {
      const std::int64_t count = std::min(kTilePanels, panels - panel);
      job.Compute(first_row, rows, panel, count, tile.data(), stride);
      for (int row = 0; row < rows; ++row) {
        visit(state, first_row + row, tile.data() + row * stride, static_cast<int>(count * kPanelColumns),
              panel * kPanelColumns);
      }
    }
    finish(state);
  });
}

}  // namespace

void StreamDistances(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                     const DistanceConsumer& consumer, ThreadPool& pool) {
  CheckDistanceInput(a, b, options);
  const Job job(a, b, options.method, pool);
  const std::int64_t panels = job.columns().num_panels, stride = panels * kPanelColumns;
  const std::int64_t chosen =
      std::max(kBlockSize / stride / kLargestTaskRows, std::int64_t{1}) * kLargestTaskRows;
  const std::int64_t block_rows = std::min(options.block_rows > 0 ? options.block_rows : chosen, a.rows);
  AlignedBuffer<float> block(block_rows * stride);
  const std::int64_t column_parts = DivideUp(panels, kTilePanels);
  for (std::int64_t first = 0; first < a.rows; first += block_rows) {
    const std::int64_t rows = std::min(block_rows, a.rows - first);
    pool.ParallelFor(static_cast<int>(DivideUp(rows, kLargestTaskRows) * column_parts), [&](int task) {
      const std::int64_t row = task / column_parts * kLargestTaskRows;
      const std::int64_t panel = task % column_parts * kTilePanels;
      job.Compute(first + row, static_cast<int>(std::min(kLargestTaskRows, rows - row)), panel,
                  std::min(kTilePanels, panels - panel), block.data() + row * stride + panel * kPanelColumns,
                  stride);
    });
    consumer({first, rows, b.rows, block.data(), stride});
  }
}

NearestRows NearestOfRows(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                          ThreadPool& pool) {
  CheckDistanceInput(a, b, options);
  const Job job(a, b, options.method, pool);
  std::vector<NearestColumn> nearest(a.rows);
  VisitTiles(
      job, pool, [] { return 0; },
      [&](int, std::int64_t row, const float* distances, int count, std::int64_t first_column) {
        UpdateNearest(distances, count, first_column, nearest[row]);
      },
      [](int) {});
  NearestRows result;
  for (const NearestColumn& n : nearest) {
    result.indices.push_back(n.column < 0 ? kNoNeighbour : n.column);
    result.distances.push_back(n.distance);
  }
  return result;
}

Neighbours SmallestOfRows(const MatrixView& a, const MatrixView& b, int k, const DistanceOptions& options,
                          ThreadPool& pool) {
  CheckDistanceInput(a, b, options);
  CheckNeighbourOptions({.k = k}, static_cast<std::size_t>(b.rows));
  const Job job(a, b, options.method, pool);
  std::vector<std::int64_t> smallest(a.rows * k, kNoSmallest);
  VisitTiles(
      job, pool, [] { return 0; },
      [&](int, std::int64_t row, const float* distances, int count, std::int64_t first_column) {
        UpdateSmallest(distances, count, first_column, smallest.data() + row * k, k);
      },
      [](int) {});
  Neighbours result{k, {}, {}};
  for (const std::int64_t key : smallest) {
    result.indices.push_back(key == kNoSmallest ? kNoNeighbour : static_cast<std::int32_t>(key));
    result.distances_m.push_back(std::bit_cast<float>(static_cast<std::int32_t>(key >> 32)));
  }
  return result;
}

DistanceHistogram CountDistances(const MatrixView& a, const MatrixView& b, float largest, int num_bins,
                                 const DistanceOptions& options, ThreadPool& pool) {
  CheckDistanceInput(a, b, options);
  CheckHistogram(largest, num_bins);
  const Job job(a, b, options.method, pool);
  const auto empty = [&] { return DistanceHistogram{largest, std::vector<std::int64_t>(num_bins), 0, 0}; };
  const float scale = static_cast<float>(num_bins) / largest;
  DistanceHistogram total = empty();
  std::mutex mutex;
  VisitTiles(
      job, pool, empty,
      [&](DistanceHistogram& own, std::int64_t, const float* distances, int count,
          std::int64_t first_column) {
        const auto columns = std::min<std::int64_t>(count, b.rows - first_column);
        for (std::int64_t i = 0; i < columns; ++i) {
          const float d = distances[i];
          if (d < largest) {
            ++own.counts[std::min(static_cast<int>(d * scale), num_bins - 1)];
          } else {
            ++(std::isnan(d) ? own.not_a_number : own.beyond);
          }
        }
      },
      [&](const DistanceHistogram& own) {
        const std::scoped_lock lock(mutex);
        for (int i = 0; i < num_bins; ++i) total.counts[i] += own.counts[i];
        total.beyond += own.beyond;
        total.not_a_number += own.not_a_number;
      });
  return total;
}

}  // namespace parallax
