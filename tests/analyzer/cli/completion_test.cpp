#include "analyzer/cli/completion/completion.hpp"

#include "analyzer/cli/command_line.hpp"
#include "analyzer/cli/completion/value_kinds.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using cli::ShellOffers;
using Completed = std::vector<std::string>;

namespace {

cli::Completion completed(const Completed& words) {
  static const cli::CommandTree tree = cli::command_tree();
  return cli::complete(tree, words);
}

Completed offered(const Completed& words) {
  Completed out;
  for (const cli::Candidate& candidate : completed(words).candidates) {
    out.push_back(candidate.word);
  }
  return out;
}

}  // namespace

TEST_CASE("every option's value says how a shell completes it", "[cli]") {
  std::size_t values = 0;
  for (const cli::CommandVerb& verb : cli::command_tree().verbs) {
    for (const cli::CommandOption& option : verb.options) {
      CAPTURE(verb.name, option.long_name(), option.value);
      if (!option.value.empty()) {
        CHECK(cli::kind_of_value(option.value) != cli::ValueKind::kUnknown);
        ++values;
      }
    }
  }
  CHECK(values > 30);
}

TEST_CASE("each verb and each of its options is offered", "[cli]") {
  const cli::CommandTree tree = cli::command_tree();
  const Completed verbs = offered({""});
  CHECK(verbs.size() == tree.verbs.size() + 1);  // And help.
  for (const cli::CommandVerb& verb : tree.verbs) {
    CHECK(std::ranges::count(verbs, verb.name) == 1);
    CHECK(offered({verb.name, "-"}).size() == verb.options.size());
  }
}

TEST_CASE("an option is offered once, a repeated one again", "[cli]") {
  CHECK(offered({"report", "--format", "json", "--form"}).empty());
  CHECK(offered({"check", "a.tmk", "--max-lane", "heap=1", "--max-l"}) == Completed{"--max-lane"});
  CHECK(offered({"record", "-o", "a.tmk", "--out"}).empty());
}

TEST_CASE("a value is completed behind its option, with and without a sign between", "[cli]") {
  CHECK(offered({"report", "--by", "ten"}) == Completed{"tensor"});
  CHECK(offered({"report", "--by=ten"}) == Completed{"--by=tensor"});
  CHECK(offered({"report", "--at", ""}) == Completed{"peak", "end"});
  CHECK(offered({"report", "--top", ""}).empty());
  CHECK(offered({"check", "a.tmk", "--lane", "rss_a"}) == Completed{"rss_anon"});
  CHECK(offered({"check", "a.tmk", "--max-lane=rss_a"}) == Completed{"--max-lane=rss_anon="});
  CHECK(completed({"report", "-o", ""}).offers == ShellOffers::kFiles);
  CHECK(completed({"compare", "-o", ""}).offers == ShellOffers::kFolders);
}

TEST_CASE("words by position are traces, as many as there are", "[cli]") {
  CHECK(completed({"diff", ""}).offers == ShellOffers::kTraces);
  CHECK(completed({"diff", "a.tmk", ""}).offers == ShellOffers::kTraces);
  CHECK(completed({"diff", "a.tmk", "b.tmk", ""}).offers == ShellOffers::kNothing);
  CHECK(offered({"explain", "written"}) == Completed{"written_twice"});
}

TEST_CASE("from the program on, the words are the program's", "[cli]") {
  const auto at = [](const Completed& words) {
    const cli::Completion out = completed(words);
    CHECK(out.offers == ShellOffers::kCommand);
    CHECK(out.candidates.empty());
    return out.command_at;
  };
  CHECK(at({"record", ""}) == 1);
  CHECK(at({"record", "--", ""}) == 2);
  CHECK(at({"record", "-o", "a.tmk", "--quiet", "./load", "--form"}) == 4);
  CHECK(at({"record", "--depth=3", "--", "./load", ""}) == 3);
}

TEST_CASE("the phases of the given trace are offered", "[cli]") {
  tests::TraceBuilder builder;
  builder.begin_phase("deserialize all");
  builder.end_phase("deserialize all");
  builder.begin_phase("warm\nup");
  builder.end_phase("warm\nup");
  const std::string path = builder.finish();

  CHECK(offered({"check", path, "--phase", "d"}) == Completed{"deserialize all"});
  CHECK(offered({"check", path, "--phase", "w"}) == Completed{"warm?up"});  // As reports call it.
  CHECK(offered({"check", path, "--max-phase", "d"}) == Completed{"deserialize all="});
  CHECK(offered({"check", "/no/such.tmk", "--phase", "d"}).empty());
  CHECK(offered({"check", "/dev/stdin", "--phase", "d"}).empty());
}

TEST_CASE("a shell reads a word a line, and what it is to offer itself", "[cli]") {
  CHECK(cli::completion_text(completed({"report", "--to"})) ==
        "--top\tStacks to list, 0 for all (default: 10, in JSON 100)\n");
  CHECK(cli::completion_text(completed({"report", ""})) == ":traces\n");
  CHECK(cli::completion_text(completed({"record", "--", "true", ""})) == ":command 2\n");
  CHECK(cli::completion_text(completed({"no-verb", ""})).empty());
}
