// The folder that `parallax run` has written, frame by frame.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/output/result_folder.h"
#include "app/view/origin_reader.h"
#include "app/view/viewer.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::app {

class OutputPages {
 public:
  // Whether the folder has a journal of results.
  static bool IsThere(const std::filesystem::path& folder);

  // Throws Error if the journal cannot be read or names no frame that is done.
  explicit OutputPages(std::filesystem::path folder);

  std::size_t size() const { return frames_.size(); }
  // The frame's results, with the source images that the journal names if these still have the matched
  // pixels. Throws Error for a result that cannot be read. Not thread-safe.
  ViewerFrame Read(std::size_t number);

 private:
  std::filesystem::path folder_;
  std::vector<NamedResult> frames_;  // by their names
  Parameters parameters_;
  OriginReader origins_;
};

}  // namespace parallax::app
