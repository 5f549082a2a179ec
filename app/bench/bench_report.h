// What `parallax bench` measured, as a table and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/output/ordered_json.h"
#include "config/device_benchmark.h"

namespace parallax::app {

struct BenchRow {
  std::string backend;  // "cpu", ..., "opencv:hh"
  int width = 0, height = 0;
  int disparities = 0;
  int paths = 0;  // of the aggregation of SGM; 0: another method
  // "frame": from census to filled disparity; on a GPU with the images already there, in one CUDA graph. A
  // GPU also has frame_host (the caller's images in, the caller's map out) and throughput, throughput_pinned,
  // throughput_host: the time per frame with several in flight, with images on the device, in page-locked
  // memory, or in the caller's memory. throughput_1_gpu, throughput_2_gpus, ...: throughput_host over so many
  // devices.
  std::string stage;
  std::vector<double> samples_ms;  // one for each run
  double memory_mb = 0;            // of the matcher; 0 = unknown
  StageWork work;                  // of a stage on a GPU, with its lower bound
  StageFloor floor;                // ms 0: unknown
};

// The q-quantile (0 .. 1) of the samples: the nearest sample.
double Quantile(std::vector<double> samples, double q);

// A line for each row. Frames of back ends also state their speed relative to OpenCV's modes measured at the
// same size.
std::string BenchTable(const std::vector<BenchRow>& rows);

OrderedJson BenchMachine(int num_threads);

// JSON text: {"rows": [...], "machine": {...}, "frames": [...]}.
std::string BenchJson(const std::vector<BenchRow>& rows, const std::vector<std::string>& frames,
                      int num_threads);

}  // namespace parallax::app
