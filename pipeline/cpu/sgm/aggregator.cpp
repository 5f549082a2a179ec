#include "pipeline/cpu/sgm/aggregator.h"

#include <algorithm>
#include <optional>
#include <string>

#include "parallax/error.h"
#include "pipeline/cpu/filters/consistency.h"
#include "pipeline/matchers/stage_watch.h"

namespace parallax::cpu {
namespace {

constexpr std::uint16_t kNone = 0xFFFF;
#ifdef PARALLAX_FIRST_BUILD
// kStepPairs8 replaces kPairs8, kWide16 kWide8, and all terms the basic ones.
constexpr bool kHasAllSweeps = false;
#else
constexpr bool kHasAllSweeps = true;
#endif

SweepTerms TermsOf(const MatchingTables& tables) {
  const bool basic = !tables.has_gradient && tables.p1_ground == tables.p1 && tables.p2_vertical == tables.p2;
  return kHasAllSweeps && basic ? SweepTerms::kBasic : SweepTerms::kAll;
}

PathCosts NarrowestPathCosts(const MatchingTables& tables) {
  constexpr PathCosts kWide = kHasAllSweeps ? PathCosts::kWide8 : PathCosts::kWide16;
  // Lanes without a disparity hold 255, of which a minimum of C at most is taken off: never less than P2 is
  // left (see SweepView).
  const int p2 = tables.largest_p2, vertical = tables.largest_p2_vertical;
  if (tables.largest_cost + std::max(p2, vertical) > 255) return PathCosts::kWide16;
  // With all terms, loops for pairs of L are unrolled for codes of half a word, and those of t for whole ones.
  const bool may_be_pairs =
      kHasAllSweeps && (TermsOf(tables) == SweepTerms::kBasic || tables.census_bits <= 32);
  if (may_be_pairs && 2 * (tables.largest_cost + std::max(p2, vertical)) <= 255) return PathCosts::kPairs8;
  // With all terms, sums of 8 bits that are kept in pairs must not need to saturate (see Step).
  if (TermsOf(tables) == SweepTerms::kAll && tables.largest_cost + tables.p1 + std::max(p2, vertical) > 255) {
    return kWide;
  }
  // Pairs are the horizontal and the vertical path, and the diagonals.
  return p2 + std::max(p2, vertical) <= 255 ? PathCosts::kStepPairs8 : kWide;
}

SweepFunction GetSweep(PathCosts costs, const SweepChoice& choice) {
  const bool all_terms = choice.terms == SweepTerms::kAll;
  if (costs == PathCosts::kStepPairs8 && all_terms) return GetStepPairs8SweepOfAllTerms(choice);
  if constexpr (kHasAllSweeps) {
    if (costs == PathCosts::kStepPairs8) return GetStepPairs8Sweep(choice);
    if (costs == PathCosts::kPairs8) {
      return all_terms ? GetPairs8SweepOfAllTerms(choice) : GetPairs8Sweep(choice);
    }
    if (costs == PathCosts::kWide8) return GetWide8Sweep(choice);
  }
  return GetWide16Sweep(choice);
}

// Slabs of rows: the fewest within the limit, or those that take the least.
SlabPlan PlanSlabs(int height, std::size_t volume_row_bytes, std::size_t checkpoint_bytes,
                   std::size_t workspace_bytes, std::size_t limit_bytes) {
  SlabPlan best;
  for (int num_slabs = 1; num_slabs <= height; ++num_slabs) {
    SlabPlan plan;
    plan.rows = (height + num_slabs - 1) / num_slabs;
    plan.num_slabs = (height + plan.rows - 1) / plan.rows;
    plan.volume_bytes = std::max(workspace_bytes, volume_row_bytes * static_cast<std::size_t>(plan.rows));
    plan.checkpoint_bytes = checkpoint_bytes * static_cast<std::size_t>(plan.num_slabs - 1);
    if (num_slabs == 1 || plan.total_bytes() < best.total_bytes()) best = plan;
    if (best.total_bytes() <= limit_bytes) break;
  }
  return best;
}

}  // namespace

// One thread's part of the last sweep: selects as the costs come, and finishes the rows of a band at its end.
class Aggregator::Sink {
 public:
  explicit Sink(const Aggregator& parent)
      : parent_(&parent),
        row_size_((parent.width_ + 127) / 64 * 64),
        right_size_((parent.width_ + parent.striping_.Padded() + 127) / 64 * 64 + 64),
        sums_(static_cast<std::size_t>(2 * (parent.tiles_.tile_columns + 8) * parent.striping_.Padded())),
        rows_(static_cast<std::size_t>(RowStride() * parent.tiles_.band_rows)),
        check_(parent.width_) {}

