// Measures of clouds: density, cleaning, comparison with a true cloud (Chamfer distance, F-score), earth
// mover's and geodesic distance.
//
//   const auto measures = parallax::MakeCloudMeasures();
//   const auto kept = parallax::KeepStatisticalInliers(cloud.points, {}, *measures);
//   const auto scores = parallax::CompareClouds(estimate.points, truth.points, {}, *measures);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "parallax/cloud.h"
#include "parallax/image.h"
#include "parallax/rig.h"

namespace parallax {

// --- neighbours, density -----------------------------------------------------------------------------------
//
// The k nearest neighbours of every point, with mean distances and local density.
//
// The distance of a and b is the float sqrt((dx * dx + dy * dy) + dz * dz), dx = a.x - b.x and so on, with
// every operation rounded to float. Neighbours are ordered by squared distance, then by index. Every back end
// gives the same bits. A point that is not finite has no neighbours and is nobody's neighbour.

inline constexpr int kLargestNumNeighbours = 64;
inline constexpr std::int32_t kNoNeighbour = -1;

struct NeighbourOptions {
  int k = 8;                  // 1 .. kLargestNumNeighbours
  bool include_self = false;  // true: a point is a neighbour of itself, at distance 0
};

// n rows of k entries, nearest first. If a point has fewer than k neighbours, the rest of its row is
// kNoNeighbour, at distance +inf.
struct Neighbours {
  int k = 0;
  std::vector<std::int32_t> indices;  // n * k
  std::vector<float> distances_m;     // n * k
};

// Mean distance of a row's neighbours: the float sum from the nearest, divided by their number. NaN without
// neighbours. One value for each row.
std::vector<float> MeanDistances(const Neighbours& neighbours);

enum class DensityKind {
  kSurface,  // points / m^2: k / (pi r_k^2), for surfaces, as stereo gives them
  kVolume,   // points / m^3: k / (4/3 pi r_k^3)
};
// Local density at every point, from the distance r_k of the row's farthest neighbour and the number k of
// neighbours. NaN without neighbours, +inf if r_k is 0 (duplicates).
std::vector<float> LocalDensity(const Neighbours& neighbours, DensityKind kind);

// --- distances ---------------------------------------------------------------------------------------------
//
// Euclidean distances between all rows of two matrices, in blocks of rows: the m x n matrix need not exist as
// a whole.

// rows x dims floats, row-major. stride >= dims: floats from one row to the next.
struct MatrixView {
  const float* data = nullptr;
  std::int64_t rows = 0;
  int dims = 0;
  std::int64_t stride = 0;
};

enum class DistanceMethod {
  kAuto,        // the faster one for the size (docs/benchmarks.md)
  kDirect,      // sqrt of the sum of squared differences, in the order of the dimensions
  kProduct,     // |a|^2 + |b|^2 - 2ab in fp32: faster from some dozens of dimensions; near-equal rows lose
                // digits
  kProductTf32  // the same with TF32 products (10-bit mantissa); docs/clouds.md states the error
};

struct DistanceOptions {
  DistanceMethod method = DistanceMethod::kAuto;
  std::int64_t block_rows = 0;  // rows in a block; 0 = automatic
};

// Rows [first_row, first_row + num_rows) of the distances: distances[i * stride + j] belongs to row
// first_row + i of a and row j of b.
struct DistanceBlock {
  std::int64_t first_row = 0, num_rows = 0, num_columns = 0;
  const float* distances = nullptr;
  std::int64_t stride = 0;
};
using DistanceConsumer = std::function<void(const DistanceBlock&)>;

// The nearest row of b for every row of a, by the returned distance (after the root), ties to the lowest
// index. NaN is never the nearest; a row whose distances are all NaN has kNoNeighbour, at +inf.
struct NearestRows {
  std::vector<std::int32_t> indices;
  std::vector<float> distances;
};

struct DistanceHistogram {
  float largest = 0;  // upper end of the last bin; bins have equal width from 0
  // A distance d < largest is in bin floor(d * scale), but at most in the last one; scale is the float
  // num_bins / largest and the product is rounded to float.
  std::vector<std::int64_t> counts;
  std::int64_t beyond = 0;  // distances >= largest
  std::int64_t not_a_number = 0;
};

// --- earth mover's distance --------------------------------------------------------------------------------
//
// Earth mover's distance of two clouds of n points each: the bijection with the least mean Euclidean
// distance,
//   EMD = min over bijections f of 1/n sum |a_i - b_f(i)|.
// Found by the auction algorithm (Bertsekas 1988, "The auction algorithm: a distributed relaxation method for
// the assignment problem") with epsilon scaling. The prices give a dual bound, so every answer has an
// interval that contains the exact value.

// A back end gives the same bits in every run, for any number of threads or blocks, unless the time limit
// ends it.
struct EmdOptions {
  double gap = 0.005;           // stops when upper - lower <= gap * upper; > 0
  double time_limit_s = 0;      // 0 = none; the best bijection so far is returned
  std::int64_t max_rounds = 0;  // of bidding; 0 = no limit
};

// kResolution: prices move in steps of 2^-24 of the diagonal of both clouds' bounding box, and the finest
// step did not reach the gap, because the EMD is far smaller than the extent of the clouds.
enum class EmdStop { kGap, kTime, kRounds, kResolution, kExact };

struct EmdResult {
  double upper_m = 0;                    // mean distance of the bijection below
  double lower_m = 0;                    // no bijection has a smaller mean distance (up to rounding of sums)
  std::vector<std::int32_t> match_of_a;  // always a bijection: b's index for every point of a
  std::vector<std::int32_t> match_of_b;  // its inverse
  std::int64_t rounds = 0;
  double seconds = 0;
  EmdStop stop = EmdStop::kGap;
};

struct EmdPair {
  std::span<const Point3f> a, b;  // the same size, > 0, all finite
};

// The exact answer by shortest augmenting paths (Jonker & Volgenant 1987; Crouse 2016), starting from the
// auction's prices; O(n^3) time at worst, O(n) memory. upper_m == lower_m up to rounding of the sums.
EmdResult ExactEmd(const EmdPair& pair);

// `count` of n indices, ascending. If count <= n they are sampled without replacement; otherwise each index
// appears count / n times and the rest is sampled. The same seed gives the same indices on every machine.
std::vector<std::int32_t> SampleIndices(std::int64_t n, std::int64_t count, std::uint64_t seed);

// --- geodesic distance -------------------------------------------------------------------------------------
//
// Shortest paths along a cloud: on the graph of its k nearest neighbours, on a voxel grid, or on the grid of
// a depth map.
//
// Distances. The length of a path is the float sum of its edges from the source, each addition rounded to
// float. The distance of a node is the least length over all paths. Rounded addition is monotone, so the
// distances are the only least solution of
//   d[source] = 0,  d[v] = min over edges u -> v of float(d[u] + length)
// however it is found (Dijkstra 1959, Bellman-Ford, delta stepping), and every back end gives the same bits.
//
// Predecessors. u is tight for v if float(d[u] + length(u -> v)) == d[v]. The predecessor of v is the tight u
// of the lowest number with d[u] < d[v]. If there is no such u (edges of length 0, or so short that rounding
// absorbs them) v is on a plateau of equal distances. Its level is the least number of tight edges from a
// node of the same distance that is the source or has a predecessor by the first rule. Its predecessor is
// then the tight u of the lowest number one level below. So there are no cycles, and every back end gives the
// same predecessors.

// Compressed rows: the edges of node i are [first_edge[i], first_edge[i + 1]). Lengths >= 0 and finite. The
// graphs made here have every edge in both directions; directed graphs work as well.
struct CloudGraph {
  std::vector<std::int64_t> first_edge;  // num_nodes + 1
  std::vector<std::int32_t> targets;     // num_edges
  std::vector<float> lengths_m;          // num_edges
  std::int32_t num_nodes() const {
    return first_edge.empty() ? 0 : static_cast<std::int32_t>(first_edge.size() - 1);
  }
  std::int64_t num_edges() const { return static_cast<std::int64_t>(targets.size()); }
};

// Joins two points if either is among the other's neighbours; no point is joined to itself. Rows by ascending
// target. Throws InvalidArgument for neighbours that are not points.
CloudGraph NeighbourGraph(const Neighbours& neighbours);

// Occupied voxels of a cloud as nodes, joined to the occupied ones among their 6, 18 or 26 neighbours. Voxel
// (i, j, k) contains the points with floor(x / size) = i and so on, divided in double, each from -2^20 to
// 2^20 - 1 (63-bit keys, k above j above i); its node is the mean of its points, summed in double in input
// order. Throws InvalidArgument for a size that is not positive, another connectivity, and a point too far
// away.
struct VoxelGraph {
  CloudGraph graph;
  std::vector<Point3f> nodes;               // by ascending key
  std::vector<std::int32_t> node_of_point;  // kNoNeighbour for points that are not finite
};
VoxelGraph MakeVoxelGraph(std::span<const Point3f> points, float voxel_size_m, int connectivity);

// Node y * W + x for every pixel, joined to those of its 8 neighbours with a depth (finite, > 0) if the two
// depths differ by at most max_jump of the nearer one (0.05 = 5 %). Length: the distance of the two points
// (as for neighbours). Rows by ascending target. Throws InvalidArgument for a rig without focal length and a
// negative or NaN max_jump.
CloudGraph MakeDepthGraph(HostImageView<const float> depth_m, const StereoRig& rig, float max_jump);

// The search algorithm; all give the same distances.
enum class GeodesicAlgorithm {
  kFastest,   // on the cpu back end the heap, on the cuda back end the faster one (docs/benchmarks.md)
  kHeap,      // Dijkstra's: node by node, the nearest first, with a priority queue
  kFrontier,  // all nodes of a range of distances together, step by step; only on the cuda back end
};
inline constexpr std::string_view kGeodesicAlgorithmNames[] = {"auto", "heap", "frontier"};

struct GeodesicOptions {
  float range_m = std::numeric_limits<float>::infinity();  // >= 0; farther nodes stay unreached
  // Empty: all nodes. Otherwise the search ends when the farthest target is known: nodes farther from the
  // same source stay unreached.
  std::vector<std::int32_t> targets;
  bool predecessors = false;
  GeodesicAlgorithm algorithm = GeodesicAlgorithm::kFastest;
};

// One row for each source. Unreached: +inf, predecessor kNoNeighbour (also the source's own). With targets
// only their columns are given (num_targets in a row), but predecessors of all nodes.
struct Geodesics {
  std::int64_t num_sources = 0, num_columns = 0;
  std::vector<float> distances_m;          // num_sources x num_columns
  std::vector<std::int32_t> predecessors;  // num_sources x num_nodes, or empty
};

// Nodes from source to target along the predecessors of one source's row; empty if the target was not
// reached. Throws InvalidArgument if source or target is outside, or the predecessors form a cycle.
std::vector<std::int32_t> PathTo(std::span<const std::int32_t> predecessors, std::int32_t source,
                                 std::int32_t target);

// --- the measures ----------------------------------------------------------------------------------------

// Not thread-safe. All throw InvalidArgument for bad input and Error for failures.
class CloudMeasures {
 public:
  virtual ~CloudMeasures() = default;
  virtual std::string_view name() const = 0;  // "cpu", "cuda"

