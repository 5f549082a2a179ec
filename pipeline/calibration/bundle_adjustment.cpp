#include "pipeline/calibration/bundle_adjustment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "pipeline/error.h"

namespace parallax {
namespace {

constexpr int kPose = 6;
constexpr double kOutlierSigmas = 5;
constexpr double kLost_px = 100;  // stands for the residual of a corner that the model cannot see

using Dense = std::vector<double>;  // square or rectangular, row by row

// Solves A x = b for a symmetric positive A (n x n), b with `columns` columns, in place; false where A is
// not.
bool SolveCholesky(Dense& a, Dense& b, int n, int columns) {
  const auto at = [n](int row, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + static_cast<std::size_t>(column);
  };
  const auto right = [columns](int row, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  };
  for (int j = 0; j < n; ++j) {
    double diagonal = a[at(j, j)];
    for (int k = 0; k < j; ++k) diagonal -= a[at(j, k)] * a[at(j, k)];
    if (!(diagonal > 0)) return false;
    a[at(j, j)] = std::sqrt(diagonal);
    for (int i = j + 1; i < n; ++i) {
      double sum = a[at(i, j)];
      for (int k = 0; k < j; ++k) sum -= a[at(i, k)] * a[at(j, k)];
      a[at(i, j)] = sum / a[at(j, j)];
    }
  }
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < n; ++i) {
      double sum = b[right(i, c)];
      for (int k = 0; k < i; ++k) sum -= a[at(i, k)] * b[right(k, c)];
      b[right(i, c)] = sum / a[at(i, i)];
    }
    for (int i = n - 1; i >= 0; --i) {
      double sum = b[right(i, c)];
      for (int k = i + 1; k < n; ++k) sum -= a[at(k, i)] * b[right(k, c)];
      b[right(i, c)] = sum / a[at(i, i)];
    }
  }
  return true;
}

// The inverse of a symmetric positive matrix whose rows and columns may differ much in scale; empty where it
// is not.
Dense Inverse(Dense a, int n) {
  const auto at = [n](int row, int column) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + static_cast<std::size_t>(column);
  };
  std::vector<double> scale(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    if (!(a[at(i, i)] > 0)) return {};
    scale[static_cast<std::size_t>(i)] = 1 / std::sqrt(a[at(i, i)]);
  }
  Dense identity(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    identity[at(i, i)] = 1;
    for (int j = 0; j < n; ++j)
      a[at(i, j)] *= scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(j)];
  }
  if (!SolveCholesky(a, identity, n, n)) return {};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      identity[at(i, j)] *= scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(j)];
  }
  return identity;
}

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

BoardPose ChangedPose(const BoardPose& pose, int parameter, double step) {
  BoardPose changed = pose;
  if (parameter < 3) {
    changed.camera_from_board = RotationOf(UnitOf(parameter, step)) * pose.camera_from_board;
  } else {
    changed.translation_m = pose.translation_m + UnitOf(parameter - 3, step);
  }
  return changed;
}

BoardPose InRight(const RawRig& rig, const BoardPose& pose) {
  return {rig.right_from_left * pose.camera_from_board,
          rig.right_from_left * pose.translation_m + rig.translation_m};
}

// Steps of the numeric derivatives.
double StepOfCamera(int parameter) { return parameter < 4 ? 1e-3 : 1e-6; }
double StepOfPose(int parameter, double size_m) { return parameter < 3 ? 1e-6 : 1e-6 * size_m; }

// The board, and its shape.
class Board {
 public:
  explicit Board(const std::vector<Vector3>& corners) : corners_(corners) {
    Vector3 low = corners.front(), high = low;
    for (const Vector3& c : corners) {
      low = {std::min(low.x, c.x), std::min(low.y, c.y), 0};
      high = {std::max(high.x, c.x), std::max(high.y, c.y), 0};
    }
    centre_ = 0.5 * (low + high);
    half_ = 0.5 * (high - low);
    size_m_ = std::max(Length(half_), 1e-9);
  }
  double size_m() const { return size_m_; }
  Vector3 operator()(int corner, const BoardBend& bend) const {
    Vector3 p = corners_[static_cast<std::size_t>(corner)];
    const double u = half_.x > 0 ? (p.x - centre_.x) / half_.x : 0,
                 v = half_.y > 0 ? (p.y - centre_.y) / half_.y : 0;
    p.z += bend.x * u * u + bend.y * v * v + bend.z * u * v;
    return p;
  }

