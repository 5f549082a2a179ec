#include "app/report/peers.h"

#include <iterator>

namespace parallax::app {
namespace {

constexpr std::string_view kMeasured =
    "measured for this project with the method's own program, November 2026";
constexpr std::string_view kTuned = "measured for this project, parameters tuned, November 2026";
constexpr std::string_view kAll194 = "all 194 training frames, holes filled";
constexpr std::string_view kNine = "9 training frames (0, 3, 26, 30, 43, 61, 133, 147, 173), holes filled";
constexpr std::string_view kQuarter15 = "15 training scenes at quarter size, every pixel";

// Sorted by metric, then by value.
constexpr Peer kPeers[] = {
    {Metric::kKitti2012, "out3_all_noc", "SPS-St (Yamaguchi et al., ECCV 2014)", 3.36, 9, kNine, kMeasured},
    {Metric::kKitti2012, "out3_all_noc", "SPS-St (Yamaguchi et al., ECCV 2014)", 3.98, 194, kAll194,
     kMeasured},
    {Metric::kKitti2012, "out3_all_noc", "OpenCV 4.6 StereoSGBM, MODE_HH4", 5.64, 9, kNine, kTuned},
    {Metric::kKitti2012, "out3_all_noc", "rSGM (Spangenberg et al., 2014)", 5.73, 9, kNine, kMeasured},
    {Metric::kKitti2012, "out3_all_noc", "OpenCV 4.6 StereoSGBM, MODE_HH4", 5.77, 194, kAll194, kTuned},
    {Metric::kKitti2012, "out3_all_noc", "OpenCV 4.6 StereoSGBM, MODE_SGBM_3WAY", 6.03, 9, kNine, kTuned},
    {Metric::kKitti2012, "out3_all_noc", "libSGM", 6.08, 194, kAll194, kTuned},
    {Metric::kKitti2012, "out3_all_noc", "rSGM (Spangenberg et al., 2014)", 6.28, 194, kAll194, kMeasured},
    {Metric::kKitti2012, "out3_all_noc", "OpenCV 4.6 StereoSGBM, MODE_SGBM_3WAY", 6.29, 194, kAll194, kTuned},
    {Metric::kKitti2012, "out3_all_noc", "ELAS (Geiger et al., ACCV 2010)", 8.91, 194, kAll194, kMeasured},
    {Metric::kKitti2012, "out3_all_noc", "ELAS (Geiger et al., ACCV 2010)", 9.08, 9, kNine, kMeasured},
    {Metric::kMiddlebury, "totbad1_nonocc", "the best of OpenCV, libSGM and rSGM", 16.29, 15, kQuarter15,
     kTuned},
    {Metric::kEth3d, "bad1_nonocc", "the best of OpenCV, libSGM and rSGM", 3.9, 2,
     "playground_1l and terrace_2s of the training pairs", kTuned},
};

// In the order of Metric.
constexpr MainFigure kMainFigures[] = {{"out3_all_noc", "out3_all"},
                                       {"d1_all_noc", "d1_all"},
                                       {"totbad1_nonocc", "totbad1_all"},
                                       {"bad1_nonocc", "bad1_all"}};
static_assert(std::size(kMainFigures) == std::size(kMetricNames));

}  // namespace

std::vector<Peer> PeersOf(Metric metric, std::size_t num_frames) {
  std::vector<Peer> peers, same_number;
  for (const Peer& peer : kPeers) {
    if (peer.metric != metric) continue;
    peers.push_back(peer);
    if (peer.num_frames == num_frames) same_number.push_back(peer);
  }
  return same_number.empty() ? peers : same_number;
}

MainFigure MainFigureOf(Metric metric) { return kMainFigures[static_cast<std::size_t>(metric)]; }

}  // namespace parallax::app
