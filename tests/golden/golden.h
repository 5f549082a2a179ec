// Golden hashes: outputs that must not change without being noticed.
//
// hashes.txt has lines "NAME HASH". A test computes a hash and calls ExpectGolden. When a change is meant,
// put the line that the failure prints into hashes.txt, in the same commit as the change, and say why in its
// message.
#pragma once

#include <cstdint>
#include <string>

#include "parallax/disparity_map.h"
#include "parallax/image.h"

namespace parallax::test {

// FNV-1a of 64 bits, over bytes in the order they are added.
class Hash {
 public:
  void AddBytes(const void* data, std::size_t size_bytes);
  // Width, height, and the pixels row by row; all NaNs count as one.
  template <typename T>
  void Add(HostImageView<const T> image);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

extern template void Hash::Add(HostImageView<const std::uint8_t>);
extern template void Hash::Add(HostImageView<const std::uint16_t>);
extern template void Hash::Add(HostImageView<const std::uint64_t>);
extern template void Hash::Add(HostImageView<const float>);
extern template void Hash::Add(HostImageView<const Rgb8>);

// Of disparity, validity and confidence.
Hash HashOf(const DisparityMap& map);

// Fails unless hashes.txt has this hash under this name.
void ExpectGolden(const std::string& name, const Hash& hash);

}  // namespace parallax::test
