#include "cuda/cloud/distances/host_distances.h"

#include <algorithm>
#include <string>

#include "cuda/cloud/device_memory.h"

namespace parallax::cuda {
namespace {

// Enough rows to fill the device where blocks stay there; worth a copy where they do not.
constexpr std::int64_t kDeviceBlockBytes = std::int64_t{256} << 20, kHostBlockBytes = std::int64_t{32} << 20;

std::int64_t RowStride(std::int64_t columns) { return (columns + 3) / 4 * 4; }

std::int64_t BlockRows(std::int64_t rows, std::int64_t columns, std::int64_t asked,
                       std::int64_t block_bytes) {
  if (asked > 0) return std::min(asked, rows);
  const std::int64_t chosen =
      std::max<std::int64_t>(block_bytes / 4 / RowStride(columns) / kBlockOfRows, 1) * kBlockOfRows;
  return std::min(chosen, rows);
}

// block_rows rows of distances, num_blocks times; result_bytes: what else the call keeps.
void RequireRoom(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                 std::int64_t block_rows, std::size_t num_blocks, std::size_t result_bytes) {
  const bool padded = options.method != DistanceMethod::kDirect;  // auto may be either
  const std::size_t row_bytes = static_cast<std::size_t>(a.dims) * sizeof(float);
  const auto rows = static_cast<std::size_t>(a.rows) + static_cast<std::size_t>(b.rows);
  const std::size_t blocks =
      num_blocks * static_cast<std::size_t>(block_rows * RowStride(b.rows)) * sizeof(float);
  RequireMemory("distances of " + std::to_string(a.rows) + " x " + std::to_string(b.rows) + " rows of " +
                    std::to_string(a.dims) + " numbers",
                rows * row_bytes * (padded ? 2 : 1) + blocks + result_bytes, 0,
                "use fewer rows, smaller blocks of rows or the back end cpu");
}

// A set on the device, rows one after the other.
class Uploaded {
 public:
  Uploaded(const MatrixView& set, cudaStream_t stream)
      : memory_(static_cast<std::size_t>(set.rows) * static_cast<std::size_t>(set.dims)),
        view_{memory_.data(), set.rows, set.dims, set.dims} {
    const auto row_bytes = static_cast<std::size_t>(set.dims) * sizeof(float);
    Check(cudaMemcpy2DAsync(memory_.data(), row_bytes, set.data,
                            static_cast<std::size_t>(set.stride) * sizeof(float), row_bytes,
                            static_cast<std::size_t>(set.rows), cudaMemcpyHostToDevice, stream),
          "cudaMemcpy2DAsync");
  }
  const MatrixView& view() const { return view_; }

