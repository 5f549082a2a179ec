// The method AD-Census on the cpu. With the crosses of both images costs are averaged a slice, which is all
// costs at one disparity, after the other, with those of the left image a block of disparities after the
// other; scanlines follow over whole volumes.
#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "parallax/error.h"
#include "pipeline/cpu/ad_census/ad_census_refinement.h"
#include "pipeline/cpu/ad_census/ad_census_views.h"
#include "pipeline/cpu/ad_census/kernels.h"
#include "pipeline/cpu/ad_census/slice_averager.h"
#include "pipeline/cpu/ad_census/slice_kernels.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/cpu/filters/cpu_map_filters.h"
#include "pipeline/matchers/stage_watch.h"
#include "pipeline/rules/pixel_math.h"
#include "pipeline/rules/texture.h"
#include "pipeline/simd/large_buffer.h"

namespace parallax {
namespace {

using cpu::LargeBuffer;
using cpu::ad_census::ArmLine;
using cpu::ad_census::ArmPlanes;
using cpu::ad_census::ColumnPaths;
using cpu::ad_census::CostTables;
using cpu::ad_census::kNoIndex;
using cpu::ad_census::kRightMargin;
using cpu::ad_census::PathRow;
using cpu::ad_census::Plane;
using cpu::ad_census::Selection;
using cpu::ad_census::SliceAverager;
using cpu::ad_census::View;

constexpr std::size_t kBytes = sizeof(std::uint16_t);

std::size_t Size(int value) { return static_cast<std::size_t>(value); }

// Memory of one thread for a line of vectors and what is made of it.
struct LineWork {
  explicit LineWork(int length)
      : first(Size(length + cpu::ad_census::kLineSlack) * Size(cpu::ad_census::kMaxLanes)),
        second(first.size()),
        scratch(cpu::ad_census::LineScratchBytes(length)) {}
  static std::size_t BytesOf(int length) {
    return 2 * Size(length + cpu::ad_census::kLineSlack) * Size(cpu::ad_census::kMaxLanes) * kBytes +
           cpu::ad_census::LineScratchBytes(length);
  }
  AlignedBuffer<std::uint16_t> first, second;
  AlignedBuffer<std::uint8_t> scratch;
};

// Costs averaged over the crosses and optimised along the scanlines, of frames up to a size.
class SumMaker {
 public:
  SumMaker(const Parameters& parameters, int largest_width, int largest_height, ThreadPool& threads)
      : parameters_(parameters),
        tables_(MakeAdCensusTables(parameters)),
        threads_(threads),
        lanes_(cpu::ad_census::NumLanes()),
        num_blocks_(NumBlocks(parameters)),
        both_(parameters.ad_census.support == SupportRegion::kBoth),
        cost_tables_(tables_),
        left_columns_(largest_height, largest_width) {
    costs_ = LargeBuffer(CostBytes(parameters, largest_width, largest_height));
    sums_ = LargeBuffer(CostBytes(parameters, largest_width, largest_height));
    if (both_) {
      right_columns_ = ArmPlanes(largest_height, largest_width);
      for (int i = 0; i < NumAveragers(parameters, threads.num_threads()); ++i)
        averagers_.emplace_back(largest_width, largest_height);
    } else {
      const int longest = std::max(largest_width, largest_height);
      for (Plane<float>& plane : reciprocals_) plane = Plane<float>(longest, longest);
    }
    for (int i = 0; i < threads.num_threads(); ++i) {
      lines_.emplace_back(std::max(largest_width, largest_height));
      states_.emplace_back(StateSize(parameters));
    }
    if (!parameters.ad_census.scanlines) return;
    const std::size_t of_rows = RowsTogether(largest_height) * RowSize(parameters, largest_width);
    turned_ = LargeBuffer(of_rows * kBytes);
    along_ = LargeBuffer(of_rows * kBytes);
    const std::size_t of_paths = PathsSize(parameters, largest_width);
    for (AlignedBuffer<std::uint16_t>& paths : column_paths_) {
      AlignedBuffer<std::uint16_t> filled(of_paths);
      std::fill_n(filled.data(), of_paths, std::uint16_t{0xFFFF});
      paths = std::move(filled);
    }
    lowest_ = AlignedBuffer<std::uint16_t>(Size(largest_width));
  }

  // The memory of an object made with these arguments.
  static std::size_t BytesOf(const Parameters& parameters, int width, int height, int num_threads) {
    const int longest = std::max(width, height);
    const std::size_t of_support =
        parameters.ad_census.support == SupportRegion::kBoth
            ? 2 * ArmPlanes::BytesOf(height, width) +
                  Size(NumAveragers(parameters, num_threads)) * SliceAverager::BytesOf(width, height)
            : ArmPlanes::BytesOf(height, width) + 2 * Plane<float>::BytesOf(longest, longest);
    return 2 * CostBytes(parameters, width, height) + of_support +
           2 * (RowsTogether(height) * RowSize(parameters, width) + PathsSize(parameters, width)) * kBytes +
           Size(width) * kBytes +
           Size(num_threads) * (LineWork::BytesOf(longest) + StateSize(parameters) * kBytes);
  }

