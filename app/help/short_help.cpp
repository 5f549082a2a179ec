#include "app/help/short_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parallax::app {
namespace {

constexpr const char* kAdvanced = "Advanced options";
// Advanced options of run, eval and view, which have many options.
constexpr std::string_view kAdvancedOptions[] = {
    "--as",          "--cloud-clean",    "--cloud-thresholds", "--device",
    "--emd-points",  "--emd-seed",       "--in-flight",        "--kind",
    "--log-file",    "--max-disparity",  "--memory-limit",     "--no-check",
    "--objects",     "--pair-tolerance", "--record-write",     "--rectified-size",
    "--round",       "--save-to",        "--scores",           "--shard",
    "--size",        "--state-file",     "--truth-mask",       "--truth-scale",
    "--uncertainty", "--verbose",        "--view-size",        "--view-state",
    "--zoom"};

class ShortFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    is_short_ = mode == CLI::AppFormatMode::Normal;
    return Formatter::make_help(app, std::move(name), mode);
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (is_short_ && group == kAdvanced)
      return "\n" + std::to_string(options.size()) + " more options: --help-all\n";
    return Formatter::make_group(std::move(group), is_positional, std::move(options));
  }

 private:
  mutable bool is_short_ = false;
};

}  // namespace

void ShortenHelp(CLI::App& app) {
  for (const char* name : {"run", "eval", "view"}) {
    CLI::App* command = app.get_subcommand(name);
    for (CLI::Option* option : command->get_options()) {
      if (std::ranges::any_of(kAdvancedOptions, [&](std::string_view advanced) {
            return option->check_name(std::string(advanced));
          }))
        option->group(kAdvanced);
    }
    command->set_help_all_flag("--help-all", "Print all options");
    command->formatter(std::make_shared<ShortFormatter>());
  }
}

}  // namespace parallax::app
