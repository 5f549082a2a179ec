#include "datasets/media/functions.h"
#include "parallax/error.h"

#if PARALLAX_VIDEO

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>
#include <utility>

#include "datasets/layouts/frame_list.h"
#include "datasets/layouts/picture_halves.h"
#include "datasets/system/file_identity.h"
#include "datasets/system/paths.h"

namespace parallax::media {
namespace {

HostImage<Rgb8> ToRgb(const cv::Mat& picture) {
  HostImage<Rgb8> image(picture.cols, picture.rows);
  cv::Mat target(picture.rows, picture.cols, CV_8UC3, image.Row(0),
                 static_cast<std::size_t>(image.View().stride_bytes));
  cv::cvtColor(picture, target, picture.channels() == 1 ? cv::COLOR_GRAY2RGB : cv::COLOR_BGR2RGB);
  return image;
}

// One or two captures read in step.
class CaptureSource final : public FrameSource {
 public:
  CaptureSource(std::string stem, std::vector<cv::VideoCapture> captures, std::vector<std::string> files,
                PictureLayout layout)
      : stem_(std::move(stem)), captures_(std::move(captures)), files_(std::move(files)), layout_(layout) {}

  SourceKind kind() const override { return SourceKind::kVideo; }

  std::optional<std::size_t> num_frames() const override {
    std::optional<std::size_t> fewest;
    for (const cv::VideoCapture& capture : captures_) {
      const double count = capture.get(cv::CAP_PROP_FRAME_COUNT);
      if (!(count >= 1)) return std::nullopt;  // not every container tells
      fewest = std::min(fewest.value_or(SIZE_MAX), static_cast<std::size_t>(count));
    }
    return fewest;
  }

  std::optional<std::string> NextName() override {
    // The end of a video shows only when the next picture is fetched.
    if (ended_) return std::nullopt;
    if (!Grab()) {
      CheckEnd();
      return std::nullopt;
    }
    // All pictures of a video have one size, so a wrong size is a failure of the source, reported once.
    if (StereoFrame first; next_ == 0) FillImages(first);
    char number[32];
    std::snprintf(number, sizeof(number), "_%06zu", next_);
    return stem_ + number;
  }

  // A picture that does not come keeps OpenCV waiting, which nothing ends; no further one is waited for.
  void Cancel() override { cancelled_ = true; }

  void Skip() override {
    if (Grab()) Advance();
  }

  std::string NextOrigin() override {
    std::string origin = StampOf({files_.begin(), files_.end()});
    if (layout_ != PictureLayout::kSideBySide)
      (origin += ' ') += kPictureLayoutNames[static_cast<std::size_t>(layout_)];
    return origin + " #" + std::to_string(next_);
  }
  std::vector<std::string> InputFiles() const override { return files_; }

  StereoFrame Read() override {
    StereoFrame frame;
    frame.name = NextName().value_or(stem_);
    frame.origin = NextOrigin();
    if (!Grab())
      throw Error(files_.front() + ": gave no further picture after " + std::to_string(next_) + " frames");
    frame.timestamp_s = grab_time_s_;
    if (next_ == 0) frame.note = UnpairedText();
    const bool whole = FillImages(frame);
    Advance();
    if (!whole) throw Error(files_.front() + ": picture of " + frame.name + " is damaged");
    frame.rig_note = "no calibration: videos carry none";
    frame.truth_note = "videos have no ground truth";
    return frame;
  }

 private:
  // Sets the images from the fetched picture; returns false if it is damaged. Throws Error if its size cannot
  // hold a pair.
  bool FillImages(StereoFrame& frame) {
    std::vector<cv::Mat> pictures(captures_.size());
    for (std::size_t i = 0; i < captures_.size(); ++i) {
      if (!captures_[i].retrieve(pictures[i]) || pictures[i].empty()) return false;
    }
    if (captures_.size() == 1) {
      CheckHalves(pictures.front().cols, pictures.front().rows, layout_, files_.front());
      SplitPicture(ToRgb(pictures.front()), layout_, frame);
    } else {
      frame.left = ToRgb(pictures[0]);
      frame.right = ToRgb(pictures[1]);
      CheckSamePair(frame.left, frame.right, files_[0], files_[1]);
    }
    return true;
  }