 private:
  const std::vector<Vector3>& corners_;
  Vector3 centre_, half_;
  double size_m_ = 1;
};

// Cameras with each of their numbers changed both ways, made once for all corners.
class ChangedCameras {
 public:
  ChangedCameras(const CameraModel& camera, int num_parameters) : middle_(camera) {
    for (int p = 0; p < num_parameters; ++p) {
      CameraModel more = camera, less = camera;
      ChangeCamera(more, p, StepOfCamera(p));
      ChangeCamera(less, p, -StepOfCamera(p));
      pairs_.emplace_back(CameraProjection(more), CameraProjection(less));
    }
  }
  const CameraProjection& middle() const { return middle_; }
  // d pixel / d parameter
  Vector2 Derivative(const Vector3& p, int parameter) const {
    const auto& [more, less] = pairs_[static_cast<std::size_t>(parameter)];
    return Quotient(more.Project(p), less.Project(p), 2 * StepOfCamera(parameter));
  }
  Vector2 Derivative(const Vector3& more, const Vector3& less, double difference) const {
    return Quotient(middle_.Project(more), middle_.Project(less), difference);
  }

 private:
  static Vector2 Quotient(const std::optional<Vector2>& a, const std::optional<Vector2>& b,
                          double difference) {
    if (!a || !b) return {};
    return {(a->x - b->x) / difference, (a->y - b->y) / difference};
  }

  CameraProjection middle_;
  std::vector<std::pair<CameraProjection, CameraProjection>> pairs_;
};

struct State {
  RawRig rig;
  BoardBend bend;
  std::vector<BoardPose> poses;
};

struct Normal {
  Dense rig;                       // n x n
  Dense rig_gradient;              // n
  std::vector<Dense> mixed, pose;  // a view: n x 6, 6 x 6
  std::vector<Dense> pose_gradient;
  double sum = 0;  // of squares
};

class Bundle {
 public:
  Bundle(const std::vector<Vector3>& board, const std::vector<BoardView>& views, const BundleOptions& options)
      : board_(board),
        views_(views),
        options_(options),
        num_camera_(NumCameraParameters(options)),
        num_rig_(NumRigParameters(options)),
        num_all_(num_rig_ + NumBend(options)) {}

  int num_parameters() const { return num_all_; }