  std::uint16_t* sums(int i) { return sums_.data() + i * static_cast<std::ptrdiff_t>(sums_.size() / 2); }
  std::size_t bytes() const { return (sums_.size() + rows_.size()) * sizeof(std::uint16_t) + check_.bytes(); }

  void SetOutput(const SelectionTables& tables, DisparityMap& map, HostImageView<float> selected,
                 StageResults* stages) {
    tables_ = &tables, map_ = &map, selected_ = selected, hand_out_.reset();
    if (stages == nullptr) return;
    hand_out_.emplace(HandedOut{.sums = stages->Get<HostCostVolume<std::uint16_t>>("sums").View(),
                                .winner_left = stages->Get<HostImage<std::uint16_t>>("winner_left").View(),
                                .winner_right = stages->Get<HostImage<std::uint16_t>>("winner_right").View(),
                                .selected = &stages->Get<DisparityMap>("selected")});
  }

  void BeginBand(int top, int bottom) {
    top_ = top, bottom_ = bottom;
    for (int y = top; y < bottom; ++y) BeginRow(*tables_, Row(y));
  }

  void Take(const SweepPart& part) {
    if (hand_out_) HandOut(part);
    SelectPart(*tables_, part.u_begin, part.u_end, part.sums, Row(part.v));
  }

  void EndBand() {
    const Parameters& p = parent_->parameters_;
    const int width = parent_->width_, min_disparity = p.matching_cost.min_disparity;
    for (int y = top_; y < bottom_; ++y) {
      const SelectedRow row = Row(y);
      RefineRow(*tables_, row, width, min_disparity, p.selection, map_->disparity.Row(y),
                map_->validity.Row(y), map_->confidence.Row(y));
      FinishRow(*tables_, width, row);
      if (hand_out_) {
        std::copy_n(row.winner, width, hand_out_->winner_left.Row(y));
        CopyRightRow(*tables_, width, min_disparity, row, hand_out_->winner_right.Row(y));
        std::copy_n(map_->disparity.Row(y), width, hand_out_->selected->disparity.Row(y));
        std::copy_n(map_->validity.Row(y), width, hand_out_->selected->validity.Row(y));
        std::copy_n(map_->confidence.Row(y), width, hand_out_->selected->confidence.Row(y));
      }
      if (!selected_.Empty()) std::copy_n(map_->disparity.Row(y), width, selected_.Row(y));
      CheckRow(row.winner, RightWinnersOf(*tables_, row), width, min_disparity,
               p.matching_cost.num_disparities, p.consistency, map_->disparity.Row(y), map_->validity.Row(y),
               check_);
    }
  }

 private:
  // Where the last stages write their results, if the caller wants them.
  struct HandedOut {
    HostCostVolumeView<std::uint16_t> sums;
    HostImageView<std::uint16_t> winner_left, winner_right;
    DisparityMap* selected = nullptr;
  };

  // Elements of SelectedRow's arrays.
  int RowStride() const { return 5 * row_size_ + right_size_ + 2 * parent_->striping_.Padded(); }
  SelectedRow Row(int y) {
    std::uint16_t* at = rows_.data() + static_cast<std::ptrdiff_t>(y - top_) * RowStride();
    SelectedRow row;
    for (std::uint16_t** part : {&row.winner, &row.lowest, &row.rival}) {
      *part = at;
      at += row_size_;
    }
    row.beside = reinterpret_cast<std::uint32_t*>(at);
    at += 2 * row_size_;
    row.right_winner = at + 64;
    row.right_state = at + right_size_;
    return row;
  }

