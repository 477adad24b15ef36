#include "tests/analyzer/cli/format_checks.hpp"

#include "collector/trace/types/lane.hpp"
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/html/page_data.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

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
#include <string_view>

#include <perfetto_trace.pb.h>

namespace tidemark::tests {

using nlohmann::json;

/// Independent of the code under test: the JSON library refuses what is no UTF-8, and the rest is
/// looked for by its bytes.
void check_harmless(const std::string& text) {
  CHECK_NOTHROW(json(text).dump());
  CHECK(std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7f;
  }));
  static const std::regex kOthers(
      "\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c|\xef\xbf["
      "\xbe\xbf]");
  CHECK_FALSE(std::regex_search(text, kOthers));
  CHECK(text.find("\n::error title=x") == std::string::npos);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::size_t count_of(const std::string& text, const std::string& wanted) {
  std::size_t count = 0;
  for (auto at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    ++count;
  }
  return count;
}

void check_json(const std::string& text) {
  CHECK(json::accept(text));
}

namespace {

void check_html(const std::string& text) {
  CHECK(count_of(text, "<script") == count_of(text, "</script>"));
  CHECK(text.find("</script><b>") == std::string::npos);
  CHECK(text.ends_with("</html>\n"));
  check_harmless(page_text(text));
}

/// Markdown without what stands in code.
std::string outside_of_code(const std::string& line) {
  std::string rest;
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find_first_not_of('`', at), line.size());
    if (end == at || (at > 0 && line[at - 1] == '\\')) {
      rest += line[at++];
      continue;
    }
    const std::string fence = line.substr(at, end - at);
    auto close = line.find(fence, end);
    while (close != std::string::npos &&
           (line[close - 1] == '`' || line[close + fence.size()] == '`')) {
      close = line.find(fence, close + 1);
    }
    INFO(line);
    REQUIRE(close != std::string::npos);
    at = close + fence.size();
  }
  return rest;
}

std::size_t bars_of(const std::string& line) {
  std::size_t bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1U : 0U;
  }
  return bars;
}

}  // namespace

void check_markdown(const std::string& text) {
  std::string fence;
  std::size_t columns = 0;
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    if (!fence.empty() || line.starts_with("```")) {
      const std::string run = line.substr(0, line.find_first_not_of('`'));
      if (fence.empty()) {
        fence = run;
      } else if (run.size() >= fence.size() && run.size() == line.size()) {
        fence.clear();
      }
      continue;
    }
    // A table is cut at its bars before code is looked for.
    if (line.starts_with('|')) {
      columns = columns == 0 ? bars_of(line) : columns;
      CHECK(bars_of(line) == columns);
    } else {
      columns = 0;
    }
    std::string rest = outside_of_code(line);
    for (auto at = rest.find("<br>"); at != std::string::npos; at = rest.find("<br>")) {
      rest.erase(at, 4);
    }
    CHECK(rest.find('<') == std::string::npos);
  }
  CHECK(fence.empty());
}

void check_csv(const std::string& text) {
  std::vector<std::size_t> columns{1};
  bool is_quoted = false;
  for (const char c : text) {
    is_quoted = c == '"' ? !is_quoted : is_quoted;
    if (c == ',' && !is_quoted) {
      ++columns.back();
    }
    if (c == '\n' && !is_quoted) {
      columns.push_back(1);
    }
  }
  columns.pop_back();
  CHECK_FALSE(is_quoted);
  CHECK(columns.size() > 1);
  CHECK(std::ranges::count(columns, columns.front()) ==
        static_cast<std::ptrdiff_t>(columns.size()));
}

namespace {

void check_lines(const std::string& text, const std::string& pattern) {
  const std::regex expected(pattern);
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    CHECK(std::regex_match(line, expected));
  }
}

/// Four frames, or five with the one of which no name is known, below their lane.
void check_collapsed(const std::string& text) {
  std::string lanes;
  for (const trace::Lane lane : trace::kFootprintLanes) {
    lanes += (lanes.empty() ? "" : "|") + std::string(trace::key_of(lane));
  }
  check_lines(text, '(' + lanes + ")(;[^;]*){4,5} [0-9]+");
}

