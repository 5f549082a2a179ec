// OpenCV's FileStorage as XML: only what calibrations are made of, matrices and numbers directly below the
// root.
#include <cmath>

#include "datasets/calibration/calibration_text.h"
#include "datasets/formats/file_bytes.h"

namespace parallax::calibration {
namespace {

// The end and the content of the element that starts at `begin` (its '<'); nullopt if it is not closed.
struct Element {
  std::string_view name, content;
  std::size_t end = 0;
};

std::optional<Element> ElementAt(std::string_view text, std::size_t begin) {
  const std::size_t close = text.find('>', begin);
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view tag = text.substr(begin + 1, close - begin - 1);
  Element element;
  element.name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
  if (element.name.empty()) return std::nullopt;
  if (tag.ends_with('/')) {
    element.end = close + 1;
    return element;
  }
  const std::string closing = "</" + std::string(element.name) + ">";
  const std::size_t end = text.find(closing, close);
  if (end == std::string_view::npos) return std::nullopt;
  element.content = text.substr(close + 1, end - close - 1);
  element.end = end + closing.size();
  return element;
}

// The top-level elements of a text, up to the first one that is not closed.
std::vector<Element> ElementsIn(std::string_view text) {
  std::vector<Element> elements;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    if (text.substr(at).starts_with("<!--")) {
      at = text.find("-->", at);
      continue;
    }
    const auto element = ElementAt(text, at);
    if (!element || elements.size() > 1000) break;
    elements.push_back(*element);
    at = element->end;
  }
  return elements;
}

// All words as finite numbers; empty if one of them is not a finite number.
std::vector<double> NumbersIn(std::string_view text) {
  std::vector<double> numbers;
  WordReader words(text);
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    const auto number = ParseNumber(word);
    if (!number || !std::isfinite(*number) || numbers.size() > 64) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

std::optional<Calibration> ReadOpenCvXml(const std::vector<NamedText>& files) {
  OpenCvValues values;
  for (const NamedText& file : files) {
    const std::size_t root = file.text.find("<opencv_storage");
    if (root == std::string::npos) return std::nullopt;
    const auto storage = ElementAt(file.text, root);
    if (!storage) Fail(file.name, "<opencv_storage> is not closed: the file is cut short");
    for (const Element& element : ElementsIn(storage->content)) {
      std::string_view numbers = element.content;
      for (const Element& part : ElementsIn(element.content)) {
        if (part.name == "data") numbers = part.content;
      }
      if (std::vector<double> found = NumbersIn(numbers); !found.empty())
        values.values.emplace_back(std::string(element.name), std::move(found));
    }
  }
  return CalibrationFromOpenCv(values, files.front().name);
}

}  // namespace parallax::calibration