  // mirrored_right: the right view, mirrored. stages: null, or gets the volumes.
  void Make(const View& left, const View& right, const View& mirrored_right, int width, int height,
            StageResults* stages) {
    left_ = &left, mirrored_right_ = &mirrored_right, width_ = width, height_ = height;
    row_length_ = PaddedWidth(width);
    const int num_disparities = parameters_.matching_cost.num_disparities;
    HostCostVolume<std::uint16_t>* handed_out = nullptr;
    if (stages != nullptr)
      handed_out = &stages->Add("costs", HostCostVolume<std::uint16_t>(width, height, num_disparities));
    TransposeArms(left.arms, left_columns_);
    has_slices_ = both_;
    if (both_) {
      TransposeArms(right.arms, right_columns_);
      MakeSlices(right, handed_out);
    } else {
      if (parameters_.ad_census.iterations > 0) FindReciprocals();
      for (int block = 0; block < num_blocks_; ++block) {
        MatchBlock(block, handed_out);
        for (int i = 0; i < parameters_.ad_census.iterations; ++i) AverageBlock(block, i);
      }
    }
    if (stages != nullptr) {
      ForEach(height_, [&](std::size_t worker, int y) { TurnSlices(worker, y); });
      has_slices_ = false;
      stages->Add("aggregated", Volume(costs_));
    }
    if (parameters_.ad_census.scanlines) {
      WalkDown();
      WalkUp();
    } else {
      CopyCosts();
    }
    if (stages != nullptr) stages->Add("sums", Volume(sums_));
  }

  const std::uint16_t* SumsOfRow(int y) const { return Of(sums_, 0, 0, y); }
  std::uint16_t SumAt(int x, int y, int d) const { return Of(sums_, d / lanes_, x, y)[d % lanes_]; }
  std::ptrdiff_t block_stride() const { return std::ptrdiff_t{row_length_} * height_ * lanes_; }
  int num_blocks() const { return num_blocks_; }
  int lanes() const { return lanes_; }
  // Element of a mirrored row that left pixel x meets at the first disparity of a block.
  int FirstRight(int x, int block) const {
    return width_ - 1 - x + parameters_.matching_cost.min_disparity + block * lanes_;
  }

 private:
  static int NumBlocks(const Parameters& parameters) {
    const int lanes = cpu::ad_census::NumLanes();
    return (parameters.matching_cost.num_disparities + lanes - 1) / lanes;
  }
  // Vectors of a row: a slice's row is whole vectors too.
  static int PaddedWidth(int width) {
    const int lanes = cpu::ad_census::NumLanes();
    return (width + lanes - 1) / lanes * lanes;
  }
  // The size of a row of all blocks.
  static std::size_t RowSize(const Parameters& parameters, int width) {
    return Size(PaddedWidth(width)) * Size(NumBlocks(parameters)) * Size(cpu::ad_census::NumLanes());
  }
  static std::size_t CostBytes(const Parameters& parameters, int width, int height) {
    return RowSize(parameters, width) * Size(height) * kBytes;
  }
  // Rows that are walked along together, then across: as many as are worth a wait for all threads and stay in
  // the third-level cache.
  static constexpr int kRowsTogether = 16;
  static std::size_t RowsTogether(int height) { return Size(std::min(height, kRowsTogether)); }
  static std::size_t StateSize(const Parameters& parameters) {
    return 4 * cpu::ad_census::kMaxRowsTogether * Size(NumBlocks(parameters) + 2) *
           Size(cpu::ad_census::NumLanes());
  }
  static std::size_t PathsSize(const Parameters& parameters, int width) {
    return (Size(width) * Size(NumBlocks(parameters) + 1) + 1) * Size(cpu::ad_census::NumLanes());
  }
  // Slices of a thread take 20 bytes per pixel: those of all threads less than the volumes, 4 D.
  static int NumAveragers(const Parameters& parameters, int num_threads) {
    return std::clamp(parameters.matching_cost.num_disparities / (2 * SliceAverager::kTogether), 1,
                      num_threads);
  }

  std::uint16_t* Of(const LargeBuffer& volume, int block, int x, int y) const {
    return reinterpret_cast<std::uint16_t*>(volume.data()) +
           ((std::ptrdiff_t{block} * height_ + y) * row_length_ + x) * lanes_;
  }

