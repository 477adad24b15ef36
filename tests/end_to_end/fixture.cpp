#include "tests/end_to_end/fixture.hpp"

#include "tests/support/case_verdict.hpp"
#include "tests/support/catch.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace tidemark::tests {
namespace {

std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=./:,@%") == std::string::npos)
    return word;
  std::string out = "'";
  for (const char letter : word)
    out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return out + "'";
}

std::string shell_line(const Command& command) {
  std::string line;
  if (!command.environment.empty()) {
    line = "env";
    for (const std::string& change : command.environment)
      line += (change.find('=') == std::string::npos ? " -u " : " ") + quoted(change);
    line += ' ';
  }
  for (const std::string& word : command.words)
    line += quoted(word) + ' ';
  return line;
}

}  // namespace

EndToEnd::EndToEnd() {
  // A cache of its own, empty at first: no test sees what another one left, nor what the user has.
  setenv("XDG_CACHE_HOME", path("cache").c_str(), 1);
}

EndToEnd::~EndToEnd() {
  if (case_has_failed() || std::uncaught_exceptions() > 0) {
    std::fprintf(stderr, "kept: %s\nto repeat:\n%s\n", folder_.path().c_str(), repeat_.c_str());
    folder_.keep();
  }
}

std::string EndToEnd::library(const std::string& name) {
  return std::string(TIDEMARK_HOSTS) + "libraries/" + name;
}

Words EndToEnd::host(const std::string& name, const Words& arguments) {
  Words words{TIDEMARK_HOSTS + name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::string EndToEnd::a_file_of(std::size_t bytes, const std::string& name) const {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; i += 512)
    text[i] = static_cast<char>('a' + i / 512 % 26);
  return a_file_with(text, name);
}

std::string EndToEnd::a_file_with(const std::string& text, const std::string& name) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string EndToEnd::command() {
  const char* other = std::getenv("TIDEMARK_UNDER_TEST");
  return other != nullptr ? other : TIDEMARK_COMMAND;
}

std::string EndToEnd::next_prefix(const std::string& kind, const Command& command) {
  const std::string prefix = path(std::to_string(steps_++) + "." + kind);
  repeat_ += "  " + shell_line(command) + "# its output is in " + prefix + ".{out,err}\n";
  return prefix;
}

Command EndToEnd::recorded(Command command, const std::string& trace) const {
  Words words{EndToEnd::command(), "record", "-q", "-o", trace, "--"};
  words.insert(words.end(), command.words.begin(), command.words.end());
  command.words = std::move(words);
  return command;
}

Outcome EndToEnd::run_alone(const Command& command) {
  return run(command, next_prefix("alone", command));
}

Recording EndToEnd::record(const Command& command) {
  const std::string trace_path = path(std::to_string(steps_) + ".tmk");
  const Command whole = recorded(command, trace_path);
  Recording recording;
  recording.host = run(whole, next_prefix("recorded", whole));
  INFO("stderr: " << recording.host.err);
  CAPTURE(trace_path);
  REQUIRE(std::filesystem::exists(trace_path));
  recording.trace = trace_path;
  recording.events = Events(trace_path);
  return recording;
}

Recording EndToEnd::record_unchanged(const Command& command) {
  const Outcome alone = run_alone(command);
  Recording recording = record(command);
  CHECK(recording.host.out == alone.out);
  CHECK(recording.host.err == alone.err);
  CHECK(recording.host.status == alone.status);
  CHECK_FALSE(recording.events.loss().hides_memory());
  CHECK_FALSE(recording.events.loss().torn);
  return recording;
}

std::unique_ptr<RunningProgram> EndToEnd::start_recording(Command command) {
  const Command whole = recorded(std::move(command), trace());
  return std::make_unique<RunningProgram>(whole, next_prefix("recorded", whole));
}

Outcome EndToEnd::tidemark(const Words& words) {
  Command command;
  command.words = words;
  command.words.insert(command.words.begin(), EndToEnd::command());
  return run(command, next_prefix("tidemark", command));
}

nlohmann::json EndToEnd::report(const std::string& trace) {
  const Outcome said = tidemark({"report", trace, "--format", "json"});
  INFO(said.err);
  REQUIRE(said.status == 0);
  return nlohmann::json::parse(said.out);
}

std::string sixteen_tensors(std::uint64_t bytes) {
  constexpr std::uint64_t kTensors = 16;
  std::string header = "{";
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    std::ostringstream tensor;
    tensor << (i == 0 ? "" : ",") << R"("w)" << i << R"(":{"dtype":"F32","shape":[)"
           << bytes / sizeof(float) << R"(],"data_offsets":[)" << i * bytes << ','
           << (i + 1) * bytes << "]}";
    header += tensor.str();
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = header.size();
  std::string text(reinterpret_cast<const char*>(&size), sizeof size);
  text += header;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (std::uint64_t i = 0; i < kTensors * bytes / sizeof(float); ++i) {
    const float value = normal(random);
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return text;
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace tidemark::tests
