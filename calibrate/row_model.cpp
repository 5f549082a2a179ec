#include "calibrate/row_model.h"

namespace parallax {

namespace {

RobustFit Fit(const std::vector<PointMatch>& matches, const StereoRig& rig, const std::vector<Vector2>& flows,
              TurnParts parts) {
  Eigen::MatrixXd a(std::ssize(matches), flows.empty() ? 4 : 5);
  Eigen::VectorXd b(a.rows()), prior(a.cols());
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    const PointMatch& match = matches[static_cast<std::size_t>(i)];
    const double x = (match.left.x - rig.cx_px) / rig.fx_px, y = (match.left.y - rig.cy_px) / rig.fx_px;
    a.block(i, 0, 1, 4) << -(1 + y * y), x * y, x, y;
    if (!flows.empty()) a(i, 4) = flows[static_cast<std::size_t>(i)].y / rig.fx_px;
    b[i] = (match.right.y - match.left.y) / rig.fx_px;
  }
  prior.setConstant(0.1);
  if (parts == TurnParts::kRows) prior[1] = prior[3] = 1e-9;
  if (!flows.empty()) prior[4] = 1;
  return FitRobustly(a, b, prior);
}

}  // namespace

RobustFit FitRows(const std::vector<PointMatch>& matches, const StereoRig& rig,
                  const std::vector<Vector2>& flows) {
  return Fit(matches, rig, flows, TurnParts::kAll);
}

RobustFit FitTurn(const std::vector<PointMatch>& matches, const StereoRig& rig, TurnParts parts) {
  constexpr int kRounds = 3;
  Matrix3 turn;
  double magnification = 1;
  RobustFit fit;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<PointMatch> turned_back;
    for (const PointMatch& match : matches) {
      const double cx = rig.cx_px + rig.doffs_px;
      const Vector3 seen{(match.right.x - cx) / rig.fx_px / magnification,
                         (match.right.y - rig.cy_px) / rig.fx_px / magnification, 1};
      const Vector3 p = Transposed(turn) * seen;
      const Vector2 right{rig.cx_px + rig.fx_px * p.x / p.z, rig.cy_px + rig.fx_px * p.y / p.z};
      // The left point stands for the place that the turn moves the right point away from.
      turned_back.push_back({{right.x, match.left.y}, right});
    }
    fit = Fit(turned_back, rig, {}, parts);
    turn = turn * RotationOf({fit.x[0], fit.x[1], fit.x[2]});
    magnification *= 1 + fit.x[3];
  }
  const Vector3 all = RotationVectorOf(turn);
  fit.x << all.x, all.y, all.z, magnification - 1;
  return fit;
}

}  // namespace parallax
