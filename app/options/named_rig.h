// A calibration named on the command line, for pairs, videos and cameras, which bring none.
#pragma once

#include <memory>
#include <string>

#include "datasets/source.h"
#include "pipeline/rig.h"

namespace CLI {
class App;
}

namespace parallax::app {

// Declares --rig. rig must outlive the parsing.
void AddRigOption(CLI::App& command, std::string& rig);

// "FX,CX,CY,BASELINE" or "FX,CX,CY,BASELINE,DOFFS", in px and metres. Throws InvalidArgument for anything
// else, and for a focal length or baseline that is not positive.
StereoRig ParseRig(const std::string& text);

// A source whose rectified frames have this rig instead of their own; the source itself where rig is empty.
// Throws as ParseRig.
std::unique_ptr<FrameSource> WithNamedRig(std::unique_ptr<FrameSource> source, const std::string& rig);

}  // namespace parallax::app