  // Calls body(worker, i) for every i, a few at a time, on all threads; a worker is one thread's.
  template <typename F>
  void ForEach(int count, const F& body, int num_together = 4) {
    std::atomic<int> next = 0;
    threads_.ParallelFor(threads_.num_threads(), [&](int worker) {
      for (int begin = next.fetch_add(num_together); begin < count; begin = next.fetch_add(num_together)) {
        for (int i = begin; i < std::min(count, begin + num_together); ++i) body(Size(worker), i);
      }
    });
  }

  // Vectors of a row or column of a volume.
  struct Line {
    std::uint16_t* begin;
    std::ptrdiff_t step;
    int length;
  };
  Line LineOf(const LargeBuffer& volume, int block, bool is_row, int i) const {
    if (is_row) return {Of(volume, block, 0, i), lanes_, width_};
    return {Of(volume, block, i, 0), std::ptrdiff_t{row_length_} * lanes_, height_};
  }
  static void Load(const Line& line, std::uint16_t* to) {
    cpu::ad_census::LoadLine(line.begin, line.step, line.length, to);
  }
  static void Store(const std::uint16_t* from, const Line& line) {
    cpu::ad_census::StoreLine(from, line.length, line.step, line.begin);
  }

  void TransposeArms(const ArmPlanes& arms, ArmPlanes& columns) {
    cpu::ad_census::Transpose(arms.up, width_, height_, columns.up, threads_);
    cpu::ad_census::Transpose(arms.down, width_, height_, columns.down, threads_);
    if (!both_) return;
    cpu::ad_census::Transpose(arms.left, width_, height_, columns.left, threads_);
    cpu::ad_census::Transpose(arms.right, width_, height_, columns.right, threads_);
  }

  // --- the crosses of both images -----------------------------------------------------
  // Fills the volume with slices: in the place of a block's vectors of a row lie its slices' rows.
  void MakeSlices(const View& right, HostCostVolume<std::uint16_t>* handed_out) {
    const cpu::ad_census::SliceInput input{width_,
                                           height_,
                                           left_,
                                           &right,
                                           &left_columns_,
                                           &right_columns_,
                                           &cost_tables_,
                                           parameters_.ad_census.color_difference,
                                           parameters_.matching_cost.min_disparity,
                                           parameters_.ad_census.iterations,
                                           handed_out};
    std::atomic<int> next = 0;
    threads_.ParallelFor(static_cast<int>(averagers_.size()), [&](int worker) {
      constexpr int kTogether = SliceAverager::kTogether;
      const int num_disparities = parameters_.matching_cost.num_disparities;
      for (int d = next.fetch_add(kTogether); d < num_disparities; d = next.fetch_add(kTogether)) {
        std::uint16_t* slices[kTogether];
        const int count = std::min(kTogether, num_disparities - d);
        for (int k = 0; k < count; ++k) {
          slices[k] = Of(costs_, (d + k) / lanes_, 0, 0) + std::ptrdiff_t{(d + k) % lanes_} * row_length_;
        }
        averagers_[Size(worker)].Average(input, d, count, slices, std::ptrdiff_t{row_length_} * lanes_);
      }
    });
  }
  // Makes vectors of a row's slices, where they are.
  void TurnSlices(std::size_t worker, int y) {
    if (!has_slices_) return;
    std::uint16_t* const turned = lines_[worker].first.data();
    for (int block = 0; block < num_blocks_; ++block) {
      std::uint16_t* const row = Of(costs_, block, 0, y);
      cpu::ad_census::TransposeLines(row, row_length_, width_, turned, lanes_);
      std::copy_n(turned, std::ptrdiff_t{width_} * lanes_, row);
    }
  }

  // --- the left image's crosses alone ---------------------------------------------------
  ArmLine ArmsAlong(bool is_row, int i) const {
    const auto& arms = left_->arms;
    return {is_row ? width_ : height_, is_row ? arms.left.Row(i) : left_columns_.up.Row(i),
            is_row ? arms.right.Row(i) : left_columns_.down.Row(i)};
  }

  // Sizes of the regions: [0] of rows first, which columns divide by; [1] the other way.
  void FindReciprocals() {
    for (const bool rows_first : {true, false}) {
      Plane<float>& reciprocals = reciprocals_[rows_first ? 0 : 1];
      const auto span = [&](int x, int y) {
        const auto& arms = left_->arms;
        return 1 + (rows_first ? arms.left.Row(y)[x] + arms.right.Row(y)[x]
                               : arms.up.Row(y)[x] + arms.down.Row(y)[x]);
      };
      const int num_lines = rows_first ? width_ : height_, length = rows_first ? height_ : width_;
      ForEach(num_lines, [&](std::size_t, int i) {
        const ArmLine arms = ArmsAlong(!rows_first, i);
        std::vector<int> before(Size(length) + 1, 0);
        for (int k = 0; k < length; ++k)
          before[Size(k) + 1] = before[Size(k)] + (rows_first ? span(i, k) : span(k, i));
        for (int k = 0; k < length; ++k) {
          const int size = before[Size(k + arms.ahead[k] + 1)] - before[Size(k - arms.back[k])];
          reciprocals.Row(i)[k] = 1.0F / static_cast<float>(size);
        }
      });
    }
  }