  // Names the surplus pictures if two videos state different numbers of pictures; otherwise empty.
  std::string UnpairedText() const {
    if (captures_.size() < 2) return "";
    const double left = captures_[0].get(cv::CAP_PROP_FRAME_COUNT);
    const double right = captures_[1].get(cv::CAP_PROP_FRAME_COUNT);
    if (!(left >= 1) || !(right >= 1) || left == right) return "";
    const std::size_t longer = left > right ? 0 : 1;
    const double rest = std::abs(left - right);
    return "the last " + std::to_string(std::lround(rest)) + " of the " +
           std::to_string(std::lround(std::max(left, right))) + " pictures of " + files_[longer] +
           " are left out: " + files_[1 - longer] + " has " +
           std::to_string(std::lround(std::min(left, right)));
  }

  // Fetches the next picture of every capture, once; false at the end.
  bool Grab() {
    if (cancelled_) throw Cancelled();
    if (!grabbed_ && !ended_) {
      bool all = true;
      for (cv::VideoCapture& capture : captures_) all &= capture.grab();
      grabbed_ = all;
      ended_ = !all;
      grab_time_s_ = captures_.front().get(cv::CAP_PROP_POS_MSEC) / 1000.0;
    }
    return grabbed_;
  }

  void Advance() {
    grabbed_ = false;
    ++next_;
  }

  // A file that was cut short plays up to there without a word. Some containers only estimate how many
  // pictures they hold, so a few may be missing.
  void CheckEnd() const {
    const std::size_t stated = num_frames().value_or(0);
    if (next_ + std::max<std::size_t>(1, stated / 100) >= stated) return;
    throw Error(files_.front() + ": ends after " + std::to_string(next_) + " of the " +
                std::to_string(stated) +
                " pictures that its header states: it is cut short; fetch or write it again");
  }

  std::string stem_;
  std::vector<cv::VideoCapture> captures_;
  std::vector<std::string> files_;
  PictureLayout layout_;
  bool grabbed_ = false, ended_ = false;
  std::atomic<bool> cancelled_ = false;
  double grab_time_s_ = 0;
  std::size_t next_ = 0;
};

// GStreamer waits forever for the pictures of some damaged files, so it is used only if FFmpeg is missing.
void Open(cv::VideoCapture& capture, const std::string& file) {
  std::vector<cv::VideoCaptureAPIs> readers = cv::videoio_registry::getStreamBackends();
  if (std::find(readers.begin(), readers.end(), cv::CAP_FFMPEG) != readers.end())
    std::erase(readers, cv::CAP_GSTREAMER);
  for (const cv::VideoCaptureAPIs reader : readers) {
    if (capture.open(file, reader)) return;
  }
}

// Opens without OpenCV's own warnings, and without FFmpeg's while pictures are read: our error says it.
cv::VideoCapture OpenQuietly(const std::string& file) {
  setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);  // AV_LOG_QUIET, unless the user has set it
  const auto level = cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::VideoCapture capture;
  capture.setExceptionMode(false);
  Open(capture, file);
  cv::utils::logging::setLogLevel(level);
  return capture;
}

}  // namespace

std::unique_ptr<FrameSource> OpenVideo(const std::vector<std::string>& files, PictureLayout layout) {
  std::vector<cv::VideoCapture> captures;
  for (const std::string& file : files) {
    if (!std::filesystem::exists(file)) throw Error(file + ": no such file");
    captures.push_back(OpenQuietly(file));
    if (!captures.back().isOpened()) {
      throw Error(file +
                  ": cannot be opened as a video; is it whole, and its codec known to OpenCV's videoio?");
    }
  }
  std::string stem = FileNameSafe(std::filesystem::path(files.front()).stem().string());
  return std::make_unique<CaptureSource>(std::move(stem), std::move(captures), files, layout);
}

}  // namespace parallax::media

#else

namespace parallax::media {
namespace {
[[noreturn]] void ThrowWithoutVideo(const std::string& what) {
  throw Error(what + ": this program was built without videos; configure it with -DPARALLAX_VIDEO=ON");
}
}  // namespace

std::unique_ptr<FrameSource> OpenVideo(const std::vector<std::string>& files, PictureLayout) {
  ThrowWithoutVideo(files.front());
}

}  // namespace parallax::media

#endif
