// Linear least squares that outliers do not move.
#pragma once

#include <Eigen/Core>

namespace parallax {

struct RobustFit {
  Eigen::VectorXd x, sigma;   // the unknowns, and one standard deviation of each
  Eigen::VectorXd residuals;  // b - a x
  double noise = 0;           // 1.4826 times the median size of a residual
};

// a x = b with Tukey's weights. prior_sigma: how far each unknown is expected from 0; it keeps unknowns small that the
// equations do not determine.
RobustFit FitRobustly(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, const Eigen::VectorXd& prior_sigma);

}  // namespace parallax
