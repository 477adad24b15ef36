#include "analyzer/gate/output/gate_output.hpp"
#include "analyzer/gate/output/gate_stack_text.hpp"
#include "analyzer/report/anatomy/anatomy_markdown.hpp"
#include "analyzer/text/markdown.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kAnnotationStacks = 3;
constexpr std::size_t kSummaryStacks = 10;
constexpr TextStyle kGithubStyle{.width = 100, .colour = false, .utf8 = true};

/// A workflow command ends at the line's end, and its properties at the first colon or comma.
std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    const bool is_special =
        c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    out += is_special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out;
}

std::string property(std::string_view text) {
  return escaped(printable(kGithubStyle, text), true);
}

std::string relative_to(const std::string& root, const std::string& path) {
  const std::string folder = root.empty() || root.ends_with('/') ? root : root + '/';
  return !folder.empty() && path.starts_with(folder) ? path.substr(folder.size()) : path;
}

/// Where a reviewer should look: the line that asked for most of the excess.
std::string place_of(const CheckResult& result, const std::string& root) {
  if (result.stacks.stacks.empty() || result.stacks.stacks.front().frames.empty()) {
    return {};
  }
  const auto& frames = result.stacks.stacks.front().frames;
  const NamedFrame& frame = frames[asking_frame(frames)];
  return frame.file.empty()
             ? std::string()
             : fmt::format(",file={},line={}", property(relative_to(root, frame.file)), frame.line);
}

std::string annotation(const CheckResult& result,
                       const std::vector<WhySentence>& why,
                       const std::string& root) {
  std::string message = printable(kGithubStyle, check_sentence(result));
  for (const WhySentence& sentence : why) {
    message += '\n' + printable(kGithubStyle, sentence.text);
  }
  for (const std::string& line : gate_stack_lines(result.stacks, kGithubStyle, kAnnotationStacks)) {
    message += '\n' + line;
  }
  return fmt::format(
      "::{} title={}{}::{}\n", result.verdict == Verdict::kRegression ? "error" : "warning",
      property("tidemark: " + result.check.name), place_of(result, root), escaped(message, false));
}

std::string row(const CheckResult& result) {
  const std::string measured =
      result.measured_bytes ? format_size(*result.measured_bytes) : std::string("?");
  const std::string wrong = result.verdict == Verdict::kRegression
                                ? '+' + format_size(result.excess_bytes())
                                : result.reason;
  const std::string limit = result.is_limit_known ? format_size(result.limit_bytes) : "?";
  return fmt::format("| {} | {} | {} | {} | {} |\n", verdict_name(result.verdict),
                     md_text(result.check.name), measured, limit, md_text(wrong));
}

std::string stack_block(const CheckResult& result) {
  const auto lines = gate_stack_lines(result.stacks, kGithubStyle, kSummaryStacks);
  if (lines.empty()) {
    return {};
  }
  std::string text = printable(kGithubStyle, check_sentence(result)) + '\n';
  for (const std::string& line : lines) {
    text += line + '\n';
  }
  return '\n' + md_block(text);
}

/// An address between angle brackets, which nothing in it may end.
std::string address_of(std::string_view address) {
  std::string text;
  for (const char c : address) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte <= ' ' || byte == 0x7f || c == '<' || c == '>' || c == '\\'
                ? fmt::format("%{:02X}", static_cast<unsigned>(byte))
                : std::string(1, c);
  }
  return text;
}

}  // namespace

std::string gate_annotations(const GateResult& gate, const std::string& root) {
  std::string text;
  // Said once: it is the same peak.
  std::vector<WhySentence> why = gate.why;
  for (const CheckResult& result : gate.checks) {
    if (result.verdict == Verdict::kRegression) {
      text += annotation(result, std::exchange(why, {}), root);
    } else if (result.verdict == Verdict::kInconclusive) {
      text += annotation(result, {}, root);
    }
  }
  return text;
}

std::string gate_markdown(const GateResult& gate, const std::string& picture) {
  std::string text =
      fmt::format("### tidemark: {}\n\n", md_text(gate.trace + ": " + gate_sentence(gate)));
  text += "| verdict | check | measured | at most | |\n| --- | --- | ---: | ---: | --- |\n";
  for (const CheckResult& result : gate.checks) {
    text += row(result);
  }
  if (!gate.why.empty()) {
    text += '\n' + md_why(gate.why);
    text.pop_back();
  }
  if (!picture.empty()) {
    text += "\n![the footprint over time](<" + address_of(picture) + ">)\n";
  } else if (!gate.curve.empty()) {
    text += '\n' + md_block(gate.curve);
  }
  for (const CheckResult& result : gate.checks) {
    text += stack_block(result);
  }
  for (const std::string& note : gate.notes) {
    text += "\n" + md_text(note) + '\n';
  }
  return text + '\n';
}

}  // namespace tidemark::analyzer