 private:
  DeviceBuffer<float> memory_;
  MatrixView view_;
};

template <typename T>
void Fetch(std::vector<T>& to, const DeviceBuffer<T>& from, cudaStream_t stream) {
  Check(cudaMemcpyAsync(to.data(), from.data(), to.size() * sizeof(T), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
}

}  // namespace

void HostDistances::OnDevice(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                             const std::function<void(std::int64_t, const DeviceDistanceBlock&)>& use) {
  const Uploaded device_a(a, stream_.get()), device_b(b, stream_.get());
  DistanceRows rows(a.rows, b.rows, a.dims, options.method);
  rows.Prepare(device_a.view(), device_b.view(), stream_.get());
  const std::int64_t block_rows = BlockRows(a.rows, b.rows, options.block_rows, kDeviceBlockBytes),
                     stride = RowStride(b.rows);
  DeviceBuffer<float> block(static_cast<std::size_t>(block_rows * stride));
  for (std::int64_t first = 0; first < a.rows; first += block_rows) {
    const std::int64_t count = std::min(block_rows, a.rows - first);
    rows.Enqueue(first, count, block.data(), stride, stream_.get());
    use(first, {block.data(), count, b.rows, stride});
  }
  Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
}

Neighbours HostDistances::Smallest(const MatrixView& a, const MatrixView& b, int k,
                                   const DistanceOptions& options) {
  const auto entries = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(k);
  RequireRoom(a, b, options, BlockRows(a.rows, b.rows, options.block_rows, kDeviceBlockBytes), 1,
              8 * entries);
  DeviceBuffer<std::int32_t> indices(entries);
  DeviceBuffer<float> distances(entries);
  const bool direct = options.method == DistanceMethod::kAuto || options.method == DistanceMethod::kDirect;
  if (direct && a.dims <= kFewDimensions && a.rows >= kRowsForNearest) {
    const Uploaded device_a(a, stream_.get()), device_b(b, stream_.get());
    LaunchNearestOfFewDimensions(device_a.view(), device_b.view(), k, indices.data(), distances.data(),
                                 stream_.get());
    Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  } else {
    OnDevice(a, b, options, [&](std::int64_t first, const DeviceDistanceBlock& block) {
      LaunchSmallestOfRows(block, k, indices.data() + first * k, distances.data() + first * k, stream_.get());
    });
  }
  Neighbours found{
      .k = k, .indices = std::vector<std::int32_t>(entries), .distances_m = std::vector<float>(entries)};
  Fetch(found.indices, indices, stream_.get());
  Fetch(found.distances_m, distances, stream_.get());
  Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  return found;
}

DistanceHistogram HostDistances::Histogram(const MatrixView& a, const MatrixView& b, float largest,
                                           int num_bins, const DistanceOptions& options) {
  RequireRoom(a, b, options, BlockRows(a.rows, b.rows, options.block_rows, kDeviceBlockBytes), 1, 0);
  DeviceBuffer<unsigned long long> counts(static_cast<std::size_t>(num_bins) + 2);
  Check(cudaMemsetAsync(counts.data(), 0, counts.size_bytes(), stream_.get()), "cudaMemsetAsync");
  OnDevice(a, b, options, [&](std::int64_t, const DeviceDistanceBlock& block) {
    LaunchHistogram(block, largest, num_bins, counts.data(), stream_.get());
  });
  std::vector<unsigned long long> all(counts.size());
  Fetch(all, counts, stream_.get());
  Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  DistanceHistogram histogram;
  histogram.largest = largest;
  histogram.counts.assign(all.begin(), all.end() - 2);
  histogram.beyond = static_cast<std::int64_t>(all[all.size() - 2]);
  histogram.not_a_number = static_cast<std::int64_t>(all.back());
  return histogram;
}

void HostDistances::Blocks(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                           const DistanceConsumer& consumer) {
  RequireRoom(a, b, options, BlockRows(a.rows, b.rows, options.block_rows, kHostBlockBytes), 2, 0);
  const Uploaded device_a(a, stream_.get()), device_b(b, stream_.get());
  DistanceRows rows(a.rows, b.rows, a.dims, options.method);
  rows.Prepare(device_a.view(), device_b.view(), stream_.get());
  const std::int64_t block_rows = BlockRows(a.rows, b.rows, options.block_rows, kHostBlockBytes),
                     stride = RowStride(b.rows);
  const auto block_size = static_cast<std::size_t>(block_rows * stride);
  const std::int64_t num_blocks = (a.rows + block_rows - 1) / block_rows;
  // Two of each: while the consumer reads one block, the next is copied and the one after it computed.
  const std::size_t num_buffers = num_blocks > 1 ? 2 : 1;
  std::vector<DeviceBuffer<float>> on_device;
  std::vector<PinnedBuffer<float>> on_host;
  std::vector<Event> computed, copied;
  for (std::size_t i = 0; i < num_buffers; ++i) {
    on_device.emplace_back(block_size);
    // The padding of rows is copied along.
    Check(cudaMemsetAsync(on_device[i].data(), 0, on_device[i].size_bytes(), stream_.get()),
          "cudaMemsetAsync");
    on_host.emplace_back(block_size);
    computed.emplace_back();
    copied.emplace_back();
  }
  const auto rows_of = [&](std::int64_t i) { return std::min(block_rows, a.rows - i * block_rows); };
  const auto enqueue = [&](std::int64_t i) {
    if (i >= num_blocks) return;
    const auto slot = static_cast<std::size_t>(i) % num_buffers;
    if (i >= 2) Check(cudaStreamWaitEvent(stream_.get(), copied[slot].get()), "cudaStreamWaitEvent");
    rows.Enqueue(i * block_rows, rows_of(i), on_device[slot].data(), stride, stream_.get());
    computed[slot].Record(stream_.get());
    Check(cudaStreamWaitEvent(copy_stream_.get(), computed[slot].get()), "cudaStreamWaitEvent");
    Check(cudaMemcpyAsync(on_host[slot].data(), on_device[slot].data(),
                          static_cast<std::size_t>(rows_of(i) * stride) * sizeof(float),
                          cudaMemcpyDeviceToHost, copy_stream_.get()),
          "cudaMemcpyAsync");
    copied[slot].Record(copy_stream_.get());
  };
  try {
    enqueue(0);
    enqueue(1);
    for (std::int64_t i = 0; i < num_blocks; ++i) {
      const auto slot = static_cast<std::size_t>(i) % num_buffers;
      Check(cudaEventSynchronize(copied[slot].get()), "cudaEventSynchronize");
      consumer({i * block_rows, rows_of(i), b.rows, on_host[slot].data(), stride});
      enqueue(i + 2);
    }
  } catch (...) {  // the consumer's, perhaps: the buffers go only when nothing writes to them
    cudaStreamSynchronize(stream_.get());
    cudaStreamSynchronize(copy_stream_.get());
    throw;
  }
}

}  // namespace parallax::cuda
