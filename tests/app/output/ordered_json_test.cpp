#include "app/output/ordered_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace parallax::app {
namespace {

TEST(JsonText, KeepsTheOrderOfKeys) {
  const OrderedJson json = {
      {"name", "a"}, {"frames", {1.0, 2.5}}, {"empty", OrderedJson::object()}, {"ok", true}};
  EXPECT_EQ(
      JsonText(json),
      "{\n  \"name\": \"a\",\n  \"frames\": [\n    1,\n    2.5\n  ],\n  \"empty\": {},\n  \"ok\": true\n}\n");
  EXPECT_EQ(JsonText(json, -1), "{\"name\":\"a\",\"frames\":[1,2.5],\"empty\":{},\"ok\":true}\n");
}

TEST(JsonText, NotANumberAndInfinityAreNull) {
  EXPECT_EQ(
      JsonText({std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}, -1),
      "[null,null]\n");
}

TEST(JsonText, EscapesWhatATextMayNotHold) {
  EXPECT_EQ(JsonText({{"a", "a\"b\\c\n\t\x01\xff"}}, -1), "{\"a\":\"a\\\"b\\\\c\\n\\t\\u0001\\\\xff\"}\n");
}

TEST(JsonText, DoublesReadBackAsTheSameDouble) {
  EXPECT_EQ(JsonText({0.1, 1.0 / 3}, -1), "[0.1,0.3333333333333333]\n");
}

}  // namespace
}  // namespace parallax::app
