// Sixteen bytes of lanes in plain C++, with the names of Highway's operations: for the sweep on machines
// without vector instructions (Highway's own scalar target has one lane and no operations across lanes).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace parallax::cpu::plain {

template <typename T>
struct ScalableTag {
  using Lane = T;
};
template <typename T, class D>
using Repartition = ScalableTag<T>;
template <class D>
using TFromD = typename D::Lane;

template <typename T>
struct Vector {
  static constexpr int kLanes = 16 / sizeof(T);
  std::array<T, kLanes> lane;
};
template <typename T>
struct LaneMask {
  std::array<bool, Vector<T>::kLanes> lane;
};
template <class D>
using Vec = Vector<TFromD<D>>;

template <typename T>
constexpr std::size_t Lanes(ScalableTag<T>) {
  return Vector<T>::kLanes;
}
template <typename T>
constexpr std::size_t MaxLanes(ScalableTag<T>) {
  return Vector<T>::kLanes;
}

template <typename T, typename F>
Vector<T> Make(F&& value_of_lane) {
  Vector<T> v;
  for (int i = 0; i < Vector<T>::kLanes; ++i) {
    v.lane[static_cast<std::size_t>(i)] = static_cast<T>(value_of_lane(static_cast<std::size_t>(i)));
  }
  return v;
}

// --- memory -------------------------------------------------------------------
template <typename T>
Vector<T> LoadU(ScalableTag<T>, const T* from) {
  Vector<T> v;
  std::memcpy(v.lane.data(), from, 16);
  return v;
}
template <typename T>
Vector<T> Load(ScalableTag<T> d, const T* from) {
  return LoadU(d, from);
}
template <typename T>
Vector<T> LoadDup128(ScalableTag<T> d, const T* from) {
  return LoadU(d, from);
}
template <typename T>
void StoreU(const Vector<T>& v, ScalableTag<T>, T* to) {
  std::memcpy(to, v.lane.data(), 16);
}
template <typename T>
void Store(const Vector<T>& v, ScalableTag<T> d, T* to) {
  StoreU(v, d, to);
}
template <typename T>
void Stream(const Vector<T>& v, ScalableTag<T> d, T* to) {
  StoreU(v, d, to);
}
template <typename T, typename U>
Vector<T> Set(ScalableTag<T>, U value) {
  return Make<T>([&](std::size_t) { return value; });
}
template <typename T>
Vector<T> Zero(ScalableTag<T> d) {
  return Set(d, 0);
}
template <typename T, typename U>
Vector<T> BitCast(ScalableTag<T>, const Vector<U>& v) {
  return std::bit_cast<Vector<T>>(v);
}

// --- arithmetic -----------------------------------------------------------------
template <typename T>
Vector<T> Min(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return std::min(a.lane[i], b.lane[i]); });
}
template <typename T>
Vector<T> Max(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return std::max(a.lane[i], b.lane[i]); });
}
template <typename T>
Vector<T> Add(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return a.lane[i] + b.lane[i]; });
}
template <typename T>
Vector<T> Sub(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return a.lane[i] - b.lane[i]; });
}
template <typename T>
Vector<T> SaturatedAdd(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return std::min<int>(a.lane[i] + b.lane[i], static_cast<T>(-1)); });
}
template <typename T>
Vector<T> MulHigh(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return std::uint32_t{a.lane[i]} * b.lane[i] >> (8 * sizeof(T)); });
}
template <typename T>
Vector<T> AverageRound(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return (a.lane[i] + b.lane[i] + 1) >> 1; });
}
template <typename T>
Vector<T> And(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return a.lane[i] & b.lane[i]; });
}
template <typename T>
Vector<T> Or(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return a.lane[i] | b.lane[i]; });
}
template <typename T>
Vector<T> OrAnd(const Vector<T>& o, const Vector<T>& a, const Vector<T>& b) {
  return Or(o, And(a, b));
}
template <typename T>
Vector<T> Xor(const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return a.lane[i] ^ b.lane[i]; });
}
template <typename T>
Vector<T> PopulationCount(const Vector<T>& v) {
  static_assert(sizeof(T) == 1);
  // Sums of pairs, of fours and of all bits. std::popcount would be a call for each lane.
  return Make<T>([&](std::size_t i) {
    const int pairs = v.lane[i] - (v.lane[i] >> 1 & 0x55);
    const int fours = (pairs & 0x33) + (pairs >> 2 & 0x33);
    return (fours + (fours >> 4)) & 0x0F;
  });
}
template <int kBits, typename T>
Vector<T> ShiftLeft(const Vector<T>& v) {
  return Make<T>([&](std::size_t i) { return v.lane[i] << kBits; });
}
template <int kBits, typename T>
Vector<T> ShiftRight(const Vector<T>& v) {
  return Make<T>([&](std::size_t i) { return v.lane[i] >> kBits; });
}

