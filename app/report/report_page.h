// A self-contained page: style, script, charts, tables, pictures. It is readable without its script, too.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/chart.h"

namespace parallax::app {

struct PageCell {
  std::string text;                // of a left-aligned cell: with line breaks
  std::string link = {};           // target of the text's link; empty: none
  std::optional<double> bar = {};  // %, drawn as a bar behind the text
  bool is_text = false;            // left-aligned
};

struct PageRow {
  std::vector<PageCell> cells;
  std::string frame = {};  // the id of a PageFrame that is hidden with the row
  bool is_marked = false;  // stands out
};

struct PageTable {
  std::vector<std::string> headers;
  std::vector<PageRow> rows;
  std::vector<PageCell> total = {};  // a last row below a line; empty: none
  bool sortable = false;
  bool of_frames = false;                       // has the filters
  std::optional<std::size_t> main_column = {};  // the column by which rows are sorted, largest first
};

struct PagePicture {
  std::string label, address;
  int width_px = 0, height_px = 0;
};

struct PageFrame {
  std::string id, name, note;  // note: the figure next to the name
  PagePicture thumbnail;
  std::vector<PagePicture> pictures;
};

// A page is written to a folder, as index.html, or to one file ending in ".html" that holds its pictures.
bool IsSingleFile(const std::filesystem::path& place);
std::filesystem::path PageFile(const std::filesystem::path& place);

class ReportPage {
 public:
  explicit ReportPage(std::string heading) : heading_(std::move(heading)) {}

  void AddSection(std::string_view title,
                  std::string_view id = {});  // with an id: a target of the navigation
  void AddParagraph(std::string_view text);
  void AddCode(std::string_view summary, std::string_view code);  // closed at first
  void AddHtml(std::string_view html) { body_ += html; }
  void AddTable(const PageTable& table);
  void AddCharts(const std::vector<Chart>& charts);
  void AddFrames(const std::vector<PageFrame>& frames);

  std::string Html() const;

 private:
  std::string heading_, navigation_, body_;
};

}  // namespace parallax::app
