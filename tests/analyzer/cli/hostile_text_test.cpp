// Every output of every verb, of traces in which all that a program can choose is hostile: names of
// functions, files, phases, threads, processes and modules, and command lines. The verbs and their
// formats are asked of the command itself, so a new one is tested, or fails here until it is.
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/cli/format_checks.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace tidemark;
using nlohmann::json;
using tests::Check;
using tests::check_csv;
using tests::check_format;
using tests::check_harmless;
using tests::check_json;
using tests::check_markdown;
using tests::check_text;
using tests::check_xml;
using tests::contents_of;
using tests::count_of;
using tests::lines_of;
using tests::Outcome;
using tests::TemporaryFolder;
using tests::tidemark_with;
using tests::TraceBuilder;

namespace {

/// What ends lines, moves cursors, sets titles, turns text around, is no UTF-8, no character, or
/// has a meaning in one of the formats.
const std::string kHostile =
    "\x1b]0;title\x07\x1b[2J\n::error title=x::PWN\r\t\x7f\xc2\x9b"
    "31m\xc2\x85\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8\xff\xfe\xc0\x80\xed\xa0"
    "\x80\xef\xbf\xbf</script><b>&amp;|\\|`*_#@\",;=%0A%%s{{data}}]]>--' $x$ \n````\n```\n| x |\n";

/// The same as one word of the shell.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + '\'';
}

trace::StackId a_stack(trace::TraceWriter& writer, const std::string& name) {
  const auto module = writer.add_module({.path = "/lib/" + name, .build_id = name, .base = 4096});
  trace::StackId stack = trace::kNoStack;
  for (const std::string function : {"main", "load", "read", "make"}) {
    const auto frame = writer.add_frame({.module = module, .offset = 16});
    writer.set_locations(frame, {{.function = function + name, .file = "/src/" + name, .line = 7}});
    stack = writer.add_stack({.parent = stack, .frame = frame});
  }
  return stack;
}

/// A load whose every name holds `name`. Some of its memory has a frame without a function.
std::string a_load(TraceBuilder& trace, const std::string& name, std::uint64_t bytes) {
  trace.session.command = {"./load" + name, name};
  trace.session.host_name = name;
  trace.session.kernel = name;
  trace.session.tidemark_version = name;
  const auto process = trace.process(200, "child" + name);
  trace::Process facts;
  facts.pid = 200;
  facts.command = name;
  facts.executable = "/bin/" + name;
  trace.writer().update_process(process, facts);
  const auto thread = trace.thread(process);
  trace.writer().update_thread(thread, {.process = process, .tid = 201, .name = name});
  const auto file = trace.file("/models/" + name + ".params", 4 << 20);
  const auto stack = a_stack(trace.writer(), name);
  const auto bare = trace.writer().add_stack(
      {.parent = stack,
       .frame = trace.writer().add_frame(
           {.module = trace.writer().add_module({.path = name, .build_id = "", .base = 0}),
            .offset = 99})});
  trace.at_ms(1).begin_phase("phase" + name);
  trace.at_ms(2).open_file(file);
  const auto first = trace.at_ms(3).allocate(bytes, stack);
  trace.tensor(file, 1 << 20, 4 << 20, "layer.1" + name, "f32" + name);
  trace.origin(first, 0, file, 0, 4 << 20);
  trace.at_ms(4).read(file, 4 << 20);
  trace.read_into(file, 4 << 20, first, 0.5, stack);
  const auto second = trace.at_ms(5).allocate(bytes, bare);
  trace.copy(4 << 20, first, second, stack);
  for (const trace::Lane lane : {trace::Lane::kAnon, trace::Lane::kDevice, trace::Lane::kShared}) {
    trace.on(thread).at_ms(6).allocate(bytes / 2, stack, lane);
  }
  trace.at_ms(7).sample(bytes * 2, bytes, process);
  trace.at_ms(8).end_phase("phase" + name);
  return trace.finish();
}

/// The words that an option takes, as the command itself lists them; none for other options.
std::vector<std::string> words_of(const std::string& verb, const std::string& option) {
  const std::string refused = tidemark_with(verb + " x " + option + " no-such-word").err;
  const std::string before = "is none of ";
  const auto at = refused.find(before);
  if (at == std::string::npos) {
    return {};
  }
  std::vector<std::string> words;
  std::istringstream list(
      refused.substr(at + before.size(), refused.find(';', at) - at - before.size()));
  for (std::string word; list >> word;) {
    words.push_back(word.substr(0, word.find(',')));
  }
  return words;
}

