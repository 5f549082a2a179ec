#include "calibrate/bundle_adjustment.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "calibrate/statistics.h"
#include "parallax/error.h"

namespace parallax {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kPose = 6;
constexpr int kMostIterations = 60;
constexpr double kOutlierSigmas = 5;
constexpr double kLost_px = 100;  // stands for the residual of a corner that the model cannot see
constexpr double kLeastScale_px = 1e-3;
constexpr double kUsualTangential = 0.005, kUsualRadial = 0.3;  // sizes of coefficients that are held
constexpr double kInfinity = std::numeric_limits<double>::infinity();

int NumCameraParameters(const BundleOptions& options) { return 4 + options.num_coefficients; }
int NumBend(const BundleOptions& options) { return options.fit_bend ? 3 : 0; }

void ChangeCamera(CameraModel& camera, int parameter, double step) {
  double* const numbers[] = {&camera.fx_px, &camera.fy_px, &camera.cx_px, &camera.cy_px};
  if (parameter < 4) {
    *numbers[parameter] += step;
  } else {
    camera.distortion[static_cast<std::size_t>(parameter) - 4] += step;
  }
}

Vector3 UnitOf(int axis, double length) {
  return {axis == 0 ? length : 0, axis == 1 ? length : 0, axis == 2 ? length : 0};
}

BoardPose InRight(const RawRig& rig, const BoardPose& pose) {
  return {rig.right_from_left * pose.camera_from_board,
          rig.right_from_left * pose.translation_m + rig.translation_m};
}

struct State {
  RawRig rig;
  BoardBend bend;
  std::vector<BoardPose> poses;
};

// How much each corner leaves the plane for each parameter of the bend: u^2, v^2, u v.
std::vector<Vector3> BendsOf(const std::vector<Vector3>& board) {
  Vector3 low = board.front(), high = low;
  for (const Vector3& c : board) {
    low = {std::min(low.x, c.x), std::min(low.y, c.y), 0};
    high = {std::max(high.x, c.x), std::max(high.y, c.y), 0};
  }
  const Vector3 centre = 0.5 * (low + high), half = 0.5 * (high - low);
  std::vector<Vector3> bends;
  for (const Vector3& c : board) {
    const double u = half.x > 0 ? (c.x - centre.x) / half.x : 0,
                 v = half.y > 0 ? (c.y - centre.y) / half.y : 0;
    bends.push_back({u * u, v * v, u * v});
  }
  return bends;
}

// The board's corners with its bend.
std::vector<Vector3> Shaped(std::vector<Vector3> board, const BoardBend& bend) {
  const std::vector<Vector3> bends = BendsOf(board);
  for (std::size_t c = 0; c < board.size(); ++c) board[c].z += Dot(bend, bends[c]);
  return board;
}

// The projections of the left and the right camera. Finding a camera's range takes time, so a projection is kept
// while its camera stays the same.
class Projections {
 public:
  const CameraProjection& Of(std::size_t side, const CameraModel& camera) {
    auto& last = sides_[side];
    if (!last || last->camera() != camera) last.emplace(camera);
    return *last;
  }

 private:
  std::array<std::optional<CameraProjection>, 2> sides_;
};

// Calls body(corners, projection, pose) for the corners of each view in the left camera, then in the right one.
template <typename Views, typename Body>
void ForLists(Views& views, const State& state, const BundleOptions& options, Projections& projections,
              const Body& body) {
  const CameraProjection &left = projections.Of(0, state.rig.left),
                         &right = projections.Of(1, state.rig.right);
  for (std::size_t v = 0; v < views.size(); ++v) {
    body(views[v].left, left, state.poses[v]);
    if (options.two_cameras) body(views[v].right, right, InRight(state.rig, state.poses[v]));
  }
}

std::vector<Vector2> Residuals(const std::vector<Vector3>& board, const std::vector<SeenCorner>& corners,
                               const CameraProjection& camera, const BoardPose& pose) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vector2> residuals;
  residuals.reserve(corners.size());
  for (const SeenCorner& seen : corners) {
    const auto pixel = camera.Project(pose(board[static_cast<std::size_t>(seen.corner)]));
    residuals.push_back(pixel ? Vector2{pixel->x - seen.pixel.x, pixel->y - seen.pixel.y}
                              : Vector2{kNan, kNan});
  }
  return residuals;
}

