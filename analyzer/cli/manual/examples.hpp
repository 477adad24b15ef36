/// The section EXAMPLES of each verb's page.
#pragma once

#include <array>
#include <string_view>

namespace tidemark::cli {

struct Example {
  std::string_view verb;
  std::string_view about;
  std::string_view command;
};

/// Each verb has one at least; a test holds each against the verb's options.
inline constexpr std::array kExamples = {
    Example{"record", "Record a load; the program's own options stand behind the dashes",
            "tidemark record -o load.tmk -- python3 load.py --half m.safetensors"},
    Example{"record", "The same, where the model is no file of weights",
            "tidemark record -o load.tmk --model vectors.txt -- ./load vectors.txt"},
    Example{"report", "Why the peak is as high", "tidemark report load.tmk"},
    Example{"report", "One page to look into and to send on",
            "tidemark report load.tmk --format html -o load.html"},
    Example{"diff", "What another build of the loader changed", "tidemark diff old.tmk new.tmk"},
    Example{"compare", "Record both builds in turns, and compare them",
            "tidemark compare --before './old m.bin' --after './new m.bin' -o results"},
    Example{"check", "Fail where the peak is more than the model and a fifth",
            "tidemark check load.tmk --max-ratio 1.2"},
    Example{"check", "Fail where it is more than on the main branch",
            "tidemark check load.tmk --baseline load.baseline.json --tolerance 1"},
    Example{"baseline", "Store what a load takes, to be checked in",
            "tidemark baseline load.tmk -o load.baseline.json"},
    Example{"plot", "Two loads as one picture", "tidemark plot old.tmk new.tmk -o loads.svg"},
    Example{"export", "For Perfetto's viewer",
            "tidemark export load.tmk --to perfetto -o load.perfetto"},
    Example{"explain", "What a finding means, and what helps", "tidemark explain twice"},
    Example{"view", "A window for one load, or for two", "tidemark view old.tmk new.tmk"},
    Example{"marks", "Mark phases in a C or C++ program", "tidemark marks > tidemark_marks.h"},
};

}  // namespace tidemark::cli
