#include "calibrate/row_model.h"

namespace parallax {

RobustFit FitRows(const std::vector<PointMatch>& matches, const StereoRig& rig,
                  const std::vector<Vector2>& flows) {
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
  if (!flows.empty()) prior[4] = 1;
  return FitRobustly(a, b, prior);
}

}  // namespace parallax
