#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/cli/commands.hpp"
#include "reference_loaders/cli/demo.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <new>

namespace {

using namespace tidemark::loaders;  // main.cpp alone: every line below is about them

/// 0: done. 1: it could not be done. 2: bad input or usage.
constexpr int kFailed = 1;
constexpr int kBadInput = 2;

struct Options {
  MakeOptions make;
  RunOptions run;
  DemoOptions demo;
  std::string format = "text";
};

void add_make(CLI::App& app, MakeOptions& options) {
  auto* make = app.add_subcommand("make", "Write a model file with seeded random weights");
  make->add_option("SYSTEM", options.system)->required();
  make->add_option("FILE", options.file)->required();
  make->add_option("--size", options.size, "Bytes of weights, as 512MiB, 5GB or 1.5GiB");
  make->add_option("--seed", options.seed, "Another seed gives other weights")
      ->capture_default_str();
}

void add_run(CLI::App& app, Options& options) {
  auto* run = app.add_subcommand("run", "Load a model file, print what was loaded and how fast");
  run->add_option("SYSTEM", options.run.system)->required();
  run->add_option("VARIANT", options.run.variant)->required();
  run->add_option("FILE", options.run.file)->required();
  run->add_option("--format", options.format)
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

void add_demo(CLI::App& app, DemoOptions& options) {
  auto* demo = app.add_subcommand("demo", "Record a naive and a streamed load, side by side");
  demo->add_option("--size", options.size, "Bytes of weights, as 512MiB or 5GB")
      ->capture_default_str();
  demo->add_option("-o,--output", options.directory, "Where the model and the traces go")
      ->capture_default_str();
  demo->add_option("--tidemark", options.tidemark, "The tidemark command, if not beside this one");
}

int run_verb(const CLI::App& app, Options& options) {
  if (app.got_subcommand("make")) {
    make_model(options.make);
  } else if (app.got_subcommand("run")) {
    options.run.json = options.format == "json";
    run_variant(options.run);
  } else if (app.got_subcommand("demo")) {
    return run_demo(options.demo) ? 0 : kFailed;
  } else {
    list_systems();
  }
  return 0;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Loads model files as real systems do, before and after their fixes",
               "tidemark-loaders");
  app.require_subcommand(1);
  Options options;
  app.add_subcommand("list", "Show the systems and their variants");
  add_make(app, options.make);
  add_run(app, options);
  add_demo(app, options.demo);
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
