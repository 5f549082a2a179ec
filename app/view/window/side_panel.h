// The column at the right of the window: sections that fold, one below the other.
#pragma once

#include <open3d/visualization/gui/Layout.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/view/window/widgets.h"

namespace parallax::app {

class SidePanel {
 public:
  explicit SidePanel(int em)
      : em_(em),
        widget_(std::make_shared<gui::ScrollableVert>(
            em / 3, gui::Margins(em / 2, em / 2, em / 2 + em, em / 2))) {  // its bar lies at the right
    widget_->SetVisible(false);
  }

  // A section at the end of the column. Its name is its heading and its key in the state.
  std::shared_ptr<gui::CollapsableVert> AddSection(const std::string& name, bool open) {
    auto section =
        std::make_shared<gui::CollapsableVert>(name.c_str(), em_ / 4, gui::Margins(em_ / 2, 0, 0, 0));
    section->SetIsOpen(open);
    widget_->AddChild(section);
    sections_.emplace_back(name, section);
    return section;
  }

  using Section = std::pair<std::string, std::shared_ptr<gui::CollapsableVert>>;
  const std::vector<Section>& sections() const { return sections_; }
  const std::shared_ptr<gui::ScrollableVert>& widget() const { return widget_; }
  bool shown() const { return widget_->IsVisible(); }
  void Show(bool shown) { widget_->SetVisible(shown); }
  int WidthPx() const { return shown() ? 23 * em_ : 0; }

 private:
  int em_;
  std::shared_ptr<gui::ScrollableVert> widget_;
  std::vector<Section> sections_;
};

}  // namespace parallax::app
