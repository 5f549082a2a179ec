#include "app/eval/eval_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "app/output/output_files.h"
#include "app/pictures/colormap.h"
#include "app/pictures/error_picture.h"
#include "app/pictures/robust_range.h"
#include "datasets/formats/image_file.h"
#include "pipeline/error.h"
#include "pipeline/metrics/interpolate_background.h"

namespace parallax::app {
namespace fs = std::filesystem;
namespace {

constexpr int kGap_px = 4;  // between the four parts of a picture
constexpr Rgb8 kGapColor{255, 255, 255};
constexpr const char* kPictureFolder = "frames";

Rgb8 Shown(std::uint8_t v) { return {v, v, v}; }
Rgb8 Shown(std::uint16_t v) { return Shown(static_cast<std::uint8_t>(v >> 8)); }
Rgb8 Shown(Rgb8 v) { return v; }

void Paste(const CameraImage& image, int x0, int y0, HostImage<Rgb8>& picture) {
  std::visit(
      [&](const auto& pixels) {
        for (int y = 0; y < pixels.height(); ++y) {
          for (int x = 0; x < pixels.width(); ++x) picture(x0 + x, y0 + y) = Shown(pixels(x, y));
        }
      },
      image);
}
void Paste(const HostImage<Rgb8>& part, int x0, int y0, HostImage<Rgb8>& picture) {
  for (int y = 0; y < part.height(); ++y) std::copy_n(part.Row(y), part.width(), picture.Row(y0 + y) + x0);
}

// The estimate at the truth's size: Middlebury allows a half or a quarter.
HostImage<float> AtTruthSize(HostImageView<const float> estimate, HostImageView<const float> truth) {
  HostImage<float> result(truth.width, truth.height);
  const int scale = std::max(1, truth.width / std::max(1, estimate.width));
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      result(x, y) = static_cast<float>(scale) * estimate(x / scale, y / scale);
    }
  }
  return result;
}

// Truth of a laser scanner is points on black: as shown, pixels without truth take that of a pixel beside
// them (3x3). Truth that is dense already is left as it is.
HostImage<float> Thickened(HostImageView<const float> truth) {
  HostImage<float> shown(truth.width, truth.height, std::numeric_limits<float>::quiet_NaN());
  std::size_t num_known = 0;
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      if (std::isnan(truth(x, y))) continue;
      ++num_known;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, truth.height - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, truth.width - 1); ++u) {
          shown(u, v) = std::isnan(truth(u, v)) ? truth(x, y) : truth(u, v);
        }
      }
    }
  }
  const std::size_t num_pixels =
      static_cast<std::size_t>(truth.width) * static_cast<std::size_t>(truth.height);
  if (2 * num_known < num_pixels) return shown;
  for (int y = 0; y < truth.height; ++y) std::copy_n(truth.Row(y), truth.width, shown.Row(y));
  return shown;
}

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += c;
  }
  return escaped;
}

constexpr const char* kStyle =
    "body{font:15px/1.4 sans-serif;margin:1.5em;max-width:1800px}"
    "table{border-collapse:collapse;margin:.6em 0 1.6em;font-variant-numeric:tabular-nums}"
    "th,td{padding:.15em .7em;text-align:right}th:first-child,td:first-child{text-align:left}"
    "thead th{border-bottom:1px solid #888}tr.total td{border-top:1px solid #888;font-weight:bold}"
    "img{max-width:100%}figure{margin:0 0 2em}.bin{display:inline-block;padding:.1em .7em;color:#000}"
    ".bin.dark{color:#fff}";

std::string TableHtml(const TableSection& section, std::span<const FrameScores> frames, const Scores& total) {
  std::string html = "<h2>" + Escaped(section.title) + "</h2>\n<table><thead><tr><th>frame</th>";
  for (const TableColumn& column : section.columns) html += "<th>" + Escaped(column.header) + "</th>";
  html += "</tr></thead><tbody>\n";
  const auto add_row = [&](const std::string& name, const Scores& scores, const char* row_class) {
    html += std::string("<tr") + row_class + "><td>" + name + "</td>";
    for (const TableColumn& column : section.columns) html += "<td>" + CellText(scores, column) + "</td>";
    html += "</tr>\n";
  };
  for (const FrameScores& frame : frames) {
    const std::string name = Escaped(frame.name);
    add_row("<a href=\"#" + name + "\">" + name + "</a>", frame.scores, "");
  }
  add_row("total", total, " class=\"total\"");
  return html + "</tbody></table>\n";
}