double SquareOf(const Vector2& residual) {
  const double square = residual.x * residual.x + residual.y * residual.y;
  return std::isnan(square) ? 2 * kLost_px * kLost_px : square;
}

// The normal equations. J holds the derivatives of all residuals by what is free of the rig, with the residuals as
// one more column; P holds the derivatives of one view's residuals by its pose.
struct Normal {
  struct View {
    MatrixXd pose, mixed;  // P^T P, P^T J
  };
  MatrixXd rig;  // J^T J
  std::vector<View> views;
};

class Bundle {
 public:
  // Residuals far beyond scale_px count for little (Cauchy's function); infinity: least squares.
  Bundle(const std::vector<Vector3>& board, const std::vector<BoardView>& views, const BundleOptions& options,
         double scale_px)
      : board_(board),
        bends_(BendsOf(board)),
        views_(views),
        options_(options),
        limit_(scale_px * scale_px),
        num_rig_(NumRigParameters(options)),
        free_(FreeOf(options)) {}

  Index NumFree() const { return free_.cols(); }

  // The sum of the residuals' squares, or of Cauchy's function of them.
  double Cost(const State& state) const {
    const std::vector<Vector3> shaped = Shaped(board_, state.bend);
    double sum = 0;
    ForLists(views_, state, options_, projections_,
             [&](const auto& corners, const auto& camera, const BoardPose& pose) {
               const std::vector<Vector2> residuals = Residuals(shaped, corners, camera, pose);
               for (std::size_t i = 0; i < corners.size(); ++i) {
                 if (corners[i].is_outlier) continue;
                 const double square = SquareOf(residuals[i]);
                 sum += std::isinf(limit_) ? square : limit_ * std::log1p(square / limit_);
               }
             });
    return sum;
  }

