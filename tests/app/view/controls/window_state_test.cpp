#include "app/view/controls/window_state.h"

#include <gtest/gtest.h>

#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

TEST(WindowState, IsAnObjectOfItsPiecesAndWrittenWhereItChanged) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "state.json";
  WindowState state(file);
  int value = 7;
  state.Add("value", [&](JsonWriter& json) { json.Value(value); });
  state.Add("list", [](JsonWriter& json) { json.BeginArray().Value(true).EndArray(); });
  EXPECT_EQ(state.Text(), "{\n  \"value\": 7,\n  \"list\": [\n    true\n  ]\n}\n");
  state.WriteIfChanged();
  EXPECT_EQ(test::ReadText(file), state.Text());
}

TEST(WindowState, WithoutAFileNothingIsWritten) {
  WindowState state({});
  state.Add("value", [](JsonWriter& json) { json.Value(1); });
  state.WriteIfChanged();  // nor anything told
}

}  // namespace
}  // namespace parallax::app
