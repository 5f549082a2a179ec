// What small measuring programs share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace parallax::bench {

// Median of `repeats` runs of body() after one that does not count, ms.
template <typename F>
double MedianMilliseconds(int repeats, const F& body) {
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin() + 1, times.end());
  return times[1 + static_cast<std::size_t>(repeats) / 2];
}

// main(): what run gives for the arguments is the exit code; an exception is printed as one line and gives 1.
template <typename F>
int RunProgram(const char* name, int argc, char** argv, const F& run) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

}  // namespace parallax::bench
