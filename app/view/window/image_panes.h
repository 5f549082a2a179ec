// The one or two panes with pictures of the frame.
#pragma once

#include <memory>

#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"
#include "app/view/window_layout.h"

namespace parallax::app {

class ImagePanes : public WindowPart {
 public:
  explicit ImagePanes(const WindowRooms& rooms);

  const std::shared_ptr<Pane>& first() const { return image_pane_; }
  const std::shared_ptr<Pane>& second() const { return disparity_pane_; }

  void Show(const UploadFrame& frame) override;
  // Which panes there is something for, and the pictures' shape.
  void Tell(WindowParts& parts) const;

 private:
  std::shared_ptr<gui::ImageWidget> image_, disparity_, scale_;
  std::shared_ptr<gui::Label> image_caption_, disparity_caption_, scale_low_, scale_high_;
  std::shared_ptr<Pane> image_pane_, disparity_pane_;
  WindowParts parts_;
};

}  // namespace parallax::app
