// `parallax run` where the matcher rectifies and makes depth and clouds: the same bytes as where the host
// does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/backends.h"
#include "datasets/calibration/calibration_file.h"
#include "datasets/formats/image_file.h"
#include "tests/support/images.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/run_program.h"
#include "tests/support/run_results.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;

class RunOnAGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const BackendState& state : Backends()) {
      if (state.name == "cuda" && !state.usable) GTEST_SKIP() << "needs the back end cuda: " << state.note;
    }
  }

  // Runs of each number of frames in flight have the files of a run on the cpu.
  void ExpectSameFiles(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    const auto files = [&](const std::string& backend, const std::string& in_flight) {
      const fs::path output = folder_.path() / (backend + in_flight);
      std::vector<std::string> all = arguments;
      all.insert(all.end(), {"--backend", backend, "--in-flight", in_flight, "--output", output.string()});
      const ProgramResult result = RunParallax(all);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      std::map<std::string, std::string> found = ResultFiles(output);
      fs::remove_all(output);
      return found;
    };
    const std::map<std::string, std::string> wanted = files("cpu", "1");
    EXPECT_GT(wanted.size(), 3U);
    for (const std::string in_flight : {"1", "3"}) {
      const std::map<std::string, std::string> made = files("cuda", in_flight);
      EXPECT_EQ(made.size(), wanted.size());
      for (const auto& [name, bytes] : wanted)
        EXPECT_TRUE(made.contains(name) && made.at(name) == bytes) << name << ", in flight " << in_flight;
    }
  }

  TemporaryFolder folder_;
};

const std::string kAll = "disparity,pfm,depth,cloud,pcd,confidence,validity,sigma,depth_sigma";

TEST_F(RunOnAGpu, DepthAndCloudsAreTheHosts) {
  const std::string drive = "synthetic:drive,frames=12,width=210,height=90";
  ExpectSameFiles({drive, "--write", kAll});
  ExpectSameFiles({drive, "--write", "depth", "--set", "reprojection.max_depth_m=20"});
  ExpectSameFiles({drive, "--write", "cloud,depth", "--set", "live.temporal=true"});
  ExpectSameFiles({drive, "--write", "cloud", "--cloud-clean"});
}

TEST_F(RunOnAGpu, RawImagesAreRectifiedAsOnTheHost) {
  Calibration calibration;
  calibration.raw = WideRig();
  const std::string rig = (folder_.path() / "rig.yaml").string();
  WriteCalibration(calibration, "parallax", rig);
  std::vector<std::string> pair;
  for (const std::string side : {"left", "right"}) {
    fs::create_directories(folder_.path() / side);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const auto value = [&](int x, int y) { return NoiseAt((x + (side == "left" ? 0 : 20)) / 3, y / 3, i); };
      WritePng(folder_.path() / side / ("f" + std::to_string(i) + ".png"),
               ImageFrom<std::uint8_t>(640, 480, value).ConstView());
    }
    pair.push_back((folder_.path() / side).string());
  }
  for (const std::string zoom : {"1", "0.7", "all"}) {
    ExpectSameFiles({pair[0], pair[1], "--rig", rig, "--zoom", zoom, "--nearest", "1", "--write", kAll});
  }
  ExpectSameFiles({pair[0], pair[1], "--rig", rig, "--rectified-size", "500x300", "--zoom", "0.9", "--write",
                   "color,cloud", "--set", "live.decimation=2"});
}

}  // namespace
}  // namespace parallax::test
