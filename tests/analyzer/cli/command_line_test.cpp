#include "analyzer/cli/command_line.hpp"

#include "analyzer/gate/gate_policy.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <set>

using namespace tidemark;
using Arguments = std::vector<std::string>;

namespace {

cli::RecordOptions recorded(const Arguments& words) {
  auto command = cli::parse_command_line(words);
  REQUIRE(command.ok());
  REQUIRE(std::holds_alternative<cli::RecordOptions>(command.value()));
  return std::get<cli::RecordOptions>(command.value());
}

}  // namespace

TEST_CASE("the host's own options are left alone", "[cli]") {
  CHECK(recorded({"record", "python3", "-c", "print(1)"}).command ==
        Arguments{"python3", "-c", "print(1)"});
  CHECK(recorded({"record", "--", "-odd-name", "--help"}).command ==
        Arguments{"-odd-name", "--help"});
  CHECK(recorded({"record", "git", "--version"}).command == Arguments{"git", "--version"});
  CHECK(recorded({"record", "sh", "-c", "x", "--", "y"}).command ==
        Arguments{"sh", "-c", "x", "--", "y"});
  CHECK(recorded({"record", "prog", "[a,b]", "", "{}"}).command ==
        Arguments{"prog", "[a,b]", "", "{}"});
  CHECK(recorded({"record", "record", "report"}).command == Arguments{"record", "report"});
}

TEST_CASE("record's options stand before the host", "[cli]") {
  const auto options = recorded({"record", "-o", "a.tmk", "--overflow", "drop", "--model=5GiB",
                                 "--depth", "32", "--quiet", "--wait-children", "--no-python",
                                 "--no-copies", "--no-symbol-cache", "./loader", "-o", "b"});

  CHECK(options.output == "a.tmk");
  CHECK(options.drop_on_overflow);
  CHECK(options.model == "5GiB");
  CHECK(options.depth == 32U);
  CHECK(options.quiet);
  CHECK(options.wait_children);
  CHECK(options.no_copies);
  CHECK(options.no_python);
  CHECK(options.no_symbol_cache);
  CHECK(options.command == Arguments{"./loader", "-o", "b"});
}

TEST_CASE("view --record takes a program, or says what is missing", "[cli]") {
  const auto command = cli::parse_command_line(
      {"view", "--record", "--model", "5GiB", "--", "./load", "--record", "-o", "x"});
  REQUIRE(command.ok());
  REQUIRE(std::holds_alternative<cli::ViewCommand>(command.value()));
  const auto& view = std::get<cli::ViewCommand>(command.value());
  CHECK(view.records);
  CHECK(view.model == "5GiB");
  CHECK(view.output.empty());
  CHECK(view.program == Arguments{"./load", "--record", "-o", "x"});

  // Without it, what stands behind -- is a trace, whatever its name.
  const auto trace = cli::parse_command_line({"view", "--", "--record"});
  REQUIRE(trace.ok());
  CHECK(std::get<cli::ViewCommand>(trace.value()).file == "--record");
  CHECK_FALSE(std::get<cli::ViewCommand>(trace.value()).records);

  for (const auto& [words, sentence] : std::map<Arguments, std::string>{
           {{"view"}, "FILE is required"},
           {{"view", "--record"}, "--record needs a program behind --"},
           {{"view", "--record", "--"}, "--record needs a program behind --"},
           {{"view", "--record", "./load"}, "'./load' is a trace, and --record makes one"},
           {{"view", "--record", "--screenshot", "a.png", "--", "./load"},
            "--screenshot shows a trace"},
           {{"view", "-o", "a.tmk", "b.tmk"}, "--output is of --record"}}) {
    const auto refused = cli::parse_command_line(words);
    REQUIRE_FALSE(refused.ok());
    CAPTURE(refused.error().message);
    CHECK(refused.error().message.starts_with(sentence));
    CHECK(refused.error().message.ends_with("; see tidemark view --help"));
  }
}

TEST_CASE("without options record has its defaults", "[cli]") {
  const auto options = recorded({"record", "--", "true"});

  CHECK(options.output.empty());
  CHECK_FALSE(options.drop_on_overflow);
  CHECK_FALSE(options.depth.has_value());
  CHECK_FALSE(options.quiet);
  CHECK_FALSE(options.no_copies);
  CHECK_FALSE(options.no_python);
  CHECK_FALSE(options.no_symbol_cache);
}

