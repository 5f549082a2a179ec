// docs/parameters.md is what the code says.
#include "config/parameter_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parameter_text.h"
#include "tests/support/built_paths.h"
#include "tests/support/run_program.h"

namespace parallax {
namespace {

TEST(ParameterTable, NamesEveryKeyWithItsDefaultAndRange) {
  const std::string table = ParameterTable();
  for (const std::string& key : ParameterKeys()) {
    const std::size_t row = table.find("| `" + key + "` |");
    ASSERT_NE(row, std::string::npos) << key;
    const std::string line = table.substr(row, table.find('\n', row) - row);
    EXPECT_THAT(line, testing::HasSubstr("| " + ParameterText(Parameters{}, key) + " |"));
    EXPECT_THAT(line, testing::HasSubstr("| " + ParameterRange(key) + " |"));
  }
}

TEST(ParameterTable, TheDocumentationHoldsIt) {
  EXPECT_THAT(test::ReadText(test::SourcePath("docs/parameters.md")), testing::HasSubstr(ParameterTable()))
      << "write the output of `parallax info --parameters` over the table in docs/parameters.md";
}

}  // namespace
}  // namespace parallax
