// write_seeds FOLDER: the seeds of every target as files FOLDER/TARGET/seed_N, as libFuzzer's first corpus.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/targets.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_seeds FOLDER\n");
    return 2;
  }
  for (const auto& target : parallax::fuzz::Targets()) {
    const auto folder = std::filesystem::path(argv[1]) / target.name;
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const auto& seed : target.make_seeds()) {
      std::ofstream file(folder / ("seed_" + std::to_string(number++)), std::ios::binary);
      file.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
      if (!file) return 1;
    }
  }
  return 0;
}
