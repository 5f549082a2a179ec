#include "app/output/ordered_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace parallax::app {
namespace {

TEST(JsonText, KeepsTheOrderOfKeys) {
  OrderedJson json;
  json["name"] = "a";
  json["frames"] = {1.0, 2.5};
  json["empty"] = OrderedJson::object();
  json["ok"] = true;
  EXPECT_EQ(
      JsonText(json),
      "{\n  \"name\": \"a\",\n  \"frames\": [\n    1,\n    2.5\n  ],\n  \"empty\": {},\n  \"ok\": true\n}\n");
}

TEST(JsonText, NotANumberAndInfinityAreNull) {
  OrderedJson json = OrderedJson::array();
  json += std::numeric_limits<double>::quiet_NaN();
  json += -std::numeric_limits<double>::infinity();
  EXPECT_EQ(JsonText(json), "[\n  null,\n  null\n]\n");
}

TEST(JsonText, EscapesWhatATextMayNotHold) {
  OrderedJson json = OrderedJson::array();
  json += "a\"b\\c\n\t\x01\xff";
  EXPECT_EQ(JsonText(json), "[\n  \"a\\\"b\\\\c\\n\\t\\u0001\\\\xff\"\n]\n");
}

TEST(JsonText, DoublesReadBackAsTheSameDouble) {
  OrderedJson json = OrderedJson::array();
  json += 0.1;
  json += 1.0 / 3;
  EXPECT_EQ(JsonText(json), "[\n  0.1,\n  0.3333333333333333\n]\n");
}

}  // namespace
}  // namespace parallax::app
