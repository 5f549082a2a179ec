// Several devices, or several queues on one of them where there is no other, at one sequence.
#include "pipeline/matchers/device_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device/device.h"
#include "cuda/matcher/cuda_matcher.h"
#include "parallax/error.h"
#include "tests/cuda/require_device.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::test {
namespace {

class CudaDevicePool : public CudaTest {
 protected:
  // Every device, the first one twice where it is alone. too_large: the second one is asked for frames that
  // no device has the memory for.
  static std::vector<PooledDevice> Devices(bool too_large = false) {
    std::vector<int> numbers;
    for (int i = 0; i < NumCudaDevices(); ++i) numbers.push_back(i);
    if (numbers.size() == 1) numbers.push_back(0);
    std::vector<PooledDevice> devices;
    for (const int number : numbers) {
      const bool is_asked_too_much = too_large && devices.size() == 1;
      devices.push_back({"device " + std::to_string(number),
                         [number, is_asked_too_much](const Parameters& parameters, MatcherOptions options,
                                                     int num_in_flight) {
                           options.device = number;
                           if (is_asked_too_much) options.width = options.height = 40000;
                           return MakeCudaFrameQueue(parameters, options, num_in_flight);
                         }});
    }
    return devices;
  }
  static HostImage<std::uint8_t> Noise(int frame) {
    return ImageFrom<std::uint8_t>(
        90, 40, [seed = static_cast<std::uint32_t>(frame + 1)](int x, int y) { return NoiseAt(x, y, seed); });
  }
  // Frames of noise through the queue, each as the matcher has it.
  static void ExpectBitsOfTheMatcher(MatcherQueue& queue, int num_frames) {
    const auto matcher = MakeReferenceMatcher(parameters(), size());
    int num_collected = 0;
    const auto collect = [&] {
      DisparityMap wanted;
      const HostImage<std::uint8_t> left = Noise(num_collected), right = Noise(num_collected + 1);
      matcher->Compute(left.ConstView(), right.ConstView(), wanted);
      const DisparityMap map = queue.Take();
      ASSERT_TRUE(SamePixels(map.disparity.ConstView(), wanted.disparity.ConstView())) << num_collected;
      ASSERT_TRUE(SamePixels(map.confidence.ConstView(), wanted.confidence.ConstView())) << num_collected;
      ASSERT_TRUE(SamePixels(map.validity.ConstView(), wanted.validity.ConstView())) << num_collected;
      ++num_collected;
    };
    for (int i = 0; i < num_frames; ++i) {
      const HostImage<std::uint8_t> left = Noise(i), right = Noise(i + 1);
      queue.Submit(left.ConstView(), right.ConstView());
      if (queue.in_flight() == queue.capacity()) collect();
    }
    while (queue.in_flight() > 0) collect();
    EXPECT_EQ(num_collected, num_frames);
  }
  static Parameters parameters() {
    Parameters parameters = test::PlainParameters();
    parameters.matching_cost.num_disparities = 32;
    return parameters;
  }
  static MatcherOptions size() { return {.width = 90, .height = 40}; }
};

TEST_F(CudaDevicePool, GivesTheBitsOfOneMatcherInOrder) {
  DevicePool pool(Devices(), [](const std::string& line) { ADD_FAILURE() << line; });
  ExpectBitsOfTheMatcher(*pool.MakeQueue(parameters(), size(), 3), 60);
}

TEST_F(CudaDevicePool, ADeviceWithoutTheMemoryIsLeftOut) {
  std::string said;
  DevicePool pool(Devices(true), [&](const std::string& line) { said += line + "\n"; });
  const std::size_t num_devices = Devices().size();
  ExpectBitsOfTheMatcher(*pool.MakeQueue(parameters(), size(), 2), 20);
  EXPECT_EQ(pool.num_left(), num_devices - 1);
  EXPECT_NE(said.find("is left out"), std::string::npos) << said;
  EXPECT_NE(said.find("of device memory"), std::string::npos) << said;
}

// Run everywhere.
TEST(CudaDeviceTest, MachineCodeIsForNewerCardsOfTheSameGeneration) {
  EXPECT_TRUE(HasMachineCode("75-real 80-real 120-virtual", 8, 0));
  EXPECT_TRUE(HasMachineCode("75-real 80-real 120-virtual", 8, 9));
  EXPECT_FALSE(HasMachineCode("75-real 80-real 120-virtual", 7, 0));
  EXPECT_FALSE(HasMachineCode("75-real 80-real 120-virtual", 9, 0));
  EXPECT_FALSE(HasMachineCode("75-real 80-real 120-virtual", 12, 0));
  EXPECT_FALSE(HasMachineCode("80-real 86-real", 8, 7));
  EXPECT_TRUE(HasMachineCode("80-real 87-real", 8, 7));
  EXPECT_FALSE(HasMachineCode("87-real", 8, 9));
  EXPECT_TRUE(HasMachineCode("90", 9, 0));
  EXPECT_FALSE(HasMachineCode("90a native", 9, 0));
  EXPECT_FALSE(HasMachineCode("", 9, 0));
}

}  // namespace
}  // namespace parallax::test
