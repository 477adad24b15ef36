/// How bytes go into large blocks and from one to another: reads, fills and copies.
#pragma once

#include "analyzer/flow/following/departure_list.hpp"
#include "analyzer/flow/following/life_table.hpp"
#include "analyzer/flow/following/plain_copies.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/model_flow.hpp"
#include "analyzer/flow/places.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <unordered_set>

namespace tidemark::analyzer {

/// Updates the lives of blocks with bytes that came in or were copied out, and with moves to a
/// larger block.
class FlowTouches {
 public:
  /// All stay borrowed. `peak`: how many events there were before it.
  FlowTouches(const trace::Definitions& definitions,
              const ModelFiles& files,
              LifeTable& lives,
              std::uint64_t peak);

  /// Ignores all other kinds of events.
  void see(const trace::Event& event, trace::EventOrdinal ordinal);
  /// A block was released before the peak. Call before its index is reused.
  void end(std::uint32_t index) { plain_copies_.end(index); }
  /// Fills in the copies and the bytes that were read.
  void take(ModelFlow& flow);

 private:
  void read(const trace::Event& event);
  void read_into(const trace::Event& event);
  void fill(const trace::Event& event);
  void copy(const trace::Event& event, trace::EventOrdinal ordinal);

  [[nodiscard]] bool is_growth(const BlockLife& from, const BlockLife& into, std::uint64_t bytes);
  void arrive(const trace::Event& event, std::uint32_t from, std::uint32_t into);
  void move(std::uint32_t from, std::uint32_t into, std::uint64_t bytes);
  void note_plain(const trace::Event& event,
                  std::uint32_t from,
                  std::uint32_t into,
                  bool is_growth);
  void depart(const trace::Event& event,
              trace::EventOrdinal ordinal,
              std::uint32_t from,
              std::uint32_t into,
              bool is_growth);

  const trace::Definitions& definitions_;
  const ModelFiles& files_;
  LifeTable& lives_;
  std::uint64_t peak_;
  Places places_;
  DepartureList departures_;
  PlainCopies plain_copies_;                   // Between blocks that came before the peak.
  std::unordered_set<std::uint32_t> reading_;  // Threads whose last read was of the model.
  std::uint64_t read_bytes_ = 0;
  std::uint64_t seen_read_bytes_ = 0;
};

}  // namespace tidemark::analyzer
