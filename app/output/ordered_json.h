// JSON whose keys stay in the order in which they are given.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace parallax::app {

// Begin with OrderedJson::object() or array(): a null value that [] or += would turn into one is destroyed wrongly if
// memory is refused meanwhile (nlohmann-json 3.11).
using OrderedJson = nlohmann::ordered_json;

// Indented text that ends in a newline. Whole numbers have no point, numbers that are not finite become null,
// and invalid UTF-8 bytes become \xHH.
std::string JsonText(OrderedJson json);

}  // namespace parallax::app
