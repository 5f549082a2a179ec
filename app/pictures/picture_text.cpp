#include "app/pictures/picture_text.h"

#include <opencv2/imgproc.hpp>

namespace parallax::app {
namespace {

constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr int kThickness = 1;

double ScaleFor(int height_px) { return cv::getFontScaleFromHeight(kFont, height_px, kThickness); }

}  // namespace

int WidthOfText(const std::string& text, int height_px) {
  return cv::getTextSize(text, kFont, ScaleFor(height_px), kThickness, nullptr).width;
}

void DrawText(HostImageView<Rgb8> picture, const std::string& text, int x, int y, int height_px, Rgb8 color) {
  if (picture.Empty()) return;
  cv::Mat pixels(picture.height, picture.width, CV_8UC3, picture.data,
                 static_cast<std::size_t>(picture.stride_bytes));
  cv::putText(pixels, text, {x, y}, kFont, ScaleFor(height_px), cv::Scalar(color.r, color.g, color.b),
              kThickness, cv::LINE_AA);
}

}  // namespace parallax::app
