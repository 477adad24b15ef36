#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/cli/commands.hpp"
#include "reference_loaders/cli/demo.hpp"
#include "reference_loaders/cli/registry.hpp"
#include "reference_loaders/cli/suite.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <string>

namespace {

using namespace tidemark::loaders;  // main.cpp alone: every line below is about them

/// 0: done. 1: it could not be done. 2: bad input or usage.
constexpr int kFailed = 1;
constexpr int kBadInput = 2;

struct ProgramOptions {
  MakeOptions make;
  RunOptions run;
  DemoOptions demo;
  SuiteOptions suite;
  std::map<std::string, Options> own;  ///< By the system's name.
  std::string format = "text";
};

void add_make(CLI::App& app, MakeOptions& options) {
  auto* make = app.add_subcommand("make", "Write a model file with seeded random weights");
  make->add_option("SYSTEM", options.system)->required();
  make->add_option("FILE", options.file)->required();
  make->add_option("--model", options.model, "Which of the system's models; `list` names them");
  make->add_option("--size", options.size, "Bytes of weights, as 512MiB, 5GB or 1.5GiB");
  make->add_option("--seed", options.seed, "Another seed gives other weights")
      ->capture_default_str();
}

void add_own_option(CLI::App& run, const RunOption& option, Options& values) {
  const std::string name = "--" + option.name;
  if (option.value_name.empty()) {
    run.add_flag_callback(
        name, [&values, key = option.name] { values[key] = "1"; }, option.summary);
    return;
  }
  values[option.name] = option.default_value;
  run.add_option(name, values[option.name], option.summary)
      ->type_name(option.value_name)
      ->capture_default_str();
}

void add_run_of(CLI::App& run, const System& system, ProgramOptions& options) {
  auto* app = run.add_subcommand(system.name, system.summary);
  app->add_option("VARIANT", options.run.variant, "One that `list` names")->required();
  app->add_option("FILE", options.run.file)->required();
  app->add_flag("--cold", options.run.cold, "Drop the file from the page cache first");
  app->add_option("--format", options.format)
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  for (const RunOption& option : system.options) {
    add_own_option(*app, option, options.own[system.name]);
  }
  app->callback([&options, name = system.name] {
    options.run.system = name;
    options.run.options = options.own[name];
  });
}

void add_run(CLI::App& app, ProgramOptions& options) {
  auto* run = app.add_subcommand("run", "Load a model file, say what was loaded, how fast");
  run->require_subcommand(1);
  for (const System& system : systems()) {
    add_run_of(*run, system, options);
  }
}

void add_demo(CLI::App& app, DemoOptions& options) {
  auto* demo = app.add_subcommand("demo", "Record a naive and a streamed load, side by side");
  demo->add_option("--size", options.size, "Bytes of weights, as 512MiB or 5GB")
      ->capture_default_str();
  demo->add_option("-o,--output", options.directory, "Where the model and the traces go")
      ->capture_default_str();
  demo->add_option("--tidemark", options.tidemark, "The tidemark command, if not beside this one");
}

void add_suite(CLI::App& app, SuiteOptions& options) {
  auto* suite = app.add_subcommand("suite", "Record every variant: predicted and measured peaks");
  suite->add_option("SYSTEM", options.systems, "Those that `list` names; without one, all");
  suite->add_option("-o,--output", options.directory, "Where the models and the traces go")
      ->capture_default_str();
  auto* full =
      suite->add_flag("--full", options.full, "The published sizes; models are removed when done");
  suite
      ->add_flag_callback(
          "--quick", [] {}, "Sizes for a few seconds a row (the default)")
      ->excludes(full);
  suite->add_flag("--keep", options.keep, "Keep the models that --full makes");
  suite->add_option("--tidemark", options.tidemark, "The tidemark command, if not beside this one");
  suite->footer(
      "A row holds when its measured peak is within 2 % of the predicted one, nothing\n"
      "was lost, and all variants loaded the same model.\n"
      "Exit status: 0 all rows hold, 1 one does not, 2 usage, or too little disk or\n"
      "memory.");
}

int run_verb(const CLI::App& app, ProgramOptions& options) {
  if (app.got_subcommand("make")) {
    make_model(options.make);
  } else if (app.got_subcommand("run")) {
    options.run.json = options.format == "json";
    run_variant(options.run);
  } else if (app.got_subcommand("demo")) {
    return run_demo(options.demo) ? 0 : kFailed;
  } else if (app.got_subcommand("suite")) {
    return run_suite(options.suite) ? 0 : kFailed;
  } else {
    list_systems();
  }
  return 0;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Loads model files as real systems do, before and after their fixes",
               "tidemark-loaders");
  app.require_subcommand(1);
  ProgramOptions options;
  app.add_subcommand("list", "Show the systems and their variants");
  add_make(app, options.make);
  add_run(app, options);
  add_demo(app, options.demo);
  add_suite(app, options.suite);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  return run_verb(app, options);
}

int say(const char* sentence, int status) {
  std::fprintf(stderr, "tidemark-loaders: %s\n", sentence);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const BadInput& error) {
    return say(error.what(), kBadInput);
  } catch (const UsageError& error) {
    return say(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return say("not enough memory to load this model in this way", kFailed);
  } catch (const std::exception& error) {
    return say(error.what(), kFailed);
  }
}