  void HandOut(const SweepPart& part) {
    const auto& volume = hand_out_->sums;
    const int key_bits = tables_->use_keys() ? kKeyBits : 0;
    const Striping& striping = parent_->striping_;
    for (int x = part.u_begin; x < part.u_end; ++x) {
      const std::uint16_t* sum = part.sums + (x - part.u_begin) * striping.Padded();
      for (int d = 0; d < striping.num_disparities; ++d) {
        volume(x, part.v, d) = static_cast<std::uint16_t>(sum[striping.At16(d)] >> key_bits);
      }
    }
  }

  const Aggregator* parent_;
  const SelectionTables* tables_ = nullptr;
  DisparityMap* map_ = nullptr;
  HostImageView<float> selected_;
  std::optional<HandedOut> hand_out_;
  int row_size_, right_size_;
  int top_ = 0, bottom_ = 0;
  AlignedBuffer<std::uint16_t> sums_, rows_;
  CheckRowScratch check_;
};

Aggregator::Aggregator(const Parameters& parameters, const MatchingTables& tables, int width, int height,
                       ThreadPool& threads)
    : parameters_(parameters),
      tables_(tables),
      width_(width),
      height_(height),
      threads_(threads),
      striping_(parameters.matching_cost.num_disparities, GetVectorTraits().lanes),
      path_costs_(NarrowestPathCosts(tables)),
      selection_(striping_, SelectedOf(path_costs_, tables.num_paths, striping_.num_disparities)) {
  const SweepTerms terms = TermsOf(tables);
  right_row_ = MakeRightRow(width);
  const auto get_sweep = [&](bool last) {
    return GetSweep(path_costs_,
                    {terms, tables.num_paths, last, striping_.stripes, plane_kind().num_code_planes()});
  };
  first_sweep_ = get_sweep(false);
  last_sweep_ = get_sweep(true);
  const int path_bytes = striping_.Padded() * (path_costs_ == PathCosts::kWide16 ? 2 : 1);
  slot_bytes_ = path_bytes + striping_.lanes;
  volume_pixel_bytes_ = striping_.Padded() *
                        VolumeCellBytes(path_costs_, tables.num_paths, GetVectorTraits().costs_are_expensive);

  for (std::size_t i = 0; i < 256; ++i) {
    p2_bytes_[i] = static_cast<std::uint8_t>(tables.p2[i]);
    p2_bytes_[256 + i] = static_cast<std::uint8_t>(tables.p2_vertical[i]);
  }
  const auto falls_at = [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return tables.p2[at] != tables.p2.back() || tables.p2_vertical[at] != tables.p2_vertical.back();
  };
  while (num_p2_ > 16 && !falls_at(num_p2_ - 17)) num_p2_ -= 16;

  tiles_ = ChooseTiles(path_bytes, threads.num_threads());
  progress_ = std::vector<BandProgress>(static_cast<std::size_t>(tiles_.NumBands(height)));

  outside_ = AlignedBuffer<std::uint8_t>(static_cast<std::size_t>(right_row_.row_length()));
  MarkOutside();
  if (striping_.Padded() != striping_.num_disparities) {
    pad_ = AlignedBuffer<std::uint8_t>(static_cast<std::size_t>(striping_.Padded()));
    pad16_ = AlignedBuffer<std::uint16_t>(pad_.size());
    std::fill_n(pad_.data(), pad_.size(), std::uint8_t{255});
    std::fill_n(pad16_.data(), pad16_.size(), kNone);
    for (int d = 0; d < striping_.num_disparities; ++d) {
      pad_.data()[d % striping_.stripes * striping_.lanes + d / striping_.stripes] = 0;
      pad16_.data()[striping_.At16(d)] = 0;
    }
  }
  for (int i = 0; i < threads.num_threads(); ++i) sinks_.emplace_back(*this);
  no_sinks_.resize(sinks_.size());
}

Aggregator::~Aggregator() = default;

PlaneKind Aggregator::plane_kind() const {
  return {parameters_.census_transform.window, GetVectorTraits().plane_bits,
          TermsOf(tables_) == SweepTerms::kAll};
}

PhasedRow Aggregator::MakeRightRow(int width) const {
  return PhasedRow(width, striping_.Padded(), striping_.stripes, plane_kind().num_planes(), striping_.lanes);
}

void Aggregator::MarkOutside() {
  std::fill_n(outside_.data(), right_row_.row_length(), std::uint8_t{255});
  for (int x = 0; x < width_; ++x) {
    const int place = x + striping_.Padded() - 1 + parameters_.matching_cost.min_disparity;
    if (place >= 0 && place < right_row_.num_places()) outside_.data()[right_row_.At(place)] = 0;
  }
  right_row_.Duplicate(outside_.data());
}

void Aggregator::SetSize(int width, int height) {
  if (width == width_ && height == height_) return;
  const bool is_as_wide = width == width_;
  width_ = width, height_ = height;
  if (!is_as_wide) {
    right_row_ = MakeRightRow(width);
    MarkOutside();
  }
  // Takes as many rows in a slab as the volume allows without more slabs than at first.
  const std::size_t row_bytes =
      static_cast<std::size_t>(width) * static_cast<std::size_t>(volume_pixel_bytes_);
  const int most_rows =
      static_cast<int>(std::min(volume_.size() / row_bytes, static_cast<std::size_t>(height)));
  plan_.num_slabs = (height + most_rows - 1) / most_rows;
  plan_.rows = (height + plan_.num_slabs - 1) / plan_.num_slabs;
  plan_.num_slabs = (height + plan_.rows - 1) / plan_.rows;
}

std::size_t Aggregator::Plan(std::size_t limit_bytes, std::size_t workspace_bytes) {
  std::size_t fixed_bytes = 2 * PathStateBytes();
  for (const Sink& sink : sinks_) fixed_bytes += sink.bytes();
  const std::size_t width = static_cast<std::size_t>(width_);
  plan_ = PlanSlabs(height_, width * static_cast<std::size_t>(volume_pixel_bytes_),
                    3 * width * static_cast<std::size_t>(slot_bytes_), workspace_bytes,
                    limit_bytes - std::min(limit_bytes, fixed_bytes));
  return fixed_bytes + plan_.total_bytes();
}

void Aggregator::SetUp() {
  Allocate(first_state_);
  Allocate(last_state_);
  volume_ = LargeBuffer(plan_.volume_bytes);
  checkpoints_ = LargeBuffer(plan_.checkpoint_bytes);
}

std::size_t Aggregator::PathStateBytes() const {
  return static_cast<std::size_t>((width_ + 2 * (width_ + height_) + height_) * slot_bytes_);
}

void Aggregator::Allocate(PathState& state) const {
  const auto slots = [&](int count) {
    return AlignedBuffer<std::uint8_t>(static_cast<std::size_t>(count * slot_bytes_));
  };
  state.vertical = slots(width_);
  state.diagonal = slots(width_ + height_);
  state.antidiagonal = slots(width_ + height_);
  state.horizontal = slots(height_);
}

void Aggregator::Clear(PathState& state) const {
  const auto clear = [this](AlignedBuffer<std::uint8_t>& slots, int count) {
    std::fill_n(slots.data(), count * slot_bytes_, std::uint8_t{0});
  };
  clear(state.vertical, width_);
  if (tables_.num_paths == 4) return;  // no diagonal paths
  clear(state.diagonal, width_ + height_);
  clear(state.antidiagonal, width_ + height_);
}

SweepView Aggregator::ViewOf(PathState& state) const {
  SweepView s;
  s.width = width_, s.height = height_;
  s.striping = striping_;
  s.right_start = right_row_.start();
  s.phase_length = right_row_.phase_length();
  s.outside = outside_.data();
  s.min_disparity = parameters_.matching_cost.min_disparity;
  s.outside_cost = tables_.outside_cost;
  s.pad = pad_.data();
  s.pad16 = pad16_.data();
  s.gradient_cost = tables_.gradient_cost.data();
  s.p1 = tables_.p1;
  s.p1_ground = tables_.p1_ground;
  s.largest_p2 = tables_.largest_p2;
  const bool adaptive = TermsOf(tables_) == SweepTerms::kAll || parameters_.aggregation.p2_slope > 0;
  s.p2 = adaptive ? tables_.p2.data() : nullptr;
  s.p2_vertical = tables_.p2_vertical.data();
  s.p2_bytes = p2_bytes_.data();
  s.num_p2 = num_p2_;
  s.vertical = state.vertical.data();
  s.diagonal = state.diagonal.data();
  s.antidiagonal = state.antidiagonal.data();
  s.horizontal = state.horizontal.data();
  s.slot_bytes = slot_bytes_;
  s.volume = nullptr;
  s.volume_pixel_bytes = volume_pixel_bytes_;
  s.volume_row_bytes = volume_pixel_bytes_ * width_;
  s.doubled_disparity = selection_.use_keys() ? selection_.doubled_disparity.data() : nullptr;
  return s;
}

// The slots that row v reads.
void Aggregator::Save(const PathState& state, int v, std::uint8_t* checkpoint) const {
  const std::ptrdiff_t bytes = width_ * slot_bytes_;
  std::copy_n(state.vertical.data(), bytes, checkpoint);
  std::copy_n(state.diagonal.data() + (height_ - 1 - v) * slot_bytes_, bytes, checkpoint + bytes);
  std::copy_n(state.antidiagonal.data() + v * slot_bytes_, bytes, checkpoint + 2 * bytes);
}

void Aggregator::Restore(PathState& state, int v, const std::uint8_t* checkpoint) const {
  Clear(state);  // paths that begin later begin with 0
  const std::ptrdiff_t bytes = width_ * slot_bytes_;
  std::copy_n(checkpoint, bytes, state.vertical.data());
  std::copy_n(checkpoint + bytes, bytes, state.diagonal.data() + (height_ - 1 - v) * slot_bytes_);
  std::copy_n(checkpoint + 2 * bytes, bytes, state.antidiagonal.data() + v * slot_bytes_);
}

void Aggregator::Compute(const CensusPlanes& left, const CensusPlanes& right,
                         const PaddedImage<std::uint8_t>& guide, const CostWeights& weights,
                         DisparityMap& map, HostImageView<float> selected, StageTimes* times,
                         StageResults* stages) {
  SweepView first = ViewOf(first_state_), last = ViewOf(last_state_);
  for (SweepView* s : {&first, &last}) {
    s->left = left.data(), s->left_stride = left.stride();
    s->num_planes = left.kind().num_planes(), s->num_code_planes = left.kind().num_code_planes();
    s->right = right.data(), s->right_stride = right.stride();
    s->guide = guide.Row(0), s->guide_stride = guide.stride();
    s->weights = weights.data(), s->weights_stride = weights.stride();
  }
  for (Sink& sink : sinks_) sink.SetOutput(selection_, map, selected, stages);
  Clear(first_state_);
  Clear(last_state_);
  StageWatch watch(times);
  const auto checkpoint_of = [&](int slab) {
    return checkpoints_.data() + (slab - 1) * 3 * width_ * slot_bytes_;
  };
  const auto top_of = [&](int slab) { return std::min(height_, slab * plan_.rows); };

  // The first sweep comes from below: without its sums through all slabs but the topmost.
  watch.Skip();
  for (int slab = plan_.num_slabs - 1; slab > 0; --slab) {
    const int v = height_ - top_of(slab + 1);
    Save(first_state_, v, checkpoint_of(slab));
    RunSweep(first, v, height_ - top_of(slab), first_sweep_, tiles_, threads_, progress_, no_sinks_);
  }
  watch.Lap(Stage::kAggregation);

  for (int slab = 0; slab < plan_.num_slabs; ++slab) {
    const int v = height_ - top_of(slab + 1);
    if (slab > 0) Restore(first_state_, v, checkpoint_of(slab));
    first.volume = last.volume = volume_.data();
    first.volume_top = last.volume_top = top_of(slab);
    RunSweep(first, v, height_ - top_of(slab), first_sweep_, tiles_, threads_, progress_, no_sinks_);
    watch.Lap(Stage::kAggregation);

    RunSweep(last, top_of(slab), top_of(slab + 1), last_sweep_, tiles_, threads_, progress_, sinks_);
    watch.Lap(Stage::kSelection);
  }
}

}  // namespace parallax::cpu