  double SumOfSquares(const State& state) const {
    const CameraProjection left(state.rig.left), right(state.rig.right);
    double sum = 0;
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const BoardPose in_right = InRight(state.rig, state.poses[i]);
      sum += SumOfCorners(views_[i].left, left, state.poses[i], state.bend);
      if (options_.two_cameras) sum += SumOfCorners(views_[i].right, right, in_right, state.bend);
    }
    return sum;
  }

  Normal Equations(const State& state) const {
    const auto n = static_cast<std::size_t>(num_all_);
    Normal normal;
    normal.rig.assign(n * n, 0);
    normal.rig_gradient.assign(n, 0);
    normal.mixed.assign(views_.size(), Dense(n * kPose));
    normal.pose.assign(views_.size(), Dense(kPose * kPose));
    normal.pose_gradient.assign(views_.size(), Dense(kPose));
    const ChangedCameras left(state.rig.left, num_camera_);
    const ChangedCameras right(state.rig.right, options_.two_cameras ? num_camera_ : 0);
    for (std::size_t i = 0; i < views_.size(); ++i) {
      for (const SeenCorner& seen : views_[i].left)
        if (!seen.is_outlier) AddCorner(state, i, seen, left, false, normal);
      if (!options_.two_cameras) continue;
      for (const SeenCorner& seen : views_[i].right)
        if (!seen.is_outlier) AddCorner(state, i, seen, right, true, normal);
    }
    return normal;
  }

  // The state after one step with this damping; nullopt where the equations cannot be solved. reduced: what
  // is left of the rig's matrix without the poses, undamped.
  std::optional<State> Step(const State& state, const Normal& normal, double damping, Dense* reduced) const {
    const auto n = static_cast<std::size_t>(num_all_);
    Dense matrix = normal.rig, gradient = normal.rig_gradient;
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] *= 1 + damping;
    std::vector<Dense> solved(views_.size());  // pose^-1 [mixed^T, gradient]
    for (std::size_t v = 0; v < views_.size(); ++v) {
      Dense pose = normal.pose[v];
      for (std::size_t i = 0; i < kPose; ++i)
        pose[i * kPose + i] = pose[i * kPose + i] * (1 + damping) + 1e-12;
      Dense right(kPose * (n + 1));
      for (std::size_t i = 0; i < kPose; ++i) {
        for (std::size_t j = 0; j < n; ++j) right[i * (n + 1) + j] = normal.mixed[v][j * kPose + i];
        right[i * (n + 1) + n] = normal.pose_gradient[v][i];
      }
      if (!SolveCholesky(pose, right, kPose, static_cast<int>(n) + 1)) return std::nullopt;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < kPose; ++k) {
          const double mixed = normal.mixed[v][i * kPose + k];
          for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] -= mixed * right[k * (n + 1) + j];
          gradient[i] -= mixed * right[k * (n + 1) + n];
        }
      }
      solved[v] = std::move(right);
    }
    if (reduced != nullptr) *reduced = matrix;
    State next = state;
    Dense change(n);
    if (!options_.only_poses && n > 0) {
      // Scaled, for focal lengths and coefficients differ by orders of magnitude.
      Dense scaled = matrix;
      std::vector<double> scale(n);
      for (std::size_t i = 0; i < n; ++i) {
        if (!(matrix[i * n + i] > 0)) return std::nullopt;
        scale[i] = 1 / std::sqrt(matrix[i * n + i]);
      }
      for (std::size_t i = 0; i < n; ++i) {
        change[i] = -gradient[i] * scale[i];
        for (std::size_t j = 0; j < n; ++j) scaled[i * n + j] *= scale[i] * scale[j];
      }
      if (!SolveCholesky(scaled, change, num_all_, 1)) return std::nullopt;
      for (std::size_t i = 0; i < n; ++i) change[i] *= scale[i];
      for (int p = 0; p < num_rig_; ++p)
        next.rig = Changed(next.rig, options_, p, change[static_cast<std::size_t>(p)]);
      if (options_.fit_bend) {
        const double* bend = &change[static_cast<std::size_t>(num_rig_)];
        next.bend = next.bend + Vector3{bend[0], bend[1], bend[2]};
      }
    }
    for (std::size_t v = 0; v < views_.size(); ++v) {
      std::array<double, kPose> step{};
      for (std::size_t i = 0; i < kPose; ++i) {
        step[i] = -solved[v][i * (n + 1) + n];
        for (std::size_t j = 0; j < n; ++j) step[i] -= solved[v][i * (n + 1) + j] * change[j];
      }
      BoardPose& pose = next.poses[v];
      pose.camera_from_board = RotationOf({step[0], step[1], step[2]}) * pose.camera_from_board;
      pose.translation_m = pose.translation_m + Vector3{step[3], step[4], step[5]};
    }
    if (!(next.rig.left.fx_px > 1 && next.rig.left.fy_px > 1 && next.rig.right.fx_px > 1 &&
          next.rig.right.fy_px > 1))
      return std::nullopt;
    return next;
  }

 private:
  double SumOfCorners(const std::vector<SeenCorner>& corners, const CameraProjection& camera,
                      const BoardPose& pose, const BoardBend& bend) const {
    double sum = 0;
    for (const SeenCorner& seen : corners) {
      if (seen.is_outlier) continue;
      const auto pixel = camera.Project(pose(board_(seen.corner, bend)));
      const double dx = pixel ? pixel->x - seen.pixel.x : kLost_px,
                   dy = pixel ? pixel->y - seen.pixel.y : kLost_px;
      sum += dx * dx + dy * dy;
    }
    return sum;
  }

  // Adds the squares of one corner's derivatives and their products with its residual.
  void AddCorner(const State& state, std::size_t view, const SeenCorner& seen, const ChangedCameras& cameras,
                 bool is_right, Normal& normal) const {
    const Vector3 on_board = board_(seen.corner, state.bend);
    const BoardPose& pose = state.poses[view];
    const auto in_camera = [&](const BoardPose& p, const Vector3& q) {
      const Vector3 in_left = p(q);
      return is_right ? state.rig.right_from_left * in_left + state.rig.translation_m : in_left;
    };
    const Vector3 point = in_camera(pose, on_board);
    const auto pixel = cameras.middle().Project(point);
    if (!pixel) {
      normal.sum += 2 * kLost_px * kLost_px;
      return;
    }
    const Vector2 residual{pixel->x - seen.pixel.x, pixel->y - seen.pixel.y};
    normal.sum += residual.x * residual.x + residual.y * residual.y;
    // Which of the rig's numbers this corner depends on, with its derivatives.
    std::array<std::pair<int, Vector2>, 2 * 12 + kPose + 3> slopes;
    std::size_t count = 0;
    const int first = is_right ? num_camera_ : 0;
    for (int p = 0; p < num_camera_; ++p) slopes[count++] = {first + p, cameras.Derivative(point, p)};
    if (is_right) {
      const Vector3 turned = point - state.rig.translation_m;
      for (int p = 0; p < kPose; ++p) {
        const double step = StepOfPose(p, board_.size_m());
        const auto moved = [&](double s) {
          return p < 3 ? RotationOf(UnitOf(p, s)) * turned + state.rig.translation_m
                       : point + UnitOf(p - 3, s);
        };
        slopes[count++] = {2 * num_camera_ + p, cameras.Derivative(moved(step), moved(-step), 2 * step)};
      }
    }
    if (options_.fit_bend) {
      for (int p = 0; p < 3; ++p) {
        const double step = 1e-6 * board_.size_m();
        const Vector3 more = in_camera(pose, board_(seen.corner, state.bend + UnitOf(p, step)));
        const Vector3 less = in_camera(pose, board_(seen.corner, state.bend - UnitOf(p, step)));
        slopes[count++] = {num_rig_ + p, cameras.Derivative(more, less, 2 * step)};
      }
    }
    std::array<Vector2, kPose> pose_slopes;
    for (int p = 0; p < kPose; ++p) {
      const double step = StepOfPose(p, board_.size_m());
      pose_slopes[static_cast<std::size_t>(p)] =
          cameras.Derivative(in_camera(ChangedPose(pose, p, step), on_board),
                             in_camera(ChangedPose(pose, p, -step), on_board), 2 * step);
    }
    const auto n = static_cast<std::size_t>(num_all_);
    const auto dot = [](const Vector2& a, const Vector2& b) { return a.x * b.x + a.y * b.y; };
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<std::size_t>(slopes[i].first);
      for (std::size_t j = 0; j < count; ++j)
        normal.rig[row * n + static_cast<std::size_t>(slopes[j].first)] +=
            dot(slopes[i].second, slopes[j].second);
      normal.rig_gradient[row] += dot(slopes[i].second, residual);
      for (std::size_t k = 0; k < kPose; ++k)
        normal.mixed[view][row * kPose + k] += dot(slopes[i].second, pose_slopes[k]);
    }
    for (std::size_t k = 0; k < kPose; ++k) {
      for (std::size_t l = 0; l < kPose; ++l)
        normal.pose[view][k * kPose + l] += dot(pose_slopes[k], pose_slopes[l]);
      normal.pose_gradient[view][k] += dot(pose_slopes[k], residual);
    }
  }

  const Board board_;
  const std::vector<BoardView>& views_;
  const BundleOptions options_;
  const int num_camera_, num_rig_, num_all_;
};

