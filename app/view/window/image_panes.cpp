#include "app/view/window/image_panes.h"

#include <open3d/visualization/gui/UIImage.h>

#include <vector>

namespace parallax::app {

ImagePanes::ImagePanes(const WindowRooms& rooms)
    : image_(std::make_shared<gui::ImageWidget>()),
      disparity_(std::make_shared<gui::ImageWidget>()),
      scale_(std::make_shared<ScaleWidget>()),
      image_caption_(MakeDimLabel()),
      disparity_caption_(MakeDimLabel()),
      scale_low_(MakeDimLabel()),
      scale_high_(MakeDimLabel()),
      image_pane_(std::make_shared<Pane>(rooms.em(), std::vector<WidgetPtr>{image_caption_}, image_)),
      disparity_pane_(
          std::make_shared<Pane>(rooms.em(),
                                 std::vector<WidgetPtr>{disparity_caption_, gui::Horiz::MakeStretch(),
                                                        scale_low_, scale_, scale_high_},
                                 disparity_)) {
  for (const std::shared_ptr<gui::ImageWidget>& widget : {image_, disparity_}) widget->SetVisible(false);
  scale_->SetVisible(false);
}

void ImagePanes::Show(const UploadFrame& frame) {
  ShowImage(frame.image, *image_);
  ShowImage(frame.disparity, *disparity_);
  ShowImage(frame.scale, *scale_);
  if (frame.scale) scale_->GetUIImage()->SetScaling(gui::UIImage::Scaling::ANY);
  scale_low_->SetText(frame.scale_low.c_str());
  scale_high_->SetText(frame.scale_high.c_str());
  image_caption_->SetText(frame.image_caption.c_str());
  disparity_caption_->SetText(frame.disparity_caption.c_str());
  // A pane stays once there was something for it, so that the layout does not jump.
  parts_.image |= frame.image != nullptr;
  parts_.disparity |= frame.disparity != nullptr;
  if (const Open3DImage& shape = frame.image ? frame.image : frame.disparity) {
    parts_.aspect = static_cast<float>(shape->width_) / static_cast<float>(shape->height_);
  }
}

void ImagePanes::Tell(WindowParts& parts) const {
  parts.image = parts_.image;
  parts.disparity = parts_.disparity;
  parts.aspect = parts_.aspect;
}

}  // namespace parallax::app
