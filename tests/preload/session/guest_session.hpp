/// A session with this very process as its host: the preload's own code, without the entry points.
#pragma once

#include "collector/session/ring_reader.hpp"
#include "preload/hooks/real.hpp"
#include "preload/session/process.hpp"
#include "preload/session/record.hpp"
#include "preload/session/session_file.hpp"
#include "preload/session/thread.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/session_memory.hpp"

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <unistd.h>

namespace tidemark::tests {

/// Attaches for its lifetime, as process slot 0. What records must run in threads of `run_thread`,
/// which have ended by then: a thread's place in a session lasts as long as the thread.
class GuestSession {
 public:
  explicit GuestSession(wire::Overflow overflow = wire::Overflow::kBlock) {
    real::need();
    wire::ControlBlock& control = memory_.map().control();
    control.overflow = overflow;
    control.clock = wire::Clock::kMonotonic;
    preload::set_clock(control.clock);
    wire::ProcessSlot& slot = memory_.map().process(0);
    slot.state.store(wire::ProcessState::kAlive);
    slot.generation.store(1);
    slot.pid = static_cast<std::uint32_t>(::getpid());
    process_.attached.store(preload::ProcessState::kAttachedHere);
    preload::g_session = memory_.map();
    preload::use_whole_session_for_testing(memory_.map());
    preload::g_stack_table.store(&table_);
    preload::g_process = &process_;
    preload::g_attachment.store(preload::Attachment::kAttached);
  }
  ~GuestSession() {
    preload::g_attachment.store(preload::Attachment::kDetached);
    preload::g_process = nullptr;
    preload::g_session = {};
    preload::use_whole_session_for_testing({});
    preload::g_stack_table.store(nullptr);
  }
  GuestSession(const GuestSession&) = delete;
  GuestSession& operator=(const GuestSession&) = delete;
  GuestSession(GuestSession&&) = delete;
  GuestSession& operator=(GuestSession&&) = delete;

  [[nodiscard]] const wire::SessionMap& map() const { return memory_.map(); }
  [[nodiscard]] wire::ControlBlock& control() const { return map().control(); }

  [[nodiscard]] static std::thread start_thread(std::function<void(preload::ThreadState&)> body) {
    return std::thread([run = std::move(body)] {
      if (preload::ThreadState* thread = preload::current_thread())
        run(*thread);
    });
  }
  static void run_thread(std::function<void(preload::ThreadState&)> body) {
    start_thread(std::move(body)).join();
  }

  /// What the kernel does to the collector's lock when the collector dies.
  void kill_collector() const {
    reinterpret_cast<std::atomic<std::uint32_t>*>(control().collector_lock)
        ->fetch_or(wire::kOwnerDied);
  }

 private:
  SessionMemory memory_;
  wire::StackTable table_ = memory_.map().stack_table(0);
  preload::ProcessState process_{};
};

/// Waits for a condition; a machine this slow has failed.
template <typename Condition>
bool comes_true(Condition condition) {
  return tests::comes_true(condition, std::chrono::seconds(20));
}

/// Later than every record so far.
inline std::uint64_t any_time() {
  return (preload::now_ticks() + (std::uint64_t{1} << 40)) & wire::kTimeMask;
}

/// Everything that lies in ring `ring`.
inline RingBatch drain_batch(const GuestSession& session, std::uint32_t ring = 0) {
  RingReader reader(session.map(), ring);
  RingBatch batch;
  while (!reader.read(batch, any_time(), true)) {
  }
  return batch;
}

/// The same without payloads.
inline std::vector<RawRecord> drain(const GuestSession& session, std::uint32_t ring = 0) {
  return drain_batch(session, ring).records;
}

inline std::vector<wire::RecordKind> kinds_of(const std::vector<RawRecord>& records) {
  std::vector<wire::RecordKind> kinds;
  for (const RawRecord& record : records)
    kinds.push_back(record.kind);
  return kinds;
}

}  // namespace tidemark::tests
