// The folder of a run: what its journal has to say so that `--resume` mixes nothing.
#pragma once

#include <string>
#include <string_view>

#include "app/output/result_folder.h"
#include "app/run/frame_writer.h"
#include "app/run/run_options.h"
#include "config/parameters_yaml.h"
#include "pipeline/frame.h"

namespace parallax::app {

class RunFolder {
 public:
  // All must outlive it. Throws as ResultFolder, and InvalidArgument where --resume would mix results of two
  // versions, parameters, calibrations or cleanings.
  RunFolder(const RunOptions& options, const ChosenParameters& chosen, const FrameWriter& writer);

  // Before the first frame; writes parameters.yaml, too.
  void Begin();

  // True where all that is asked for of the frame is there, whole and of the same input. frame: null before
  // it is read, when only the origin tells. Throws Error where what is there is of another input.
  bool IsDone(const std::string& name, std::string_view origin, const StereoFrame* frame) const;

  // Round the writing of a frame; for several threads.
  void Start(const StereoFrame& frame);
  void Finish(const StereoFrame& frame, const Parameters& parameters);

  // After the last frame: parameters.yaml leaves the number of disparities open where frames differ in it.
  void End() const;

  // Files of frames that were not finished, where the program ends without writing them.
  void RemoveTemporaryFiles() const { folder_.RemoveTemporaryFiles(); }

  std::filesystem::path parameters_file() const { return options_.output / "parameters.yaml"; }

 private:
  void CheckIsTheSame() const;
  void WriteParameters(bool disparities_open) const;
  bool DisparitiesDiffer() const;

  const RunOptions& options_;
  const ChosenParameters& chosen_;
  const FrameWriter& writer_;
  ResultFolder folder_;
};

}  // namespace parallax::app
