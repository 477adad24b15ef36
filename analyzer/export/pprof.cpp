#include "analyzer/export/pprof.hpp"

#include "analyzer/export/parts/gzip.hpp"
#include "analyzer/export/parts/pprof_tables.hpp"
#include "analyzer/export/stacks/frame_names.hpp"
#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/shown_text.hpp"

#include <fmt/format.h>

namespace tidemark::exports {
namespace {

/// The allocators themselves: without this, pprof's tables would name hardly anything else. Readers
/// match whole names without their parameters.
constexpr const char* kAllocators =
    "malloc|calloc|realloc|reallocarray|memalign|aligned_alloc|posix_memalign|valloc|pvalloc|"
    "strdup|"
    "strndup|mmap|mmap64|mremap|brk|sbrk|_int_malloc|__libc_malloc|__libc_calloc|__libc_realloc|"
    "operator new(\\[\\])?|std::(__new_)?allocator(_traits)?<.*>::allocate";

void set_type(pprof::ValueType& type, const char* name, const char* unit, PprofTables& tables) {
  type.set_type(tables.text(name));
  type.set_unit(tables.text(unit));
}

void add_types(pprof::Profile& profile, PprofTables& tables, bool is_range) {
  if (is_range) {
    set_type(*profile.add_sample_type(), "alloc_objects", "count", tables);
    set_type(*profile.add_sample_type(), "alloc_space", "bytes", tables);
  }
  set_type(*profile.add_sample_type(), "inuse_objects", "count", tables);
  set_type(*profile.add_sample_type(), "inuse_space", "bytes", tables);
  set_type(*profile.add_sample_type(), "mapped_file_space", "bytes", tables);
  profile.set_default_sample_type(tables.text("inuse_space"));
  set_type(*profile.mutable_period_type(), "space", "bytes", tables);
  profile.set_drop_frames(tables.text(kAllocators));
  profile.set_period(1);  // Every byte was counted; nothing is sampled.
}

void add_values(const StackRow& row, bool is_range, pprof::Sample& sample) {
  const bool counts = is_footprint(row.lane);
  const auto add = [&sample](bool applies, std::uint64_t value) {
    sample.add_value(applies ? static_cast<std::int64_t>(value) : 0);
  };
  if (is_range) {
    add(counts, row.values.allocated_blocks);
    add(counts, row.values.allocated_bytes);
  }
  add(counts, row.values.blocks);
  add(counts, row.values.bytes);
  add(!counts, row.values.bytes);
}

void add_sample(const StackRow& row,
                bool is_range,
                const trace::Definitions& definitions,
                PprofTables& tables,
                pprof::Profile& profile) {
  pprof::Sample& sample = *profile.add_sample();
  for (const trace::FrameId frame : analyzer::recorded_frames(definitions, row.stack)) {
    sample.add_location_id(tables.location(frame));
  }
  if (sample.location_id_size() == 0) {
    sample.add_location_id(tables.unknown_location());
  }
  add_values(row, is_range, sample);
  pprof::Label& label = *sample.add_label();
  label.set_key(tables.text("lane"));
  label.set_str(tables.text(trace::key_of(row.lane)));
}

void add_session(const trace::Session& session,
                 const StackTable& table,
                 PprofTables& tables,
                 pprof::Profile& profile) {
  const std::uint64_t begin_ns = table.since_ns.value_or(table.at_ns);
  profile.set_time_nanos(static_cast<std::int64_t>(session.started_unix_ns + begin_ns));
  profile.set_duration_nanos(static_cast<std::int64_t>(table.at_ns - begin_ns));
  profile.add_comment(tables.text(analyzer::shown_text(
      fmt::format("recorded by tidemark: {}", fmt::join(session.command, " ")))));
  if (analyzer::loses_anything(session.loss)) {
    profile.add_comment(tables.text(analyzer::describe_loss(session.loss)));
  }
}

}  // namespace

std::string pprof_profile(const trace::Definitions& definitions, const StackTable& table) {
  pprof::Profile profile;
  PprofTables tables(definitions, profile);
  const bool is_range = table.since_ns.has_value();
  add_types(profile, tables, is_range);
  for (const StackRow& row : table.rows) {
    add_sample(row, is_range, definitions, tables, profile);
  }
  add_session(definitions.session, table, tables, profile);
  return gzipped(profile.SerializeAsString());
}

}  // namespace tidemark::exports