  Normal Equations(const State& state) const {
    const std::vector<Vector3> shaped = Shaped(board_, state.bend);
    const Index all = free_.rows(), free = free_.cols(), of_camera = NumCameraParameters(options_);
    const Index of_pair = 2 * of_camera;  // where the numbers between the cameras begin
    const CameraProjection* const cameras[] = {&projections_.Of(0, state.rig.left),
                                               &projections_.Of(1, state.rig.right)};
    MatrixXd free_and_residual = MatrixXd::Zero(all + 1, free + 1);
    free_and_residual.topLeftCorner(all, free) = free_;
    free_and_residual(all, free) = 1;
    MatrixXd of_all = MatrixXd::Zero(all + 1, all + 1);
    std::vector<Normal::View> of_views;
    for (std::size_t v = 0; v < views_.size(); ++v) {
      const std::vector<SeenCorner>* const lists[] = {&views_[v].left, &views_[v].right};
      const Index rows = 2 * (std::ssize(*lists[0]) + (options_.two_cameras ? std::ssize(*lists[1]) : 0));
      MatrixXd slopes = MatrixXd::Zero(rows, all + 1), by_pose = MatrixXd::Zero(rows, kPose);
      Index row = 0;
      for (const std::size_t side : {0U, 1U}) {
        if (side == 1 && !options_.two_cameras) break;
        const CameraModel& camera = cameras[side]->camera();
        for (const SeenCorner& seen : *lists[side]) {
          if (seen.is_outlier) continue;
          const auto corner = static_cast<std::size_t>(seen.corner);
          const Vector3 turned = state.poses[v].camera_from_board * shaped[corner],
                        in_left = turned + state.poses[v].translation_m,
                        turned_right = state.rig.right_from_left * in_left;
          ProjectionSlopes slope;
          const auto pixel =
              cameras[side]->Project(side == 0 ? in_left : turned_right + state.rig.translation_m, &slope);
          if (!pixel) continue;
          const Vector2 residual{pixel->x - seen.pixel.x, pixel->y - seen.pixel.y};
          const double weight = std::isinf(limit_) ? 1 : std::sqrt(1 / (1 + SquareOf(residual) / limit_));
          const Index first = static_cast<Index>(side) * of_camera;
          const auto add = [&](Index focal, double focal_px, double place, double error,
                               const Vector3& by_point, double Vector2::*coordinate) {
            slopes(row, first + focal) = place;
            slopes(row, first + focal + 2) = 1;
            for (Index k = 0; k < options_.num_coefficients; ++k)
              slopes(row, first + 4 + k) =
                  focal_px * slope.by_distortion[static_cast<std::size_t>(k)].*coordinate;
            const auto put = [&](auto to, const Vector3& a) { to << a.x, a.y, a.z; };
            Vector3 by_left = focal_px * by_point;
            if (side == 1) {
              put(slopes.row(row).segment(of_pair, 3), Cross(turned_right, by_left));
              put(slopes.row(row).segment(of_pair + 3, 3), by_left);
              by_left = Transposed(state.rig.right_from_left) * by_left;
            }
            put(by_pose.row(row).head(3), Cross(turned, by_left));
            put(by_pose.row(row).tail(3), by_left);
            if (options_.fit_bend) {
              const Vector3 z = Transposed(state.poses[v].camera_from_board) * by_left;
              put(slopes.row(row).segment(num_rig_, 3), z.z * bends_[corner]);
            }
            slopes(row, all) = error;
            slopes.row(row) *= weight;
            by_pose.row(row) *= weight;
            ++row;
          };
          add(0, camera.fx_px, (pixel->x - camera.cx_px) / camera.fx_px, residual.x, slope.x_by_point,
              &Vector2::x);
          add(1, camera.fy_px, (pixel->y - camera.cy_px) / camera.fy_px, residual.y, slope.y_by_point,
              &Vector2::y);
        }
      }
      of_all.selfadjointView<Eigen::Lower>().rankUpdate(slopes.transpose());
      of_views.push_back({by_pose.transpose() * by_pose, by_pose.transpose() * slopes * free_and_residual});
    }
    // A separate matrix: if Eigen resizes a matrix that holds values and memory is refused, it frees them
    // twice.
    return {free_and_residual.transpose() * of_all.selfadjointView<Eigen::Lower>() * free_and_residual,
            std::move(of_views)};
  }

  // The state after one step with this damping; nullopt if the equations cannot be solved. reduced: J^T J
  // after the poses are eliminated.
  std::optional<State> Step(const State& state, const Normal& normal, double damping,
                            MatrixXd& reduced) const {
    const Index free = free_.cols();
    reduced = normal.rig;
    reduced.diagonal().head(free) *= 1 + damping;
    std::vector<MatrixXd> solved;
    for (const auto& [pose, mixed] : normal.views) {
      MatrixXd damped = pose;
      damped.diagonal().array() = damped.diagonal().array() * (1 + damping) + 1e-12;
      const Eigen::LLT<MatrixXd> factor(damped);
      if (factor.info() != Eigen::Success) return std::nullopt;
      solved.emplace_back(factor.solve(mixed));
      reduced -= mixed.transpose() * solved.back();
    }
    VectorXd change = VectorXd::Ones(free + 1);
    if (free > 0) {
      const Eigen::LLT<MatrixXd> factor(reduced.topLeftCorner(free, free));
      if (factor.info() != Eigen::Success) return std::nullopt;
      change.head(free) = -factor.solve(reduced.col(free).head(free));
    }
    if (!change.allFinite()) return std::nullopt;
    MatrixXd moves(kPose, std::ssize(views_));
    for (std::size_t v = 0; v < views_.size(); ++v) moves.col(static_cast<Index>(v)) = -(solved[v] * change);
    State next = Moved(state, free_ * change.head(free), moves);
    const CameraModel &left = next.rig.left, &right = next.rig.right;
    const bool is_valid = std::min({left.fx_px, left.fy_px, right.fx_px, right.fy_px}) > 1;
    return is_valid ? std::optional(std::move(next)) : std::nullopt;
  }

