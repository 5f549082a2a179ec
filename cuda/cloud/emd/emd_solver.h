// The earth mover's distance on the device: prepares pairs, runs the auction of emd_kernel.h, returns the
// matches.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cuda/cloud/emd/emd_kernel.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "pipeline/cloud/emd/emd.h"
#include "pipeline/threads/parallel.h"

namespace parallax::cuda {

// The launch's shape. 0 = chosen by the size and number of pairs.
struct EmdLaunch {
  int blocks_per_pair = 0;
  int block_threads = 0;
  std::optional<EmdKernelOptions> kernel;  // none: chosen by size; gap and limits come from EmdOptions
};

// Runs on the current device; buffers are kept for the next call.
class EmdSolver {
 public:
  // Throws InvalidArgument for what CheckEmdInput refuses.
  std::vector<EmdResult> Solve(std::span<const EmdPair> pairs, const EmdOptions& options,
                               const EmdLaunch& launch = {});
  // Results of the last call: outcomes, and the time of the auctions on the device, ms.
  const std::vector<EmdOutcome>& outcomes() const { return outcomes_; }
  float device_ms() const { return device_ms_; }

 private:
  std::vector<EmdResult> SolveTogether(std::span<const EmdPair> pairs, const EmdOptions& options,
                                       const EmdLaunch& launch);

  ThreadPool pool_;  // before and after the work on the device
  Stream stream_;
  DeviceBuffer<std::byte> memory_;
  PinnedBuffer<std::byte> sent_, answers_;
  std::vector<EmdOutcome> outcomes_;
  float device_ms_ = 0;
};

}  // namespace parallax::cuda
