// parallax cloud: measures of point clouds in files.
#include <CLI/CLI.hpp>

#include "app/cloud/cloud_commands.h"
#include "app/commands.h"

namespace parallax::app {

void AddCloudCommand(CLI::App& app) {
  CLI::App* cloud = app.add_subcommand(
      "cloud",
      "Measure and clean PLY and PCD clouds: density, cleaning, comparison, EMD, distances, geodesics");
  cloud->require_subcommand(1);
  AddCloudDensityCommand(*cloud);
  AddCloudCleanCommand(*cloud);
  AddCloudCompareCommand(*cloud);
  AddCloudEmdCommand(*cloud);
  AddCloudDistancesCommand(*cloud);
  AddCloudGeodesicCommand(*cloud);
  cloud->footer(
      "examples:\n"
      "  parallax cloud density cloud.ply --picture density.png\n"
      "  parallax cloud clean cloud.ply clean.ply --statistical 16,2\n"
      "  parallax cloud compare estimate.ply truth.ply --thresholds 0.05,0.1 --picture error.png\n"
      "  parallax cloud emd a.ply b.ply --points 4096\n"
      "  parallax cloud distances a.ply b.ply --histogram 20,5\n"
      "  parallax cloud geodesic cloud.ply --from 0 --to 1.5,0.2,8 --output distance.ply --path path.ply");
}

}  // namespace parallax::app