  // Neighbours of every point among the others (and itself, by option).
  virtual Neighbours NearestNeighbours(std::span<const Point3f> points, const NeighbourOptions& options) = 0;
  // Neighbours of every query among points, which are another cloud: include_self has no effect.
  virtual Neighbours NearestNeighbours(std::span<const Point3f> points, std::span<const Point3f> queries,
                                       int k) = 0;
  // MeanDistances of the neighbours, without returning them.
  virtual std::vector<float> MeanNeighbourDistances(std::span<const Point3f> points,
                                                    const NeighbourOptions& options) = 0;

  // Blocks come in the order of rows; a block's memory is valid during the call.
  virtual void Distances(const MatrixView& a, const MatrixView& b, const DistanceOptions& options,
                         const DistanceConsumer& consumer) = 0;
  virtual NearestRows FindNearestRows(const MatrixView& a, const MatrixView& b,
                                      const DistanceOptions& options) = 0;
  // The k smallest of every row of a, by distance, then index.
  virtual Neighbours FindSmallestDistances(const MatrixView& a, const MatrixView& b, int k,
                                           const DistanceOptions& options) = 0;
  virtual DistanceHistogram HistogramOfDistances(const MatrixView& a, const MatrixView& b, float largest,
                                                 int num_bins, const DistanceOptions& options) = 0;