  // Costs of a block; with iterations to come, their sums along the rows.
  void MatchBlock(int block, HostCostVolume<std::uint16_t>* handed_out) {
    const bool is_last = parameters_.ad_census.iterations == 0;
    ForEach(height_, [&](std::size_t worker, int y) {
      LineWork& work = lines_[worker];
      cpu::ad_census::CostRow row{};
      row.width = width_, row.num_channels = left_->num_channels;
      for (int c = 0; c < row.num_channels; ++c)
        row.left[c] = left_->channel[c].Row(y), row.right[c] = mirrored_right_->channel[c].Row(y);
      row.census_left = left_->census.Row(y), row.census_right = mirrored_right_->census.Row(y);
      row.first_right = FirstRight(0, block);
      row.difference = parameters_.ad_census.color_difference;
      row.tables = &tables_;
      cpu::ad_census::MatchRow(row, work.first.data());
      if (handed_out != nullptr) HandOutRow(work.first.data(), block, y, *handed_out);
      const Line line = LineOf(costs_, block, true, y);
      if (is_last) return Store(work.first.data(), line);
      cpu::ad_census::SumLine(ArmsAlong(true, y), work.first.data(), work.second.data(), work.scratch.data());
      Store(work.second.data(), line);
    });
  }

  // The second direction of an iteration, and the first of the next one, which is the same.
  void AverageBlock(int block, int iteration) {
    const bool is_row = iteration % 2 == 1, is_last = iteration + 1 == parameters_.ad_census.iterations;
    ForEach(is_row ? height_ : width_, [&](std::size_t worker, int i) {
      LineWork& work = lines_[worker];
      const ArmLine arms = ArmsAlong(is_row, i);
      const Line line = LineOf(costs_, block, is_row, i);
      Load(line, work.first.data());
      cpu::ad_census::MeanLine(arms, work.first.data(), reciprocals_[iteration % 2].Row(i),
                               work.second.data(), work.scratch.data());
      if (is_last) return Store(work.second.data(), line);
      cpu::ad_census::SumLine(arms, work.second.data(), work.first.data(), work.scratch.data());
      Store(work.first.data(), line);
    });
  }

  // --- scanlines --------------------------------------------------------------------------
  // Row y of volumes, whose steps of colour are in the row of these planes.
  PathRow PathsOfRow(int y, const Plane<std::uint8_t>& left_steps, const Plane<std::uint8_t>& right_steps,
                     int step_row) const {
    PathRow row{};
    row.width = width_, row.num_blocks = num_blocks_;
    row.num_disparities = parameters_.matching_cost.num_disparities;
    row.costs = Of(costs_, 0, 0, y), row.cost_stride = block_stride();
    row.held = row.sums = Of(sums_, 0, 0, y), row.held_stride = row.sum_stride = block_stride();
    row.left_steps = left_steps.Row(step_row), row.right_steps = right_steps.Row(step_row);
    row.first_right = FirstRight(0, 0);
    row.tables = &tables_;
    return row;
  }
  std::ptrdiff_t block_length() const { return std::ptrdiff_t{row_length_} * lanes_; }
  std::uint16_t* RowOf(const LargeBuffer& rows, int y) const {
    return reinterpret_cast<std::uint16_t*>(rows.data()) + y % kRowsTogether * num_blocks_ * block_length();
  }
  // Slices become vectors in the memory of rows that are walked together.
  void TurnRow(int y) {
    if (!has_slices_) return;
    for (int block = 0; block < num_blocks_; ++block) {
      const bool is_last = block + 1 == num_blocks_;
      const std::uint16_t* const next =
          is_last && y + 1 == height_ ? nullptr : Of(costs_, is_last ? 0 : block + 1, 0, is_last ? y + 1 : y);
      cpu::ad_census::TransposeLines(Of(costs_, block, 0, y), row_length_, width_,
                                     RowOf(turned_, y) + block * block_length(), lanes_, next);
    }
  }
  void TakeTurnedCosts(int y, PathRow& row) const {
    if (has_slices_) row.costs = RowOf(turned_, y), row.cost_stride = block_length();
  }
  // Steps from one row to the next on all threads; to_row(y) defines the step.
  template <typename F>
  void WalkColumns(int first, int last, int step, bool streams, const F& to_row) {
    constexpr int kColumns = 64;
    const bool begins = step > 0 ? first == 0 : first == height_ - 1;
    ForEach((width_ + kColumns - 1) / kColumns,
            [&](std::size_t, int strip) {
              const int begin = strip * kColumns, end = std::min(width_, begin + kColumns);
              for (int y = first; y != last + step; y += step) {
                // A path's costs alternate between two places from row to row.
                const ColumnPaths paths{begins && y == first ? nullptr : column_paths_[(y - step) & 1].data(),
                                        column_paths_[y & 1].data(), lowest_.data()};
                const std::uint16_t* const next_held =
                    streams || y + step < 0 ? nullptr : Of(sums_, 0, 0, y + step);
                cpu::ad_census::WalkColumns(to_row(y), begin, end, streams, next_held, paths);
              }
            },
            1);
  }

