#include "gui/app/steering/keys.hpp"

#include <algorithm>
#include <array>

#include <GLFW/glfw3.h>
#include <imgui.h>

namespace tidemark::gui {
namespace {

enum class Held : std::uint8_t { kAnything, kShift, kControl };

struct KeyMeaning {
  int key;
  Held held;
  Asked asked;
};

/// For each key, the first row whose modifier is held applies.
constexpr std::array kKeyMeanings{
    KeyMeaning{GLFW_KEY_F, Held::kControl, Command::kFind},
    KeyMeaning{GLFW_KEY_F, Held::kAnything, Move::kWhole},
    KeyMeaning{GLFW_KEY_BACKSPACE, Held::kShift, Move::kForward},
    KeyMeaning{GLFW_KEY_BACKSPACE, Held::kAnything, Move::kBack},
    KeyMeaning{GLFW_KEY_UP, Held::kControl, Move::kZoomSizesIn},
    KeyMeaning{GLFW_KEY_DOWN, Held::kControl, Move::kZoomSizesOut},
    KeyMeaning{GLFW_KEY_X, Held::kShift, Command::kPutAllBack},
    KeyMeaning{GLFW_KEY_X, Held::kAnything, Command::kTakeAway},
    KeyMeaning{GLFW_KEY_P, Held::kShift, Move::kBehindPeak},
    KeyMeaning{GLFW_KEY_P, Held::kAnything, Move::kPeak},
    KeyMeaning{GLFW_KEY_L, Held::kAnything, Command::kLargestBlock},
    KeyMeaning{GLFW_KEY_LEFT, Held::kShift, Move::kWindowLeft},
    KeyMeaning{GLFW_KEY_LEFT, Held::kAnything, Move::kLeft},
    KeyMeaning{GLFW_KEY_RIGHT, Held::kShift, Move::kWindowRight},
    KeyMeaning{GLFW_KEY_RIGHT, Held::kAnything, Move::kRight},
    KeyMeaning{GLFW_KEY_ESCAPE, Held::kAnything, Command::kEscape},
    KeyMeaning{GLFW_KEY_O, Held::kAnything, Command::kOverlay},
    KeyMeaning{GLFW_KEY_B, Held::kAnything, Command::kOtherSide},
    KeyMeaning{GLFW_KEY_T, Held::kAnything, Command::kTheme},
    KeyMeaning{GLFW_KEY_S, Held::kShift, Command::kSaveWhatIf},
    KeyMeaning{GLFW_KEY_S, Held::kAnything, Command::kSaveView},
    KeyMeaning{GLFW_KEY_E, Held::kAnything, Command::kExport},
};

struct CharacterMeaning {
  ImWchar typed;
  Asked asked;
};

/// By character, as their keys differ between keyboard layouts.
constexpr std::array kCharacterMeanings{
    CharacterMeaning{'+', Move::kZoomIn},     CharacterMeaning{'-', Move::kZoomOut},
    CharacterMeaning{'?', Command::kKeys},    CharacterMeaning{'n', Command::kNote},
    CharacterMeaning{'[', Move::kNoteBefore}, CharacterMeaning{']', Move::kNoteBehind},
    CharacterMeaning{'/', Command::kFind},
};

struct KeyText {
  const char* keys;
  const char* does;
};

constexpr std::array kKeyTexts{
    KeyText{"wheel", "zoom at the pointer"},
    KeyText{"drag", "pan"},
    KeyText{"click", "look at this instant: who holds what"},
    KeyText{"ctrl + drag", "look at a range: what was given back, allocated and kept"},
    KeyText{"double click, F", "the whole load"},
    KeyText{"P, shift + P", "go to the peak; what was given back in the 100 ms behind it"},
    KeyText{"L", "the largest block at the peak: its stack, its life, its tensors"},
    KeyText{"left, right", "pan; with shift a whole window"},
    KeyText{"+, -", "zoom"},
    KeyText{"ctrl + wheel, ctrl + up, down", "zoom the sizes"},
    KeyText{"backspace, shift + backspace", "back and forward through what was in view"},
    KeyText{"below it, where zoomed", "the whole recording: drag what is in view, or its edges"},
    KeyText{"/, ctrl + F", "find a function, tensor, file, phase, thread or note"},
    KeyText{"N", "write a note at this instant, kept beside the trace"},
    KeyText{"[, ]", "to the note before, behind"},
    KeyText{"X, shift + X", "the peak without the largest finding; put all back"},
    KeyText{"Esc", "close what is open; back to the peak, no range"},
    KeyText{"1 to 7", "the tabs below, from the left"},
    KeyText{"B", "details of the trace before, or after"},
    KeyText{"O", "two traces overlaid, or apart"},
    KeyText{"T", "light or dark"},
    KeyText{"S", "save this view, for --state"},
    KeyText{"shift + S", "save what is said of the load without what was taken away"},
    KeyText{"E", "export the picture as SVG or PNG"},
    KeyText{"?", "this list"},
};

bool is_held(Held held) {
  const ImGuiIO& io = ImGui::GetIO();
  return held == Held::kAnything || (held == Held::kShift ? io.KeyShift : io.KeyCtrl);
}

}  // namespace

std::vector<Asked> asked_by(const std::vector<int>& keys) {
  std::vector<Asked> all;
  for (const int key : keys) {
    const auto* const meaning = std::ranges::find_if(
        kKeyMeanings, [&](const KeyMeaning& one) { return one.key == key && is_held(one.held); });
    const int tab = key - GLFW_KEY_1;
    if (meaning != kKeyMeanings.end()) {
      all.push_back(meaning->asked);
    } else if (tab >= 0 && tab < static_cast<int>(kPanes)) {
      all.emplace_back(TabPlace{static_cast<std::size_t>(tab)});
    }
  }
  for (const ImWchar typed : ImGui::GetIO().InputQueueCharacters) {
    const auto* const meaning =
        std::ranges::find(kCharacterMeanings, typed, &CharacterMeaning::typed);
    if (meaning != kCharacterMeanings.end()) {
      all.push_back(meaning->asked);
    }
  }
  return all;
}

void show_keys(const Look& look) {
  for (const KeyText& key : kKeyTexts) {
    ImGui::TextUnformatted(key.keys);
    ImGui::SameLine(static_cast<float>(look.px(210)));
    ImGui::TextDisabled("%s", key.does);
  }
}

}  // namespace tidemark::gui
