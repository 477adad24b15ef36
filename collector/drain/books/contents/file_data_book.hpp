/// Data of programs and libraries: pages that the dynamic loader has mapped from their files and
/// that were written since (relocations, variables), with the zeroed data behind them. Such files
/// are told from files that the program maps by their executable areas.
///
/// It is the process's own memory, but no recordable call asks for it, so a look finds it now and
/// then. It counts, one block per file, if a process has enough of it in all.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace tidemark {

class FileDataBook {
 public:
  /// `sink` stays borrowed.
  explicit FileDataBook(EventSink& sink) : sink_(sink) {}

  /// Looks if it is due.
  void look(Host& host);

 private:
  void resize(Host& host, LiveBlock& block, std::uint64_t bytes);
  void begin(Host& host, LiveBlock& block, const std::string& name, std::uint64_t bytes);
  void count(Host& host, const std::string& name, std::uint64_t bytes);

  EventSink& sink_;
};

}  // namespace tidemark
