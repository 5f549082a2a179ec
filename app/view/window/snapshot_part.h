// Saves what the window shows, with the data behind it.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "app/view/cloud/latest_jobs.h"
#include "app/view/window/window_part.h"

namespace parallax::app {

class SnapshotPart : public WindowPart {
 public:
  // save_folder: every snapshot gets a new folder in it.
  SnapshotPart(const WindowRooms& rooms, std::filesystem::path save_folder);

  void Show(const ViewerFrame& frame) override;
  void Tick() override;

 private:
  void Take(HostImage<Rgb8> window);

  const WindowRooms& rooms_;
  const std::filesystem::path save_folder_;
  std::shared_ptr<const ShownFrame> frame_;
  std::shared_ptr<const CloudFrame> cloud_;
  bool lacks_cloud_ = false;  // it exists, but is incomplete
  std::string saved_;         // folder
  std::mutex mutex_;          // of the next two
  std::string written_, failed_;
  LatestJobs jobs_;  // last member: the thread uses the others
};

}  // namespace parallax::app
