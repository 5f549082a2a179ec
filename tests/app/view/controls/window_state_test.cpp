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
  state.Add("value", [&] { return value; });
  state.Add("list", [] { return OrderedJson::array({true}); });
  EXPECT_EQ(state.Text(), "{\n  \"value\": 7,\n  \"list\": [\n    true\n  ]\n}\n");
  state.WriteIfChanged();
  EXPECT_EQ(test::ReadText(file), state.Text());
}

TEST(WindowState, WithoutAFileNothingIsWritten) {
  WindowState state({});
  state.Add("value", [] { return 1; });
  state.WriteIfChanged();  // nor anything told
}

}  // namespace
}  // namespace parallax::app
