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
  int paths = 0;  // that the costs of SGM follow; 0: another method
  // "frame": the whole, census to filled disparity; on a GPU with the images there, in one CUDA graph. There
  // also frame_host: the caller's images in, his map out; throughput, throughput_pinned, throughput_host: the
  // time a frame takes of a sequence with several in flight, images on the device, in page-locked memory, or
  // the caller's. throughput_1_gpu, throughput_2_gpus, ...: the caller's, over so many devices.
  std::string stage;
  std::vector<double> samples_ms;  // one a run
  double memory_mb = 0;            // of the matcher; 0 = not told
  StageWork work;                  // of a stage on a GPU, with the time that it needs at least
  StageFloor floor;                // ms 0: not told
};

// Value below which the share q (0 .. 1) of the samples lies, the nearest sample.
double Quantile(std::vector<double> samples, double q);

// A line for each row; frames of back ends also say how many times as fast as OpenCV's modes they are, where
// those were measured at the same size.
std::string BenchTable(const std::vector<BenchRow>& rows);

OrderedJson BenchMachine(int num_threads);

// {"rows": [...], "machine": {...}, "frames": [...]}.
std::string BenchJson(const std::vector<BenchRow>& rows, const std::vector<std::string>& frames,
                      int num_threads);

}  // namespace parallax::app
