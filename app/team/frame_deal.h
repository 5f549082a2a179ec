// Shares the frames of one source among several processes. Each process has the whole source, reads its own
// ranges and skips the frames in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/frames/frame_source.h"

namespace parallax::app {

// Frames begin .. end - 1 of a source; empty = there are no more.
struct FrameRange {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};
// The key under which the last record of a shard holds what DealtSource::AllNames() returns.
inline constexpr const char* kAllNamesKey = "all_names";

// Returns the next range at each call; ranges ascend.
using NextRange = std::function<FrameRange()>;

// Deals each frame once, in ranges: large ones at first, single frames towards the end, so all takers finish
// at about the same time. Thread-safe.
class Dealer {
 public:
  // total: number of frames, if known. num_takers: number of takers.
  Dealer(std::optional<std::size_t> total, std::size_t num_takers);

  FrameRange Next();
  // Deals no more ranges: a taker has reached the end of the source, or the run is to end.
  void Stop();

 private:
  static constexpr std::size_t kLongest = 32;

  const std::optional<std::size_t> total_;
  const std::size_t num_takers_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  bool stopped_ = false;
};

// The frames of another source that are in the dealt ranges.
class DealtSource : public FrameSource {
 public:
  // next is called in the thread that reads.
  DealtSource(std::shared_ptr<FrameSource> source, NextRange next);

  // "COUNT CHECKSUM" of the names of all frames of the source, including those of other processes. Called
  // after the last frame.
  std::string AllNames();

  // The index in the whole source of the n-th frame taken here, n from 0; thread-safe.
  std::size_t IndexOf(std::size_t taken) const;

  SourceKind kind() const override { return source_->kind(); }
  std::optional<std::size_t> num_frames() const override { return std::nullopt; }
  std::optional<std::string> NextName() override;
  StereoFrame Read() override;
  std::function<StereoFrame()> Defer() override;
  void Skip() override;
  std::string NextOrigin() override { return source_->NextOrigin(); }
  std::vector<std::string> InputFiles() const override { return source_->InputFiles(); }
  void Cancel() override { source_->Cancel(); }

 private:
  std::optional<std::string> NameOfNext();
  void Advance() {
    ++position_;
    ++num_taken_;
  }

  const std::shared_ptr<FrameSource> source_;
  const NextRange next_;
  FrameRange range_;
  std::size_t position_ = 0;  // of source_
  std::size_t num_taken_ = 0;
  std::size_t num_named_ = 0;  // frames whose names are in the checksum
  std::uint32_t names_crc32_ = 0;
  bool ended_ = false;
  mutable std::mutex mutex_;
  std::vector<std::size_t> indices_;  // of the frames taken, and of the next one
};

}  // namespace parallax::app
