#include "app/calibrate/bundle_adjustment.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "parallax/error.h"

namespace parallax::app {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kPose = 6;
constexpr int kMostIterations = 60;
constexpr double kOutlierSigmas = 5;
constexpr double kLost_px = 100;  // stands for the residual of a corner that the model cannot see

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

// The board's corners with its bend.
std::vector<Vector3> Shaped(std::vector<Vector3> board, const BoardBend& bend) {
  Vector3 low = board.front(), high = low;
  for (const Vector3& c : board) {
    low = {std::min(low.x, c.x), std::min(low.y, c.y), 0};
    high = {std::max(high.x, c.x), std::max(high.y, c.y), 0};
  }
  const Vector3 centre = 0.5 * (low + high), half = 0.5 * (high - low);
  for (Vector3& c : board) {
    const double u = half.x > 0 ? (c.x - centre.x) / half.x : 0,
                 v = half.y > 0 ? (c.y - centre.y) / half.y : 0;
    c.z += bend.x * u * u + bend.y * v * v + bend.z * u * v;
  }
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

// The normal equations. J holds the derivatives of all residuals by the rig's numbers, with the residuals as one more
// column; P holds the derivatives of one view's residuals by its pose.
struct Normal {
  struct View {
    MatrixXd pose, mixed;  // P^T P, P^T J
  };
  MatrixXd rig;  // J^T J
  std::vector<View> views;
};

class Bundle {
 public:
  Bundle(const std::vector<Vector3>& board, const std::vector<BoardView>& views, const BundleOptions& options)
      : board_(board),
        views_(views),
        options_(options),
        num_rig_(NumRigParameters(options)),
        num_all_(num_rig_ + NumBend(options)) {}

  double SumOfSquares(const State& state) const {
    const VectorXd r = ResidualsOf(state);
    return r.array().isNaN().select(kLost_px, r).squaredNorm();
  }

  Normal Equations(const State& state) const {
    const auto known = [](const auto& m) { return m.array().isNaN().select(0, m).eval(); };
    const VectorXd residuals = ResidualsOf(state);
    MatrixXd slopes(residuals.size(), num_all_ + 1), by_pose(residuals.size(), kPose);
    VectorXd change = VectorXd::Zero(num_all_);
    MatrixXd moves = MatrixXd::Zero(kPose, std::ssize(views_));
    const auto difference = [&](double step) {  // 0 where a corner is seen in one of the two only
      return known(((ResidualsOf(Moved(state, change, moves)) - ResidualsOf(Moved(state, -change, -moves))) /
                    (2 * step)));
    };
    for (int p = 0; p < num_all_; ++p) {
      change[p] = StepOf(p);
      slopes.col(p) = difference(change[p]);
      change[p] = 0;
    }
    slopes.col(num_all_) = known(residuals);
    for (int p = 0; p < kPose; ++p) {
      moves.row(p).setConstant(kStep);
      by_pose.col(p) = difference(kStep);
      moves.row(p).setZero();
    }
    Normal normal{slopes.transpose() * slopes, {}};
    Index row = 0;
    for (const BoardView& view : views_) {
      const Index rows = NumRows(view);
      const auto pose = by_pose.middleRows(row, rows).transpose();
      normal.views.push_back({pose * pose.transpose(), pose * slopes.middleRows(row, rows)});
      row += rows;
    }
    return normal;
  }

  // The state after one step with this damping; nullopt where the equations cannot be solved. reduced: J^T J
  // after the poses are eliminated.
  std::optional<State> Step(const State& state, const Normal& normal, double damping,
                            MatrixXd& reduced) const {
    reduced = normal.rig;
    reduced.diagonal().head(num_all_) *= 1 + damping;
    std::vector<MatrixXd> solved;
    for (const auto& [pose, mixed] : normal.views) {
      MatrixXd damped = pose;
      damped.diagonal().array() = damped.diagonal().array() * (1 + damping) + 1e-12;
      const Eigen::LLT<MatrixXd> factor(damped);
      if (factor.info() != Eigen::Success) return std::nullopt;
      solved.emplace_back(factor.solve(mixed));
      reduced -= mixed.transpose() * solved.back();
    }
    const Eigen::LLT<MatrixXd> factor(reduced.topLeftCorner(num_all_, num_all_));
    if (factor.info() != Eigen::Success) return std::nullopt;
    VectorXd change(num_all_ + 1);
    change << -factor.solve(reduced.col(num_all_).head(num_all_)), 1;
    if (!change.allFinite()) return std::nullopt;
    MatrixXd moves(kPose, std::ssize(views_));
    for (std::size_t v = 0; v < views_.size(); ++v) moves.col(static_cast<Index>(v)) = -(solved[v] * change);
    State next = Moved(state, change, moves);
    const CameraModel &left = next.rig.left, &right = next.rig.right;
    const bool is_valid = std::min({left.fx_px, left.fy_px, right.fx_px, right.fy_px}) > 1;
    return is_valid ? std::optional(std::move(next)) : std::nullopt;
  }

 private:
  static constexpr double kStep = 1e-6;
  double StepOf(int parameter) const {
    const int camera = NumCameraParameters(options_);
    return parameter < (options_.two_cameras ? 2 : 1) * camera && parameter % camera < 4 ? 1e-3 : kStep;
  }
  Index NumRows(const BoardView& view) const {
    const auto used = [](const auto& corners) {
      return std::ranges::count(corners, false, &SeenCorner::is_outlier);
    };
    return 2 * (used(view.left) + (options_.two_cameras ? used(view.right) : 0));
  }

  // x and y of each corner that is no outlier, view by view.
  VectorXd ResidualsOf(const State& state) const {
    const std::vector<Vector3> shaped = Shaped(board_, state.bend);
    std::vector<double> all;
    ForLists(views_, state, options_, projections_,
             [&](const auto& corners, const auto& camera, const BoardPose& pose) {
               const std::vector<Vector2> residuals = Residuals(shaped, corners, camera, pose);
               for (std::size_t i = 0; i < corners.size(); ++i)
                 if (!corners[i].is_outlier) all.insert(all.end(), {residuals[i].x, residuals[i].y});
             });
    return VectorXd::Map(all.data(), std::ssize(all));
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
  const std::vector<BoardView>& views_;
  const BundleOptions options_;
  const int num_rig_, num_all_;
  mutable Projections projections_;
};

State Minimize(const Bundle& bundle, State state) {
  double sum = bundle.SumOfSquares(state), damping = 1e-3;
  for (int i = 0; i < kMostIterations; ++i) {
    const Normal normal = bundle.Equations(state);
    MatrixXd reduced;
    bool improved = false;
    double gain = 0;
    while (!improved && damping < 1e10) {
      const std::optional<State> next = bundle.Step(state, normal, damping, reduced);
      const double next_sum = next ? bundle.SumOfSquares(*next) : std::numeric_limits<double>::infinity();
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
    if (!improved || gain < 1e-10) break;
  }
  return state;
}

// Marks the corners that are too far away; returns how many changed.
int MarkOutliers(const std::vector<Vector3>& board, const State& state, const BundleOptions& options,
                 std::vector<BoardView>& views) {
  std::vector<double> sizes;
  Projections projections;
  ForLists(views, state, options, projections, [&](auto& corners, const auto& camera, const BoardPose& pose) {
    for (const Vector2& r : Residuals(board, corners, camera, pose)) {
      const double size = std::hypot(r.x, r.y);
      sizes.push_back(std::isnan(size) ? 1e9 : size);
    }
  });
  if (sizes.empty()) return 0;
  std::vector<double> sorted = sizes;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  // The median of a distance in two dimensions is 1.1774 sigma of a coordinate.
  const double sigma = sorted[sorted.size() / 2] / 1.1774;
  const double limit = std::max(kOutlierSigmas * sigma, 1e-3);
  int changed = 0;
  std::size_t at = 0;
  ForLists(views, state, options, projections, [&](auto& corners, const auto&, const BoardPose&) {
    for (SeenCorner& corner : corners) {
      const bool is_outlier = sizes[at++] > limit;
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

double BundleResult::Sigma(int parameter) const {
  const auto n = static_cast<std::size_t>(num_parameters), i = static_cast<std::size_t>(parameter);
  return covariance.empty() ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(covariance[i * n + i]);
}

std::vector<Vector2> ResidualsOf(const std::vector<Vector3>& board, const std::vector<SeenCorner>& corners,
                                 const CameraModel& camera, const BoardPose& pose) {
  return Residuals(board, corners, CameraProjection(camera), pose);
}

BundleResult AdjustBundle(const std::vector<Vector3>& board, std::vector<BoardView> views, const RawRig& rig,
                          const BundleOptions& options) {
  if (board.empty()) throw InvalidArgument("a board without corners calibrates nothing");
  std::size_t num_measured = 0;
  for (const BoardView& view : views)
    num_measured += 2 * (view.left.size() + (options.two_cameras ? view.right.size() : 0));
  const std::size_t num_unknown =
      static_cast<std::size_t>(NumRigParameters(options) + NumBend(options)) + kPose * views.size();
  if (num_measured <= num_unknown) {
    throw InvalidArgument(std::to_string(num_measured) + " measurements do not determine " +
                          std::to_string(num_unknown) + " unknowns: more boards are needed");
  }
  State state{rig, {}, {}};
  for (const BoardView& view : views) state.poses.push_back(view.pose);
  for (BoardView& view : views) {
    for (SeenCorner& corner : view.left) corner.is_outlier = false;
    for (SeenCorner& corner : view.right) corner.is_outlier = false;
  }
  for (int round = 0; round < 3; ++round) {
    const Bundle bundle(board, views, options);
    state = Minimize(bundle, std::move(state));
    if (MarkOutliers(Shaped(board, state.bend), state, options, views) == 0) break;
  }
  const Bundle bundle(board, views, options);
  state = Minimize(bundle, std::move(state));

  const std::vector<Vector3> shaped = Shaped(board, state.bend);
  BundleResult result;
  result.rig = state.rig;
  result.bend_m = state.bend;
  result.num_parameters = NumRigParameters(options) + NumBend(options);
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
  if (bundle.Step(state, bundle.Equations(state), 0, reduced)) {
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

}  // namespace parallax::app
