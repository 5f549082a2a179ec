#include "datasets/synthetic/spec.h"

#include "parallax/error.h"
#include "tests/datasets/test_files.h"

namespace parallax::synthetic {
namespace {

using test::ErrorOf;
using testing::HasSubstr;

TEST(SyntheticSpec, TakesDefaultsOfTheScene) {
  const SyntheticSpec planes = ParseSpec("planes");
  EXPECT_EQ(planes.width, 640);
  EXPECT_EQ(planes.height, 480);
  EXPECT_EQ(planes.frames, 1);
  EXPECT_EQ(planes.disparities, 80);  // 128 * 640 / 1242 = 65.96, in steps of 16
  const SyntheticSpec drive = ParseSpec("drive");
  EXPECT_EQ(drive.width, 1242);
  EXPECT_EQ(drive.height, 375);
  EXPECT_EQ(drive.frames, 10);
  EXPECT_EQ(drive.seed, 1);
  EXPECT_EQ(drive.disparities, 128);
}

TEST(SyntheticSpec, ReadsKeys) {
  const SyntheticSpec s = ParseSpec(
      "shift,width=33,height=7,seed=2147483647,frames=3,disparities=64,shift=-9,"
      "noise=1.5,gain=0.9,offset=-3,doffs=2.5,bits=16,samples=2,threads=1,objects=0");
  EXPECT_EQ(s.scene, "shift");
  EXPECT_EQ(s.width, 33);
  EXPECT_EQ(s.height, 7);
  EXPECT_EQ(s.seed, 2147483647);
  EXPECT_EQ(s.frames, 3);
  EXPECT_EQ(s.disparities, 64);
  EXPECT_EQ(s.shift, -9);
  EXPECT_EQ(s.noise, 1.5);
  EXPECT_EQ(s.gain, 0.9);
  EXPECT_EQ(s.offset, -3);
  EXPECT_EQ(s.doffs, 2.5);
  EXPECT_EQ(s.bits, 16);
  EXPECT_EQ(s.samples, 2);
  EXPECT_EQ(s.threads, 1);
  EXPECT_EQ(s.objects, 0);
}

TEST(SyntheticSpec, TheLastOfEqualKeysCounts) { EXPECT_EQ(ParseSpec("planes,width=3,width=4").width, 4); }

TEST(SyntheticSpec, NamesWhatThereIsInsteadOfTheUnknown) {
  const std::string scene = ErrorOf([] { ParseSpec("sphere"); });
  EXPECT_THAT(scene, HasSubstr("\"sphere\""));
  for (const Named& there_is : Scenes()) EXPECT_THAT(scene, HasSubstr(there_is.name));
  const std::string key = ErrorOf([] { ParseSpec("planes,widht=3"); });
  EXPECT_THAT(key, HasSubstr("\"widht\""));
  for (const Named& there_is : KeyHelp()) EXPECT_THAT(key, HasSubstr(there_is.name));
  EXPECT_THAT(ErrorOf([] { ParseSpec(""); }), HasSubstr("planes"));
  EXPECT_THAT(ErrorOf([] {
                ParseSpec("planes,");
                ParseSpec("planes,,width=2");
              }),
              HasSubstr("width"));
}

TEST(SyntheticSpec, NamesValueAndRange) {
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,width=0"); }), HasSubstr("width=0 is out of range 1..16384"));
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,noise=nan"); }), HasSubstr("noise=nan"));
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,noise=1e999"); }), HasSubstr("noise=1e999"));
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,width=3x"); }), HasSubstr("width=3x is not a number"));
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,width="); }), HasSubstr("width= is not a number"));
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,width"); }), HasSubstr("width has no value"));
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,width=2.5"); }), HasSubstr("not a whole number"));
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,bits=12"); }), HasSubstr("bits=12"));
  EXPECT_THAT(ErrorOf([] { ParseSpec("planes,bits=16,color=1"); }), HasSubstr("colour"));
  EXPECT_THROW(ParseSpec("planes,width=0"), InvalidArgument);
}

}  // namespace
}  // namespace parallax::synthetic
