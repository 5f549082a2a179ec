#include "app/options/logging.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <mutex>
#include <utility>

#include "app/output/output_files.h"
#include "parallax/error.h"
#include "pipeline/types/frame.h"

namespace parallax::app {
namespace {

// Made with the first sink; null while nobody listens.
std::shared_ptr<spdlog::logger>& TheLogger() {
  static std::shared_ptr<spdlog::logger> logger;
  return logger;
}

void AddSink(const std::shared_ptr<spdlog::sinks::sink>& sink) {
  sink->set_pattern("%Y-%m-%d %H:%M:%S.%e  %v");
  std::shared_ptr<spdlog::logger>& logger = TheLogger();
  if (!logger) logger = std::make_shared<spdlog::logger>("parallax");
  logger->sinks().push_back(sink);
  logger->flush_on(spdlog::level::info);  // a run that is killed leaves what it has said
}

// The file of --log-file; empty without that option.
std::string& TheFile() {
  static std::string file;
  return file;
}

std::string CalibrationText(const StereoFrame& frame) {
  if (!frame.rig) {
    if (frame.rig_note.starts_with("no calibration")) return frame.rig_note;
    return "no calibration" + (frame.rig_note.empty() ? "" : ": " + frame.rig_note);
  }
  const StereoRig& rig = *frame.rig;
  return fmt::format("calibration: fx {:g} px, cx {:g}, cy {:g}, baseline {:g} m, doffs {:g} px", rig.fx_px,
                     rig.cx_px, rig.cy_px, rig.baseline_m, rig.doffs_px);
}

}  // namespace

void AddLogOptions(CLI::App& command) {
  command.add_flag_callback(
      "--verbose", [] { AddSink(std::make_shared<spdlog::sinks::stderr_sink_mt>()); },
      "Print the source, parameters, back end and calibration in use, and lost frames, to stderr");
  command.add_option("--log-file", TheFile(), "Write the output of --verbose to a file")->type_name("FILE");
}

void OpenLogFile(std::vector<std::string> read) {
  const std::string file = std::exchange(TheFile(), "");
  if (file.empty()) return;
  CheckFilesApart(read, {file});
  try {
    AddSink(std::make_shared<spdlog::sinks::basic_file_sink_mt>(file, true));
  } catch (const spdlog::spdlog_ex&) {
    throw Error(file + ": cannot be written: choose another --log-file");
  }
}

std::string LogFile() { return TheFile(); }

void StopLogging() {
  TheLogger() = nullptr;
  TheFile().clear();
}

bool IsLogging() { return TheLogger() != nullptr; }

void Log(const std::string& line) {
  if (IsLogging()) TheLogger()->info(line);
}

void LogDropped(std::size_t num_frames) {
  if (num_frames > 0) Log(fmt::format("{} frames came too fast and were dropped", num_frames));
}

void LogCalibration(const StereoFrame& frame) {
  if (!IsLogging()) return;
  static std::mutex mutex;
  static std::string last;
  const std::string text = CalibrationText(frame);
  const std::scoped_lock lock(mutex);
  if (text == last) return;
  last = text;
  Log(frame.name + ": " + text);
}

}  // namespace parallax::app
