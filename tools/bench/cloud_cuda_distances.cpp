// The rows of pairwise distances in parallax_cuda_cloud_bench. Variant "rules": direct and product side by
// side for many numbers of dimensions.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "cuda/cloud/distances/distance_consumers.h"
#include "cuda/cloud/distances/distance_rows.h"
#include "cuda/device/check.h"
#include "cuda/device/device_buffer.h"
#include "tools/bench/cloud_cuda_bench.h"

namespace parallax::bench {
namespace {

class Sets {
 public:
  Sets(std::int64_t rows_a, std::int64_t rows_b, int dims) : a_(rows_a, dims, 1), b_(rows_b, dims, 2) {}
  const MatrixView& a() const { return a_.view; }
  const MatrixView& b() const { return b_.view; }
  const MatrixView& host_a() const { return a_.host_view; }
  const MatrixView& host_b() const { return b_.host_view; }

 private:
  struct Set {
    Set(std::int64_t rows, int dims, unsigned seed)
        : numbers(static_cast<std::size_t>(rows * dims)), memory(numbers.size()) {
      std::mt19937 random(seed);
      std::uniform_real_distribution<float> uniform;
      for (float& number : numbers) number = uniform(random);
      const cuda::Stream stream;
      cuda::CopyNow(memory.data(), numbers.data(), numbers.size(), stream.get());
      view = {memory.data(), rows, dims, dims};
      host_view = {numbers.data(), rows, dims, dims};
    }
    std::vector<float> numbers;
    cuda::DeviceBuffer<float> memory;
    MatrixView view, host_view;
  };
  Set a_, b_;
};

// The distances of some rows against double: the greatest and the root mean square error, relative.
std::string Errors(const Sets& sets, const float* distances, std::int64_t stride) {
  std::vector<float> row(static_cast<std::size_t>(sets.b().rows));
  double worst = 0, sum = 0, count = 0;
  for (std::int64_t i = 0; i < sets.a().rows; i += std::max<std::int64_t>(1, sets.a().rows / 16)) {
    const cuda::Stream stream;
    cuda::CopyNow(row.data(), distances + i * stride, row.size(), stream.get());
    for (std::int64_t j = 0; j < sets.b().rows; ++j) {
      double exact = 0;
      for (int d = 0; d < sets.a().dims; ++d) {
        const double difference = static_cast<double>(sets.host_a().data[i * sets.a().dims + d]) -
                                  sets.host_b().data[j * sets.a().dims + d];
        exact += difference * difference;
      }
      exact = std::sqrt(exact);
      const double error = std::abs(row[static_cast<std::size_t>(j)] - exact) / std::max(exact, 1e-30);
      worst = std::max(worst, error);
      sum += error * error;
      ++count;
    }
  }
  char text[80];
  std::snprintf(text, sizeof(text), "relative error: worst %.2e, rms %.2e", worst, std::sqrt(sum / count));
  return text;
}

const char* NameOf(DistanceMethod method) {
  return method == DistanceMethod::kDirect    ? "direct"
         : method == DistanceMethod::kProduct ? "product"
                                              : "tf32";
}

void BenchMatrix(CloudBench& bench, std::int64_t rows_a, std::int64_t rows_b, int dims, DistanceMethod method,
                 bool errors) {
  const Sets sets(rows_a, rows_b, dims);
  const std::int64_t stride = (rows_b + 3) / 4 * 4;
  cuda::DeviceBuffer<float> out(static_cast<std::size_t>(rows_a * stride));
  cuda::DistanceRows rows(rows_a, rows_b, dims, method);
  const auto work = [&] {
    rows.Prepare(sets.a(), sets.b(), bench.stream());
    rows.Enqueue(0, rows_a, out.data(), stride, bench.stream());
  };
  const Spread spread = bench.Time(work, std::min(bench.repeat(), 100));
  const double cells = static_cast<double>(rows_a) * static_cast<double>(rows_b);
  const double written_ms = cells * 4 / 4.3e12 * 1e3;
  bench.Add("distances",
            std::string(NameOf(rows.method())) + ", " + std::to_string(rows_a) + " x " +
                std::to_string(rows_b) + ", dim " + std::to_string(dims),
            spread, written_ms, errors ? Errors(sets, out.data(), stride) : "");
}

// All rows in blocks of 256 MB, each read by a consumer.
void BenchConsumer(CloudBench& bench, const char* name, std::int64_t size, int dims,
                   const std::function<void(const cuda::DeviceDistanceBlock&, std::int64_t)>& use) {
  const Sets sets(size, size, dims);
  const std::int64_t block_rows =
      std::max<std::int64_t>((std::int64_t{64} << 20) / size / cuda::kBlockOfRows, 1) * cuda::kBlockOfRows;
  cuda::DeviceBuffer<float> block(static_cast<std::size_t>(block_rows * size));
  cuda::DistanceRows rows(size, size, dims, DistanceMethod::kAuto);
  const auto work = [&] {
    rows.Prepare(sets.a(), sets.b(), bench.stream());
    for (std::int64_t first = 0; first < size; first += block_rows) {
      const std::int64_t count = std::min(block_rows, size - first);
      rows.Enqueue(first, count, block.data(), size, bench.stream());
      use({block.data(), count, size, size}, first);
    }
  };
  bench.Add("distances",
            std::string(name) + ", " + std::to_string(size) + " x " + std::to_string(size) + ", dim " +
                std::to_string(dims),
            bench.Time(work, std::min(bench.repeat(), 50)));
}

}  // namespace

void BenchDistances(CloudBench& bench, const std::string& variant) {
  using enum DistanceMethod;
  if (variant == "rules") {
    for (const int dims : {2, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 128, 512}) {
      for (const DistanceMethod method : {kDirect, kProduct, kProductTf32})
        BenchMatrix(bench, 16000, 16000, dims, method, dims >= 16);
    }
    for (const int size : {256, 1024, 4096}) {
      for (const int dims : {8, 32, 200}) {
        for (const DistanceMethod method : {kDirect, kProduct})
          BenchMatrix(bench, size, size, dims, method, false);
      }
    }
    return;
  }
  BenchMatrix(bench, 65536, 65536, 3, kAuto, false);
  BenchMatrix(bench, 16000, 16000, 200, kDirect, true);
  BenchMatrix(bench, 16000, 16000, 200, kProduct, true);
  BenchMatrix(bench, 16000, 16000, 200, kProductTf32, true);
  const std::int64_t size = 65536;
  cuda::DeviceBuffer<std::int32_t> indices(static_cast<std::size_t>(size * 16));
  cuda::DeviceBuffer<float> distances(static_cast<std::size_t>(size * 16));
  for (const int k : {1, 16}) {
    BenchConsumer(bench, k == 1 ? "nearest row" : "16 smallest", size, 3,
                  [&](const auto& block, std::int64_t first) {
                    cuda::LaunchSmallestOfRows(block, k, indices.data() + first * k,
                                               distances.data() + first * k, bench.stream());
                  });
  }
  {
    const Sets sets(size, size, 3);
    for (const int k : {1, 16}) {
      const auto work = [&] {
        cuda::LaunchNearestOfFewDimensions(sets.a(), sets.b(), k, indices.data(), distances.data(),
                                           bench.stream());
      };
      bench.Add("distances", "without blocks: " + std::to_string(k) + " smallest, 65536 x 65536, dim 3",
                bench.Time(work, std::min(bench.repeat(), 50)));
    }
  }
  cuda::DeviceBuffer<unsigned long long> counts(1026);
  cuda::Check(cudaMemsetAsync(counts.data(), 0, counts.size_bytes(), bench.stream()), "cudaMemsetAsync");
  BenchConsumer(bench, "histogram of 1024 bins", size, 3, [&](const auto& block, std::int64_t) {
    cuda::LaunchHistogram(block, 2.0f, 1024, counts.data(), bench.stream());
  });
}

}  // namespace parallax::bench