void check_massif(const std::string& text) {
  check_lines(text,
              "(desc|cmd|time_unit): .*|#-+|(snapshot|mem_heap_B|mem_heap_extra_B|mem_stacks_B)="
              "[0-9]+|time=[0-9.]+|heap_tree=(empty|detailed|peak)| *n[0-9]+: [0-9]+ .*");
}

std::uint64_t varint_at(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      break;
    }
  }
  return value;
}

/// The string table of a profile that is no longer compressed: its field 6.
std::vector<std::string> strings_of_profile(const std::string& profile) {
  constexpr std::uint64_t kStringTable = 6;
  std::vector<std::string> strings;
  for (std::size_t at = 0; at < profile.size();) {
    const std::uint64_t tag = varint_at(profile, at);
    const std::uint64_t value = varint_at(profile, at);
    if ((tag & 7U) != 2) {
      continue;
    }
    if (tag >> 3U == kStringTable) {
      strings.push_back(profile.substr(at, value));
    }
    at += value;
  }
  return strings;
}

void check_pprof(const std::string& packed) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("p.gz"), std::ios::binary) << packed;
  const auto strings = strings_of_profile(run_command("gzip -dc " + folder.file("p.gz")).out);
  CHECK(std::ranges::any_of(
      strings, [](const std::string& text) { return text.find("PWN") != std::string::npos; }));
  for (const std::string& text : strings) {
    check_harmless(text);
  }
}

/// Every text of a Perfetto trace.
std::vector<std::string> strings_of_perfetto(const perfetto::protos::Trace& trace) {
  std::vector<std::string> strings;
  for (const auto& packet : trace.packet()) {
    const auto& track = packet.track_descriptor();
    strings.insert(strings.end(), {track.name(), track.process().process_name(),
                                   track.thread().thread_name(), packet.track_event().name()});
    for (const auto& annotation : packet.track_event().debug_annotations()) {
      strings.insert(strings.end(), {annotation.name(), annotation.string_value()});
    }
    const auto& interned = packet.interned_data();
    for (const auto* texts :
         {&interned.function_names(), &interned.mapping_paths(), &interned.source_paths()}) {
      for (const auto& text : *texts) {
        strings.push_back(text.str());
      }
    }
  }
  return strings;
}

void check_perfetto(const std::string& bytes) {
  perfetto::protos::Trace trace;
  REQUIRE(trace.ParseFromString(bytes));
  const auto strings = strings_of_perfetto(trace);
  // Command, names of threads, phases and files, functions, modules and sources.
  CHECK(std::ranges::count_if(strings, [](const std::string& text) {
          return text.find("PWN") != std::string::npos;
        }) >= 7);
  for (const std::string& text : strings) {
    check_harmless(text);
  }
}

}  // namespace

/// By a parser of XML.
void check_xml(const std::string& text) {
  const TemporaryFolder folder;
  if (run_command("python3 -c ''").status != 0) {
    SKIP_TEST("no python3 here to parse XML");
    return;
  }
  std::ofstream(folder.file("x.xml"), std::ios::binary) << text;
  const auto parsed =
      run_command("python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' " +
                  folder.file("x.xml"));
  INFO(parsed.err);
  CHECK(parsed.status == 0);
}

void check_text(const std::string& text) {
  CHECK_FALSE(text.empty());
}

namespace {

/// How the syntax of each format is checked. pprof and perfetto are not text.
const std::map<std::string, Check>& syntax_checks() {
  static const std::map<std::string, Check> kChecks{
      {"text", check_text},   {"json", check_json},           {"markdown", check_markdown},
      {"html", check_html},   {"collapsed", check_collapsed}, {"speedscope", check_json},
      {"pprof", check_pprof}, {"perfetto", check_perfetto},   {"massif", check_massif},
      {"csv", check_csv},     {"flamegraph", check_xml}};
  return kChecks;
}

}  // namespace

void check_format(const std::string& format, const std::string& text) {
  CAPTURE(format);
  const auto check = syntax_checks().find(format);
  if (check == syntax_checks().end()) {
    FAIL("nobody checks the syntax of the format " << format << ": add it to syntax_checks");
  }
  if (format != "pprof" && format != "perfetto") {
    check_harmless(text);
  }
  check->second(text);
}

}  // namespace tidemark::tests