  // Sums of three ways: rows from above, which are walked along and, while they are in the caches, down.
  void WalkDown() {
    const Plane<std::uint8_t>& right_steps_x = mirrored_right_->steps_x;
    constexpr int kInTurns = cpu::ad_census::kMaxRowsTogether;
    for (int first = 0; first < height_; first += kRowsTogether) {
      const int end = std::min(height_, first + kRowsTogether);
      const auto walk_along = [&](std::size_t worker, int i) {
        PathRow rows[kInTurns];
        int num_rows = 0;
        for (int y = first + i * kInTurns; y < std::min(end, first + (i + 1) * kInTurns); ++y) {
          TurnRow(y);
          PathRow& row = rows[num_rows++] = PathsOfRow(y, left_->steps_x, right_steps_x, y);
          TakeTurnedCosts(y, row);
          row.sums = RowOf(along_, y), row.sum_stride = block_length();
        }
        cpu::ad_census::WalkRows(rows, num_rows, states_[worker].data());
      };
      ForEach((end - first + kInTurns - 1) / kInTurns, walk_along, 1);
      WalkColumns(first, end - 1, 1, true, [&](int y) {
        PathRow row = PathsOfRow(y, left_->steps_y, mirrored_right_->steps_y, y);
        TakeTurnedCosts(y, row);
        row.held = RowOf(along_, y), row.held_stride = block_length();
        return row;
      });
    }
  }
  // The fourth, from below. A step lies between a row and the one above it.
  void WalkUp() {
    const int first_of_last = (height_ - 1) / kRowsTogether * kRowsTogether;
    for (int first = first_of_last; first >= 0; first -= kRowsTogether) {
      const int end = std::min(height_, first + kRowsTogether);
      ForEach(
          end - first, [&](std::size_t, int i) { TurnRow(first + i); }, 2);
      WalkColumns(end - 1, first, -1, false, [&](int y) {
        PathRow row = PathsOfRow(y, left_->steps_y, mirrored_right_->steps_y, y + 1);
        TakeTurnedCosts(y, row);
        return row;
      });
    }
  }

  // Without scanline optimization the costs are the sums.
  void CopyCosts() {
    const int num_used = parameters_.matching_cost.num_disparities - (num_blocks_ - 1) * lanes_;
    ForEach(height_, [&](std::size_t worker, int y) {
      TurnSlices(worker, y);
      for (int block = 0; block < num_blocks_; ++block)
        std::copy_n(Of(costs_, block, 0, y), std::ptrdiff_t{width_} * lanes_, Of(sums_, block, 0, y));
      for (int x = 0; x < width_; ++x)
        std::fill_n(Of(sums_, num_blocks_ - 1, x, y) + num_used, lanes_ - num_used, std::uint16_t{0xFFFF});
    });
  }

  void HandOutRow(const std::uint16_t* from, int block, int y, HostCostVolume<std::uint16_t>& volume) const {
    const int first = block * lanes_;
    const int num_used = std::min(lanes_, parameters_.matching_cost.num_disparities - first);
    for (int x = 0; x < width_; ++x)
      std::copy_n(from + std::ptrdiff_t{x} * lanes_, num_used, volume.View().Cell(x, y) + first);
  }
  HostCostVolume<std::uint16_t> Volume(const LargeBuffer& from) const {
    HostCostVolume<std::uint16_t> volume(width_, height_, parameters_.matching_cost.num_disparities);
    for (int block = 0; block < num_blocks_; ++block) {
      for (int y = 0; y < height_; ++y) HandOutRow(Of(from, block, 0, y), block, y, volume);
    }
    return volume;
  }

