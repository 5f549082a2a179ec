// A whole program on the installed interface.
//   consumer FOLDER                              checks the interface on a pair made in memory
//   consumer LEFT RIGHT PRESET RESULT [RIG]      PGM files -> RESULT.pfm, to be compared with `parallax run`
#include <parallax/parallax.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int kWidth = 160, kHeight = 60, kShift_px = 7, kNumDisparities = 32;

struct Pgm {
  std::vector<std::uint8_t> pixels;
  int width = 0, height = 0;
  parallax::CameraImageView View() const {
    return parallax::BorrowImage(pixels.data(), width, height, width, parallax::PixelType::kGray8);
  }
};

Pgm ReadPgm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  Pgm image;
  int largest = 0;
  file >> magic >> image.width >> image.height >> largest;
  file.get();
  image.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
  file.read(reinterpret_cast<char*>(image.pixels.data()), static_cast<std::streamsize>(image.pixels.size()));
  if (!file) throw parallax::Error(path + ": ends too early");
  return image;
}

void WritePfm(const std::string& path, parallax::HostImageView<const float> image) {
  std::ofstream file(path, std::ios::binary);
  file << "Pf\n" << image.width << ' ' << image.height << "\n-1\n";
  for (int y = image.height - 1; y >= 0; --y) {
    for (int x = 0; x < image.width; ++x) {
      const float value = std::isnan(image(x, y)) ? INFINITY : image(x, y);
      file.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
}

int MatchFiles(int argc, char** argv) {
  const Pgm left = ReadPgm(argv[1]), right = ReadPgm(argv[2]);
  parallax::Matcher matcher(argv[3]);
  const parallax::MatchResult result =
      argc == 5 ? matcher.Compute(left.View(), right.View())
                : matcher.Compute(left.View(), right.View(), parallax::Rig::Load(argv[5]));
  WritePfm(argv[4], result.disparity);
  return 0;
}

// --- checks ------------------------------------------------------------------

int num_faults = 0;
void Expect(bool holds, const char* what) {
  if (!holds) std::printf("does not hold: %s\n", what), ++num_faults;
}
#define EXPECT(condition) Expect(condition, #condition)

template <typename Call>
std::string ErrorOf(Call call) {
  try {
    call();
  } catch (const parallax::Error& error) {
    return error.what();
  }
  return "no error";
}

struct Pair {
  parallax::HostImage<std::uint8_t> left, right;
};
Pair Shifted(int width, int height) {
  Pair pair{{width, height}, {width, height}};
  std::uint32_t state = 1;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      pair.left(x, y) = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    }
    for (int x = 0; x < width; ++x) pair.right(x, y) = pair.left((x + kShift_px) % width, y);
  }
  return pair;
}

bool SameBits(const parallax::DisparityMap& a, const parallax::DisparityMap& b) {
  for (int y = 0; y < a.disparity.height(); ++y) {
    const auto width = static_cast<std::size_t>(a.disparity.width());
    if (std::memcmp(a.disparity.Row(y), b.disparity.Row(y), width * sizeof(float)) != 0 ||
        std::memcmp(a.validity.Row(y), b.validity.Row(y), width) != 0 ||
        std::memcmp(a.confidence.Row(y), b.confidence.Row(y), width) != 0) {
      return false;
    }
  }
  return true;
}

// Pixels that are not at the true disparity, away from the borders, where there is nothing to match with.
int CountWrong(const parallax::MatchResult& result) {
  int wrong = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = kNumDisparities; x < kWidth - kShift_px - 1; ++x) {
      wrong += !(std::abs(result.disparity(x, y) - static_cast<float>(kShift_px)) < 0.5F);
    }
  }
  return wrong;
}

