// JSON whose keys stay in the order in which they are given.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace parallax::app {

using OrderedJson = nlohmann::ordered_json;

// Text that ends in a newline; indent: spaces a level, -1 = all on one line. Whole numbers have no point, what is
// not finite is null, bytes that are no UTF-8 are written as \xHH.
std::string JsonText(OrderedJson json, int indent = 2);

}  // namespace parallax::app
