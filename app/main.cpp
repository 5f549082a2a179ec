// parallax: stereo pairs to depth and clouds, scored. Commands are in *_command.cpp.
// The only place that prints errors and sets exit codes: 0 done, 1 failed, 2 wrong usage.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "app/build_info.h"
#include "app/commands.h"
#include "app/commit.h"
#include "app/frames/run_clouds.h"
#include "app/help/short_help.h"
#include "app/merge/merge_command.h"
#include "app/output/command_line.h"
#include "app/output/error_text.h"
#include "app/team/team.h"
#include "config/backends.h"
#include "config/parameter_text.h"
#include "parallax/error.h"
#include "pipeline/frames/frame_pipeline.h"

namespace {

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr const char* kMemoryRefused =
    "parallax: memory was refused, even for the text of an error: raise the limit (ulimit -v)\n";

// keep_lines: all faults of a parameter file are printed at once, one on each line.
int Fail(const std::string& what, int exit_code, bool keep_lines = false) {
  std::fflush(stdout);  // so that the error comes after what was printed before it
  std::fprintf(stderr, "parallax: %s\n", parallax::app::Printable(what, keep_lines).c_str());
  return exit_code;
}

// Calls work(), whose exit code it returns; an exception becomes one line and its exit code.
template <typename Work>
int Guarded(const Work& work) {
  try {
    try {
      return work();
    } catch (const parallax::InvalidArgument& error) {
      return Fail(error.what(), kExitUsage, true);
    } catch (const std::exception& error) {
      return Fail(parallax::app::ErrorText(error), kExitFailed);
    }
  } catch (const std::exception&) {  // no memory for the text either
    std::fputs(kMemoryRefused, stderr);
    return kExitFailed;
  }
}

// Destructors of libraries may ask for memory (nlohmann-json's do). If it is refused while an exception passes them,
// the runtime ends the program; it says why all the same.
[[noreturn]] void OnTerminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    std::fputs(kMemoryRefused, stderr);
    std::_Exit(kExitFailed);
  } catch (...) {
  }
  std::abort();
}

// The exit code of a command that did its work. It has failed if standard output cannot be written.
int Done() {
  errno = 0;
  std::cout.flush();
  const bool printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (printed) return kExitDone;
  const std::string reason = errno != 0 ? std::string(" (") + std::strerror(errno) + ")" : "";
  return Fail("standard output cannot be written" + reason + ": the printed text is incomplete", kExitFailed);
}

// Name of the command that was chosen, for the hint at its help; empty before one was.
std::string ChosenCommand(const CLI::App& app) {
  std::string name;
  for (const CLI::App* command : app.get_subcommands())
    name += ' ' + command->get_name() + ChosenCommand(*command);
  return name;
}

// The command that was given without its subcommand; null if no subcommand was missing or unknown.
const CLI::App* CommandWithoutChoice(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) return CommandWithoutChoice(*command);
  return app.get_require_subcommand_min() > 0 ? &app : nullptr;
}

// The first option that the command does not know, with the most similar known one; empty if all are known.
std::string UnknownOptionText(const CLI::App& app) {
  std::vector<std::string> known;
  const CLI::App* command = &app;
  while (true) {
    for (const CLI::Option* option : command->get_options()) {
      known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
    }
    if (command->get_subcommands().empty()) break;
    command = command->get_subcommands().front();
  }
  for (const std::string& argument : app.remaining(true)) {
    const std::size_t begin = argument.find_first_not_of('-');
    if (begin == 0 || begin == std::string::npos) continue;
    const std::string name = argument.substr(begin, argument.find('=') - begin);
    const std::string nearest = parallax::NearestName(name, known);
    const std::string text = "unknown option '" + argument.substr(0, argument.find('=')) + "'";
    if (nearest.empty()) return text;
    if (nearest == name && argument.starts_with("--")) return text + " there: options follow the command";
    return text + ": did you mean --" + nearest + "?";
  }
  return "";
}

// Describes the error of the command line in one line.
std::string UsageText(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const int depth = app.get_subcommands().empty() ? 1 : 2;  // parallax COMMAND, parallax cloud COMMAND
  const CLI::App* undecided = CommandWithoutChoice(app);
  if (undecided != nullptr && argc > depth && argv[depth][0] != '-') {
    std::string commands;
    for (const CLI::App* command : undecided->get_subcommands([](const CLI::App*) { return true; })) {
      commands += (commands.empty() ? "" : ", ") + command->get_name();
    }
    return "unknown command '" + std::string(argv[depth]) + "': there are " + commands + " (see parallax" +
           ChosenCommand(app) + " --help)";
  }
  std::string text = UnknownOptionText(app);
  if (text.empty()) text = error.what();
  return text + " (see parallax" + ChosenCommand(app) + " --help)";
}

