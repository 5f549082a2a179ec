// Records that are kept until the end of a program, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace parallax::app {

class RecordSpool {
 public:
  // The memory that is filled before records go to the file.
  static constexpr std::size_t kLargestInMemory_bytes = 1 << 20;

  // folder: where a nameless temporary file takes what does not fit in memory. Without a folder, or where
  // writing fails, everything stays in memory.
  explicit RecordSpool(std::filesystem::path folder = {});
  ~RecordSpool();
  RecordSpool(RecordSpool&&) noexcept;
  RecordSpool& operator=(RecordSpool&&) noexcept;

  // Adds a record of at most 4 GB.
  void Add(std::string_view record);
  std::size_t size() const { return size_; }

  // Calls visit for every record, in the order in which they were added, with its position, until it returns
  // false. The text is valid during the call. Throws Error if the file cannot be read, as At does.
  void ForEach(const std::function<bool(std::uint64_t position, std::string_view record)>& visit) const;
  // The record at a position from ForEach; valid until the next call of either.
  std::string_view At(std::uint64_t position) const;

 private:
  class File;

  bool MoveToFile();
  std::string_view Bytes(std::uint64_t begin, std::size_t count) const;

  std::filesystem::path folder_;
  std::unique_ptr<File> file_;  // from the first megabyte on
  std::uint64_t file_bytes_ = 0;
  std::string tail_;  // follows the file's content
  std::size_t size_ = 0;
  mutable std::string window_;  // of the file, the last block that was read
  mutable std::uint64_t window_begin_ = 0;
};

}  // namespace parallax::app
