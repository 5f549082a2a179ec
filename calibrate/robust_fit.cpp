#include "calibrate/robust_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "calibrate/statistics.h"

namespace parallax {

RobustFit FitRobustly(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                      const Eigen::VectorXd& prior_sigma) {
  constexpr int kRounds = 20;
  constexpr double kLeastNoise = 1e-9, kTukey = 4.685;
  RobustFit fit;
  fit.x = Eigen::VectorXd::Zero(a.cols());
  for (int round = 0; round <= kRounds; ++round) {
    fit.residuals = b - a * fit.x;
    std::vector<double> sizes(static_cast<std::size_t>(fit.residuals.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = std::abs(fit.residuals[static_cast<Eigen::Index>(i)]);
    fit.noise = std::max(kLeastNoise, 1.4826 * Median(std::move(sizes)));
    const Eigen::ArrayXd t = (fit.residuals.array() / (kTukey * fit.noise)).square().min(1);
    const Eigen::VectorXd weights = (1 - t).square();
    const Eigen::VectorXd prior = (fit.noise / prior_sigma.array()).square();
    Eigen::MatrixXd normal = a.transpose() * weights.asDiagonal() * a;
    normal.diagonal() += prior;
    const Eigen::LDLT<Eigen::MatrixXd> solver(normal);
    if (round < kRounds) {
      fit.x = solver.solve(a.transpose() * weights.asDiagonal() * b);
    } else {
      const Eigen::MatrixXd inverse = solver.solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
      fit.sigma = fit.noise * inverse.diagonal().array().max(0).sqrt();
    }
  }
  return fit;
}

}  // namespace parallax
