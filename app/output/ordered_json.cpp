#include "app/output/ordered_json.h"

#include <cmath>
#include <cstdint>

#include "app/output/error_text.h"

namespace parallax::app {
namespace {

void Tidy(OrderedJson& json) {
  constexpr double kLargestWhole = 1e15;  // as digits, not as 1e+15
  if (json.is_string()) {
    json = ValidUtf8(json.get_ref<const std::string&>());
  } else if (json.is_number_float()) {
    const double value = json.get<double>();
    if (value == std::trunc(value) && std::fabs(value) < kLargestWhole)
      json = static_cast<std::int64_t>(value);
  } else {
    for (OrderedJson& element : json) {
      if (element.is_structured() || element.is_string() || element.is_number_float()) Tidy(element);
    }
  }
}

}  // namespace

std::string JsonText(OrderedJson json) {
  Tidy(json);
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace parallax::app
