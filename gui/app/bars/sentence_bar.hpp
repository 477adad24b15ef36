/// Sentences over the whole width of the window.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"

#include <string>

namespace tidemark::gui {

/// On as many lines as it needs: in a small window as well.
void show_sentence(const Desk& desk, const std::string& sentence, const picture::Colour& colour);

/// What is wrong with the traces, and what was said last.
void show_warnings(const Desk& desk, const Message& message);

}  // namespace tidemark::gui
