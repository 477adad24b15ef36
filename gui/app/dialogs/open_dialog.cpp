#include "gui/app/dialogs/open_dialog.hpp"

#include "analyzer/text/size_text.hpp"
#include "collector/trace/types/unfinished.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <imgui.h>

namespace tidemark::gui {
namespace {

bool is_trace(const std::string& name) {
  return trace::finished_name(name).ends_with(".tmk");
}

}  // namespace

/// If the folder cannot be read, the dialog says so.
void OpenDialog::enter(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator found(folder, error);
  error_ = error ? folder.string() + " cannot be read: " + error.message() : "";
  if (error) {
    return;
  }
  folder_ = folder;
  entries_.clear();
  for (const auto& entry : found) {
    const std::string name = entry.path().filename().string();
    const bool is_folder = entry.is_directory(error);
    if (!name.starts_with('.') && (is_folder || is_trace(name))) {
      entries_.push_back({name, is_folder, is_folder ? 0 : entry.file_size(error)});
    }
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return std::tuple(a.is_folder, a.name) < std::tuple(b.is_folder, b.name);
  });
}

/// Chooses the first, then the second trace; a third starts over. Choosing one again removes it.
void OpenDialog::choose(const std::string& path) {
  if (const auto found = std::ranges::find(chosen_, path); found != chosen_.end()) {
    chosen_.erase(found);
    return;
  }
  if (chosen_.size() == 2) {
    chosen_.clear();
  }
  chosen_.push_back(path);
}

/// A line to click. A choice does not close the popup: only "Open" does.
void OpenDialog::offer(const std::string& text, const std::string& path) {
  const bool is_chosen = std::ranges::find(chosen_, path) != chosen_.end();
  if (ImGui::Selectable(text.c_str(), is_chosen, ImGuiSelectableFlags_DontClosePopups)) {
    choose(path);
  }
}

void OpenDialog::entries() {
  if (ImGui::Selectable("..")) {
    enter(folder_.parent_path());
  }
  for (const Entry& entry : std::vector<Entry>(entries_)) {
    const std::string path = (folder_ / entry.name).string();
    if (!entry.is_folder) {
      offer(entry.name + "   " + analyzer::format_size(entry.bytes), path);
    } else if (ImGui::Selectable((entry.name + "/").c_str())) {
      enter(path);
    }
  }
}

std::optional<std::vector<std::string>> OpenDialog::show(const Look& look,
                                                         const std::vector<std::string>& recent) {
  if (ImGui::IsWindowAppearing()) {
    // Lists the folder again, for traces recorded since the last time.
    std::error_code error;
    enter(folder_.empty() ? std::filesystem::current_path(error) : folder_);
  }
  ImGui::TextUnformatted("Choose a trace, or the one before and the one after.");
  ImGui::TextDisabled("%s", folder_.c_str());
  ImGui::BeginChild("entries", {static_cast<float>(look.px(560)), static_cast<float>(look.px(260))},
                    true);
  entries();
  ImGui::EndChild();
  if (!error_.empty()) {
    ImGui::TextWrapped("%s", error_.c_str());
  }
  if (!recent.empty()) {
    ImGui::TextDisabled("opened before");
    for (const std::string& path : recent) {
      offer(path, path);
    }
  }
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    ImGui::Text("%s %s",
                chosen_.size() < 2 ? "open"
                : i == 0           ? "before"
                                   : "after",
                chosen_[i].c_str());
  }
  if (!chosen_.empty() && ImGui::Button("Open")) {
    return std::exchange(chosen_, {});
  }
  return std::nullopt;
}

}  // namespace tidemark::gui