 private:
  // Columns: how the rig's numbers and the bend follow what is free.
  static MatrixXd FreeOf(const BundleOptions& options) {
    const Index all = NumRigParameters(options) + NumBend(options), camera = NumCameraParameters(options);
    MatrixXd free = MatrixXd::Identity(all, all);
    std::vector<Index> kept;
    for (Index p = 0; p < all && options.freedom != Freedom::kPoses; ++p) {
      const bool is_camera = p < (options.two_cameras ? 2 : 1) * camera;
      const Index number = is_camera ? p % camera : 4;
      if (options.freedom == Freedom::kFocal && number == 0) free(p + 1, p) = 1;  // fy moves with fx
      if (options.freedom == Freedom::kFocal && number > 0 && number < 4) continue;
      if (is_camera && number >= camera - options.num_held) continue;
      kept.push_back(p);
    }
    return free(Eigen::all, kept);
  }

  State Moved(const State& state, const VectorXd& change, const MatrixXd& moves) const {
    State moved = state;
    for (int p = 0; p < num_rig_; ++p) moved.rig = Changed(moved.rig, options_, p, change[p]);
    if (options_.fit_bend)
      moved.bend = state.bend + Vector3{change[num_rig_], change[num_rig_ + 1], change[num_rig_ + 2]};
    for (std::size_t v = 0; v < views_.size(); ++v) {
      const VectorXd move = moves.col(static_cast<Index>(v));
      BoardPose& pose = moved.poses[v];
      pose.camera_from_board = RotationOf({move[0], move[1], move[2]}) * pose.camera_from_board;
      pose.translation_m = pose.translation_m + Vector3{move[3], move[4], move[5]};
    }
    return moved;
  }

  const std::vector<Vector3>& board_;
  const std::vector<Vector3> bends_;
  const std::vector<BoardView>& views_;
  const BundleOptions options_;
  const double limit_;  // scale_px^2
  const int num_rig_;
  const MatrixXd free_;
  mutable Projections projections_;
};

// Iterates until a step gains less than this share of the cost.
State Minimize(const Bundle& bundle, State state, double least_gain) {
  double sum = bundle.Cost(state), damping = 1e-3;
  for (int i = 0; i < kMostIterations; ++i) {
    const Normal normal = bundle.Equations(state);
    MatrixXd reduced;
    bool improved = false;
    double gain = 0;
    while (!improved && damping < 1e10) {
      const std::optional<State> next = bundle.Step(state, normal, damping, reduced);
      const double next_sum = next ? bundle.Cost(*next) : kInfinity;
      if (next_sum < sum) {
        gain = (sum - next_sum) / sum;
        state = *next;
        sum = next_sum;
        improved = true;
        damping = std::max(damping / 10, 1e-12);
      } else {
        damping *= 10;
      }
    }
    if (!improved || gain < least_gain) break;
  }
  return state;
}

