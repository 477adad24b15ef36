/// Where the command writes: standard output, its width, colours and locale.
#pragma once

#include "analyzer/io/whole_file.hpp"
#include "analyzer/text/text_style.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::cli {

/// The choice of --color, for all output of this process; kAuto if not given.
enum class ColourChoice : std::uint8_t { kAuto, kAlways, kNever };
void choose_colour(ColourChoice choice);

/// Width: COLUMNS, else the terminal's, between 60 and 240; else 80. Colours, with kAuto: none with
/// NO_COLOR, else with CLICOLOR_FORCE or FORCE_COLOR (set, and not 0), else on a terminal whose
/// TERM is not dumb. Needs setlocale(LC_CTYPE, "") to have been called.
analyzer::TextStyle output_style();

/// The same, for a report that lists stacks and is written to the file `output`, if that is not
/// empty: then width and colours come only from COLUMNS and `--color always`.
analyzer::TextStyle output_style(bool whole_stacks, const std::string& output);

/// Writes to standard output. A reader that went away (`| head`) is no error: the rest is dropped.
Status write_output(const std::string& text);

/// The same, through a pager if the text is longer than a terminal's screen.
Status write_long_output(const std::string& text);

/// Writes the file `path`, or to standard output when it is empty.
Status write_output_to(const std::string& path, const std::string& text);

/// Prints `tidemark: SENTENCE` to standard error, as `shown_text` makes it; nothing for an empty
/// one.
void say(const std::string& sentence);

/// The same of an error, and something in any case. @return 2, the exit status of bad input: never
/// without a sentence.
int fail(const Error& error);

/// A verb's output, and the losses of its traces unless the output states them.
struct Output {
  std::string bytes;
  analyzer::Pieces more = {};       ///< Further pieces, if any; owns what it needs.
  std::vector<std::string> losses;  ///< Sentences; empty ones are skipped.
  bool is_long_text = false;        ///< Text for people, shown in a pager.
};

/// Writes the output to the file `path`, or to standard output when it is empty, and its losses to
/// standard error. @return 0, also for damaged traces; 2 for an error.
int deliver(const Result<Output>& output, const std::string& path);

}  // namespace tidemark::cli
