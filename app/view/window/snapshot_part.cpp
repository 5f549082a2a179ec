#include "app/view/window/snapshot_part.h"

#include <exception>
#include <utility>

#include "app/output/error_text.h"
#include "app/view/controls/new_file.h"
#include "app/view/display.h"
#include "app/view/snapshot.h"

namespace parallax::app {
namespace {

// The cloud of the frame's set A. The window itself may still have that of an earlier frame.
std::shared_ptr<const CloudFrame> CloudOf(const ShownFrame& frame) {
  ViewerFrame with_cloud;
  AddCloud({.disparity = frame.a.disparity, .colors = frame.left.ConstView(), .validity = frame.a.validity},
           frame.rig, frame.a.parameters.reprojection, with_cloud);
  return with_cloud.cloud_frame;
}

}  // namespace

SnapshotPart::SnapshotPart(const WindowRooms& rooms, std::filesystem::path save_folder)
    : rooms_(rooms), save_folder_(std::move(save_folder)) {
  rooms.commands.Add({"snapshot", "W", "save what is shown and the data behind it", [this] {
                        rooms_.mailbox.RequestScreenshot(
                            [this](HostImage<Rgb8> window) { Take(std::move(window)); });
                        rooms_.redraw();
                      }});
  rooms.state.Add("snapshot", [this] { return saved_; });
}

void SnapshotPart::Show(const ViewerFrame& frame) {
  frame_ = frame.shown;
  cloud_ = frame.cloud_frame;
  lacks_cloud_ = frame.keeps_cloud;
}

// Called on the window's thread; slow steps run in another one.
void SnapshotPart::Take(HostImage<Rgb8> window) {
  const auto snapshot = std::make_shared<Snapshot>(
      Snapshot{std::move(window), rooms_.state.Text(), frame_, cloud_, rooms_.show_filled()});
  jobs_.Put(0, [this, snapshot, lacks_cloud = lacks_cloud_] {
    std::string written, failed;
    try {
      if (lacks_cloud && snapshot->frame != nullptr) snapshot->cloud = CloudOf(*snapshot->frame);
      const std::filesystem::path folder = NewName(save_folder_, "parallax-snapshot", "");
      WriteSnapshot(folder, *snapshot);
      written = folder.string();
    } catch (const std::exception& error) {
      failed = "not saved: " + ErrorText(error.what());
    }
    const std::scoped_lock lock(mutex_);
    written_ = std::move(written);
    failed_ = std::move(failed);
  });
}

void SnapshotPart::Tick() {
  std::string written, failed;
  {
    const std::scoped_lock lock(mutex_);
    written = std::exchange(written_, {});
    failed = std::exchange(failed_, {});
  }
  if (!failed.empty()) rooms_.tell(failed);
  if (written.empty()) return;
  saved_ = std::move(written);
  rooms_.tell("saved " + saved_);
}

}  // namespace parallax::app
