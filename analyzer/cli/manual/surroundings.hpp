/// What the command reads beside its words: the sections ENVIRONMENT and FILES of tidemark(1).
#pragma once

#include <array>
#include <string_view>

namespace tidemark::cli {

struct NamedThing {
  std::string_view name;
  std::string_view about;
};

/// Each variable that the command asks for; a test compares them with the sources.
inline constexpr std::array kVariables = {
    NamedThing{"NO_COLOR", "Where it is not empty, text has no colours, unless --color says so."},
    NamedThing{
        "CLICOLOR_FORCE",
        "Where it is neither empty nor 0, text has colours, also where no terminal shows it."},
    NamedThing{"FORCE_COLOR", "The same."},
    NamedThing{"TERM", "A terminal called dumb gets no colours."},
    NamedThing{"COLUMNS", "The width of text, from 60 to 240; else the terminal's, or 80."},
    NamedThing{
        "TIDEMARK_PAGER, PAGER",
        "What shows text that is longer than the terminal's screen, as a shell would run it; "
        "the first one that is set. Empty or cat: nothing. Else less -FRX."},
    NamedThing{"LESS, LV", "Set to FRX and -c for the pager, where they are not set."},
    NamedThing{"LC_ALL, LC_CTYPE, LANG",
               "Whether text is UTF-8; where it is not, curves and trees are drawn in ASCII."},
    NamedThing{"PATH", "Where record looks for the program."},
    NamedThing{"XDG_CACHE_HOME, HOME", "Where the cache of names lies; see FILES."},
    NamedThing{
        "TIDEMARK_PRELOAD",
        "The object that is loaded into recorded programs, in the place of the command's own."},
    NamedThing{"GITHUB_STEP_SUMMARY", "A file to which check adds its summary."},
    NamedThing{"GITHUB_WORKSPACE", "Paths below it are relative in check --github."},
    NamedThing{
        "LD_PRELOAD, TIDEMARK_SESSION, VK_ADD_LAYER_PATH, VK_INSTANCE_LAYERS",
        "Set by record in the program's environment; what LD_PRELOAD held before stays in it."}};

inline constexpr std::array kFiles = {
    NamedThing{"FILE.tmk", "A trace: see tidemark-trace(5)."},
    NamedThing{
        "FILE.tmk.incomplete",
        "A trace that is being written, or what a killed recorder left of it: it can be read."},
    NamedThing{
        "$XDG_CACHE_HOME/tidemark/symbols",
        "Names of code, for the next recording; below ~/.cache where the variable is not set. "
        "At most 256 MiB; it may be removed at any time."},
    NamedThing{"FILE.report.html, FILE.graph.svg",
               "What check leaves beside the trace of a regression."}};

}  // namespace tidemark::cli
