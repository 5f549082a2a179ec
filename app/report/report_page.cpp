#include "app/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/report/html.h"
#include "app/report/page_assets.h"

namespace parallax::app {
namespace {

std::string CellHtml(const PageCell& cell) {
  std::string html = cell.is_text ? "<td class=\"text\">" : "<td>";
  if (cell.bar) {
    html += fmt::format("<span class=\"share\" style=\"width:{:.0f}px\"></span> ",
                        std::clamp(*cell.bar, 0.0, 100.0));
  }
  if (cell.link.empty()) return html + Escaped(cell.text) + "</td>";
  return html + "<a href=\"" + Escaped(cell.link) + "\">" + Escaped(cell.text) + "</a></td>";
}

std::string RowHtml(const PageRow& row) {
  std::string html = "<tr";
  if (row.is_marked) html += " class=\"marked\"";
  if (!row.frame.empty()) html += " data-frame=\"" + Escaped(row.frame) + "\"";
  html += ">";
  for (const PageCell& cell : row.cells) html += CellHtml(cell);
  return html + "</tr>\n";
}

std::string ImageHtml(const PagePicture& picture, const std::string& alternative) {
  return fmt::format("<img loading=\"lazy\" src=\"{}\" width=\"{}\" height=\"{}\" alt=\"{}\">",
                     picture.address, picture.width_px, picture.height_px, Escaped(alternative));
}

}  // namespace

bool IsSingleFile(const std::filesystem::path& place) {
  return place.extension() == ".html" || place.extension() == ".htm";
}
std::filesystem::path PageFile(const std::filesystem::path& place) {
  return IsSingleFile(place) ? place : place / "index.html";
}

void ReportPage::AddSection(std::string_view title, std::string_view id) {
  if (id.empty()) {
    body_ += "<h2>" + Escaped(title) + "</h2>\n";
    return;
  }
  body_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, Escaped(title));
  navigation_ += fmt::format("<a href=\"#{}\">{}</a>\n", id, Escaped(title));
}

void ReportPage::AddParagraph(std::string_view text) { body_ += "<p>" + Escaped(text) + "</p>\n"; }

void ReportPage::AddCode(std::string_view summary, std::string_view code) {
  body_ += "<details><summary>" + Escaped(summary) + "</summary><pre>" + Escaped(code) + "</pre></details>\n";
}

void ReportPage::AddTable(const PageTable& table) {
  std::string classes = table.sortable ? "sortable" : "";
  if (table.of_frames) classes += classes.empty() ? "frames" : " frames";
  body_ +=
      "<div class=\"scroll\"><table" + (classes.empty() ? "" : " class=\"" + classes + "\"") + "><thead><tr>";
  for (std::size_t i = 0; i < table.headers.size(); ++i) {
    const bool is_main = table.main_column == i;
    const bool is_text =
        !table.rows.empty() && i < table.rows[0].cells.size() && table.rows[0].cells[i].is_text;
    body_ += is_main   ? "<th class=\"main\" aria-sort=\"descending\">"
             : is_text ? "<th class=\"text\">"
                       : "<th>";
    body_ += Escaped(table.headers[i]) + "</th>";
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const PageRow& row : table.rows) body_ += RowHtml(row);
  body_ += "</tbody>\n";
  if (!table.total.empty()) {
    body_ += "<tfoot><tr>";
    for (const PageCell& cell : table.total) body_ += CellHtml(cell);
    body_ += "</tr></tfoot>\n";
  }
  body_ += "</table></div>\n";
}

void ReportPage::AddCharts(const std::vector<Chart>& charts) {
  body_ += "<div class=\"charts\">\n";
  for (const Chart& chart : charts) body_ += SvgOf(chart);
  body_ += "</div>\n";
}

void ReportPage::AddFrames(const std::vector<PageFrame>& frames) {
  body_ += "<div class=\"cards\">\n";
  for (const PageFrame& frame : frames) {
    body_ += fmt::format(
        "<details class=\"card\" id=\"{}\"><summary>{}<b>{}</b> <span>{}</span></summary>\n<div "
        "class=\"grid\">\n",
        frame.id, ImageHtml(frame.thumbnail, "errors of " + frame.name), Escaped(frame.name),
        Escaped(frame.note));
    for (const PagePicture& picture : frame.pictures) {
      // With scripts enabled, page.js makes the picture when its frame is opened.
      body_ += "<figure><noscript>" + ImageHtml(picture, picture.label + " of " + frame.name) +
               "</noscript><figcaption>" + Escaped(picture.label) + "</figcaption></figure>\n";
    }
    body_ += "</div></details>\n";
  }
  body_ += "</div>\n";
}

std::string ReportPage::Html() const {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" +
         Escaped(heading_) + "</title>\n<style>\n" + kPageStyle + "</style></head>\n<body>\n<h1>" +
         Escaped(heading_) + "</h1>\n<nav>\n" + navigation_ + "</nav>\n" + body_ + "<script>\n" +
         kPageScript + "</script>\n</body></html>\n";
}

}  // namespace parallax::app