TEST_CASE("an option without its value is an error, not a host", "[cli]") {
  const auto [words, sentence] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"record", "-o"}, "--output needs a value: FILE.tmk"},
      {{"record", "--depth", "many", "true"},
       "--depth: 'many' is not a whole number from 1 to 1024"},
      {{"record", "-o", "x.tmk", "--"}, "record needs a program to run"},
  }));

  const auto command = cli::parse_command_line(words);

  REQUIRE_FALSE(command.ok());
  CHECK(command.error().code == ErrorCode::kUsage);
  CHECK(command.error().message == sentence + "; see tidemark record --help");
}

TEST_CASE("diff takes two traces, and knows its defaults", "[cli]") {
  const auto command = cli::parse_command_line({"diff", "a.tmk", "b.tmk"});
  REQUIRE(command.ok());
  const auto& diff = std::get<cli::DiffCommand>(command.value());

  CHECK(diff.before == "a.tmk");
  CHECK(diff.after == "b.tmk");
  CHECK(diff.format == "text");
  CHECK_FALSE(diff.top.has_value());
  CHECK_FALSE(cli::parse_command_line({"diff", "a.tmk"}).ok());
}

TEST_CASE("compare takes two command lines and how to record them", "[cli]") {
  const auto command = cli::parse_command_line(
      {"compare", "--before", "./load -x", "--after=./load --y", "-o", "out", "--runs", "5",
       "--model", "5GiB", "--overflow", "drop", "--depth", "9", "--wait-children", "--top", "3"});
  REQUIRE(command.ok());
  const auto& compare = std::get<cli::CompareCommand>(command.value());

  CHECK(compare.before == "./load -x");
  CHECK(compare.after == "./load --y");
  CHECK(compare.folder == "out");
  CHECK(compare.runs == 5);
  CHECK(compare.record.model == "5GiB");
  CHECK(compare.record.drop_on_overflow);
  CHECK(compare.record.depth == 9U);
  CHECK(compare.record.wait_children);
  CHECK(compare.top == std::size_t{3});
}

TEST_CASE("compare knows its defaults, and needs both commands", "[cli]") {
  const auto command = cli::parse_command_line({"compare", "--before", "a", "--after", "b"});
  REQUIRE(command.ok());
  const auto& compare = std::get<cli::CompareCommand>(command.value());

  CHECK(compare.folder == "tidemark-compare");
  CHECK(compare.runs == 1);
  CHECK_FALSE(compare.record.wait_children);
  CHECK_FALSE(cli::parse_command_line({"compare", "--before", "a"}).ok());
  CHECK_FALSE(
      cli::parse_command_line({"compare", "--before", "a", "--after", "b", "--runs", "0"}).ok());
}

TEST_CASE("report knows its defaults", "[cli]") {
  const auto command = cli::parse_command_line({"report", "a.tmk"});
  REQUIRE(command.ok());
  const auto& report = std::get<cli::ReportCommand>(command.value());

  CHECK(report.file == "a.tmk");
  CHECK(report.format == "text");
  CHECK(report.at == "peak");
  CHECK_FALSE(report.top.has_value());
}

TEST_CASE("every option that bounds a load is a key of a policy", "[cli][gate]") {
  const std::map<std::string, std::string> bounds{
      {"--max-peak", R"("max-peak": "1GiB")"},
      {"--max-ratio", R"("max-ratio": 1.1)"},
      {"--max-lane", R"("max-lane": "heap=1GiB")"},
      {"--max-phase", R"("max-phase": "read=1GiB")"},
      {"--lane", R"("lane": "heap", "max": "1B")"},
      {"--phase", R"("phase": "read", "max": "1B")"},
      {"--allow-loss", R"("allow-loss": true, "max": "1B")"}};
  const std::set<std::string> of_baselines{"--baseline", "--tolerance", "--slack"};
  const std::set<std::string> others{"--help",        "--junit",  "--json",    "--markdown",
                                     "--picture-url", "--github", "--no-page", "--color",
                                     "--policy",      "--model"};
  const auto tree = cli::command_tree();
  const auto check = std::ranges::find(tree.verbs, "check", &cli::CommandVerb::name);
  REQUIRE(check != tree.verbs.end());
  const auto parsed = [](const std::string& keys) {
    return analyzer::parse_policy(R"({"checks": [{"name": "a", )" + keys + "}]}", "p", "/no/such");
  };
  for (const cli::CommandOption& option : check->options) {
    const std::string& name = option.long_name();
    CAPTURE(name);
    if (bounds.contains(name)) {
      CHECK(parsed(bounds.at(name)).ok());
    } else if (of_baselines.contains(name)) {
      const auto refused = parsed('"' + name.substr(2) + R"(": "1", "max-ratio": 1)");
      REQUIRE_FALSE(refused.ok());
      CHECK_THAT(refused.error().message, !Catch::Contains("there is no key"));
    } else {
      CHECK(others.contains(name));
    }
  }
}
