#include "app/view/window/parameters_part.h"

#include <fmt/format.h>
#include <open3d/visualization/gui/Button.h>
#include <open3d/visualization/gui/Checkbox.h>
#include <open3d/visualization/gui/NumberEdit.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <type_traits>
#include <utility>

#include "app/output/output_files.h"
#include "app/view/controls/new_file.h"
#include "app/view/window/side_panel.h"
#include "config/parameter_text.h"
#include "config/parameters_yaml.h"

namespace parallax::app {
namespace {

std::string StageOf(std::string_view key) {
  const auto dot = key.find('.');
  return dot == std::string_view::npos ? "" : std::string(key.substr(0, dot));
}
std::string NameInStage(std::string_view key) {
  const auto dot = key.find('.');
  return std::string(dot == std::string_view::npos ? key : key.substr(dot + 1));
}

// "0 .. 8000 cost: penalty of a disparity step of 1"
std::string Tooltip(const ParameterInfo& info) {
  std::string text = std::string(info.key) + "\n" + ParameterRange(info.key);
  if (!info.unit.empty()) text += " " + std::string(info.unit);
  text += "\n" + std::string(info.meaning);
  if (const auto why = ParameterSession::WhyFixed(info.key); !why.empty()) text += "\n" + std::string(why);
  return text;
}

}  // namespace

ParametersPart::ParametersPart(const WindowRooms& rooms, std::shared_ptr<ParameterSession> session,
                               std::string save_folder)
    : rooms_(rooms), session_(std::move(session)), save_folder_(std::move(save_folder)) {
  MakeRows(rooms);
  AddCommands(rooms);
  AddState(rooms);
  Update();
}

void ParametersPart::MakeRows(const WindowRooms& rooms) {
  const int em = rooms.em();
  const auto section = rooms.panel.AddSection("Parameters", true);
  const auto row_of = [&](std::vector<WidgetPtr> widgets) {
    auto row = std::make_shared<gui::Horiz>(em / 4, gui::Margins(), widgets);
    section->AddChild(row);
  };
  const auto button = [&](const char* text, const char* command, const char* tooltip) {
    auto made = std::make_shared<gui::Button>(text);
    made->SetPaddingEm(0.5f, 0.1f);
    made->SetTooltip(tooltip);
    made->SetOnClicked([this, command] { rooms_.commands.Run(command); });
    rooms.add_control(std::string("Parameters.") + command, made);
    return made;
  };
  row_of({button("Undo", "undo", "undo the last change"),
          button("Reset", "reset_parameters", ("all as " + session_->preset() + " has them").c_str()),
          button("Save", "save_parameters", "the whole set as a new YAML file")});
  compares_ = std::make_shared<gui::Checkbox>("compare with set B");
  compares_->SetTooltip("match every frame that is shown with both sets of parameters");
  compares_->SetOnChecked([this](bool compares) { Compare(compares); });
  set_ = std::make_shared<ListBox>(std::vector<const char*>{"change A", "change B"});
  set_->SetOnValueChanged([this](const char*, int item) { Edit(item == 1); });
  rooms.add_control("Parameters.compare", compares_);
  rooms.add_control("Parameters.set", set_);
  row_of({compares_, set_});
  sets_text_ = MakeDimLabel();
  differences_ = MakeDimLabel();
  section->AddChild(sets_text_);
  section->AddChild(differences_);

  std::map<std::string, std::shared_ptr<gui::Vert>> stages;
  const Parameters parameters = session_->Get(false).parameters;
  VisitParameters(parameters, [&](const ParameterInfo& info, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    const std::string key(info.key), stage = StageOf(key);
    if (!stages.contains(stage) && !stage.empty()) {
      auto group =
          std::make_shared<gui::CollapsableVert>(stage.c_str(), em / 4, gui::Margins(em / 2, 0, 0, 0));
      group->SetIsOpen(false);
      section->AddChild(group);
      stages[stage] = group;
      rooms.add_control("Parameters." + stage, group);
    }
    WidgetPtr control;
    Row row{key, std::make_shared<gui::Label>(NameInStage(key).c_str()), {}};
    if constexpr (std::is_same_v<Value, bool>) {
      const auto box = std::make_shared<gui::Checkbox>(" ");
      box->SetOnChecked([this, key](bool checked) { Set(key, checked ? "true" : "false"); });
      row.update = [box, key](const Parameters& p) { box->SetChecked(ParameterText(p, key) == "true"); };
      control = box;
    } else if constexpr (std::is_enum_v<Value>) {
      const auto names = std::make_shared<ListBox>();
      for (const std::string_view name : EnumNames(Value{})) names->AddItem(std::string(name).c_str());
      names->SetOnValueChanged([this, key](const char* name, int) { Set(key, name); });
      row.update = [names, key](const Parameters& p) {
        names->SetSelectedValue(ParameterText(p, key).c_str());
      };
      control = names;
    } else {
      constexpr bool kIsInt = std::is_same_v<Value, int>;
      const auto edit =
          std::make_shared<gui::NumberEdit>(kIsInt ? gui::NumberEdit::INT : gui::NumberEdit::DOUBLE);
      edit->SetLimits(info.min, info.max);
      if (!kIsInt) edit->SetDecimalPrecision(4);
      edit->SetPreferredWidth(7 * em);
      edit->SetOnValueChanged([this, key](double number) {
        Set(key, kIsInt ? fmt::format("{:.0f}", number) : fmt::format("{}", static_cast<float>(number)));
      });
      row.update = [edit, key](const Parameters& p) { edit->SetValue(std::stod(ParameterText(p, key))); };
      control = edit;
    }
    control->SetEnabled(ParameterSession::WhyFixed(key).empty());
    const std::string tooltip = Tooltip(info);
    control->SetTooltip(tooltip.c_str());
    row.label->SetTooltip(tooltip.c_str());
    std::vector<WidgetPtr> widgets{row.label, gui::Horiz::MakeStretch(), control};
    const auto line = std::make_shared<gui::Horiz>(em / 4, gui::Margins(), widgets);
    if (stage.empty()) {
      section->AddChild(line);
    } else {
      stages[stage]->AddChild(line);
    }
    rooms.add_control("Parameters." + key, control);
    rows_.push_back(std::move(row));
  });
}

void ParametersPart::AddCommands(const WindowRooms& rooms) {
  const auto add = [&](const char* name, const char* keys, const char* help, std::function<void()> action) {
    rooms.commands.Add({name, keys, help, std::move(action)});
  };
  add("next_parameter", "P", "choose the next parameter", [this] { Select(1); });
  add("previous_parameter", "Shift+P", "choose the previous parameter", [this] { Select(-1); });
  add("lower_parameter", ";", "lower the chosen parameter", [this] { Step(-1); });
  add("raise_parameter", "'", "raise it", [this] { Step(1); });
  add("undo", "Ctrl+Z", "undo the last change of parameters", [this] { Undo(); });
  add("reset_parameters", "Ctrl+R", "reset all parameters", [this] { Reset(); });
  add("save_parameters", "Ctrl+S", "save the parameters as a new YAML file", [this] { Save(); });
  add("compare", "Ctrl+B", "match with sets A and B", [this] { Compare(!session_->compares()); });
  add("change_set", "Ctrl+E", "change parameters of set A or of set B", [this] { Edit(!edits_b_); });
}

void ParametersPart::AddState(const WindowRooms& rooms) {
  rooms.state.Add("parameters", [this] {
    const Parameters parameters = session_->Get(edits_b_).parameters;
    OrderedJson json = {{"changes", edits_b_ ? "B" : "A"},
                        {"compares", session_->compares()},
                        {"selected", rows_[selected_].key},
                        {"saved", saved_},
                        {"differs", OrderedJson::object()}};
    for (const auto& difference : session_->DifferencesOf(edits_b_))
      json["differs"][difference.key] = difference.now;
    for (const Row& row : rows_) json["values"][row.key] = ParameterText(parameters, row.key);
    return json;
  });
}

void ParametersPart::Set(const std::string& key, const std::string& text) {
  if (const auto wrong = session_->Set(edits_b_, key, text)) {
    rooms_.tell(*wrong);
    shown_version_ = -1;  // the control shows the value that holds
  }
}

void ParametersPart::Select(int direction) {
  const std::size_t num = rows_.size();
  selected_ = (selected_ + num + static_cast<std::size_t>(direction + static_cast<int>(num))) % num;
  Update();
  const std::string& key = rows_[selected_].key;
  rooms_.tell(key + " = " + ParameterText(session_->Get(edits_b_).parameters, key));
}

void ParametersPart::Step(int direction) {
  const std::string& key = rows_[selected_].key;
  if (const auto why = ParameterSession::WhyFixed(key); !why.empty()) {
    rooms_.tell(key + ": " + std::string(why));
  } else if (const auto wrong = session_->Step(edits_b_, key, direction)) {
    rooms_.tell(*wrong);
  } else {
    rooms_.tell(key + " = " + ParameterText(session_->Get(edits_b_).parameters, key));
  }
}

void ParametersPart::Undo() { rooms_.tell(session_->Undo() ? "taken back" : "nothing to undo"); }

void ParametersPart::Reset() {
  session_->Reset(edits_b_);
  rooms_.tell("parameters as " + session_->preset() + " has them");
}

void ParametersPart::Save() {
  try {
    const std::filesystem::path file = NewName(save_folder_, "parallax-parameters", ".yaml");
    WriteTextFile(file, ToYaml(session_->Get(edits_b_).parameters));
    saved_ = file.string();
    rooms_.tell("saved " + saved_);
  } catch (const std::exception& error) {
    rooms_.tell(error.what());
  }
}

void ParametersPart::Compare(bool compares) {
  session_->Compare(compares);
  if (!compares) edits_b_ = false;
}

void ParametersPart::Edit(bool b) {
  edits_b_ = b;
  if (b) session_->Compare(true);
  Update();
}

void ParametersPart::Show(const ViewerFrame& frame) {
  std::string text = " ";
  if (frame.shown && frame.shown->b) {
    const auto line = [](char name, const ShownSet& set) {
      std::string words = fmt::format("{}: {} {:.1f} ms, density {:.1f} %", name,
                                      kMethodNames[static_cast<std::size_t>(set.parameters.method)],
                                      set.match_ms, set.density_percent);
      if (!set.score_name.empty()) words += fmt::format("\n    {} {:.2f}", set.score_name, set.score);
      return words;
    };
    text = line('A', frame.shown->a) + "\n" + line('B', *frame.shown->b);
  }
  sets_text_->SetText(text.c_str());
}

void ParametersPart::Tick() {
  if (shown_version_ != session_->version()) Update();
}

void ParametersPart::Update() {
  shown_version_ = session_->version();
  const Parameters parameters = session_->Get(edits_b_).parameters;
  const auto differences = session_->DifferencesOf(edits_b_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    row.update(parameters);
    const bool differs = std::any_of(differences.begin(), differences.end(),
                                     [&](const auto& difference) { return difference.key == row.key; });
    const Palette& palette = kPalette;
    row.label->SetTextColor(i == selected_ ? palette.selected_text
                            : differs      ? palette.changed_text
                                           : palette.dim_text);
  }
  std::string text = differences.empty() ? "as " + session_->preset() + " has them"
                                         : "differs from " + session_->preset() + ":";
  constexpr std::size_t kMostShown = 8;
  for (std::size_t i = 0; i < std::min(kMostShown, differences.size()); ++i) {
    text += fmt::format("\n{} {} ({})", differences[i].key, differences[i].now, differences[i].at_first);
  }
  if (differences.size() > kMostShown) text += fmt::format("\nand {} more", differences.size() - kMostShown);
  differences_->SetText(text.c_str());
  compares_->SetChecked(session_->compares());
  set_->SetSelectedIndex(edits_b_ ? 1 : 0);
  rooms_.relayout();
}

}  // namespace parallax::app
