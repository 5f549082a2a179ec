// Tests that need a GPU skip themselves, with the reason, where there is none.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cuda/device/device.h"

namespace parallax::test {

// Base of test suites that run kernels.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why_none;
    const std::vector<CudaDeviceInfo> devices = ListCudaDevices(&why_none);
    if (devices.empty()) GTEST_SKIP() << "needs a CUDA device: " << why_none;
    if (!devices[0].usable) GTEST_SKIP() << "needs a usable CUDA device: " << devices[0].why_not;
    SelectCudaDevice(0);
  }
};

}  // namespace parallax::test
