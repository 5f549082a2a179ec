#include "app/output/number_text.h"

#include <fmt/format.h>

#include <cmath>

namespace parallax::app {

std::string WithThousands(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ' ');
  return text;
}

std::string CountOf(std::size_t number, const std::string& thing) {
  return WithThousands(number) + ' ' + thing + (number == 1 ? "" : "s");
}

std::string FourDigits(double value) {
  if (std::isnan(value)) return "-";
  if (!(std::abs(value) >= 9999.5) || std::abs(value) >= 1e9) return fmt::format("{:.4g}", value);
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  const std::string digits =
      WithThousands(static_cast<std::size_t>(std::round(std::abs(value) / unit) * unit));
  return (value < 0 ? "-" : "") + digits;
}

}  // namespace parallax::app
