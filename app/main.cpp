// parallax: stereo pairs to depth and clouds, scored. Commands are in *_command.cpp.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "app/commands.h"
#include "pipeline/error.h"

namespace {
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"parallax: stereo pairs to depth and point clouds, on a CPU or a GPU, with a score"};
  app.require_subcommand(1);
  parallax::app::AddInfoCommand(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : kExitUsage;
  } catch (const parallax::InvalidArgument& error) {
    std::fprintf(stderr, "parallax: %s\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parallax: %s\n", error.what());
    return kExitFailed;
  }
  return 0;
}