std::string LegendHtml() {
  std::string html = "<p>Errors, as multiples of max(3 px, 5 % of the truth): ";
  for (const ErrorColor& bin : kErrorColors) {
    const bool is_last = &bin == &kErrorColors.back();
    const bool is_dark = bin.color.r + bin.color.g + bin.color.b < 300;
    html += fmt::format("<span class=\"bin{}\" style=\"background:rgb({},{},{})\">{}</span>",
                        is_dark ? " dark" : "", bin.color.r, bin.color.g, bin.color.b,
                        is_last ? std::string("more") : fmt::format("&lt; {:g}", bin.end));
  }
  return html +
         fmt::format(
             " <span class=\"bin\" style=\"background:rgb({},{},{})\">no estimate</span>; occluded pixels "
             "are half as bright; black: no truth.</p>\n",
             kMissingColor.r, kMissingColor.g, kMissingColor.b);
}

}  // namespace

HostImage<Rgb8> FramePicture(const StereoFrame& frame, HostImageView<const float> estimate, bool fill_holes) {
  const auto truth = frame.truth->disparity.ConstView();
  const HostImage<float> shown = AtTruthSize(estimate, truth);
  const HostImage<float> scored = fill_holes ? InterpolateBackground(shown.ConstView()) : shown.Clone();
  const ValueRange range = RobustRange(truth);  // a few extreme values do not flatten the rest
  const int width = truth.width, height = truth.height;
  HostImage<Rgb8> picture(2 * width + kGap_px, 2 * height + kGap_px, kGapColor);
  const CameraImageView left = ViewOf(frame.left);
  if (WidthOf(left) == width && HeightOf(left) == height) Paste(frame.left, 0, 0, picture);
  Paste(ErrorPicture(scored.ConstView(), *frame.truth), width + kGap_px, 0, picture);
  Paste(ColorDisparity(shown.ConstView(), range.low, range.high), 0, height + kGap_px, picture);
  Paste(ColorDisparity(Thickened(truth).ConstView(), range.low, range.high), width + kGap_px,
        height + kGap_px, picture);
  return picture;
}

EvalReport::EvalReport(fs::path folder, bool fill_holes)
    : folder_(std::move(folder)), fill_holes_(fill_holes) {
  std::error_code failed;
  fs::create_directories(folder_ / kPictureFolder, failed);
  if (failed) {
    throw Error(folder_.string() + ": cannot be made (" + failed.message() + "): choose another --report");
  }
}

void EvalReport::AddFrame(const StereoFrame& frame, HostImageView<const float> estimate) {
  const HostImage<Rgb8> picture = FramePicture(frame, estimate, fill_holes_);
  WritePng(folder_ / kPictureFolder / (frame.name + ".png"), picture.ConstView());
  pictures_.push_back(frame.name);
}

void EvalReport::AddCloudPicture(const std::string& name, HostImageView<const Rgb8> picture) {
  WritePng(folder_ / kPictureFolder / (name + "_cloud.png"), picture);
  cloud_pictures_.push_back(name);
}

void EvalReport::Finish(const std::string& heading, std::span<const TableSection> sections,
                        std::span<const FrameScores> frames, const Scores& total,
                        std::span<const std::string> notes) {
  std::string html = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                     Escaped(heading) + "</title><style>" + kStyle + "</style></head><body>\n<h1>" +
                     Escaped(heading) + "</h1>\n";
  for (const TableSection& section : sections) html += TableHtml(section, frames, total);
  for (const std::string& note : notes) html += "<p>" + Escaped(note) + "</p>\n";
  html +=
      "<p>Above: left image, errors. Below: estimate, truth; dark is far, light is near, black is without "
      "a value.</p>\n";
  html += LegendHtml();
  for (const std::string& name : pictures_) {
    const std::string escaped = Escaped(name);
    html += fmt::format(
        "<figure id=\"{0}\"><figcaption>{0}</figcaption><img loading=\"lazy\" src=\"{1}/{0}.png\" "
        "alt=\"{0}\">",
        escaped, kPictureFolder);
    if (std::find(cloud_pictures_.begin(), cloud_pictures_.end(), name) != cloud_pictures_.end()) {
      html += fmt::format("<img loading=\"lazy\" src=\"{1}/{0}_cloud.png\" alt=\"cloud of {0}\">", escaped,
                          kPictureFolder);
    }
    html += "</figure>\n";
  }
  html += "</body></html>\n";
  WriteTextFile(index_file(), html);
}

}  // namespace parallax::app
