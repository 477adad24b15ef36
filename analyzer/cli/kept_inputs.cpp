#include "analyzer/cli/kept_inputs.hpp"

#include "analyzer/cli/shared/kept_files.hpp"

#include <string>
#include <variant>

namespace tidemark::cli {
namespace {

// One for each verb: a new verb does not compile until it says what it reads and writes.

/// The program, if its name is a path and not searched for along PATH. Files in its other arguments
/// are its own affair: it may well read the previous trace, which stays until the new one is
/// complete.
NamedFiles files_of(const RecordOptions& command) {
  const std::string& program = command.command.front();
  return {{program.find('/') != std::string::npos ? program : std::string(), command.model},
          {command.output}};
}
NamedFiles files_of(const ReportCommand& command) {
  return {{command.file, command.suppressions, command.model}, {command.output}};
}
NamedFiles files_of(const DiffCommand& command) {
  return {{command.before, command.after, command.model}, {command.output}};
}
NamedFiles files_of(const CompareCommand&) {
  return {};  // It writes into a folder of its own, and reads what it has recorded there.
}
NamedFiles files_of(const PlotCommand& command) {
  return {{command.file, command.other, command.model}, {command.output}};
}
NamedFiles files_of(const CheckCommand& command) {
  return {{command.file, command.baseline, command.policy, command.model}, outputs_of(command)};
}
NamedFiles files_of(const BaselineCommand& command) {
  return {{command.file, command.model}, {command.output}};
}
NamedFiles files_of(const ViewCommand& command) {
  return {{command.file, command.other, command.state, command.model}, {command.screenshot}};
}
NamedFiles files_of(const ExportCommand& command) {
  return {{command.file}, {command.output}};
}
NamedFiles files_of(const ExplainCommand&) {
  return {};
}
NamedFiles files_of(const MarksCommand&) {
  return {};
}
NamedFiles files_of(const Answer&) {
  return {};
}

}  // namespace

Status keeps_its_inputs(const Command& command) {
  return keeps_files(std::visit([](const auto& chosen) { return files_of(chosen); }, command));
}

}  // namespace tidemark::cli
