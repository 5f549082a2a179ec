// Runs a program as a user does and catches what it prints, for tests of commands.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/built_paths.h"
#include "tests/support/files.h"

namespace parallax::test {

using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct ProgramResult {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out;     // standard output
  std::string err;     // standard error
};

// Starts PROGRAM with arguments, its output going to two files; returns its process id.
inline pid_t StartProgram(const std::string& program, const std::vector<std::string>& arguments,
                          const std::filesystem::path& out, const std::filesystem::path& err) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(out_file, STDOUT_FILENO);
    dup2(err_file, STDERR_FILENO);
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  return child;
}

// Waits for a started program; its exit code, or 128 + the signal that ended it.
inline int WaitForProgram(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Waits until done() holds, or the started program has ended: false then. Its exit code stays for
// WaitForProgram.
template <typename Done>
bool AwaitWhileRunning(pid_t child, const Done& done) {
  while (!done()) {
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == child) return done();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// Whether a started program has a handler for this signal by now.
inline bool Catches(pid_t child, int signal) {
  std::ifstream status("/proc/" + std::to_string(child) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

inline ProgramResult RunProgram(const std::string& program, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out", err = folder.path() / "err";
  ProgramResult result;
  result.exit_code = WaitForProgram(StartProgram(program, arguments, out, err));
  result.out = ReadText(out);
  result.err = ReadText(err);
  return result;
}

// Runs the program under test: RunParallax({"info", "--json"}).
inline ProgramResult RunParallax(const std::vector<std::string>& arguments) {
  return RunProgram(kProgram, arguments);
}

}  // namespace parallax::test
