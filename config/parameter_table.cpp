#include "config/parameter_table.h"

#include "config/parameter_text.h"
#include "config/uncertainty_text.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

std::string ParameterTable() {
  std::string table =
      "| key | unit | range | default | meaning |\n"
      "| --- | --- | --- | --- | --- |\n";
  const Parameters defaults;
  VisitParameters(defaults, [&](const ParameterInfo& info, const auto&) {
    table += "| `" + std::string(info.key) + "` | " + std::string(info.unit) + " | " +
             ParameterRange(info.key) + " | " + ParameterText(defaults, info.key) + " | " +
             std::string(info.meaning) + " |\n";
  });
  return table + UncertaintyRows();
}

}  // namespace parallax
