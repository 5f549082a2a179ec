#include "app/output/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace parallax::app {
namespace {

TEST(JsonWriter, WritesNestedValuesInOrder) {
  JsonWriter json;
  json.BeginObject();
  json.Key("name").Value("a").Key("frames").BeginArray().Value(1).Value(2.5).EndArray();
  json.Key("empty").BeginObject().EndObject().Key("ok").Value(true);
  json.EndObject();
  EXPECT_EQ(
      json.text(),
      "{\n  \"name\": \"a\",\n  \"frames\": [\n    1,\n    2.5\n  ],\n  \"empty\": {},\n  \"ok\": true\n}\n");
}

TEST(JsonWriter, NotANumberAndInfinityAreNull) {
  JsonWriter json;
  json.BeginArray().Value(std::numeric_limits<double>::quiet_NaN());
  json.Value(-std::numeric_limits<double>::infinity()).EndArray();
  EXPECT_EQ(json.text(), "[\n  null,\n  null\n]\n");
}

TEST(JsonWriter, EscapesQuotesBackslashesAndControlCharacters) {
  JsonWriter json;
  json.BeginArray().Value("a\"b\\c\n\t\x01").EndArray();
  EXPECT_EQ(json.text(), "[\n  \"a\\\"b\\\\c\\n\\t\\u0001\"\n]\n");
}

TEST(JsonWriter, DoublesReadBackAsTheSameDouble) {
  JsonWriter json;
  json.BeginArray().Value(0.1).Value(1.0 / 3).EndArray();
  EXPECT_EQ(json.text(), "[\n  0.1,\n  0.3333333333333333\n]\n");
}

}  // namespace
}  // namespace parallax::app
