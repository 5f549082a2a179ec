// JSON whose keys stay in the order in which they are given.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace parallax::app {

using OrderedJson = nlohmann::ordered_json;

// Indented text that ends in a newline. Whole numbers have no point, what is not finite is null, bytes that
// are no UTF-8 are written as \xHH.
std::string JsonText(OrderedJson json);

}  // namespace parallax::app