  Parameters parameters_;
  AdCensusTables tables_;
  ThreadPool& threads_;
  int lanes_, num_blocks_;
  bool both_;
  CostTables cost_tables_;
  ArmPlanes left_columns_, right_columns_;  // arms, a column a row
  LargeBuffer costs_, sums_;
  std::vector<SliceAverager> averagers_;  // with the crosses of both images: a thread each
  bool has_slices_ = false;               // whether costs_ does, in the place of vectors
  Plane<float> reciprocals_[2];           // of the left crosses' alone: one row per column, one per row
  std::vector<LineWork> lines_;           // a thread each
  std::vector<AlignedBuffer<std::uint16_t>> states_;
  LargeBuffer turned_, along_;  // of rows that are walked together: costs, sums of both ways along
  AlignedBuffer<std::uint16_t> column_paths_[2], lowest_;
  const View* left_ = nullptr;
  const View* mirrored_right_ = nullptr;
  int width_ = 0, height_ = 0, row_length_ = 0;
};

// A pair from right to left.
CameraImage Mirrored(const CameraImageView& image) {
  return std::visit(
      []<typename T>(const HostImageView<const T>& view) -> CameraImage {
        HostImage<T> mirrored(view.width, view.height);
        for (int y = 0; y < view.height; ++y)
          std::reverse_copy(view.Row(y), view.Row(y) + view.width, mirrored.Row(y));
        return mirrored;
      },
      image);
}

class CpuAdCensusMatcher final : public StereoMatcher {
 public:
  CpuAdCensusMatcher(const Parameters& parameters, const MatcherOptions& options)
      : parameters_(parameters),
        threads_(options.num_threads),
        largest_width_(options.width),
        largest_height_(options.height),
        memory_bytes_(PlanMemory(options)),
        view_maker_(options.width, options.height, parameters),
        left_(options.width, options.height),
        unmirrored_right_(options.width, options.height),
        right_(options.width, options.height),
        sums_(parameters, options.width, options.height, threads_),
        selected_(Size(options.width) * Size(options.height)),
        winner_right_(options.width, options.height),
        index_(Size(options.width) * Size(options.height)),
        speckles_(options.width, options.height),
        workspace_(
            cpu::FilterWorkspaceBytes(parameters, options.width, options.height, threads_.num_threads())) {}

  std::size_t memory_bytes() const override { return memory_bytes_; }
  std::string_view backend() const override { return "cpu"; }

  void Compute(const CameraImageView& left, const CameraImageView& right, DisparityMap& result,
               StageTimes* times, StageResults* stages) override {
    CheckMatcherInput(left, right, largest_width_, largest_height_);
    width_ = WidthOf(left), height_ = HeightOf(left);
    speckles_.SetSize(width_, height_);
    if (times != nullptr) *times = {};
    if (stages != nullptr) stages->Clear();
    StageWatch watch(times);
    const bool is_own = parameters_.ad_census.right_winner == RightWinner::kOwn;
    if (is_own) FindOwnRightWinners(left, right);
    MakeViews(left, right);
    if (stages != nullptr) HandOutViews(*stages);
    watch.Lap(Stage::kCensusTransform);
    sums_.Make(left_, unmirrored_right_, right_, width_, height_, stages);
    watch.Lap(Stage::kAggregation);

    if (result.disparity.width() != width_ || result.disparity.height() != height_)
      result = {{width_, height_}, {width_, height_}, {width_, height_}};
    Select(!is_own, result);
    if (stages != nullptr) HandOutWinners(result, *stages);
    watch.Lap(Stage::kSelection);
    Check(result);
    if (stages != nullptr) HandOut("consistent", result, *stages);
    watch.Lap(Stage::kConsistency);
    Refine(result, stages);
    ClearConfidenceOfConstantImages(left, right, result.confidence.View());
    watch.Lap(Stage::kFilter);
  }

 private:
  // How much memory it takes, before it takes any.
  std::size_t PlanMemory(const MatcherOptions& options) const {
    const int width = options.width, height = options.height;
    const std::size_t num_pixels = Size(width) * Size(height);
    const std::size_t bytes =
        cpu::ad_census::ViewMaker::BytesOf(width, height, parameters_) + 3 * View::BytesOf(width, height) +
        SumMaker::BytesOf(parameters_, width, height, threads_.num_threads()) +
        num_pixels * (sizeof(Selection) + kBytes) + Plane<std::uint16_t>::BytesOf(width, height) +
        cpu::FilterWorkspaceBytes(parameters_, width, height, threads_.num_threads());
    if (options.memory_limit_bytes > 0 && bytes > options.memory_limit_bytes)
      throw NeedsMoreMemory(parameters_, options, bytes, 1);
    return bytes;
  }

  template <typename F>
  void ForRows(const F& body) {
    threads_.ParallelFor(height_, body);
  }

  void MakeViews(const CameraImageView& left, const CameraImageView& right) {
    view_maker_.Make(left, left_, threads_);
    view_maker_.Make(right, unmirrored_right_, threads_);
    cpu::ad_census::MirrorView(unmirrored_right_, width_, height_, right_, threads_);
  }

  // The right image becomes the left one when both are mirrored and change places; its winners stay mirrored.
  void FindOwnRightWinners(const CameraImageView& left, const CameraImageView& right) {
    const CameraImage mirrored_right = Mirrored(right), mirrored_left = Mirrored(left);
    MakeViews(ViewOf(mirrored_right), ViewOf(mirrored_left));
    sums_.Make(left_, unmirrored_right_, right_, width_, height_, nullptr);
    ForRows([&](int y) {
      SelectLeftRow(y);
      for (int x = 0; x < width_; ++x) winner_right_.Row(y)[x] = SelectedRow(y)[x].winner;
    });
  }

