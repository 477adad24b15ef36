#include "analyzer/export/parts/pprof_tables.hpp"

#include "analyzer/export/parts/json_text.hpp"
#include "analyzer/export/stacks/frame_names.hpp"
#include "analyzer/text/shown_text.hpp"

#include <algorithm>

namespace tidemark::exports {
namespace {

/// The address of the call itself: frames hold the return address, which is one byte too far.
std::uint64_t address_of(const trace::Definitions& definitions, const trace::Frame& frame) {
  const std::size_t module = trace::index(frame.module);
  const std::uint64_t base =
      module < definitions.modules.size() ? definitions.modules[module].base : 0;
  return base + frame.offset - 1;
}

/// The executable of the process that held most: the first ones may only be wrappers.
std::string program_of(const trace::Definitions& definitions) {
  const auto process = std::ranges::max_element(
      definitions.processes, {},
      [](const trace::Process& candidate) { return candidate.peak.footprint(); });
  return process == definitions.processes.end() ? std::string() : process->executable;
}

}  // namespace

PprofTables::PprofTables(const trace::Definitions& definitions, pprof::Profile& profile)
    : definitions_(definitions), profile_(profile) {
  text("");
  const std::string program = program_of(definitions);
  for (std::uint32_t i = 1; i < definitions.modules.size(); ++i) {
    if (!program.empty() && definitions.modules[i].path == program) {
      mapping(trace::ModuleId{i});  // pprof takes the first mapping for the program itself.
      return;
    }
  }
}

std::int64_t PprofTables::text(const std::string& text) {
  const auto [entry, is_new] = texts_.try_emplace(text, profile_.string_table_size());
  if (is_new) {
    profile_.add_string_table(analyzer::shown_text(text));
  }
  return entry->second;
}

std::uint64_t PprofTables::location(trace::FrameId frame) {
  const auto [entry, is_new] = locations_.try_emplace(trace::index(frame));
  if (is_new && trace::index(frame) < definitions_.frames.size()) {
    const trace::Frame& recorded = definitions_.frames[trace::index(frame)];
    const std::uint64_t mapping_id = mapping(recorded.module);
    pprof::Location& location = *profile_.add_location();
    entry->second = static_cast<std::uint64_t>(profile_.location_size());
    location.set_id(entry->second);
    location.set_mapping_id(mapping_id);
    location.set_address(address_of(definitions_, recorded));
    add_lines(frame, location);
    widen(mapping_id, location);
  }
  return entry->second == 0 ? unknown_location() : entry->second;
}

std::uint64_t PprofTables::unknown_location() {
  if (unknown_ == 0) {
    pprof::Location& location = *profile_.add_location();
    unknown_ = static_cast<std::uint64_t>(profile_.location_size());
    location.set_id(unknown_);
    location.add_line()->set_function_id(
        function({.function = kUnknownStack, .file = "", .module = ""}));
  }
  return unknown_;
}

std::uint64_t PprofTables::mapping(trace::ModuleId module) {
  const std::uint32_t i = trace::index(module);
  if (module == trace::kNoModule || i >= definitions_.modules.size()) {
    return 0;
  }
  const auto [entry, is_new] = mappings_.try_emplace(i);
  if (is_new) {
    const trace::Module& recorded = definitions_.modules[i];
    pprof::Mapping& mapping = *profile_.add_mapping();
    entry->second = static_cast<std::uint64_t>(profile_.mapping_size());
    mapping.set_id(entry->second);
    mapping.set_memory_start(recorded.base);
    mapping.set_memory_limit(recorded.base);
    mapping.set_filename(text(recorded.path));
    mapping.set_build_id(text(recorded.build_id));
    // Says that there is nothing left for pprof to look up.
    mapping.set_has_functions(true);
    mapping.set_has_filenames(true);
    mapping.set_has_line_numbers(true);
    mapping.set_has_inline_frames(true);
  }
  return entry->second;
}

std::uint64_t PprofTables::function(const analyzer::NamedFrame& frame) {
  const auto [entry, is_new] = functions_.try_emplace(frame.function + '\n' + frame.file);
  if (is_new) {
    pprof::Function& function = *profile_.add_function();
    entry->second = static_cast<std::uint64_t>(profile_.function_size());
    function.set_id(entry->second);
    function.set_name(text(frame.function));
    function.set_system_name(text(frame.function));
    function.set_filename(text(frame.file));
  }
  return entry->second;
}

void PprofTables::add_lines(trace::FrameId frame, pprof::Location& location) {
  for (const analyzer::NamedFrame& named : analyzer::named_frame(definitions_, frame)) {
    pprof::Line& line = *location.add_line();
    line.set_function_id(function(named));
    line.set_line(named.line);
  }
}

/// A trace does not say how long a module is: at least up to the code that was seen.
void PprofTables::widen(std::uint64_t mapping, const pprof::Location& location) {
  constexpr std::uint64_t kPageBytes = 4096;
  if (mapping > 0) {
    pprof::Mapping& known = *profile_.mutable_mapping(static_cast<int>(mapping) - 1);
    known.set_memory_limit(
        std::max(known.memory_limit(), (location.address() / kPageBytes + 1) * kPageBytes));
  }
}

}  // namespace tidemark::exports
