/// Where the command writes: standard output, its width, colours and locale.
#pragma once

#include "analyzer/io/whole_file.hpp"
#include "analyzer/text/text_style.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::cli {

/// What --color says, for all that this process prints; kAuto where nobody said anything.
enum class ColourChoice : std::uint8_t { kAuto, kAlways, kNever };
void choose_colour(ColourChoice choice);

/// Width: COLUMNS, else the terminal's, between 60 and 240; else 80. Colours, where --color leaves
/// it open: none with NO_COLOR, else with CLICOLOR_FORCE or FORCE_COLOR (set, and not 0), else on
/// a terminal whose TERM is not dumb. Needs setlocale(LC_CTYPE, "") to have been called.
analyzer::TextStyle output_style();

/// The same, for a report that lists stacks and goes to the file `output`, if that is not empty: a
/// file has no width and no colours of its own, but those of COLUMNS and `--color always`.
analyzer::TextStyle output_style(bool whole_stacks, const std::string& output);

/// Writes to standard output. A reader that went away (`| head`) is no error: the rest is dropped.
Status write_output(const std::string& text);

/// The same, through a pager where the text is longer than a terminal's screen.
Status write_long_output(const std::string& text);

/// Writes the file `path`, or to standard output when it is empty.
Status write_output_to(const std::string& path, const std::string& text);

/// Prints `tidemark: SENTENCE` to standard error, as `shown_text` makes it; nothing for an empty
/// one.
void say(const std::string& sentence);

/// The same of an error, and something in any case. @return 2, the exit status of bad input: never
/// without a sentence.
int fail(const Error& error);

/// What a verb has to give, and what its traces lost where that is not said in it.
struct Output {
  std::string bytes;
  analyzer::Pieces more = {};       ///< What comes behind them, if anything; owns what it needs.
  std::vector<std::string> losses;  ///< Sentences; empty ones say nothing.
  bool is_long_text = false;        ///< For people to read, and so for a pager.
};

/// Writes the output to the file `path`, or to standard output when it is empty, and its losses to
/// standard error. @return 0, also for damaged traces; 2 for an error.
int deliver(const Result<Output>& output, const std::string& path);

}  // namespace tidemark::cli