  Selection* SelectedRow(int y) { return selected_.data() + std::ptrdiff_t{y} * width_; }
  std::int16_t* IndexRow(int y) { return index_.data() + std::ptrdiff_t{y} * width_; }

  void SelectLeftRow(int y) {
    AlignedBuffer<std::uint16_t> scratch(Size(sums_.num_blocks() + 2) * Size(sums_.lanes()));
    cpu::ad_census::SelectRow(sums_.SumsOfRow(y), sums_.block_stride(), width_, sums_.num_blocks(),
                              parameters_.matching_cost.num_disparities, scratch.data(), SelectedRow(y));
  }

  void Select(bool and_right, DisparityMap& map) {
    const int min_disparity = parameters_.matching_cost.min_disparity;
    ForRows([&](int y) {
      SelectLeftRow(y);
      if (and_right) {
        AlignedBuffer<std::uint16_t> lowest(Size(width_ + 2 * kRightMargin));
        cpu::ad_census::SelectRightRow(sums_.SumsOfRow(y), sums_.block_stride(), width_, sums_.num_blocks(),
                                       sums_.FirstRight(0, 0), lowest.data() + kRightMargin,
                                       winner_right_.Row(y));
      }
      for (int x = 0; x < width_; ++x) {
        const Selection& s = SelectedRow(y)[x];
        const bool has_rival = s.rival != 0xFFFF;
        const bool is_unique =
            !has_rival || IsUnique(s.sum[1], s.rival, parameters_.selection.uniqueness_percent);
        IndexRow(y)[x] = is_unique ? static_cast<std::int16_t>(s.winner) : kNoIndex;
        map.validity(x, y) = is_unique ? kValid : kNotUnique;
        map.confidence(x, y) = has_rival ? Confidence(s.sum[1], s.rival) : std::uint8_t{255};
      }
      WriteRow(min_disparity, y, map);
    });
  }

  // The map's disparities from the indices.
  void WriteRow(int min_disparity, int y, DisparityMap& map) {
    for (int x = 0; x < width_; ++x) {
      const int d = IndexRow(y)[x];
      map.disparity(x, y) =
          d == kNoIndex ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(min_disparity + d);
    }
  }
  void Write(DisparityMap& map) {
    ForRows([&](int y) { WriteRow(parameters_.matching_cost.min_disparity, y, map); });
  }

  void Check(DisparityMap& map) {
    ForRows([&](int y) {
      cpu::ad_census::CheckRow(SelectedRow(y), winner_right_.Row(y), width_,
                               parameters_.matching_cost.min_disparity,
                               parameters_.matching_cost.num_disparities,
                               parameters_.consistency.max_difference, IndexRow(y), map.validity.Row(y));
    });
  }

  void Refine(DisparityMap& map, StageResults* stages) {
    const auto hand_out = [&](std::string_view name) {
      if (stages != nullptr) HandOut(name, map, *stages);
    };
    if (parameters_.filter.speckle_size > 1) RemoveSpeckles(map);
    hand_out("without_speckles");
    const cpu::ad_census::IndexMap indices{{index_.data(), width_, height_}, map.validity.View()};
    cpu::ad_census::VoteInRegions(left_, parameters_.matching_cost.num_disparities, parameters_.ad_census,
                                  indices, threads_);
    hand_out("voted");
    if (parameters_.filter.fill) cpu::ad_census::Interpolate(left_, indices, threads_);
    hand_out("filled");
    if (parameters_.ad_census.discontinuities) AdjustDiscontinuities();
    hand_out("adjusted");
    RefineSubpixel(map);
    if (stages != nullptr) stages->Add("refined", Clone(map));
    Parameters last = parameters_;
    last.filter.speckle_size = 0, last.filter.fill = false;
    RunFilters(last, map);
  }

  // The filters that SGM has too.
  void RunFilters(const Parameters& parameters, DisparityMap& map) {
    if (parameters.refinement.planes) {
      if (guide_.width() == 0) guide_ = HostImage<std::uint8_t>(largest_width_, largest_height_);
      ForRows([&](int y) {
        const auto channel = [&](int c, int x) {
          return left_.channel[left_.num_channels == 1 ? 0 : c].Row(y)[x];
        };
        for (int x = 0; x < width_; ++x) guide_(x, y) = GrayOf({channel(0, x), channel(1, x), channel(2, x)});
      });
    }
    const HostImageView<const std::uint8_t> guide(guide_.Row(0), width_, height_, guide_.View().stride_bytes);
    cpu::FilterMap(parameters, guide, {}, speckles_, map, workspace_.data(), threads_, nullptr);
  }

