#include "gui/app/dialogs/open_dialog.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <utility>

#include <imgui.h>

namespace tidemark::gui {

/// If the folder cannot be read, the dialog says so, and stays where it is.
void OpenDialog::enter(const std::filesystem::path& folder) {
  FolderListing found = list_folder(folder);
  if (!found.error.empty() && found.entries.empty()) {
    listing_.error = std::move(found.error);
    return;
  }
  folder_ = folder;
  listing_ = std::move(found);
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
  for (const FolderEntry& entry : std::vector(listing_.entries)) {
    const std::string path = (folder_ / entry.name).string();
    if (!entry.is_folder) {
      const std::string size = entry.bytes ? "   " + analyzer::format_size(*entry.bytes) : "";
      offer(entry.name + size, path);
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
  if (!listing_.error.empty()) {
    ImGui::TextWrapped("%s", listing_.error.c_str());
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