State Minimize(const Bundle& bundle, State state, int max_iterations) {
  double sum = bundle.SumOfSquares(state), damping = 1e-3;
  for (int i = 0; i < max_iterations; ++i) {
    const Normal normal = bundle.Equations(state);
    bool improved = false;
    double gain = 0;
    while (!improved && damping < 1e10) {
      const std::optional<State> next = bundle.Step(state, normal, damping, nullptr);
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

// The board's corners with its bend.
std::vector<Vector3> Shaped(const std::vector<Vector3>& board, const BoardBend& bend) {
  const Board bent(board);
  std::vector<Vector3> shaped;
  for (std::size_t i = 0; i < board.size(); ++i) shaped.push_back(bent(static_cast<int>(i), bend));
  return shaped;
}

// Marks the corners that are too far away; returns how many changed.
int MarkOutliers(const std::vector<Vector3>& board, const State& state, const BundleOptions& options,
                 std::vector<BoardView>& views) {
  std::vector<double> sizes;
  const auto for_lists = [&](const auto& body) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      body(views[i].left, state.rig.left, state.poses[i]);
      if (options.two_cameras) body(views[i].right, state.rig.right, InRight(state.rig, state.poses[i]));
    }
  };
  for_lists([&](std::vector<SeenCorner>& corners, const CameraModel& camera, const BoardPose& pose) {
    for (const Vector2& r : ResidualsOf(board, corners, camera, pose)) {
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
  for_lists([&](std::vector<SeenCorner>& corners, const CameraModel&, const BoardPose&) {
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
  const CameraProjection projection(camera);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vector2> residuals;
  residuals.reserve(corners.size());
  for (const SeenCorner& seen : corners) {
    const auto pixel = projection.Project(pose(board[static_cast<std::size_t>(seen.corner)]));
    residuals.push_back(pixel ? Vector2{pixel->x - seen.pixel.x, pixel->y - seen.pixel.y}
                              : Vector2{kNan, kNan});
  }
  return residuals;
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
    state = Minimize(bundle, std::move(state), options.max_iterations);
    if (MarkOutliers(Shaped(board, state.bend), state, options, views) == 0) break;
  }
  const Bundle bundle(board, views, options);
  state = Minimize(bundle, std::move(state), options.max_iterations);

  const std::vector<Vector3> shaped = Shaped(board, state.bend);
  BundleResult result;
  result.rig = state.rig;
  result.bend_m = state.bend;
  result.num_parameters = bundle.num_parameters();
  double sums[2] = {0, 0};
  int counts[2] = {0, 0};
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i].pose = state.poses[i];
    for (const int side : {0, 1}) {
      if (side == 1 && !options.two_cameras) continue;
      const auto& corners = side == 0 ? views[i].left : views[i].right;
      const std::vector<Vector2> residuals =
          ResidualsOf(shaped, corners, side == 0 ? state.rig.left : state.rig.right,
                      side == 0 ? state.poses[i] : InRight(state.rig, state.poses[i]));
      for (std::size_t k = 0; k < corners.size(); ++k) {
        if (corners[k].is_outlier) {
          ++result.num_outliers;
          continue;
        }
        sums[side] += residuals[k].x * residuals[k].x + residuals[k].y * residuals[k].y;
        ++counts[side];
      }
    }
  }
  const int used = counts[0] + counts[1];
  result.num_corners = used + result.num_outliers;
  result.rms_left_px = counts[0] > 0 ? std::sqrt(sums[0] / counts[0]) : 0;
  result.rms_right_px = counts[1] > 0 ? std::sqrt(sums[1] / counts[1]) : 0;
  result.rms_px = used > 0 ? std::sqrt((sums[0] + sums[1]) / used) : 0;
  const double freedom = 2.0 * used - static_cast<double>(num_unknown);
  result.noise_px = freedom > 0 ? std::sqrt((sums[0] + sums[1]) / freedom) : 0;
  Dense reduced;
  bundle.Step(state, bundle.Equations(state), 0, &reduced);
  if (!reduced.empty()) result.covariance = Inverse(std::move(reduced), result.num_parameters);
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