  void RemoveSpeckles(DisparityMap& map) {
    Write(map);
    Parameters speckles = parameters_;
    speckles.filter.fill = false, speckles.filter.median = 0;
    speckles.refinement.planes = false, speckles.refinement.smoothing_passes = 0;
    RunFilters(speckles, map);
    ForRows([&](int y) {
      for (int x = 0; x < width_; ++x) {
        if ((map.validity(x, y) & kSpeckle) != 0) IndexRow(y)[x] = kNoIndex;
      }
    });
  }

  void AdjustDiscontinuities() {
    ForRows([&](int y) {
      std::int16_t* row = IndexRow(y);
      std::vector<std::int16_t> before(row, row + width_);
      for (int x = 0; x < width_; ++x) {
        const int d = before[Size(x)];
        if (d == kNoIndex) continue;
        const auto beside = [&](int u) {
          return u < 0 || u >= width_ ? int{kNoIndex} : int{before[Size(u)]};
        };
        const auto is_edge = [&](int other) { return other != kNoIndex && (other - d > 1 || d - other > 1); };
        if (!is_edge(beside(x - 1)) && !is_edge(beside(x + 1))) continue;
        for (const int u : {x - 1, x + 1}) {
          const int other = beside(u);
          if (other != kNoIndex && sums_.SumAt(x, y, other) < sums_.SumAt(x, y, row[x]))
            row[x] = static_cast<std::int16_t>(other);
        }
      }
    });
  }

  void RefineSubpixel(DisparityMap& map) {
    const int min_disparity = parameters_.matching_cost.min_disparity;
    const int num_disparities = parameters_.matching_cost.num_disparities;
    ForRows([&](int y) {
      WriteRow(min_disparity, y, map);
      for (int x = 0; x < width_; ++x) {
        const int d = IndexRow(y)[x];
        if (d == kNoIndex || d == 0 || d + 1 == num_disparities) continue;
        const Selection& s = SelectedRow(y)[x];
        const auto sum = [&](int i) {
          return d == s.winner ? int{s.sum[i + 1]} : int{sums_.SumAt(x, y, d + i)};
        };
        const int lowest = sum(0), before = sum(-1) - lowest, after = sum(1) - lowest;
        if (before < 0 || after < 0) continue;
        map.disparity(x, y) += SubpixelOffset(lowest, before, after, parameters_.selection.subpixel);
      }
    });
  }

  // --- for tests ----------------------------------------------------------------
  void HandOut(std::string_view name, DisparityMap& map, StageResults& stages) {
    Write(map);
    stages.Add(name, Clone(map));
  }
  void HandOutViews(StageResults& stages) {
    const auto copy = [&](const auto& value) {
      HostImage<std::uint64_t> image(width_, height_);
      for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) image(x, y) = value(x, y);
      }
      return image;
    };
    const auto arms = [&](const View& view) {
      return copy([&](int x, int y) {
        const auto& a = view.arms;
        return std::uint64_t{a.left.Row(y)[x]} | std::uint64_t{a.right.Row(y)[x]} << 8 |
               std::uint64_t{a.up.Row(y)[x]} << 16 | std::uint64_t{a.down.Row(y)[x]} << 24;
      });
    };
    stages.Add("census_left", copy([&](int x, int y) { return left_.census.Row(y)[x]; }));
    stages.Add("census_right", copy([&](int x, int y) { return unmirrored_right_.census.Row(y)[x]; }));
    stages.Add("arms_left", arms(left_));
    stages.Add("arms_right", arms(unmirrored_right_));
  }
  void HandOutWinners(DisparityMap& map, StageResults& stages) {
    HostImage<std::uint16_t> left(width_, height_), right(width_, height_);
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        left(x, y) = SelectedRow(y)[x].winner;
        right(x, y) = winner_right_.Row(y)[width_ - 1 - x];
      }
    }
    stages.Add("winner_left", std::move(left));
    stages.Add("winner_right", std::move(right));
    stages.Add("selected", Clone(map));
  }

  Parameters parameters_;
  ThreadPool threads_;
  int largest_width_, largest_height_;
  const std::size_t memory_bytes_;
  cpu::ad_census::ViewMaker view_maker_;
  View left_, unmirrored_right_, right_;
  SumMaker sums_;
  AlignedBuffer<Selection> selected_;
  Plane<std::uint16_t> winner_right_;  // mirrored
  AlignedBuffer<std::int16_t> index_;
  HostImage<std::uint8_t> guide_;  // made by the first frame that wants it
  cpu::SpeckleFilter speckles_;
  AlignedBuffer<std::uint8_t> workspace_;
  int width_ = 0, height_ = 0;
};

}  // namespace

std::unique_ptr<StereoMatcher> MakeCpuAdCensusMatcher(const Parameters& parameters,
                                                      const MatcherOptions& options) {
  ValidateOrThrow(parameters);
  CheckMatcherSize(options);
  return std::make_unique<CpuAdCensusMatcher>(parameters, options);
}

}  // namespace parallax
