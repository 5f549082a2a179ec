// parallax_sweep: the hunt for a bit in which a back end differs from the reference. It draws method,
// parameters, sizes, pixels, instruction set, threads, memory limit and back end at random, compares every
// stage, and stops at the first difference with the command that shows it again.
#include <unistd.h>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "config/backends.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/sweep/hunt.h"

namespace parallax::test {
namespace {

constexpr const char* kHelp =
    "parallax_sweep [--hours N] [--cases N] [--seed S] [--backend cpu|cuda] [--instruction-set NAME]\n"
    "               [--device N] [--first K] [--case K]\n"
    "\n"
    "Compares the cpu and cuda back ends with the reference on random cases, to the bit, until one differs, "
    "N hours\n"
    "or N cases have passed, or Ctrl-C. A case follows from seed and number; --case runs that one only, "
    "--first\n"
    "begins there. Several hunts at a time need several seeds. Exit code: 0 none differs, 1 one does, 2 "
    "wrong usage.\n";

struct Options {
  double hours = 0;
  std::uint64_t num_cases = 0, seed = 1, first = 1;
  std::optional<std::uint64_t> only;
  std::string backend, instruction_set;
  int device = 0;
};

template <typename T>
T NumberOf(std::string_view option, const char* text) {
  T value{};
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < T{})
    throw std::invalid_argument(std::string(option) + ": '" + text + "' is no such number");
  return value;
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (i + 1 == argc)
      throw std::invalid_argument("'" + std::string(name) + "' is unknown or lacks its value");
    const char* const value = argv[++i];
    if (name == "--hours") {
      options.hours = NumberOf<double>(name, value);
    } else if (name == "--cases") {
      options.num_cases = NumberOf<std::uint64_t>(name, value);
    } else if (name == "--seed") {
      options.seed = NumberOf<std::uint64_t>(name, value);
    } else if (name == "--first") {
      options.first = NumberOf<std::uint64_t>(name, value);
    } else if (name == "--case") {
      options.only = NumberOf<std::uint64_t>(name, value);
    } else if (name == "--device") {
      options.device = NumberOf<int>(name, value);
    } else if (name == "--backend") {
      options.backend = value;
    } else if (name == "--instruction-set") {
      options.instruction_set = value;
    } else {
      throw std::invalid_argument("'" + std::string(name) + "' is unknown");
    }
  }
  return options;
}

HuntGround GroundOf(const Options& options) {
  HuntGround ground;
  ground.device = options.device;
  for (const BackendState& state : Backends()) {
    if (state.name == "reference" || !state.usable) continue;
    if (options.backend.empty() || options.backend == state.name) ground.backends.emplace_back(state.name);
  }
  if (ground.backends.empty()) throw std::invalid_argument("no back end '" + options.backend + "' here");
  if (!options.instruction_set.empty()) {
    cpu::UseInstructionSet(options.instruction_set);  // it is there
    ground.instruction_sets = {options.instruction_set};
  } else {
    ground.instruction_sets = cpu::InstructionSets();
  }
  return ground;
}

// What is printed where the case under way crashes.
char g_case_under_way[256];
volatile std::sig_atomic_t g_stop = 0;

extern "C" void OnCrash(int signal) {
  static constexpr char kText[] = "CRASHES\n  again: ";
  [[maybe_unused]] ssize_t ignored = write(STDOUT_FILENO, kText, sizeof kText - 1);
  ignored = write(STDOUT_FILENO, g_case_under_way, std::strlen(g_case_under_way));
  ignored = write(STDOUT_FILENO, "\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}
extern "C" void OnStop(int signal) {
  g_stop = 1;
  std::signal(signal, SIG_DFL);
}

class Hunt {
 public:
  explicit Hunt(const Options& options) : options_(options), ground_(GroundOf(options)) {}

  int Run() {
    PrintGround();
    bool found = false;
    if (options_.only) {
      found = !Try(*options_.only);
    } else {
      for (std::uint64_t number = options_.first; !found && !IsOver(); ++number) found = !Try(number);
    }
    for (const auto& [what, count] : counts_) std::printf("%10llu  %s\n", count, what.c_str());
    std::printf("%10llu  cases, %.0f s, seed %llu: %s\n", num_done_, Seconds(),
                static_cast<unsigned long long>(options_.seed), found ? "ONE DIFFERS" : "no bit differs");
    return found ? 1 : 0;
  }

 private:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool IsOver() const {
    return g_stop != 0 || (options_.num_cases > 0 && num_done_ >= options_.num_cases) ||
           (options_.hours > 0 && Seconds() >= 3600 * options_.hours);
  }
  void PrintGround() const {
    std::string text;
    for (const std::string& backend : ground_.backends) text += ' ' + backend;
    for (const std::string& set : ground_.instruction_sets) text += ' ' + set;
    std::printf("seed %llu:%s\n", static_cast<unsigned long long>(options_.seed), text.c_str());
    std::fflush(stdout);
  }

  // False where a bit differs.
  bool Try(std::uint64_t number) {
    const HuntCase c = MakeHuntCase(options_.seed, number, ground_);
    const std::string again = CommandOf(c);
    std::snprintf(g_case_under_way, sizeof g_case_under_way, "%s", again.c_str());
    const std::string difference = RunHuntCase(c);
    ++num_done_;
    const std::string method = c.sweep.parameters.method == Method::kSgm ? "SGM" : "AD-Census";
    ++counts_[method + ", " + c.backend + (c.instruction_set.empty() ? "" : " " + c.instruction_set)];
    if (c.memory_percent > 0) ++counts_["with a memory limit"];
    if (c.num_in_flight > 1) ++counts_["with frames in flight"];
    if (!difference.empty()) {
      std::printf("DIFFERS: %s  %s\n  again: %s\n", difference.c_str(), Describe(c).c_str(), again.c_str());
    } else if (Seconds() >= next_report_s_) {
      std::printf("%10llu cases, %.0f s, no bit differs\n", num_done_, Seconds());
      std::fflush(stdout);
      next_report_s_ += 60;
    }
    return difference.empty();
  }

  const Options options_;
  const HuntGround ground_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_report_s_ = 60;
  unsigned long long num_done_ = 0;
  std::map<std::string, unsigned long long> counts_;
};

int Main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--help" && std::string_view(argv[i]) != "-h") continue;
    std::fputs(kHelp, stdout);
    return 0;
  }
  try {
    Hunt hunt(Parse(argc, argv));
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, OnCrash);
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, OnStop);
    return hunt.Run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parallax_sweep: %s (see --help)\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace parallax::test

int main(int argc, char** argv) { return parallax::test::Main(argc, argv); }