  // Pairs of any sizes; a GPU works on several at the same time.
  virtual std::vector<EmdResult> EarthMoversDistances(std::span<const EmdPair> pairs,
                                                      const EmdOptions& options) = 0;

  // Shortest paths from each source.
  virtual Geodesics ShortestPaths(const CloudGraph& graph, std::span<const std::int32_t> sources,
                                  const GeodesicOptions& options) = 0;
};

// Makes the measures of a back end: "cpu", "cuda" (on CUDA device number `device`), or "auto": cuda if a
// device answers, else cpu. All give the same bits of neighbours and geodesics, and EMD intervals that
// contain the same exact value. num_threads: of cpu, 0 = all cores. Throws Error for a back end that cannot
// be used here, InvalidArgument for "reference", which has no measures.
std::unique_ptr<CloudMeasures> MakeCloudMeasures(std::string_view backend = "auto", int device = 0,
                                                 int num_threads = 0);

// --- cleaning ----------------------------------------------------------------------------------------------
//
// Which points of a cloud to keep. Indices refer to the input and ascend; points that are not finite are
// never kept.

// Two libraries use the same names for different rules for statistical outliers. Both take the mean distance
// d of every point to its neighbours, the mean of all d, and their standard deviation (divided by the number
// of points minus one).
enum class OutlierConvention {
  kPcl,    // The neighbours are num_neighbours OTHER points. Removed: d > mean + ratio * deviation.
  kOpen3d  // The point itself is one of the num_neighbours, at distance 0, so d is smaller by (num_neighbours
           // - 1) / num_neighbours. Kept: 0 < d < mean + ratio * deviation. Points with d = 0 (duplicates)
           // are removed; they are not part of the deviation's sum, but of its count.
};

struct StatisticalOutlierParameters {
  int num_neighbours = 20;  // 1 .. 64
  double std_ratio = 2;     // standard deviations above the mean, > 0
  OutlierConvention convention = OutlierConvention::kPcl;
};
// The indices of the kept points. Throws InvalidArgument for parameters out of range.
std::vector<std::int32_t> KeepStatisticalInliers(std::span<const Point3f> points,
                                                 const StatisticalOutlierParameters& parameters,
                                                 CloudMeasures& measures);

struct RadiusOutlierParameters {
  double radius_m = 0.1;   // > 0
  int min_neighbours = 4;  // other points within this distance that a point needs to be kept; 1 .. 64
};
// The same in both libraries, except that Open3D requires distances below the radius. Throws InvalidArgument
// for parameters out of range.
std::vector<std::int32_t> KeepRadiusInliers(std::span<const Point3f> points,
                                            const RadiusOutlierParameters& parameters,
                                            CloudMeasures& measures);

// One point for each voxel: the one nearest the mean of the voxel's points, on ties the lowest index. Throws
// InvalidArgument for a size that is not positive and for points too far away.
std::vector<std::int32_t> KeepOnePerVoxel(std::span<const Point3f> points, float voxel_size_m);

// The mean point and mean colour of every voxel, in the order of the voxels' first points. Sums in double, in
// input order; colours rounded to the nearest. Throws what KeepOnePerVoxel throws.
PointCloud MeansOfVoxels(const PointCloud& cloud, float voxel_size_m);

// The points and any colours at the indices, in their order. Throws InvalidArgument for an index outside the
// cloud and for colours that are not one for each point.
PointCloud Select(const PointCloud& cloud, std::span<const std::int32_t> indices);

// --- comparison --------------------------------------------------------------------------------------------
//
// An estimated cloud compared with the true one.
//
// All figures come from two lists: the distance of every finite point of the estimate to the nearest point of
// the truth ("accuracy", also precision), and of every finite point of the truth to the nearest point of the
// estimate ("completeness", also recall). Means and sums are computed in double, in the order of the points.

// The shares of points for the distances in DistanceScores::quantiles_m.
inline constexpr std::array<double, 5> kDistanceShares = {0.5, 0.75, 0.9, 0.95, 0.99};

// One direction.
struct DistanceScores {
  std::int64_t num_points = 0;  // finite ones
  double mean_m = 0;
  double mean_squared_m2 = 0;
  double max_m = 0;  // the directed Hausdorff distance
  // Entry i: the distance that the share kDistanceShares[i] of the points does not exceed, element
  // floor(n share) of the sorted distances.
  std::array<double, kDistanceShares.size()> quantiles_m{};
};

// Scores at one threshold; rates are 0..1.
struct ThresholdScores {
  double threshold_m = 0;
  double precision = 0;  // of the estimate's points nearer than the threshold to the truth
  double recall = 0;     // of the truth's points nearer than the threshold to the estimate
  double f_score = 0;    // 2 P R / (P + R); 0 where both are 0
};

enum class DepthKind {
  kDepth,  // z: clouds in a camera's frame
  kRange   // distance from the origin
};

// The points with from_m <= depth < to_m.
struct DepthBin {
  double from_m = 0, to_m = 0;
  DistanceScores accuracy;      // of the estimate's points in the bin; without points: NaN
  DistanceScores completeness;  // of the truth's points in the bin
};

struct CompareOptions {
  std::vector<double> thresholds_m = {0.02, 0.05, 0.1, 0.2, 0.5};  // > 0
  std::vector<double> depth_edges_m = {};  // ascending; the bins lie between them. Fewer than two: no bins
  DepthKind depth = DepthKind::kDepth;
};

struct CloudComparison {
  DistanceScores accuracy, completeness;
  // The Chamfer distance has many definitions; these four are in use.
  double chamfer_sum_m = 0;            // mean + mean (Open3D; "CD-L1")
  double chamfer_half_m = 0;           // half of it (completion networks' "CD-L1")
  double chamfer_squared_sum_m2 = 0;   // mean of squares + mean of squares ("CD-L2")
  double chamfer_squared_half_m2 = 0;  // half of it
  double hausdorff_m = 0;              // the larger of both directions
  std::vector<ThresholdScores> thresholds;
  std::vector<DepthBin> bins;
  // One for each point, in order; NaN if the point is not finite.
  std::vector<float> estimate_to_truth_m, truth_to_estimate_m;
};

// Throws InvalidArgument for a cloud without finite points, for a point so far from all of the other cloud
// that single precision cannot hold the distance (about 1.8e19 m), for thresholds that are not positive, and
// for edges that do not ascend.
CloudComparison CompareClouds(std::span<const Point3f> estimate, std::span<const Point3f> truth,
                              const CompareOptions& options, CloudMeasures& measures);

// Scores of the distances that are not NaN; all NaN if there are none.
DistanceScores ScoresOf(std::span<const float> distances_m);

// Returns for every point its z minus the true depth of its pixel (nearest pixel centre), m, > 0 if the
// estimate is too far. NaN if the point is not finite, not in front of the camera or outside the image, or
// the truth has no depth there (NaN or <= 0). Throws InvalidArgument for a rig without focal length.
std::vector<float> SignedDepthErrors(std::span<const Point3f> points,
                                     HostImageView<const float> truth_depth_m, const StereoRig& rig);

struct SignedErrorScores {
  std::int64_t num_points = 0;
  double bias_m = 0;  // mean of the signed errors
  double mean_abs_m = 0;
  double rms_m = 0;
  double median_m = 0;      // of the signed errors: element floor(n / 2)
  double median_abs_m = 0;  // of their absolute values
};
// Scores of the errors that are not NaN; all NaN if there are none.
SignedErrorScores SignedScoresOf(std::span<const float> errors_m);

}  // namespace parallax
