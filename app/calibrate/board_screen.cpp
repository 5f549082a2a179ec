#include "app/calibrate/board_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <vector>

#include "app/pictures/picture_text.h"

namespace parallax::app {
namespace {

constexpr int kScreenWidth_px = 1440, kGap_px = 8, kImage_px = (kScreenWidth_px - kGap_px) / 2,
              kBelow_px = 240, kFirstLine_px = 72, kLine_px = 19;
constexpr int kMargin_px = 14;
constexpr Rgb8 kBackground{24, 25, 28}, kBright{240, 240, 240}, kDim{160, 166, 174}, kGreen{70, 200, 110},
    kYellow{250, 200, 60}, kEmptyBar{60, 64, 70};

cv::Scalar ScalarOf(Rgb8 color) { return {double(color.r), double(color.g), double(color.b)}; }

cv::Mat MatOf(HostImageView<const Rgb8> image) {
  return {image.height, image.width, CV_8UC3, const_cast<Rgb8*>(image.data),
          static_cast<std::size_t>(image.stride_bytes)};
}

// The image into its part of the screen, with the cells that are covered, the place that should be next, and the
// board's corners.
void DrawImage(HostImageView<const Rgb8> image, const BoardSession& session, bool is_last_pair, bool is_right,
               cv::Mat part) {
  cv::resize(MatOf(image), part, part.size(), 0, 0, cv::INTER_AREA);
  const auto border = [](int size, double share) { return cvRound(size * share); };
  const auto place = [&](double x0, double y0, double x1, double y1) {
    return cv::Rect(cv::Point(border(part.cols, x0), border(part.rows, y0)),
                    cv::Point(border(part.cols, x1), border(part.rows, y1)));
  };
  const CameraCoverage& coverage = is_right ? session.right() : session.left();
  for (int cell = 0; cell < 100; ++cell) {
    if (coverage.corners[static_cast<std::size_t>(cell)] == 0) continue;
    const double x = cell % 10 / 10.0, y = cell / 10 / 10.0;
    cv::Mat pixels = part(place(x, y, x + 0.1, y + 0.1));
    cv::addWeighted(pixels, 0.72, cv::Mat(pixels.size(), CV_8UC3, ScalarOf(kGreen)), 0.28, 0, pixels);
  }
  if (const auto wanted = session.WantedPlace()) {
    constexpr double kBorders[] = {0, 0.3, 0.7, 1};
    const std::size_t x = *wanted % 3, y = *wanted / 3;
    cv::rectangle(part, place(kBorders[x], kBorders[y], kBorders[x + 1], kBorders[y + 1]), ScalarOf(kYellow),
                  2);
  }
  const BoardSight& sight = session.last();
  const cv::Scalar color = ScalarOf(sight.is_taken ? kGreen : sight.is_still ? kBright : kYellow);
  for (const SeenCorner& seen : is_right ? sight.view.right : sight.view.left) {
    const cv::Point at(cvRound((seen.pixel.x + 0.5) * part.cols / image.width),
                       cvRound((seen.pixel.y + 0.5) * part.rows / image.height));
    if (is_last_pair) cv::circle(part, at, 4, cv::Scalar(0, 0, 0), 3, cv::LINE_AA);
    cv::circle(part, at, 4, is_last_pair ? color : ScalarOf(kDim), is_last_pair ? 2 : 1, cv::LINE_AA);
  }
}

std::string SightText(const BoardSession& session) {
  const BoardSight& sight = session.last();
  if (sight.view.left.empty() || sight.view.right.empty()) return "no board in both images";
  std::string text = sight.is_taken ? "taken" : sight.is_still ? "stands still" : "moves";
  if (std::isfinite(sight.distance_m)) {
    text +=
        fmt::format("     tilt {:.0f} degrees     about {:.2f} m away", sight.tilt_degrees, sight.distance_m);
  }
  return text;
}

}  // namespace

HostImage<Rgb8> BoardScreen(HostImageView<const Rgb8> left, HostImageView<const Rgb8> right,
                            const BoardSession& session, bool is_last_pair, const std::string& headline,
                            const std::string& text) {
  const int height = std::max(1, kImage_px * left.height / std::max(1, left.width));
  const auto num_lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  HostImage<Rgb8> screen(kScreenWidth_px, height + std::max(kBelow_px, kFirstLine_px + kLine_px * num_lines),
                         kBackground);
  const cv::Mat pixels = MatOf(screen.ConstView());
  if (!left.Empty() && !right.Empty()) {
    DrawImage(left, session, is_last_pair, false, pixels(cv::Rect(0, 0, kImage_px, height)));
    DrawImage(right, session, is_last_pair, true,
              pixels(cv::Rect(kImage_px + kGap_px, 0, kImage_px, height)));
  }
  const auto line = [&](const std::string& words, int y, int capital_px, Rgb8 color) {
    DrawText(screen.View(), words, kMargin_px, height + y, capital_px, color);
  };
  line(headline.empty() ? session.Advice() : headline, 42, 20, kBright);
  if (!text.empty()) {
    std::istringstream lines(text);
    int y = kFirstLine_px;
    for (std::string words; std::getline(lines, words); y += kLine_px) line(words, y, 10, kDim);
    return screen;
  }
  line(SightText(session), 84, 14, session.last().is_taken ? kGreen : kDim);
  int x = kMargin_px;
  for (const SessionNeed& need : session.Needs()) {
    constexpr int kBar_px = 338, kBetween_px = 20;
    const Rgb8 color = need.done_share >= 1 ? kGreen : kYellow;
    const cv::Rect bar(x, height + 116, kBar_px, 14);
    cv::rectangle(pixels, bar, ScalarOf(kEmptyBar), cv::FILLED);
    const cv::Rect done(bar.x, bar.y, cvRound(kBar_px * need.done_share), bar.height);
    if (done.width > 0) cv::rectangle(pixels, done, ScalarOf(color), cv::FILLED);
    DrawText(screen.View(), need.text, x, height + 156, 12, color);
    x += kBar_px + kBetween_px;
  }
  line(fmt::format("The pair is taken when the board stands still. S calibrates with what was taken so far, "
                   "from {} boards on.",
                   kFewestBoards),
       206, 12, kDim);
  return screen;
}

}  // namespace parallax::app
