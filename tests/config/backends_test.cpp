// Choosing between methods and back ends by name.
#include "config/backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "parallax/error.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string FaultOfCall(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

bool IsUsable(std::string_view name) {
  for (const BackendState& state : Backends()) {
    if (state.name == name) return state.usable;
  }
  return false;
}

TEST(Backends, EveryUsableOneMatchesUnderItsName) {
  const auto image = test::ImageFrom<std::uint8_t>(30, 9, [](int x, int y) { return test::NoiseAt(x, y); });
  const MatcherOptions options{.width = 30, .height = 9};
  for (const BackendState& state : Backends()) {
    EXPECT_FALSE(state.note.empty());
    if (!state.usable) continue;
    EXPECT_EQ(ResolveBackend(state.name), state.name);
    const auto matcher = MakeMatcher(state.name, {}, options);
    EXPECT_EQ(matcher->backend(), state.name);
    DisparityMap map;
    matcher->Compute(image.ConstView(), image.ConstView(), map);
    EXPECT_EQ(map.disparity(15, 4), 0.0F) << state.name;
  }
}

TEST(Backends, AutoIsTheFastestUsableOne) {
  EXPECT_EQ(ResolveBackend("auto"), IsUsable("cuda") ? "cuda" : "cpu");
  EXPECT_EQ(MakeMatcher("auto", {}, {.width = 8, .height = 8})->backend(), ResolveBackend("auto"));
  EXPECT_EQ(MakeMatcherQueue("auto", {}, {.width = 8, .height = 8}, 2)->in_flight(), 0U);
}

TEST(Backends, AQueueOfOneFrameIsForAll) {
  const MatcherOptions options{.width = 8, .height = 8};
  EXPECT_EQ(MakeMatcherQueue("reference", {}, options, 1)->capacity(), 1U);
  EXPECT_EQ(MakeMatcherQueue("cpu", {}, options, 1)->capacity(), 1U);
  EXPECT_THROW(MakeMatcherQueue("reference", {}, options, 2), InvalidArgument);
}

TEST(Backends, ImagesOnADeviceAreForCudaAlone) {
  const MatcherOptions options{.width = 8, .height = 8};
  EXPECT_THAT(FaultOfCall([&] { MakeDeviceMatcher("cpu", {}, options); }),
              StartsWith("back end cpu takes no images in the memory of a GPU"));
  if (IsUsable("cuda")) {
    EXPECT_NE(MakeDeviceMatcher("auto", {}, options)->stream(), nullptr);
  } else {
    EXPECT_THAT(FaultOfCall([&] { MakeDeviceMatcher("auto", {}, options); }), HasSubstr("back end cpu"));
  }
}

TEST(Backends, WhatCannotBeIsToldWithItsRemedy) {
  const MatcherOptions options{.width = 8, .height = 8};
  EXPECT_THAT(FaultOfCall([] { ResolveBackend("gpu"); }),  // cuda, where it is built
              AllOf(StartsWith("unknown back end 'gpu': use one of auto, "), HasSubstr("cpu, reference")));
  if (!IsUsable("cuda")) {
    EXPECT_THAT(
        FaultOfCall([] { ResolveBackend("cuda"); }),
        AllOf(StartsWith("back end cuda cannot be used: "), HasSubstr("use the back end cpu or reference")));
  }
  EXPECT_THAT(FaultOfCall([] { RequireMatcherQueue("reference"); }), HasSubstr("one frame at a time"));
  EXPECT_THAT(
      FaultOfCall([] { MakeCloudMeasures("reference", 0, 1); }),
      AllOf(StartsWith("back end reference does not measure clouds: use the back end "), HasSubstr("cpu")));
  Parameters other = test::PlainParameters();
  other.method = Method::kAdCensus;
  EXPECT_EQ(MakeMatcher("auto", other, options)->backend(), ResolveBackend("auto", Method::kAdCensus));
  if (IsUsable("cuda")) {
    EXPECT_THAT(FaultOfCall([&] { MakeMatcher("cuda", other, options); }),
                HasSubstr("use the back end cpu or reference"));
  }
  EXPECT_THAT(FaultOfCall([&] { MakeMatcher("cpu", {}, {}); }), HasSubstr("at least 1"));
}

TEST(Backends, AFrameForEachThreadIsMatchedAtATimeUnlessTheyAreLarge) {
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.num_disparities = 128;
  const auto num_frames = [&](int width, int height, int num_threads, std::size_t limit_bytes = 0) {
    MatcherOptions options{.width = width, .height = height};
    options.num_threads = num_threads;
    options.memory_limit_bytes = limit_bytes;
    return UsualFramesInFlight("cpu", parameters, options);
  };
  for (const int num_threads : {1, 2, 4, 16, 200}) EXPECT_EQ(num_frames(1242, 375, num_threads), num_threads);
  EXPECT_EQ(num_frames(1242, 375, 16, 1'000'000'000), 1);
  EXPECT_EQ(num_frames(2484, 375, 2), 2);
  EXPECT_EQ(num_frames(2484, 750, 2), 1);   // 227 Mi cells each of 256
  EXPECT_EQ(num_frames(2484, 750, 16), 9);  // of 2048
  EXPECT_EQ(num_frames(9000, 6000, 16), 1);
  EXPECT_EQ(UsualFramesInFlight("reference", parameters, {.width = 64, .height = 32}), 1);
}

TEST(Backends, CloudsOfTheReferenceAreMeasuredOnTheCpu) {
  EXPECT_EQ(CloudBackendFor("reference"), "cpu");
  EXPECT_EQ(CloudBackendFor("cpu"), "cpu");
  EXPECT_EQ(CloudBackendFor("auto"), "auto");
  EXPECT_EQ(MakeCloudMeasures("cpu", 0, 1)->name(), "cpu");
}

}  // namespace
}  // namespace parallax
