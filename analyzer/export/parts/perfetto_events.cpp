#include "analyzer/export/parts/perfetto_events.hpp"

#include "analyzer/export/parts/json_text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace tidemark::exports {
namespace {

std::string micros(std::uint64_t ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

}  // namespace

void PerfettoEvents::begin() {
  text_ += text_.empty() ? "\n" : ",\n";
}

void PerfettoEvents::name_process(std::uint32_t pid, const std::string& name) {
  begin();
  fmt::format_to(std::back_inserter(text_),
                 R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", pid,
                 json_string(name));
}

void PerfettoEvents::name_thread(const PerfettoThread& thread, const std::string& name) {
  begin();
  fmt::format_to(std::back_inserter(text_),
                 R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                 thread.pid, thread.tid, json_string(name));
}

void PerfettoEvents::counter(std::uint32_t pid,
                             const std::string& name,
                             const std::vector<CounterPoint>& points,
                             const std::string& unit) {
  const std::string text = json_string(name);
  for (const CounterPoint& point : points) {
    begin();
    fmt::format_to(std::back_inserter(text_),
                   R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"{}":{}}}}})", text, pid,
                   micros(point.at_ns), unit, point.value);
  }
}

void PerfettoEvents::slice(const PerfettoThread& thread, const PerfettoSlice& slice) {
  begin();
  fmt::format_to(
      std::back_inserter(text_),
      R"({{"ph":"X","cat":"phase","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{}}})",
      json_string(slice.name), thread.pid, thread.tid, micros(slice.begin_ns),
      micros(slice.end_ns - slice.begin_ns), slice.arguments);
}

void PerfettoEvents::free_slice(const PerfettoThread& thread, const PerfettoSlice& slice) {
  const std::string common =
      fmt::format(R"("cat":"phase","name":{},"id":"0x{:x}","pid":{},"tid":{})",
                  json_string(slice.name), ++free_slices_, thread.pid, thread.tid);
  begin();
  fmt::format_to(std::back_inserter(text_), R"({{"ph":"b",{},"ts":{},"args":{}}})", common,
                 micros(slice.begin_ns), slice.arguments);
  begin();
  fmt::format_to(std::back_inserter(text_), R"({{"ph":"e",{},"ts":{}}})", common,
                 micros(slice.end_ns));
}

void PerfettoEvents::instant(const PerfettoThread& thread,
                             std::uint64_t at_ns,
                             const std::string& name) {
  begin();
  fmt::format_to(std::back_inserter(text_),
                 R"({{"ph":"i","s":"g","name":{},"pid":{},"tid":{},"ts":{}}})", json_string(name),
                 thread.pid, thread.tid, micros(at_ns));
}

}  // namespace tidemark::exports