void CheckInterface(const std::string& folder) {
  const Pair pair = Shifted(kWidth, kHeight), large = Shifted(2 * kWidth, 2 * kHeight);
  parallax::Parameters parameters;
  EXPECT(parameters == parallax::Preset("default"));
  parallax::SetByKey(parameters, "matching_cost.num_disparities", "32");
  EXPECT(parameters.matching_cost.num_disparities == kNumDisparities);
  EXPECT(ErrorOf([&] { parallax::SetByKey(parameters, "agregation.p1", "3"); }).find("aggregation.p1") !=
         std::string::npos);
  EXPECT(ErrorOf([&] { parallax::SetByKey(parameters, "aggregation.p1", "9999"); }) != "no error");
  EXPECT(ErrorOf([&] {
           parallax::SetByKey(parameters, "matching_cost.num_disparities", "auto");
         }).find("is 'auto': use a whole number") != std::string::npos);
  {  // p2 is below p1 for a moment
    parallax::Parameters low;
    parallax::SetByKey(low, "aggregation.p2", "5");
    EXPECT(ErrorOf([&] { parallax::Matcher{low}; }).find("aggregation.p2") != std::string::npos);
    parallax::SetByKey(low, "aggregation.p1", "2");
    parallax::SetByKey(low, "aggregation.p2_min", "3");
    EXPECT(ErrorOf([&] { parallax::Matcher{low}; }) == "no error");
  }
  EXPECT(ErrorOf([] { parallax::Matcher("kity"); }).find("kitti") != std::string::npos);
  EXPECT(ErrorOf([] { parallax::Matcher("kitti", {.backend = "gpu"}); }).find("cuda") != std::string::npos);
  {
    const std::string file = folder + "/consumer.yaml";
    std::ofstream(file) << parallax::ParametersYaml(parameters);
    EXPECT(parallax::Preset(file) == parameters);
  }

  // Every back end, and every size, in any order.
  parallax::Matcher matcher(parameters);
  const parallax::MatchResult result = matcher.Compute(pair.left, pair.right);
  EXPECT(CountWrong(result) == 0);
  for (const char* backend : {"cpu", "reference"}) {
    EXPECT(
        SameBits(parallax::Matcher(parameters, {.backend = backend}).Compute(pair.left, pair.right), result));
  }
  const parallax::MatchResult of_large = matcher.Compute(large.left, large.right);
  EXPECT(of_large.disparity.width() == 2 * kWidth);
  EXPECT(SameBits(matcher.Compute(pair.left, pair.right), result));
  EXPECT(ErrorOf([&] { matcher.Compute(pair.left, large.right); }) != "no error");
  // Padded rows of a larger image are borrowed as they are.
  const parallax::HostImageView<const std::uint8_t> left = pair.left, right = pair.right;
  EXPECT(SameBits(matcher.Compute(parallax::BorrowImage(left.data, kWidth, kHeight, left.stride_bytes,
                                                        parallax::PixelType::kGray8),
                                  right),
                  result));

  // Several at a time, of two sizes.
  parallax::PairQueue queue(parameters, {}, 2);
  queue.Submit(pair.left, pair.right);
  queue.Submit(large.left, large.right);
  queue.Submit(pair.left, pair.right);
  EXPECT(queue.in_flight() == 3);
  EXPECT(SameBits(queue.Collect(), result));
  EXPECT(SameBits(queue.Collect(), of_large));
  EXPECT(SameBits(queue.Collect(), result));
  EXPECT(ErrorOf([&] { queue.Collect(); }) != "no error");

  // The section live: a Matcher and a queue filter the same frames alike, and near and far need a rig.
  parallax::Parameters live = parameters;
  live.live = {.decimation = 2, .temporal = true, .far_m = 4};
  parallax::Matcher of_camera(live);
  parallax::PairQueue of_same(live, {}, 2);
  const parallax::StereoRig large_rig{.fx_px = 140, .cx_px = 160, .cy_px = 60, .baseline_m = 0.5};
  for (int i = 0; i < 3; ++i) of_same.Submit(large.left, large.right, large_rig);
  for (int i = 0; i < 3; ++i) {
    const parallax::MatchResult filtered = of_camera.Compute(large.left, large.right, large_rig);
    EXPECT(filtered.disparity.width() == kWidth && filtered.rectified.rig.fx_px == 70);
    EXPECT(SameBits(of_same.Collect(), filtered));
    const parallax::HostImage<float> depth_m = filtered.Depth();  // by the rig of Compute
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) EXPECT(std::isnan(depth_m(x, y)) || depth_m(x, y) <= 4.0F);
    }
  }
  EXPECT(ErrorOf([&] { of_camera.Compute(pair.left, pair.right); }).find("rig") != std::string::npos);

  // Depth, uncertainty, points and their measures.
  const parallax::StereoRig rig{.fx_px = 70, .cx_px = 80, .cy_px = 30, .baseline_m = 0.5};
  const parallax::HostImage<float> depth_m = result.Depth(rig), sigma_px = result.Sigma();
  EXPECT(std::abs(depth_m(80, 30) - 5) < 0.4F);
  EXPECT(sigma_px(80, 30) > 0.1F && sigma_px(80, 30) < 1);
  EXPECT(std::abs(result.DepthSigma(rig)(80, 30) -
                  depth_m(80, 30) * depth_m(80, 30) / 35 * sigma_px(80, 30)) < 1e-3F);
  const parallax::PointCloud cloud = result.Cloud(rig, pair.left);
  EXPECT(cloud.size() > 8000 && cloud.colors.size() == cloud.size());
  const auto measures = parallax::MakeCloudMeasures("cpu");
  const auto kept = parallax::KeepStatisticalInliers(cloud.points, {}, *measures);
  EXPECT(!kept.empty() && kept.size() <= cloud.size());
  EXPECT(parallax::CompareClouds(cloud.points, cloud.points, {}, *measures).chamfer_sum_m == 0);
  const parallax::MatchResult with_rig = matcher.Compute(pair.left, pair.right, rig);
  EXPECT(with_rig.Cloud({}, pair.left).points == cloud.points && with_rig.rectified.rig.baseline_m == 0.5);
  EXPECT(ErrorOf([&] { result.Depth(); }) != "no error");
  EXPECT(ErrorOf([] { parallax::Rig::Load("none.yaml"); }).find("none.yaml") != std::string::npos);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 5 || argc == 6) return MatchFiles(argc, argv);
    CheckInterface(argc > 1 ? argv[1] : ".");
  } catch (const std::exception& error) {
    std::printf("consumer: %s\n", error.what());
    return 1;
  }
  return num_faults == 0 ? 0 : 1;
}