// Names the argument that is empty, as an unset shell variable leaves it; empty text if no argument is.
std::string EmptyArgumentText(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '\0') continue;
    return "argument " + std::to_string(i) + (i > 1 ? ", after '" + std::string(argv[i - 1]) + "'," : "") +
           " is empty: give it a value, or leave it out";
  }
  return "";
}

// The arguments. An option with an optional value does not take the source as its value: in `run
// --cloud-clean FOLDER`, FOLDER is the source.
std::vector<std::string> Arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] != "--cloud-clean") continue;
    const char first = arguments[i + 1].front();
    const bool is_file = first < '0' || first > '9' || std::filesystem::exists(arguments[i + 1]);
    if (is_file) arguments[i] += "=" + std::string(parallax::app::kUsualCloudCleaning);
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  return arguments;
}

std::string VersionText() {
  const parallax::app::BuildInfo& build = parallax::app::ThisBuild();
  std::string text = "parallax " + std::string(build.version);
  if (const std::string commit(parallax::app::CommitOfSources()); !commit.empty())
    text += " (commit " + commit + ')';
  text += "\nbuild: " + std::string(build.build_type) + ", " + std::string(build.compiler);
  if (!build.cuda_compiler.empty()) {
    text += ", CUDA by " + std::string(build.cuda_compiler) + " for " + std::string(build.cuda_architectures);
  }
  text += "\nback ends:";
  const char* separator = " ";
  for (const parallax::BackendState& backend : parallax::Backends()) {
    text += separator + std::string(backend.name) + (backend.usable ? "" : " (not usable here)");
    separator = ", ";
  }
  return text;
}

int RunCommand(int argc, char** argv) {
  CLI::App app{"parallax: stereo pairs to depth and point clouds, on a CPU or a GPU, with a score",
               "parallax"};
  app.set_version_flag("--version", VersionText,
                       "Print the version, what it was built from, and its back ends");
  app.require_subcommand(1);
  parallax::app::AddRunCommand(app);
  parallax::app::AddVerifyCommand(app);
  parallax::app::AddSynthCommand(app);
  parallax::app::AddEvalCommand(app);
#ifdef PARALLAX_FIRST_BUILD
  for (const char* name :
       {"merge", "compare", "view", "cloud", "calibrate", "rectify", "rig", "doctor", "quality", "bench"}) {
    app.add_subcommand(name, "Left out of the first build")->allow_extras()->callback([name] {
      throw parallax::InvalidArgument("the first build has no command '" + std::string(name) +
                                      "': cmake --build --preset release builds all commands");
    });
  }
#else
  parallax::app::AddMergeCommand(app);
  parallax::app::AddCompareCommand(app);
  parallax::app::AddViewCommand(app);
  parallax::app::AddCloudCommand(app);
  parallax::app::AddCalibrateCommand(app);
  parallax::app::AddRectifyCommand(app);
  parallax::app::AddRigCommand(app);
  parallax::app::AddDoctorCommand(app);
  parallax::app::AddQualityCommand(app);
  parallax::app::AddBenchCommand(app);
#endif
  parallax::app::AddInfoCommand(app);
  parallax::app::AddHelpCommands(app);
  parallax::app::ShortenHelp(app);
  if (const std::string text = EmptyArgumentText(argc, argv); !text.empty()) {
    return Fail(text, kExitUsage);
  }
  try {
    app.parse(Arguments(argc, argv));
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request) == 0 ? Done() : kExitUsage;
  } catch (const CLI::ParseError& error) {
    if (!parallax::app::SpeaksForTeam()) {  // all processes of a team would say the same
      // mpirun ends all ranks as soon as one has failed, so the rank with the message must end first.
      std::this_thread::sleep_for(std::chrono::seconds(2));
      return kExitUsage;
    }
    return Fail(UsageText(app, error, argc, argv), kExitUsage);
  }
  return Done();
}

}  // namespace

int main(int argc, char** argv) {
  // A closed pipe and a file at its size limit become write errors with a message instead of ending the
  // process silently.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(OnTerminate);
  // OpenCV's decoders write there what our one line says already; nothing here does.
  std::cerr.rdbuf(nullptr);
  const int exit_code = Guarded([&] {
    parallax::app::SetCommandLine(argc, argv);
    return RunCommand(argc, argv);
  });
  // A thread is still in a library that waits for a camera: nothing is taken from it. Or a limit of addresses
  // (ulimit -v) is set: a thread of OpenBLAS asks for refused memory again and again, and an exit would join it.
  rlimit addresses{};
  const bool has_limit = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
  if (parallax::NumReadersLeftBehind() == 0 && !has_limit) return exit_code;
  std::fflush(nullptr);
  std::_Exit(exit_code);
}
