// parallax_cuda_cloud_bench: times of the cloud measures on a CUDA device (docs/clouds.md). Self-contained,
// so that it can be carried to a GPU machine.
//
//   parallax_cuda_cloud_bench [--job NAME[:VARIANT]]... [--repeat N] [--json FILE]
// Jobs: neighbours, distances, emd, geodesics; all of them without --job.
#include "tools/bench/cloud_cuda_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "cuda/device/check.h"
#include "cuda/device/device.h"
#include "parallax/error.h"

namespace parallax::bench {

Spread SpreadOf(std::vector<float> times_ms) {
  std::sort(times_ms.begin(), times_ms.end());
  const auto at = [&](std::size_t percent) {
    return static_cast<double>(times_ms[(times_ms.size() - 1) * percent / 100]);
  };
  return {at(50), at(10), at(90)};
}

Spread CloudBench::Time(const std::function<void()>& work, int times, int warm_up) {
  if (times == 0) times = repeat_;
  for (int i = 0; i < warm_up; ++i) work();
  std::vector<cuda::Event> events;
  for (int i = 0; i < 2 * times; ++i) events.emplace_back(true);
  for (int i = 0; i < times; ++i) {
    events[static_cast<std::size_t>(2 * i)].Record(stream_.get());
    work();
    events[static_cast<std::size_t>(2 * i + 1)].Record(stream_.get());
  }
  cuda::Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  std::vector<float> times_ms(static_cast<std::size_t>(times));
  for (std::size_t i = 0; i < times_ms.size(); ++i) {
    cuda::Check(cudaEventElapsedTime(&times_ms[i], events[2 * i].get(), events[2 * i + 1].get()),
                "cudaEventElapsedTime");
  }
  return SpreadOf(std::move(times_ms));
}

Spread CloudBench::TimeHost(const std::function<void()>& work, int times, int warm_up) {
  if (times == 0) times = repeat_;
  for (int i = 0; i < warm_up; ++i) work();
  std::vector<float> times_ms;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times_ms.push_back(
        std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return SpreadOf(std::move(times_ms));
}

void CloudBench::Add(const std::string& job, const std::string& what, const Spread& s, double floor_ms,
                     const std::string& note) {
  std::printf("%-11s %-46s %10.4f  [%.4f, %.4f] ms", job.c_str(), what.c_str(), s.median_ms, s.p10_ms,
              s.p90_ms);
  if (floor_ms > 0) std::printf("  floor %.4f", floor_ms);
  std::printf("%s%s\n", note.empty() ? "" : "  ", note.c_str());
  std::fflush(stdout);
  char row[1024];
  std::snprintf(
      row, sizeof(row),
      "{\"job\": \"%s\", \"case\": \"%s\", \"median_ms\": %.5f, \"p10_ms\": %.5f, \"p90_ms\": %.5f, "
      "\"floor_ms\": %.5f, \"note\": \"%s\"}",
      job.c_str(), what.c_str(), s.median_ms, s.p10_ms, s.p90_ms, floor_ms, note.c_str());
  json_rows_.push_back(row);
}

void CloudBench::WriteJson(const std::string& path) const {
  std::ofstream file(path);
  file << "[\n";
  for (std::size_t i = 0; i < json_rows_.size(); ++i)
    file << "  " << json_rows_[i] << (i + 1 < json_rows_.size() ? ",\n" : "\n");
  file << "]\n";
  if (!file.flush()) throw Error(path + ": cannot be written");
}

namespace {

struct Job {
  const char* name;
  void (*run)(CloudBench&, const std::string&);
};
constexpr Job kJobs[] = {{"neighbours", BenchNeighbours},
                         {"distances", BenchDistances},
                         {"emd", BenchEmd},
                         {"geodesics", BenchGeodesics}};

void RunJob(CloudBench& bench, const std::string& wanted) {
  const std::string name = wanted.substr(0, wanted.find(':'));
  const std::string variant = name.size() < wanted.size() ? wanted.substr(name.size() + 1) : "";
  for (const Job& job : kJobs) {
    if (name == job.name) return job.run(bench, variant);
  }
  throw InvalidArgument("--job " + wanted + ": there are neighbours, distances, emd and geodesics");
}

int Run(int argc, char** argv) {
  std::vector<std::string> jobs;
  std::string json;
  int repeat = 200;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (i + 1 == argc) throw InvalidArgument(option + ": needs a value, or is not known");
    const char* value = argv[++i];
    if (option == "--job") {
      jobs.push_back(value);
    } else if (option == "--json") {
      json = value;
    } else if (option == "--repeat") {
      repeat = std::max(1, std::atoi(value));
    } else {
      throw InvalidArgument(option + ": there are --job, --json and --repeat");
    }
  }
  SelectCudaDevice(0);
  std::printf("%s, medians of %d [p10, p90], device-resident unless said otherwise\n",
              ListCudaDevices()[0].name.c_str(), repeat);
  CloudBench bench(repeat);
  if (jobs.empty()) jobs = {"neighbours", "distances", "emd", "geodesics"};
  for (const std::string& job : jobs) RunJob(bench, job);
  if (!json.empty()) bench.WriteJson(json);
  return 0;
}

}  // namespace
}  // namespace parallax::bench

int main(int argc, char** argv) {
  try {
    return parallax::bench::Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parallax_cuda_cloud_bench: %s\n", error.what());
    return 1;
  }
}
