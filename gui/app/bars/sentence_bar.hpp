/// Sentences over the whole width of the window.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"

#include <string>

namespace tidemark::gui {

/// Takes as many lines as the sentence needs.
void show_sentence(const Desk& desk, const std::string& sentence, const picture::Colour& colour);

/// Shows what is wrong with the traces.
void show_warnings(const Desk& desk);

/// Nothing for an empty one.
void show_message(const Desk& desk, const Message& message);

}  // namespace tidemark::gui