// --- comparison -------------------------------------------------------------------
template <typename T>
LaneMask<T> Eq(const Vector<T>& a, const Vector<T>& b) {
  LaneMask<T> m;
  for (std::size_t i = 0; i < m.lane.size(); ++i) m.lane[i] = a.lane[i] == b.lane[i];
  return m;
}
template <typename T>
LaneMask<T> MaskFromVec(const Vector<T>& v) {
  LaneMask<T> m;
  for (std::size_t i = 0; i < m.lane.size(); ++i) m.lane[i] = v.lane[i] != 0;
  return m;
}
template <typename T>
Vector<T> IfThenElse(const LaneMask<T>& m, const Vector<T>& yes, const Vector<T>& no) {
  return Make<T>([&](std::size_t i) { return m.lane[i] ? yes.lane[i] : no.lane[i]; });
}
template <typename T>
Vector<T> IfThenZeroElse(const LaneMask<T>& m, const Vector<T>& no) {
  return IfThenElse(m, Vector<T>{}, no);
}
template <typename T>
std::ptrdiff_t FindFirstTrue(ScalableTag<T>, const LaneMask<T>& m) {
  const auto found = std::find(m.lane.begin(), m.lane.end(), true);
  return found == m.lane.end() ? -1 : found - m.lane.begin();
}

template <typename T>
T GetLane(const Vector<T>& v) {
  return v.lane[0];
}

// --- across lanes -------------------------------------------------------------------
template <typename T>
Vector<T> InterleaveLower(ScalableTag<T>, const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return (i % 2 == 0 ? a : b).lane[i / 2]; });
}
template <typename T>
Vector<T> InterleaveUpper(ScalableTag<T>, const Vector<T>& a, const Vector<T>& b) {
  return Make<T>([&](std::size_t i) { return (i % 2 == 0 ? a : b).lane[Vector<T>::kLanes / 2 + i / 2]; });
}
// Bytes kBytes .. kBytes + 15 of lo followed by hi.
template <int kBytes, typename T>
Vector<T> CombineShiftRightBytes(ScalableTag<T> d, const Vector<T>& hi, const Vector<T>& lo) {
  const auto low = std::bit_cast<Vector<std::uint8_t>>(lo), high = std::bit_cast<Vector<std::uint8_t>>(hi);
  return BitCast(d, Make<std::uint8_t>([&](std::size_t i) {
                   return i + kBytes < 16 ? low.lane[i + kBytes] : high.lane[i + kBytes - 16];
                 }));
}
template <typename T>
Vector<T> TableLookupBytes(const Vector<T>& table, const Vector<T>& indices) {
  const auto bytes = std::bit_cast<Vector<std::uint8_t>>(table),
             at = std::bit_cast<Vector<std::uint8_t>>(indices);
  return std::bit_cast<Vector<T>>(
      Make<std::uint8_t>([&](std::size_t i) { return bytes.lane[at.lane[i] & 15]; }));
}

}  // namespace parallax::cpu::plain
