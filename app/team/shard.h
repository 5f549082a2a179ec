// One process's share of a source's frames, every N-th one; it needs no contact to the other processes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/team/frame_deal.h"

namespace CLI {
class App;
}

namespace parallax::app {

struct Shard {
  std::size_t index = 0, count = 1;  // frames index, index + count, index + 2 count, ...

  std::string Text() const;        // "2/7"
  std::string FolderName() const;  // "shard-2-of-7"
  bool operator==(const Shard&) const = default;

  // Ranges of the frames below `total`, or up to the end of the source.
  NextRange Frames(std::optional<std::size_t> total) const;
  // The number of these frames.
  std::size_t NumFrames(std::size_t total) const;
};

// "I/N" with I from 0 to N - 1; "auto/N" takes I from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX; "auto"
// takes both from a Slurm array that begins with 0. Throws InvalidArgument for anything else.
Shard ParseShard(const std::string& text);

// Declares --shard. text must outlive the parsing.
void AddShardOption(CLI::App& command, std::string& text);

}  // namespace parallax::app
