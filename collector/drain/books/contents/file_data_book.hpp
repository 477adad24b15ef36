/// Data of programs and libraries: pages that the dynamic loader has mapped from their files, and
/// that were written since (relocations, variables), with the zeroed data behind them. They are
/// told from files that the program maps by their executable areas.
///
/// It is the process's own memory, but nobody asks for it by a call that could be recorded: a look
/// finds it, now and then. It counts, a block a file, where all of a process's is worth it.
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

  /// If it is due.
  void look(Host& host);

 private:
  void resize(Host& host, LiveBlock& block, std::uint64_t bytes);
  void begin(Host& host, LiveBlock& block, const std::string& name, std::uint64_t bytes);
  void count(Host& host, const std::string& name, std::uint64_t bytes);

  EventSink& sink_;
};

}  // namespace tidemark