std::vector<std::string> verbs() {
  std::vector<std::string> found;
  bool is_verb = false;
  for (const std::string& line : lines_of(tidemark_with("--help").out)) {
    is_verb = line == "Verbs:" || (is_verb && line.starts_with("  "));
    if (is_verb && line != "Verbs:") {
      found.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return found;
}

/// Options of a verb and what they take: `--junit`, `FILE`.
std::map<std::string, std::string> options_of(const std::string& verb) {
  static const std::regex kOption("^  (?:-[a-z],)?(--[a-z-]+) ?([^ ]*).*");
  std::map<std::string, std::string> options;
  for (const std::string& line : lines_of(tidemark_with(verb + " --help").out)) {
    std::smatch match;
    if (std::regex_match(line, match, kOption)) {
      options[match[1]] = match[2];
    }
  }
  return options;
}

/// Two loads to read, the second one twice as large.
struct Loads {
  TraceBuilder small;
  TraceBuilder large;
  std::string before = a_load(small, kHostile, 4 << 20);
  std::string after = a_load(large, "other" + kHostile, 8 << 20);
};

/// The traces that a verb takes, and what else it cannot do without. Verbs that make traces or open
/// a window print nothing of a trace: their texts are those of the others.
std::map<std::string, std::string> readers(const Loads& loads) {
  return {{"report", "report --whole-stacks " + loads.before},
          {"diff", "diff --whole-stacks " + loads.before + ' ' + loads.after},
          {"export", "export " + loads.before},
          {"check", "check " + loads.after},
          {"plot", "plot " + loads.before + ' ' + loads.after},
          {"baseline", "baseline " + loads.before}};
}

const std::set<std::string> kOtherVerbs{"record", "compare", "view", "explain", "marks"};

void check_outcome(const Outcome& outcome, int status) {
  INFO(outcome.err);
  CHECK(outcome.status == status);
  check_harmless(outcome.err);
}

}  // namespace

TEST_CASE("every verb is known to the tests of hostile text", "[hostile]") {
  const Loads loads;
  const auto known = readers(loads);
  const auto all = verbs();
  CHECK(all.size() == known.size() + kOtherVerbs.size());
  for (const std::string& verb : all) {
    CAPTURE(verb);
    CHECK((known.contains(verb) || kOtherVerbs.contains(verb)));
  }
}

TEST_CASE("no format of any verb passes hostile text on", "[hostile]") {
  const Loads loads;
  std::size_t formats = 0;
  for (const auto& [verb, words] : readers(loads)) {
    for (const std::string option : {"--format", "--to"}) {
      for (const std::string& format : words_of(verb, option)) {
        CAPTURE(verb, format);
        const auto said = tidemark_with(words + ' ' + option + ' ' + format);
        check_outcome(said, 0);
        check_format(format, said.out);
        ++formats;
      }
    }
  }
  CHECK(formats >= 14);
}

TEST_CASE("no list of tensors passes hostile text on", "[hostile]") {
  const Loads loads;
  for (const std::string by : {"tensor", "layer", "dtype"}) {
    for (const std::string format : {"text", "json", "markdown"}) {
      CAPTURE(by, format);
      const auto said =
          tidemark_with("report " + loads.before + " --by " + by + " --format " + format);
      check_outcome(said, 0);
      check_format(format, said.out);
      CHECK(said.out.find(format == "json" ? "\"listed\"" : "of 1 tensors") != std::string::npos);
    }
  }
}

TEST_CASE("no other form of an export passes hostile text on", "[hostile]") {
  const Loads loads;
  for (const std::string& format : words_of("export", "--to")) {
    for (const std::string how : {"--at 7ms", "--range 2ms..peak", "--range 2ms.. --min-share 0"}) {
      CAPTURE(format, how);
      const auto said = tidemark_with("export " + loads.before + " --to " + format + ' ' + how);
      check_harmless(said.err);
      if (said.status == 0) {
        check_format(format, said.out);
      }
    }
  }
}

TEST_CASE("no file that any option names gets hostile text", "[hostile]") {
  const Loads loads;
  const TemporaryFolder folder;
  // What each option writes: the rest of the words, the ending of the name, and the format.
  struct Written {
    std::string words;
    std::string ending;
    Check check;
  };
  const std::map<std::string, Written> outputs{
      {"report --output", {"", "", check_text}},
      {"diff --output", {"", "", check_text}},
      {"export --output", {"--to csv", "", check_csv}},
      {"plot --output", {"--title " + quoted(kHostile), ".svg", check_xml}},
      {"baseline --output", {"", "", check_json}},
      {"check --junit", {"--max-peak 1KiB", "", check_xml}},
      {"check --markdown", {"--max-peak 1KiB", "", check_markdown}},
      {"check --json", {"--max-peak 1KiB", "", check_json}}};
  const std::set<std::string> inputs{"--model", "--policy", "--baseline", "--suppressions"};
  std::size_t tried = 0;
  for (const auto& [verb, words] : readers(loads)) {
    for (const auto& [option, takes] : options_of(verb)) {
      CAPTURE(verb, option, takes);
      const auto output = outputs.find(verb + ' ' + option);
      const bool is_file =
          takes.find("FILE") != std::string::npos || takes.find('.') != std::string::npos ||
          takes.find("OUT") != std::string::npos || takes.find("DIR") != std::string::npos;
      if (output == outputs.end()) {
        CHECK((!is_file || inputs.contains(option) || takes.find("..") != std::string::npos));
        continue;
      }
      const std::string path = folder.file("out" + output->second.ending);
      const auto said =
          tidemark_with(words + ' ' + output->second.words + ' ' + option + ' ' + path);
      check_outcome(said, verb == "check" ? 1 : 0);
      check_harmless(said.out);
      check_harmless(contents_of(path));
      output->second.check(contents_of(path));
      ++tried;
    }
  }
  CHECK(tried == outputs.size());
}

TEST_CASE("a gate passes no hostile text on, whoever chose it", "[hostile]") {
  const Loads loads;
  const TemporaryFolder folder;
  const std::string baseline = folder.file("b" + std::string("\x1b[31m\n::error::") + ".json");
  REQUIRE(tidemark_with("baseline " + loads.before + " -o " + quoted(baseline)).status == 0);
  // A policy is JSON: it names what it checks in UTF-8, with escapes.
  const json policy{
      {"checks",
       {{{"name", "check\x1b[31m\n::error title=x::PWN\xe2\x80\xae|`<b>"}, {"max", "1KiB"}},
        {{"name", "```\n"}, {"baseline", baseline}}}}};
  std::ofstream(folder.file("policy.json")) << policy.dump();
  const std::string phase = quoted("phaseother" + kHostile + "=1KiB");

  const auto said =
      tidemark_with("check " + loads.after + " --github --policy " + folder.file("policy.json") +
                        " --max-phase " + phase + " --junit " + folder.file("junit") + " --json " +
                        folder.file("json"),
                    "GITHUB_STEP_SUMMARY=" + folder.file("summary"));

  check_outcome(said, 1);
  check_harmless(said.out);
  // A command of a workflow for each check that fails, and nothing else begins like one.
  CHECK(count_of('\n' + said.out, "\n::") ==
        count_of('\n' + said.out, "\n::error title=tidemark%3A "));
  CHECK(count_of('\n' + said.out, "\n::") == 3);
  check_harmless(contents_of(folder.file("junit")));
  check_xml(contents_of(folder.file("junit")));
  check_harmless(contents_of(folder.file("json")));
  check_json(contents_of(folder.file("json")));
  check_harmless(contents_of(folder.file("summary")));
  check_markdown(contents_of(folder.file("summary")));
}

TEST_CASE("no error passes hostile text on", "[hostile]") {
  const Loads loads;
  const TemporaryFolder folder;
  const std::string name = quoted(kHostile);
  std::ofstream(folder.file("bad\x1b[31m")) << "{\"" << kHostile;
  const std::string bad = quoted(folder.file("bad\x1b[31m"));
  for (const std::string& words : std::vector<std::string>{
           name,
           "report " + name,
           "report --format " + name + " x",
           "report --" + name,
           "report " + bad,
           "report " + loads.before + " --at " + name,
           "report " + loads.before + " --model " + name,
           "diff x " + name,
           "export x --to " + name,
           "check " + name + " --max-peak 1B",
           "check " + loads.before + " --max-peak " + name,
           "check " + loads.before + " --policy " + bad,
           "check " + loads.before + " --baseline " + bad,
           "check " + loads.before + " --policy " + name,
           "check " + loads.before + " --max-phase " + quoted(kHostile + "=1KiB"),
           "baseline " + loads.before + " -o " + quoted("/no/such/" + kHostile),
           "plot " + loads.before + " -o " + name,
           "view " + name,
           "compare --after true --before " + quoted("'\x1b[2J\n"),
           "record -o " + quoted("/no/such/" + kHostile) + " true",
           "record -- ./" + name}) {
    CAPTURE(words);
    const auto said = tidemark_with(words);
    CHECK(said.status == 2);
    CHECK(said.out.empty());
    CHECK_FALSE(said.err.empty());
    check_harmless(said.err);
    CHECK(count_of(said.err, "\n") == 1);
  }
}

TEST_CASE("what is wrong in a file is said in our own words", "[hostile]") {
  const Loads loads;
  const TemporaryFolder folder;
  for (const std::string text :
       {"", " \n", "{", "{\"checks\": [\n}", "x", "[1,]", "\xff", "1e999",
        "{\"kind\":\"tidemark-baseline\",\"schema\":1}",
        "{\"kind\":\"tidemark-baseline\",\"schema\":1,\"command\":7}", "{\"kind\":7}"}) {
    std::ofstream(folder.file("bad.json")) << text;
    for (const std::string option : {"--policy ", "--baseline "}) {
      const auto said =
          tidemark_with("check " + loads.before + ' ' + option + folder.file("bad.json"));
      CAPTURE(text, option, said.err);
      CHECK(said.status == 2);
      CHECK(count_of(said.err, "\n") == 1);
      for (const std::string word : {"parse", "syntax", "exception", "last read", "invalid literal",
                                     "type must", "json.", "out of range"}) {
        CHECK(said.err.find(word) == std::string::npos);
      }
    }
  }
}
