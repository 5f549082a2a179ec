// parallax/opencv.h: the library's bits, OpenCV's types, setters that act, OpenCV's flow.
#include "parallax/opencv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "config/backends.h"
#include "config/parameters_yaml.h"
#include "datasets/source.h"

namespace {

using ::testing::HasSubstr;

struct Scene {
  cv::Mat left, right, truth;  // CV_8UC1, CV_8UC1, CV_32FC1 (NaN = unknown)
};

template <typename T>
cv::Mat Cloned(const parallax::HostImage<T>& image, int type) {
  return cv::Mat(image.height(), image.width(), type, const_cast<T*>(image.Row(0)),
                 static_cast<std::size_t>(image.View().stride_bytes))
      .clone();
}

Scene MakeScene(const std::string& keys = "") {
  const auto source =
      parallax::OpenSource({"synthetic:slanted,width=320,height=200,disparities=64,noise=2" + keys},
                           {.kind = "", .with_truth = true});
  const parallax::StereoFrame frame = source->Read();
  const auto gray = [](const parallax::CameraImage& image) {
    return Cloned(std::get<parallax::HostImage<std::uint8_t>>(image), CV_8UC1);
  };
  return {gray(frame.left), gray(frame.right), Cloned(frame.truth->disparity, CV_32FC1)};
}

// What the library itself says of gray images.
cv::Mat Plain(const cv::Mat& left, const cv::Mat& right, const parallax::Parameters& parameters) {
  const auto matcher = parallax::MakeMatcher("auto", parameters, {.width = left.cols, .height = left.rows});
  parallax::DisparityMap map;
  const auto view = [](const cv::Mat& image) {
    return parallax::HostImageView<const std::uint8_t>{image.ptr(), image.cols, image.rows,
                                                       static_cast<std::ptrdiff_t>(image.step[0])};
  };
  matcher->Compute(view(left), view(right), map);
  cv::Mat steps(left.rows, left.cols, CV_16S);
  parallax::ToFixedPoint(
      map.disparity.ConstView(), parameters.matching_cost.min_disparity,
      {steps.ptr<std::int16_t>(), steps.cols, steps.rows, static_cast<std::ptrdiff_t>(steps.step[0])});
  return steps;
}

bool Same(const cv::Mat& a, const cv::Mat& b) {
  return a.type() == b.type() && a.size() == b.size() && cv::norm(a, b, cv::NORM_INF) == 0;
}

// As OpenCV's sample stereo_match.cpp goes about it.
cv::Mat SampleFlow(const cv::Ptr<cv::StereoSGBM>& sgbm, const cv::Mat& left, const cv::Mat& right, int mode) {
  const int window = 3, channels = left.channels();
  sgbm->setPreFilterCap(63);
  sgbm->setBlockSize(window);
  sgbm->setP1(8 * channels * window * window);
  sgbm->setP2(32 * channels * window * window);
  sgbm->setMinDisparity(0);
  sgbm->setNumDisparities(64);
  sgbm->setUniquenessRatio(10);
  sgbm->setSpeckleWindowSize(100);
  sgbm->setSpeckleRange(32);
  sgbm->setDisp12MaxDiff(1);
  sgbm->setMode(mode);
  cv::Mat disparity;
  sgbm->compute(left, right, disparity);
  return disparity;
}

double ShareBad(const cv::Mat& disparity, const cv::Mat& truth) {
  int num_bad = 0, num_known = 0;
  for (int y = 0; y < truth.rows; ++y) {
    for (int x = 0; x < truth.cols; ++x) {
      const float wanted = truth.at<float>(y, x);
      if (std::isnan(wanted)) continue;
      ++num_known;
      const float is = static_cast<float>(disparity.at<short>(y, x)) / 16;
      num_bad += is < 0 || std::abs(is - wanted) > 1;
    }
  }
  return static_cast<double>(num_bad) / num_known;
}

TEST(OpenCv, GivesTheLibrarysBits) {
  const Scene scene = MakeScene();
  for (const bool fill : {false, true}) {
    parallax::Parameters parameters;
    parameters.filter.fill = fill;
    parameters.matching_cost.num_disparities = 64;
    const auto matcher = parallax::StereoSGBM::create(parameters);
    cv::Mat disparity;
    matcher->compute(scene.left, scene.right, disparity);
    EXPECT_TRUE(Same(disparity, Plain(scene.left, scene.right, parameters)));
  }
}

TEST(OpenCv, BeatsStereoSgbmInItsOwnFlow) {
  const Scene scene = MakeScene();
  for (const int mode : {cv::StereoSGBM::MODE_SGBM, cv::StereoSGBM::MODE_HH, cv::StereoSGBM::MODE_SGBM_3WAY,
                         cv::StereoSGBM::MODE_HH4}) {
    const double theirs =
        ShareBad(SampleFlow(cv::StereoSGBM::create(0, 16, 3), scene.left, scene.right, mode), scene.truth);
    const double ours = ShareBad(
        SampleFlow(parallax::StereoSGBM::create(0, 16, 3), scene.left, scene.right, mode), scene.truth);
    RecordProperty("mode" + std::to_string(mode), std::to_string(theirs) + " " + std::to_string(ours));
    EXPECT_LT(ours, theirs) << mode;
  }
}

TEST(OpenCv, PartsOfLargerImagesAreBorrowed) {
  const Scene scene = MakeScene();
  cv::Mat wide_left, wide_right;
  cv::copyMakeBorder(scene.left, wide_left, 3, 4, 5, 6, cv::BORDER_CONSTANT);
  cv::copyMakeBorder(scene.right, wide_right, 3, 4, 5, 6, cv::BORDER_CONSTANT);
  const cv::Rect inside(5, 3, scene.left.cols, scene.left.rows);
  const auto matcher = parallax::StereoSGBM::create(0, 64);
  cv::Mat wanted, is;
  matcher->compute(scene.left, scene.right, wanted);
  matcher->compute(wide_left(inside), wide_right(inside), is);
  EXPECT_TRUE(Same(is, wanted));
}

TEST(OpenCv, WritesWhereItIsTold) {
  const Scene scene = MakeScene();
  const auto matcher = parallax::StereoSGBM::create(2, 64, 3, 0, 0, 1);
  cv::Mat steps(scene.left.size(), CV_16S);
  const void* const place = steps.data;
  matcher->compute(scene.left, scene.right, steps);
  EXPECT_EQ(steps.data, place);
  cv::Mat room(scene.left.rows + 2, scene.left.cols + 9, CV_16S, cv::Scalar(99));
  cv::Mat part = room(cv::Rect(4, 1, scene.left.cols, scene.left.rows));
  matcher->compute(scene.left, scene.right, part);
  EXPECT_TRUE(Same(part, steps));
  EXPECT_EQ(room.at<short>(0, 0), 99);

  cv::Mat1f pixels;  // its type is fixed
  matcher->compute(scene.left, scene.right, pixels);
  matcher->setDispType(CV_32F);
  cv::Mat also;
  matcher->compute(scene.left, scene.right, also);
  EXPECT_TRUE(Same(pixels, also));
  int num_missing = 0;
  for (int y = 0; y < steps.rows; ++y) {
    for (int x = 0; x < steps.cols; ++x) {
      const bool is_missing = steps.at<short>(y, x) == (2 - 1) * 16;
      num_missing += is_missing;
      if (is_missing) {
        ASSERT_EQ(pixels(y, x), 1.0F);
      } else {
        ASSERT_NEAR(pixels(y, x), steps.at<short>(y, x) / 16.0, 0.5 / 16 + 1e-6);
      }
    }
  }
  EXPECT_GT(num_missing, 0);
}

TEST(OpenCv, ColourIsBgrAnd16BitsAreTaken) {
  const Scene scene = MakeScene();
  const auto matcher = parallax::StereoSGBM::create(0, 64);
  cv::Mat gray, color, deep;
  matcher->compute(scene.left, scene.right, gray);
  const auto in_color = [](const cv::Mat& image) {
    cv::Mat result;
    cv::cvtColor(image, result, cv::COLOR_GRAY2BGR);
    return result;
  };
  matcher->compute(in_color(scene.left), in_color(scene.right), color);
  EXPECT_TRUE(Same(gray, color));  // equal channels are that gray
  cv::Mat blue_left = in_color(scene.left), blue_right = in_color(scene.right);
  blue_left.forEach<cv::Vec3b>([](cv::Vec3b& pixel, const int*) { pixel[2] = 0; });
  blue_right.forEach<cv::Vec3b>([](cv::Vec3b& pixel, const int*) { pixel[0] = 0; });
  const auto reference = parallax::MakeMatcher("reference", matcher->ParametersFor(3),
                                               {.width = gray.cols, .height = gray.rows});
  cv::Mat rgb_left, rgb_right;
  cv::cvtColor(blue_left, rgb_left, cv::COLOR_BGR2RGB);
  cv::cvtColor(blue_right, rgb_right, cv::COLOR_BGR2RGB);
  const auto view = [](const cv::Mat& image) {
    return parallax::HostImageView<const parallax::Rgb8>{reinterpret_cast<const parallax::Rgb8*>(image.ptr()),
                                                         image.cols, image.rows,
                                                         static_cast<std::ptrdiff_t>(image.step[0])};
  };
  parallax::DisparityMap map;
  reference->Compute(view(rgb_left), view(rgb_right), map);
  cv::Mat1f pixels;
  matcher->compute(blue_left, blue_right, pixels);
  for (int y = 0; y < pixels.rows; ++y) {
    for (int x = 0; x < pixels.cols; ++x) {
      const float wanted = map.disparity(x, y);
      ASSERT_EQ(pixels(y, x), std::isnan(wanted) ? -1.0F : wanted);
    }
  }
  cv::Mat deep_left, deep_right;
  scene.left.convertTo(deep_left, CV_16U, 257);
  scene.right.convertTo(deep_right, CV_16U, 257);
  matcher->compute(deep_left, deep_right, deep);
  EXPECT_EQ(deep.size(), gray.size());
}

TEST(OpenCv, SettersAct) {
  const Scene scene = MakeScene();
  const auto run = [&](const std::function<void(parallax::StereoSGBM&)>& change) {
    const auto matcher = parallax::StereoSGBM::create(0, 64, 3, 72, 288, 1);
    change(*matcher);
    cv::Mat disparity;
    matcher->compute(scene.left, scene.right, disparity);
    return disparity;
  };
  const cv::Mat usual = run([](auto&) {});
  EXPECT_TRUE(Same(usual, run([](auto&) {})));
  using Set = std::function<void(parallax::StereoSGBM&)>;
  const std::map<std::string, Set> changes = {
      {"min_disparity", [](auto& m) { m.setMinDisparity(7); }},
      {"num_disparities", [](auto& m) { m.setNumDisparities(20); }},
      {"block_size", [](auto& m) { m.setBlockSize(9); }},
      {"p1", [](auto& m) { m.setP1(300); }},
      {"p2", [](auto& m) { m.setP2(80); }},
      {"uniqueness", [](auto& m) { m.setUniquenessRatio(30); }},
      {"speckles", [](auto& m) { m.setSpeckleWindowSize(400), m.setSpeckleRange(1); }},
      {"disp12", [](auto& m) { m.setDisp12MaxDiff(-1); }},
      {"mode", [](auto& m) { m.setMode(cv::StereoSGBM::MODE_SGBM_3WAY); }},
      {"fill", [](auto& m) { m.setFill(true); }},
  };
  for (const auto& [name, change] : changes) EXPECT_FALSE(Same(usual, run(change))) << name;
  // The cap acts where gradients cost.
  parallax::Parameters parameters;
  parameters.matching_cost.gradient_weight = 4;
  const auto capped = [&](int cap) {
    const auto matcher = parallax::StereoSGBM::create(parameters);
    matcher->setPreFilterCap(cap);
    cv::Mat disparity;
    matcher->compute(scene.left, scene.right, disparity);
    return disparity;
  };
  EXPECT_FALSE(Same(capped(8), capped(63)));
}

TEST(OpenCv, GettersGiveWhatWasSet) {
  const cv::Ptr<cv::StereoSGBM> matcher =
      parallax::StereoSGBM::create(-3, 48, 5, 200, 800, 2, 31, 11, 150, 4, cv::StereoSGBM::MODE_HH);
  EXPECT_EQ(matcher->getMinDisparity(), -3);
  EXPECT_EQ(matcher->getNumDisparities(), 48);
  EXPECT_EQ(matcher->getBlockSize(), 5);
  EXPECT_EQ(matcher->getP1(), 200);
  EXPECT_EQ(matcher->getP2(), 800);
  EXPECT_EQ(matcher->getDisp12MaxDiff(), 2);
  EXPECT_EQ(matcher->getPreFilterCap(), 31);
  EXPECT_EQ(matcher->getUniquenessRatio(), 11);
  EXPECT_EQ(matcher->getSpeckleWindowSize(), 150);
  EXPECT_EQ(matcher->getSpeckleRange(), 4);
  EXPECT_EQ(matcher->getMode(), cv::StereoSGBM::MODE_HH);
}

TEST(OpenCv, UsualPenaltiesAreTheLibrarysOwn) {
  const parallax::AggregationParameters own = parallax::Parameters{}.aggregation;
  for (const int channels : {1, 3}) {
    for (const int size : {3, 5, 9}) {
      const auto matcher =
          parallax::StereoSGBM::create(0, 64, size, 8 * channels * size * size, 32 * channels * size * size);
      EXPECT_EQ(matcher->ParametersFor(channels).aggregation.p1, own.p1);
      EXPECT_EQ(matcher->ParametersFor(channels).aggregation.p2, own.p2);
    }
  }
}

TEST(OpenCv, SizesMayChange) {
  const auto matcher = parallax::StereoSGBM::create(0, 32);
  const Scene scene = MakeScene();
  for (const cv::Size size : {cv::Size(320, 200), cv::Size(40, 30), cv::Size(1, 1), cv::Size(300, 200)}) {
    const cv::Rect part(cv::Point(0, 0), size);
    cv::Mat is, fresh;
    matcher->compute(scene.left(part), scene.right(part), is);
    parallax::StereoSGBM::create(0, 32)->compute(scene.left(part), scene.right(part), fresh);
    EXPECT_TRUE(Same(is, fresh));
  }
}

TEST(OpenCv, FaultsAreItsExceptions) {
  const Scene scene = MakeScene();
  const auto fault_of = [](const std::function<void()>& action) -> std::string {
    try {
      action();
    } catch (const cv::Exception& error) {
      return error.what();
    }
    return "accepted";
  };
  cv::Mat disparity;
  const auto matcher = parallax::StereoSGBM::create(0, 64);
  const auto compute = [&](const cv::Mat& left, const cv::Mat& right) {
    return fault_of([&] { matcher->compute(left, right, disparity); });
  };
  cv::Mat pixels;
  scene.left.convertTo(pixels, CV_32F);
  EXPECT_THAT(compute(scene.left, scene.right.rowRange(0, 9)), HasSubstr("left image is 320x200"));
  EXPECT_THAT(compute(pixels, pixels), HasSubstr("CV_32FC1: give CV_8UC1"));
  EXPECT_THAT(compute(scene.left, pixels), HasSubstr("give CV_8UC1"));
  EXPECT_THAT(compute(cv::Mat(), cv::Mat()), HasSubstr("at least 1x1"));
  cv::Mat1b bytes;
  EXPECT_THAT(fault_of([&] { matcher->compute(scene.left, scene.right, bytes); }), HasSubstr("CV_16S"));
  matcher->setNumDisparities(0);
  EXPECT_THAT(compute(scene.left, scene.right), HasSubstr("num_disparities"));
  EXPECT_THAT(fault_of([] { parallax::StereoSGBM::create()->setDispType(CV_8U); }), HasSubstr("CV_16S"));
}

}  // namespace
