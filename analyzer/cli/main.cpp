#include "analyzer/cli/command_line.hpp"
#include "analyzer/cli/kept_inputs.hpp"
#include "analyzer/cli/memory_advice.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/io/out_of_memory.hpp"
#include "collector/trace/output/output_file.hpp"

#include <clocale>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace {

using namespace tidemark;

int print(const cli::Answer& answer) {
  const auto status = cli::write_output(answer.text);
  return status.ok() ? 0 : cli::fail(status.error());
}

}  // namespace

int main(int argc, char** argv) {
  analyzer::end_with_a_sentence("tidemark");
  analyzer::end_when_out_of_memory();
  try {
    // Only what can be shown depends on the locale; numbers always are printed the same way.
    std::setlocale(LC_CTYPE, "");
    trace::survive_file_size_limit();
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto command = cli::parse_command_line(words);
    if (!command.ok()) {
      return cli::fail(command.error());
    }
    if (const std::string sentence =
            cli::out_of_memory_sentence(command.value(), words, cli::address_space_limit());
        !sentence.empty()) {
      analyzer::say_when_out_of_memory(sentence);
    }
    if (const Status kept = cli::keeps_its_inputs(command.value()); !kept.ok()) {
      return cli::fail(kept.error());
    }
    return std::visit(
        [](const auto& chosen) {
          if constexpr (std::is_same_v<decltype(chosen), const cli::Answer&>) {
            return print(chosen);
          } else {
            return run(chosen);  // Each verb has one, beside its options.
          }
        },
        command.value());
  } catch (...) {
    return analyzer::fail_by_exception();
  }
}