// Distances of all corners from where they should be, px, in the order of ForLists.
std::vector<double> Distances(const std::vector<Vector3>& board, const std::vector<BoardView>& views,
                              const State& state, const BundleOptions& options) {
  std::vector<double> distances;
  Projections projections;
  const std::vector<Vector3> shaped = Shaped(board, state.bend);
  ForLists(views, state, options, projections,
           [&](const auto& corners, const auto& camera, const BoardPose& pose) {
             for (const Vector2& r : Residuals(shaped, corners, camera, pose))
               distances.push_back(std::sqrt(SquareOf(r)));
           });
  return distances;
}
// Marks the corners that are too far away; returns how many changed.
int MarkOutliers(const std::vector<double>& distances, const State& state, const BundleOptions& options,
                 std::vector<BoardView>& views) {
  // The median of a distance in two dimensions is 1.1774 sigma of a coordinate.
  const double limit = std::max(kOutlierSigmas * Median(distances) / 1.1774, kLeastScale_px);
  int changed = 0;
  std::size_t at = 0;
  Projections projections;
  ForLists(views, state, options, projections, [&](auto& corners, const auto&, const BoardPose&) {
    for (SeenCorner& corner : corners) {
      const bool is_outlier = distances[at++] > limit;
      changed += is_outlier != corner.is_outlier ? 1 : 0;
      corner.is_outlier = is_outlier;
    }
  });
  return changed;
}

}  // namespace

int NumRigParameters(const BundleOptions& options) {
  const int camera = NumCameraParameters(options);
  return options.two_cameras ? 2 * camera + kPose : camera;
}

RawRig Changed(const RawRig& rig, const BundleOptions& options, int parameter, double step) {
  RawRig changed = rig;
  const int camera = NumCameraParameters(options);
  if (parameter < camera) {
    ChangeCamera(changed.left, parameter, step);
  } else if (parameter < 2 * camera) {
    ChangeCamera(changed.right, parameter - camera, step);
  } else if (parameter < 2 * camera + 3) {
    changed.right_from_left = RotationOf(UnitOf(parameter - 2 * camera, step)) * rig.right_from_left;
  } else {
    changed.translation_m = rig.translation_m + UnitOf(parameter - 2 * camera - 3, step);
  }
  return changed;
}

std::vector<Vector2> ResidualsOf(const std::vector<Vector3>& board, const std::vector<SeenCorner>& corners,
                                 const CameraModel& camera, const BoardPose& pose) {
  return Residuals(board, corners, CameraProjection(camera), pose);
}

