// Whether two names mean the same file, and whether a file is unchanged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parallax {

// CRC-32 (ISO 3309) of the bytes, continued from that of the bytes before them.
std::uint32_t Crc32(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

// Size and checksum of a file.
struct FileContent {
  std::uint64_t size_bytes = 0;
  std::uint32_t crc32 = 0;
  bool operator==(const FileContent&) const = default;
};
// Reads the file; nullopt if it is not a file (a folder, a link, a device, nothing) or cannot be read.
std::optional<FileContent> ContentOf(const std::filesystem::path& path);

// One line that changes with the files: their absolute paths, sizes, times of change (of the content, which a
// program can set, and of the inode) and inodes: PATH SIZE TIME,TIME,INODE; ... Reads no content.
std::string StampOf(const std::vector<std::filesystem::path>& files);

// True if both names lead to one file: the same device and inode or, for new files, the same name in the same
// folder. Two names of one character device or pipe count as different: nothing is lost there.
bool IsSameFile(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace parallax
