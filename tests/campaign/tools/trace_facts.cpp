// trace_facts FILE.tmk: what a trace says, as one line of JSON for the campaign: allocations by
// size, whether it has ended, and its loss.
#include "tests/end_to_end/recording.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <map>

int main(int argc, char** argv) {
  using namespace tidemark;
  if (argc != 2)
    return 2;
  try {
    const tests::Events events(argv[1]);
    std::map<std::uint64_t, std::uint64_t> allocations;
    for (const trace::Event& event : events.all()) {
      if (event.kind == trace::EventKind::kAllocate && event.lane == trace::Lane::kHeap)
        ++allocations[event.size];
    }
    nlohmann::json facts;
    facts["ended"] = events.session().ended;
    facts["torn"] = events.loss().torn;
    facts["hides_memory"] = events.loss().hides_memory();
    facts["unrecorded"] = events.loss().processes_unrecorded;
    facts["processes"] = events.definitions().processes.size();
    for (const auto& [size, count] : allocations)
      facts["allocations"][std::to_string(size)] = count;
    std::printf("%s\n", facts.dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
