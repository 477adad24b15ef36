#include "analyzer/cli/verbs/checking/check_options.hpp"

#include "analyzer/cli/shared/option_values.hpp"

#include <string_view>

namespace tidemark::cli {
namespace {

constexpr const char* kFooter =
    "SIZE is bytes, as 600MiB, or a multiple of the model, as 1.2xW.\n"
    "Lanes: footprint, heap, anon, file, device, shared; sampled, and so different\n"
    "from run to run: rss, rss_anon, rss_file, rss_shmem.\n"
    "A policy, as {\"schema\": 1, \"checks\": [{\"name\": \"copies\", \"max_ratio\": 1.1}]},\n"
    "holds any number of checks; man tidemark-gate has its keys.\n"
    "A summary is added to $GITHUB_STEP_SUMMARY where that is set. A regression\n"
    "leaves a page and a graph beside load.tmk: load.report.html, load.graph.svg.\n"
    "Exit status: 0 pass, 1 regression, 2 usage or unreadable input, 3 inconclusive:\n"
    "no regression was seen, but the trace has loss that could hide one, or a signal\n"
    "ended the program.";

/// May be given several times, each time with one value.
void add_repeated(Verb& verb,
                  const std::string& name,
                  std::vector<std::string>& values,
                  const std::string& type,
                  const std::string& about) {
  verb.add_option(name, values, about).type_name(type).repeated();
}

void add_budgets(Verb& verb, CheckCommand& command) {
  verb.add_option("--max-peak", command.max_peak, "Highest footprint").type_name("SIZE");
  verb.add_option("--max-ratio", command.max_ratio, "Highest footprint, as a multiple of the model")
      .type_name("R");
  add_repeated(verb, "--max-lane", command.max_lanes, "LANE=SIZE", "Highest of one lane");
  add_repeated(verb, "--max-phase", command.max_phases, "NAME=SIZE",
               "Highest footprint while a phase was open");
}

void add_comparison(Verb& verb, CheckCommand& command) {
  verb.add_option("--baseline", command.baseline, "Compare with a load that `baseline` stored")
      .type_name("B.json");
  verb.add_option("--tolerance", command.tolerance,
                  "What may be added to the baseline, in percent\n(default: 2)")
      .type_name("PCT");
  verb.add_option("--slack", command.slack, "What may be added to it in any case\n(default: 64KiB)")
      .type_name("SIZE");
  add_repeated(verb, "--lane", command.lanes, "LANE",
               "Compare this lane too, beside the footprint");
  add_repeated(verb, "--phase", command.phases, "NAME", "Compare this phase's peak too");
}

void add_outputs(Verb& verb, CheckCommand& command) {
  verb.add_option("--junit", command.junit, "Also write JUnit XML").type_name("FILE");
  verb.add_option("--json", command.json, "Also write JSON").type_name("FILE");
  verb.add_option("--markdown", command.markdown, "Also write what a pull request shows")
      .type_name("FILE");
  verb.add_option("--picture-url", command.picture_url,
                  "Where the graph will be: the markdown shows it")
      .type_name("URL");
  verb.add_flag("--github", command.github, "Also print annotations for GitHub Actions");
  verb.add_flag("--no-page", command.no_page,
                "Leave no page and graph beside the trace of a\nregression");
}

std::string beside(const std::string& trace, const char* ending) {
  constexpr std::string_view kEnding = ".tmk";
  return trace.substr(0, trace.size() - (trace.ends_with(kEnding) ? kEnding.size() : 0)) + ending;
}

}  // namespace

std::string page_beside(const CheckCommand& command) {
  return beside(command.file, ".report.html");
}

std::string picture_beside(const CheckCommand& command) {
  return beside(command.file, ".graph.svg");
}

std::vector<std::string> outputs_of(const CheckCommand& command) {
  std::vector<std::string> outputs{command.junit, command.json, command.markdown};
  if (!command.no_page) {
    outputs.insert(outputs.end(), {page_beside(command), picture_beside(command)});
  }
  return outputs;
}

Verb add_verb(CLI::App& app, CheckCommand& command) {
  Verb verb(app, "check", "Fail when a load takes more than it may");
  add_trace(verb, "FILE", command.file, "The trace").required();
  add_budgets(verb, command);
  add_comparison(verb, command);
  verb.add_option("--policy", command.policy, "Several checks, from a file of JSON")
      .type_name("FILE");
  verb.add_flag("--allow-loss", command.allow_loss,
                "Pass also where lost events, or the signal that\n"
                "ended the program, could hide a regression");
  add_model_to_read_with(verb, command.model);
  add_outputs(verb, command);
  add_color(verb);
  verb.footer(kFooter);
  return verb;
}

}  // namespace tidemark::cli
