// parallax info: what this program is, can and knows.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/build_info.h"
#include "app/commands.h"
#include "app/output/ordered_json.h"
#include "app/session/processor_name.h"
#include "config/backends.h"
#include "config/parameter_table.h"
#include "config/presets.h"
#include "datasets/live/v4l2_camera.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

struct InfoOptions {
  bool json = false, parameters = false;
  std::string preset;
};

// Instruction sets of this processor that matter here, the widest first.
std::vector<std::string> InstructionSets() {
  std::vector<std::string> sets;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    sets.emplace_back("AVX-512");
  }
  if (__builtin_cpu_supports("avx2")) sets.emplace_back("AVX2");
  if (__builtin_cpu_supports("sse4.1")) sets.emplace_back("SSE4.1");
  if (__builtin_cpu_supports("ssse3")) sets.emplace_back("SSSE3");
#elif defined(__aarch64__)
  sets.emplace_back("NEON");
#endif
  return sets;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

// The purpose of a preset: the first sentence of the comment at the top of its file, without the full stop.
std::string FirstSentence(std::string_view yaml) {
  std::string comment;
  while (yaml.starts_with("# ")) {
    const std::size_t end = std::min(yaml.find('\n'), yaml.size());
    comment += (comment.empty() ? "" : " ") + std::string(yaml.substr(2, end - 2));
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
  }
  for (std::size_t end = comment.find('.'); end != std::string::npos; end = comment.find('.', end + 1)) {
    const bool ends_comment = end + 1 == comment.size();
    const bool ends_sentence = end + 2 < comment.size() && comment[end + 1] == ' ' &&
                               (comment[end + 2] < '0' || comment[end + 2] > '9');  // not "et al. 2011"
    if (ends_comment || ends_sentence) return comment.substr(0, end);
  }
  return comment;
}

std::string Text() {
  const BuildInfo& build = ThisBuild();
  std::string text = "parallax " + std::string(build.version) + '\n';
  const auto line = [&](std::string_view name, const std::string& value) {
    text +=
        "  " + std::string(name) + std::string(name.size() < 18 ? 18 - name.size() : 1, ' ') + value + '\n';
  };
  text += "build\n";
  line("compiler", std::string(build.compiler));
  line("flags", std::string(build.build_type) + ": " + std::string(build.flags));
  line("CUDA compiler", build.cuda_compiler.empty() ? "none: built without the cuda back end"
                                                    : std::string(build.cuda_compiler) + ", architectures " +
                                                          std::string(build.cuda_architectures));
  line("viewer", build.viewer ? "built" : "not built (PARALLAX_VIEWER, Open3D)");
  line("videos", build.video ? "built" : "not built (PARALLAX_VIDEO=OFF)");
  line("GStreamer (gst:)", build.gstreamer ? "built" : "not built (PARALLAX_GSTREAMER, GStreamer)");
  line("ROS 2 (ros2:)", build.dds ? "built" : "not built (PARALLAX_DDS, Fast DDS)");
  for (const LibraryVersion& library : build.libraries) line(library.name, std::string(library.version));
  text += "back ends\n";
  for (const BackendState& backend : Backends()) {
    line(backend.name, std::string(backend.usable ? "" : "not usable: ") + backend.note);
  }
  line("auto means", std::string(ResolveBackend("auto")));
  text += "this machine\n";
  line("processor", ProcessorName());
  line("cores", std::to_string(std::thread::hardware_concurrency()));
  line("instruction sets", Joined(InstructionSets()));
  const std::string cameras = ListV4l2Cameras();
  line("cameras", cameras.empty() ? "none is connected" : cameras);
  text += "presets\n";
  for (const PresetFile& preset : Presets()) {
    if (!preset.is_for_task) line(preset.name, FirstSentence(preset.yaml));
  }
  text += "presets by task\n";
  for (const PresetFile& preset : Presets()) {
    if (preset.is_for_task) line(preset.name, FirstSentence(preset.yaml));
  }
  return text;
}

std::string Json() {
  const BuildInfo& build = ThisBuild();
  OrderedJson libraries = OrderedJson::object();
  for (const LibraryVersion& library : build.libraries) libraries[library.name] = library.version;
  OrderedJson json = {{"version", build.version},
                      {"build",
                       {{"type", build.build_type},
                        {"compiler", build.compiler},
                        {"flags", build.flags},
                        {"cuda_compiler", build.cuda_compiler},
                        {"cuda_architectures", build.cuda_architectures},
                        {"viewer", build.viewer},
                        {"video", build.video},
                        {"gstreamer", build.gstreamer},
                        {"dds", build.dds},
                        {"libraries", libraries}}},
                      {"backends", OrderedJson::array()}};
  for (const BackendState& backend : Backends())
    json["backends"] += {{"name", backend.name}, {"usable", backend.usable}, {"note", backend.note}};
  json["auto"] = ResolveBackend("auto");
  json["machine"] = {{"processor", ProcessorName()},
                     {"cores", std::thread::hardware_concurrency()},
                     {"instruction_sets", InstructionSets()},
                     {"cameras", ListV4l2Cameras()}};
  json["presets"] = OrderedJson::array();
  for (const PresetFile& preset : Presets()) json["presets"] += preset.name;
  return JsonText(json);
}

std::string Answer(const InfoOptions& options) {
  if (options.parameters) return ParameterTable();
  if (options.preset.empty()) return options.json ? Json() : Text();
  const PresetFile* preset = FindPreset(options.preset);
  if (preset == nullptr) {
    throw InvalidArgument("unknown preset '" + options.preset + "': use one of " +
                          std::string(PresetNames()));
  }
  return std::string(preset->yaml);
}

}  // namespace

void AddInfoCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("info", "Show back ends, devices, instruction sets, versions and parameters");
  const auto options = std::make_shared<InfoOptions>();
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--parameters", options->parameters, "Print a table of all parameters, in Markdown");
  command->add_option("--preset", options->preset, "Print this preset's YAML");
  command->callback([options] { std::fputs(Answer(*options).c_str(), stdout); });
}

}  // namespace parallax::app
