// Matches images that lie in a GPU's memory already, in order with work of one's own on a stream; nothing
// passes through the host but the two numbers that are printed. Here the images are made by copies; a decoder
// or a kernel does as well.
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <vector>

#include <parallax/parallax.h>

namespace {

constexpr int kWidth = 640, kHeight = 240, kShift_px = 12;

void Check(cudaError_t error) {
  if (error != cudaSuccess) throw parallax::Error(cudaGetErrorString(error));
}

// An image on the device, its rows as far apart as the device likes them.
class ImageOnDevice {
 public:
  ImageOnDevice(const std::vector<std::uint8_t>& pixels, cudaStream_t stream) {
    void* data = nullptr;
    Check(cudaMallocPitch(&data, &pitch_bytes_, kWidth, kHeight));
    data_.reset(static_cast<std::uint8_t*>(data));
    Check(cudaMemcpy2DAsync(data, pitch_bytes_, pixels.data(), kWidth, kWidth, kHeight,
                            cudaMemcpyHostToDevice, stream));
  }
  parallax::DeviceImageView<const std::uint8_t> View() const {
    return {data_.get(), kWidth, kHeight, static_cast<std::ptrdiff_t>(pitch_bytes_)};
  }

 private:
  struct Free {
    void operator()(std::uint8_t* data) const { cudaFree(data); }
  };
  std::unique_ptr<std::uint8_t, Free> data_;
  std::size_t pitch_bytes_ = 0;
};

void Match() {
  std::vector<std::uint8_t> left(std::size_t{kWidth} * kHeight), right(left.size());
  std::uint32_t state = 1;
  for (std::uint8_t& value : left)
    value = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = left[(i + kShift_px) % left.size()];

  parallax::Parameters parameters;
  parameters.matching_cost.num_disparities = 64;
  parallax::Matcher matcher(parameters, {.backend = "cuda"});
  cudaStream_t stream = nullptr;
  Check(cudaStreamCreate(&stream));
  {
    const ImageOnDevice left_there(left, stream), right_there(right, stream);
    const auto result = matcher.Enqueue(left_there.View(), right_there.View(), stream);
    // result->map() can be handed to kernels on the same stream from here on.
    const parallax::DisparityMap map = result->Download();
    std::cout << map.disparity(kWidth / 2, kHeight / 2) << " px in the middle, " << kShift_px
              << " are right\n";
  }
  Check(cudaStreamDestroy(stream));
}

}  // namespace

int main() {
  try {
    Match();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "images_on_a_gpu: " << error.what() << '\n';
    return 1;
  }
}
