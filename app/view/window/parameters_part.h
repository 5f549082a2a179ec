// The section "Parameters" of the panel: a control for every row of the table of parameters, and set B.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/view/controls/parameter_session.h"
#include "app/view/panes/shown_frame.h"
#include "app/view/window/list_box.h"
#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"

namespace open3d::visualization::gui {
class Checkbox;
}  // namespace open3d::visualization::gui

namespace parallax::app {

class ParametersPart : public WindowPart {
 public:
  // save_folder: where parameters are saved.
  ParametersPart(const WindowRooms& rooms, std::shared_ptr<ParameterSession> session,
                 std::string save_folder);

  void Show(const ViewerFrame& frame) override;
  void Tick() override;

 private:
  struct Row {
    std::string key;
    std::shared_ptr<gui::Label> label;
    std::function<void(const Parameters& parameters)> update;  // the control's value
  };

  void MakeRows(const WindowRooms& rooms);
  void AddCommands(const WindowRooms& rooms);
  void AddState(const WindowRooms& rooms);
  void Set(const std::string& key, const std::string& text);
  void Select(int direction);
  void Step(int direction);
  void Undo();
  void Reset();
  void Save();
  void Compare(bool compares);
  void Edit(bool b);
  void Update();

  const WindowRooms& rooms_;
  const std::shared_ptr<ParameterSession> session_;
  const std::string save_folder_;
  std::vector<Row> rows_;
  std::shared_ptr<gui::Checkbox> compares_;
  std::shared_ptr<ListBox> set_;
  std::shared_ptr<gui::Label> differences_, sets_text_;
  std::size_t selected_ = 0;
  bool edits_b_ = false;
  long shown_version_ = -1;
  std::string saved_;  // file
};

}  // namespace parallax::app
