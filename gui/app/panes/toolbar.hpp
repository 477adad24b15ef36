/// Texts, switches and buttons side by side, in as many rows as the window's width needs.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/basics/toolbar_rows.hpp"

#include <functional>
#include <string>
#include <vector>

#include <imgui.h>

namespace tidemark::gui {

/// Items are drawn by `show`, from left to right; the variables they change stay borrowed until
/// then.
class Toolbar {
 public:
  explicit Toolbar(const Desk& desk) : desk_(desk) {}

  /// Begins a group: it is set apart from the items before and stays in one row if it can.
  void apart() { begins_group_ = true; }
  void text(const std::string& text) { add_text(text, ImGui::GetColorU32(ImGuiCol_Text)); }
  /// A fainter text that names the switches after it.
  void label(const std::string& text) { add_text(text, ImGui::GetColorU32(ImGuiCol_TextDisabled)); }
  /// @param pressed is called by `show`.
  void button(const std::string& name,
              bool is_filled,
              const std::function<void()>& pressed,
              const char* tooltip = nullptr);
  void button(const std::string& name, const std::function<void()>& pressed) {
    button(name, false, pressed);
  }
  /// One of several switches.
  template <typename Value>
  void choice(const std::string& name, Value value, Value& chosen, const char* tooltip = nullptr) {
    button(
        name, value == chosen, [value, &chosen] { chosen = value; }, tooltip);
  }
  /// A switch of its own.
  void toggle(const std::string& name, bool& is_on) {
    button(name, is_on, [&is_on] { is_on = !is_on; });
  }
  /// For text. @param id, hint see ImGui::InputTextWithHint.
  void field(const char* id, const char* hint, double width, std::string& text);

  /// From the cursor on, as wide as the window.
  void show() const;

 private:
  void add(double width, double gap, std::function<void()> draw);
  void add_text(const std::string& text, ImU32 colour);

  const Desk& desk_;
  bool begins_group_ = false;
  bool is_behind_text_ = false;
  std::vector<ToolbarItem> items_;
  std::vector<std::function<void()>> draw_;  // By item.
};

}  // namespace tidemark::gui