BundleResult AdjustBundle(const std::vector<Vector3>& board, std::vector<BoardView> views, const RawRig& rig,
                          const BundleOptions& options) {
  if (board.empty()) throw InvalidArgument("a board without corners cannot be used for calibration");
  std::size_t num_measured = 0;
  for (const BoardView& view : views)
    num_measured += 2 * (view.left.size() + (options.two_cameras ? view.right.size() : 0));
  const Index num_free = Bundle(board, views, options, kInfinity).NumFree();
  const std::size_t num_unknown = static_cast<std::size_t>(num_free) + kPose * views.size();
  if (num_measured <= num_unknown) {
    throw InvalidArgument(std::to_string(num_measured) + " measurements do not determine " +
                          std::to_string(num_unknown) + " unknowns: more boards are needed");
  }
  State state{rig, {}, {}};
  for (const BoardView& view : views) state.poses.push_back(view.pose);
  const auto minimize = [&](double scale_px, double least_gain) {
    state = Minimize(Bundle(board, views, options, scale_px), std::move(state), least_gain);
  };
  const auto distances = [&] { return Distances(board, views, state, options); };
  if (options.start_is_near) {
    minimize(kInfinity, 1e-6);
  } else {
    for (BoardView& view : views) {
      for (SeenCorner& corner : view.left) corner.is_outlier = false;
      for (SeenCorner& corner : view.right) corner.is_outlier = false;
    }
    for (double last = kInfinity;;) {  // from what the start leaves down to the noise
      const double scale_px = std::max(2 * Median(distances()), kLeastScale_px);
      if (scale_px > 0.8 * last) break;
      minimize(scale_px, 1e-3);
      last = scale_px;
    }
    for (int round = 0; round < 3; ++round) {
      if (MarkOutliers(distances(), state, options, views) == 0 && round > 0) break;
      minimize(kInfinity, 1e-10);
    }
  }

  const std::vector<Vector3> shaped = Shaped(board, state.bend);
  BundleResult result;
  result.rig = state.rig;
  result.bend_m = state.bend;
  result.num_parameters = NumRigParameters(options) + NumBend(options);
  result.usual_px = Median(distances());
  Projections projections;
  double sums[2] = {0, 0};
  int counts[2] = {0, 0}, side = 0;
  ForLists(views, state, options, projections,
           [&](const auto& corners, const auto& camera, const BoardPose& pose) {
             const std::vector<Vector2> residuals = Residuals(shaped, corners, camera, pose);
             for (std::size_t k = 0; k < corners.size(); ++k) {
               if (corners[k].is_outlier) {
                 ++result.num_outliers;
                 continue;
               }
               sums[side] += residuals[k].x * residuals[k].x + residuals[k].y * residuals[k].y;
               ++counts[side];
             }
             if (options.two_cameras) side = 1 - side;
           });
  for (std::size_t i = 0; i < views.size(); ++i) views[i].pose = state.poses[i];
  const int used = counts[0] + counts[1];
  result.num_corners = used + result.num_outliers;
  result.rms_left_px = counts[0] > 0 ? std::sqrt(sums[0] / counts[0]) : 0;
  result.rms_right_px = counts[1] > 0 ? std::sqrt(sums[1] / counts[1]) : 0;
  result.rms_px = used > 0 ? std::sqrt((sums[0] + sums[1]) / used) : 0;
  const double freedom = 2.0 * used - static_cast<double>(num_unknown);
  result.noise_px = freedom > 0 ? std::sqrt((sums[0] + sums[1]) / freedom) : 0;
  MatrixXd reduced;
  const Index n = result.num_parameters;
  BundleOptions all_options = options;
  all_options.num_held = 0;
  const Bundle all(board, views, all_options, kInfinity);
  if (options.freedom == Freedom::kAll && !options.start_is_near &&
      all.Step(state, all.Equations(state), 0, reduced)) {
    const Index camera = NumCameraParameters(options);
    for (Index p = 0; p < (options.two_cameras ? 2 : 1) * camera; ++p) {
      if (p % camera < camera - options.num_held) continue;
      const bool is_tangential =
          rig.left.lens == LensModel::kPlumbBob && (p % camera == 6 || p % camera == 7);
      const double usual = is_tangential ? kUsualTangential : kUsualRadial;
      reduced(p, p) += result.noise_px * result.noise_px / (usual * usual);
    }
    const MatrixXd inverse = reduced.topLeftCorner(n, n).llt().solve(MatrixXd::Identity(n, n));
    result.covariance.assign(inverse.data(), inverse.data() + inverse.size());
  }
  for (double& c : result.covariance) c *= result.noise_px * result.noise_px;
  result.views = std::move(views);
  return result;
}

double TriangulatedDepth(const RawRig& rig, const Matrix3& rectified_from_left, const Vector2& left,
                         const Vector2& right) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto a = CameraProjection(rig.left).Unproject(left),
             in_right = CameraProjection(rig.right).Unproject(right);
  if (!a || !in_right) return kNan;
  const Vector3 b = Transposed(rig.right_from_left) * *in_right, c = rig.RightCentre();
  // Points s a and c + t b whose distance is least.
  const double ab = Dot(*a, b), determinant = 1 - ab * ab;
  if (!(determinant > 1e-12)) return kNan;
  const double s = (Dot(*a, c) - ab * Dot(b, c)) / determinant,
               t = (ab * Dot(*a, c) - Dot(b, c)) / determinant;
  if (!(s > 0) || !(t > 0)) return kNan;
  return (rectified_from_left * (0.5 * ((s * *a) + (c + t * b)))).z;
}

}  // namespace parallax
