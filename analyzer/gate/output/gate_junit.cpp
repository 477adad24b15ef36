#include "analyzer/gate/output/gate_output.hpp"
#include "analyzer/gate/output/gate_stack_text.hpp"
#include "analyzer/text/text_style.hpp"

#include <fmt/format.h>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kMaxJunitStacks = 10;
constexpr TextStyle kJunitStyle{.width = 120, .colour = false, .utf8 = true};

/// Text for between tags and inside attributes. XML cannot represent most control characters, and
/// invalid UTF-8 ends a parse: `printable` replaces both by question marks.
std::string escaped_line(std::string_view line) {
  std::string text;
  for (const char c : printable(kJunitStyle, line)) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string body_of(const CheckResult& result, const GateResult& gate) {
  std::string body = escaped_line(check_sentence(result)) + '\n';
  for (const std::string& line : gate_stack_lines(result.stacks, kJunitStyle, kMaxJunitStacks)) {
    body += escaped_line(line) + '\n';
  }
  if (result.verdict == Verdict::kRegression) {
    for (const WhySentence& sentence : gate.why) {
      body += escaped_line(sentence.text) + '\n';
    }
  }
  for (const std::string& note : gate.notes) {
    body += "note: " + escaped_line(note) + '\n';
  }
  return body;
}

std::string outcome_element(const CheckResult& result, const GateResult& gate) {
  const char* const element = result.verdict == Verdict::kRegression ? "failure" : "error";
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                     verdict_name(result.verdict), escaped_line(check_sentence(result)),
                     body_of(result, gate));
}

std::string test_case(const CheckResult& result, const GateResult& gate) {
  const std::string head = fmt::format("    <testcase classname=\"tidemark\" name=\"{}\"",
                                       escaped_line(result.check.name));
  if (result.verdict == Verdict::kPass) {
    return fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", head,
                       escaped_line(check_sentence(result)));
  }
  return head + ">\n" + outcome_element(result, gate) + "    </testcase>\n";
}

}  // namespace

std::string gate_junit(const GateResult& gate) {
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", gate.checks.size(),
                  gate.count(Verdict::kRegression), gate.count(Verdict::kInconclusive));
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tidemark\" {0}>\n"
      "  <testsuite name=\"{1}\" {0} skipped=\"0\">\n",
      counts, escaped_line(gate.trace));
  for (const CheckResult& result : gate.checks) {
    text += test_case(result, gate);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace tidemark::analyzer
