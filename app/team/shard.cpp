#include "app/team/shard.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr std::size_t kMostShards = 1'000'000;

std::optional<std::size_t> WholeNumber(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The variable's number; nullopt if it is not set. Throws if it is not a number.
std::optional<std::size_t> NumberFrom(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::optional<std::size_t> number = WholeNumber(text);
  if (!number)
    throw InvalidArgument(fmt::format("{}={}: is not a whole number: name the shard as I/N", variable, text));
  return number;
}

std::size_t IndexFromScheduler() {
  for (const char* variable : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    if (const auto index = NumberFrom(variable)) return *index;
  }
  throw InvalidArgument(
      "--shard auto: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set: name the shard as I/N");
}

}  // namespace

std::string Shard::Text() const { return fmt::format("{}/{}", index, count); }
std::string Shard::FolderName() const { return fmt::format("shard-{}-of-{}", index, count); }

NextRange Shard::Frames(std::optional<std::size_t> total) const {
  return [next = index, step = count, total]() mutable -> FrameRange {
    if (total && next >= *total) return {};
    const FrameRange range{next, next + 1};
    next += step;
    return range;
  };
}

std::size_t Shard::NumFrames(std::size_t total) const {
  return index < total ? (total - index - 1) / count + 1 : 0;
}

Shard ParseShard(const std::string& text) {
  const std::string_view all = text;
  const std::size_t slash = all.find('/');
  const std::string_view first = all.substr(0, slash);
  Shard shard;
  if (slash == std::string_view::npos) {
    if (first != "auto")
      throw InvalidArgument("--shard " + text + ": is not a shard: use I/N, the I-th of N from 0, or auto/N");
    const auto tasks = NumberFrom("SLURM_ARRAY_TASK_COUNT"), least = NumberFrom("SLURM_ARRAY_TASK_MIN"),
               most = NumberFrom("SLURM_ARRAY_TASK_MAX");
    if (!tasks || !least || !most || *least != 0 || *most + 1 != *tasks) {
      throw InvalidArgument(
          "--shard auto: only a whole Slurm array from 0 (--array=0-6) states the number of shards: "
          "use auto/N");
    }
    shard = {IndexFromScheduler(), *tasks};
  } else {
    const std::optional<std::size_t> count = WholeNumber(all.substr(slash + 1));
    const std::optional<std::size_t> index = first == "auto" ? IndexFromScheduler() : WholeNumber(first);
    if (!count || !index)
      throw InvalidArgument("--shard " + text + ": is not a shard: use I/N, the I-th of N from 0, or auto/N");
    shard = {*index, *count};
  }
  if (shard.count < 1 || shard.count > kMostShards || shard.index >= shard.count) {
    throw InvalidArgument(
        fmt::format("--shard {}: there is no shard {} of {}: the first is 0/N, the last N-1/N, "
                    "and N at most {}",
                    text, shard.index, shard.count, kMostShards));
  }
  return shard;
}

void AddShardOption(CLI::App& command, std::string& text) {
  command
      .add_option("--shard", text,
                  "Process only every N-th frame from the I-th on (I from 0), into folder shard-I-of-N below "
                  "the named one; `parallax merge` joins the shards. auto/N takes I from SLURM_ARRAY_TASK_ID "
                  "or JOB_COMPLETION_INDEX")
      ->type_name("I/N");
}

}  // namespace parallax::app
