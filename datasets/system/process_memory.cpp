#include "datasets/system/process_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "parallax/error.h"

namespace parallax {
namespace {

std::uint64_t Megabytes(std::uint64_t bytes) { return (bytes + 999'999) / 1'000'000; }

// The first number in a file; nullopt for "max" and for files that cannot be read.
std::optional<std::uint64_t> NumberIn(const std::string& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

// The number after a word in a file, such as "MemAvailable:" or "inactive_file"; 0 if the file does not have
// it.
std::uint64_t NumberBehind(const std::string& file, std::string_view word) {
  std::ifstream stream(file);
  for (std::string found; stream >> found;) {
    std::uint64_t number = 0;
    if (found == word && stream >> number) return number;
  }
  return 0;
}

std::uint64_t LeftOf(std::uint64_t limit, std::uint64_t used) { return limit > used ? limit - used : 0; }

// The address space that ulimit -v leaves.
std::optional<std::uint64_t> AddressesLeft() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return LeftOf(limit.rlim_cur,
                NumberIn("/proc/self/statm").value_or(0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

// The memory that a control group and its parents leave; cached files can be dropped.
// group: "/", or "/NAME/NAME...". Strings, because libstdc++ 12 crashes when a std::filesystem::path finds no memory to
// grow by several names.
std::uint64_t LeftInGroups(const std::string& root, std::string group, const std::string& limit_file,
                           const std::string& usage_file, std::string_view cache_word) {
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  while (true) {
    const std::string folder = root + group + '/';
    if (const auto limit = NumberIn(folder + limit_file)) {
      const std::uint64_t used = NumberIn(folder + usage_file).value_or(0);
      left = std::min(left, LeftOf(*limit, LeftOf(used, NumberBehind(folder + "memory.stat", cache_word))));
    }
    if (group.find_first_not_of('/') == std::string::npos) return left;
    group.resize(group.rfind('/'));
  }
}

std::uint64_t GroupsLeft() {
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // NUMBER:CONTROLLERS:PATH
    const std::size_t second = line.find(':', line.find(':') + 1);
    if (second == std::string::npos) continue;
    const std::string path = line.substr(second + 1);
    if (line.starts_with("0::")) {
      left = std::min(left,
                      LeftInGroups("/sys/fs/cgroup", path, "memory.max", "memory.current", "inactive_file"));
    } else if (line.find(":memory:") != std::string::npos) {
      left = std::min(left, LeftInGroups("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                                         "memory.usage_in_bytes", "total_inactive_file"));
    }
  }
  return left;
}

}  // namespace

AvailableMemory MemoryAvailable() {
  AvailableMemory available{NumberBehind("/proc/meminfo", "MemAvailable:") * 1024, "free on this machine"};
  if (available.bytes == 0) available.bytes = std::numeric_limits<std::uint64_t>::max();  // not told
  if (const std::uint64_t left = GroupsLeft(); left < available.bytes)
    available = {left, "left by the limit of this container or group"};
  if (const auto left = AddressesLeft(); left && *left < available.bytes)
    available = {*left, "left by the limit of addresses (ulimit -v)"};
  return available;
}

void RequireMemory(std::uint64_t needed_bytes, const std::string& what, const std::string& remedy) {
  const AvailableMemory available = MemoryAvailable();
  if (needed_bytes <= available.bytes) return;
  throw Error(what + " needs " + std::to_string(Megabytes(needed_bytes)) + " MB at least, more than the " +
              std::to_string(Megabytes(available.bytes)) + " MB " + available.whose + ": " + remedy);
}

}  // namespace parallax
