// parallax rig: calibrations shown and converted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/calibrate/rig_text.h"
#include "app/commands.h"
#include "app/options/named_rig.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

struct ShowOptions {
  RigOptions rig;
};
struct ConvertOptions {
  std::string input, output, format = "parallax";
  bool overwrite = false;
};

void RunConvert(const ConvertOptions& options) {
  const Calibration calibration = ReadCalibration(options.input);
  std::vector<std::string> written;
  for (const auto& file : CalibrationFiles(options.format, options.output)) written.push_back(file.string());
  CheckFilesApart(calibration.files, written);
  for (const std::string& file : written) {
    if (!options.overwrite && std::filesystem::exists(file))
      throw InvalidArgument(file + " already exists: name another file, or use --overwrite");
  }
  WriteCalibration(calibration, options.format, options.output);
  fmt::print("wrote {}\n", Printable(fmt::format("{}", fmt::join(written, " and "))));
}

void AddRigShowCommand(CLI::App& rig) {
  CLI::App* command = rig.add_subcommand("show", "Print a calibration: cameras, pose, rectified pair");
  const auto options = std::make_shared<ShowOptions>();
  command->add_option("rig", options->rig.rig, "A calibration as --rig takes it; two files as LEFT,RIGHT")
      ->type_name("FILE")
      ->required();
  AddRectificationOptions(*command, options->rig);
  command
      ->add_option("--nearest", options->rig.nearest_m,
                   "Nearest distance to measure, m; print how many disparities it needs")
      ->type_name("METRES")
      ->check(CLI::Range(1e-3, 1e4));
  command->callback([options] {
    fmt::print("{}",
               RigText(ParseRig(options->rig.rig), options->rig.Rectification(), options->rig.nearest_m));
  });
}

void AddRigConvertCommand(CLI::App& rig) {
  CLI::App* command = rig.add_subcommand("convert", "Write a calibration in another format");
  const auto options = std::make_shared<ConvertOptions>();
  command->add_option("input", options->input, "A calibration as --rig takes it")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("output", options->output,
                   "The file to write; ros and mrcal write two, NAME_left and NAME_right")
      ->type_name("FILE")
      ->required();
  command->add_option("--to", options->format, std::string(kWritableFormats))
      ->check(CLI::IsMember({"parallax", "opencv", "kalibr", "ros", "mrcal"}))
      ->capture_default_str();
  command->add_flag("--overwrite", options->overwrite, "Replace an existing file");
  command->callback([options] { RunConvert(*options); });
}

}  // namespace

void AddRigCommand(CLI::App& app) {
  CLI::App* rig = app.add_subcommand("rig", "Show and convert calibrations");
  rig->require_subcommand(1);
  AddRigShowCommand(*rig);
  AddRigConvertCommand(*rig);
  rig->footer(
      "examples:\n"
      "  parallax rig show rig.yaml --nearest 0.4\n"
      "  parallax rig show mav0/cam0/sensor.yaml,mav0/cam1/sensor.yaml\n"
      "  parallax rig convert camchain.yaml rig.yaml\n"
      "  parallax rig convert rig.yaml camera.yaml --to ros");
}

}  // namespace parallax::app
