// Records of several threads, through whole passes.
#include "collector/drain/drain.hpp"
#include "tests/collector/drain/event_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/one_core.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <random>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace tidemark::tests {
namespace {

using wire::RecordKind;

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct Made {
  RecordKind kind = RecordKind::kAllocate;
  std::uint32_t ring = 0;
  std::uint64_t ns = 0;  ///< Of the system's clock.
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint32_t extra = 0;
  std::uint32_t stack = wire::kNoNode;
};

/// This process as a host of a session, whose records the test writes itself.
class DrainedSession {
 public:
  static constexpr std::uint32_t kRings = 9;

  DrainedSession() : session_(std::move(SharedSession::create({}).value())) {
    session_->control().clock = wire::Clock::kMonotonic;
    drain_ = std::make_unique<Drain>(*session_, log_);
    begin_ns_ = monotonic_ns();
    wire::ProcessSlot& slot = session_->map().process(0);
    slot.pid = static_cast<std::uint32_t>(getpid());
    slot.state.store(wire::ProcessState::kAlive);
    slot.generation.store(1);
    slot.published.store(1);
    session_->control().rings_used.store(kRings);
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      session_->map().ring(ring).owner.store(1);
      write(ring, RecordKind::kThreadBegin, begin_ns_, std::uint64_t{1} << 32, 0, 1000 + ring);
    }
  }

  [[nodiscard]] std::uint64_t begin_ns() const { return begin_ns_; }
  EventLog& log() { return log_; }
  [[nodiscard]] wire::ControlBlock& control() const { return session_->control(); }
  [[nodiscard]] wire::RingHeader& ring(std::uint32_t index) const {
    return session_->map().ring(index);
  }

  [[nodiscard]] wire::ProcessSlot& host() const { return session_->map().process(0); }
  [[nodiscard]] wire::StackTable stack_table() const {
    REQUIRE(session_->map_windows(1, 1));
    return session_->map().stack_table(0);
  }

  void write(const Made& made) {
    write(made.ring, made.kind, made.ns, made.address, made.size, made.extra, made.stack);
  }
  /// Long enough after the one before.
  void pass_looking_at_threads(std::uint64_t written_until_ns) {
    const std::uint64_t due_ns = monotonic_ns() + 50'000'000;
    pass(std::max(written_until_ns, due_ns));
  }
  /// Once the clock has passed all that was written.
  std::size_t pass(std::uint64_t written_until_ns) {
    while (monotonic_ns() <= written_until_ns) {
    }
    return drain_->pass();
  }

 private:
  void write(std::uint32_t ring,
             RecordKind kind,
             std::uint64_t ns,
             std::uint64_t address,
             std::uint64_t size,
             std::uint32_t extra,
             std::uint32_t stack = wire::kNoNode) {
    REQUIRE(session_->map_windows(ring + 1, 0));
    const std::uint64_t position = session_->map().ring(ring).reserved++;
    wire::Slot& slot = session_->map().slots(ring)[position % wire::kRingSlots];
    slot.address = address;
    slot.size = size;
    slot.extra = extra;
    slot.stack = stack;
    slot.head.store(wire::make_head(wire::lap_of(position), kind, ns), std::memory_order_release);
  }

  EventLog log_;
  std::unique_ptr<SharedSession> session_;
  std::unique_ptr<Drain> drain_;
  std::uint64_t begin_ns_ = 0;
};

/// Blocks that live for one record, blocks that stay, and blocks that another thread frees; often
/// one thread's free comes right between another one's allocation and its free.
class Maker {
 public:
  Maker(unsigned seed, std::uint64_t begin_ns) : random_(seed), ns_(begin_ns) {}

  std::vector<Made> make(std::size_t count) {
    std::vector<Made> made;
    while (made.size() < count) {
      const auto ring = static_cast<std::uint32_t>(random_() % DrainedSession::kRings);
      if (open_[ring] == 0 && !alive_.empty() && random_() % 8 == 0) {
        std::swap(alive_[random_() % alive_.size()], alive_.back());
        made.push_back(next(RecordKind::kFree, ring, alive_.back(), 0));
        alive_.pop_back();
      } else if (open_[ring] == 0) {
        made.push_back(next(RecordKind::kAllocate, ring, ++address_ * 64, 1 + random_() % 5000));
        open_[ring] = made.back().address;
      } else {
        random_() % 4 == 0 ? alive_.push_back(open_[ring])
                           : made.push_back(next(RecordKind::kFree, ring, open_[ring], 0));
        open_[ring] = 0;
      }
    }
    return made;
  }

 private:
  Made next(RecordKind kind, std::uint32_t ring, std::uint64_t address, std::uint64_t size) {
    ns_ += 1 + random_() % 50;
    return {kind, ring, ns_, address, size};
  }

  std::mt19937_64 random_;
  std::uint64_t ns_;
  std::uint64_t address_ = 0;
  std::array<std::uint64_t, DrainedSession::kRings> open_{};
  std::vector<std::uint64_t> alive_;
};

bool is_of_a_block(const trace::Event& event) {
  return event.kind == trace::EventKind::kAllocate || event.kind == trace::EventKind::kRelease;
}

bool is_event_of(const trace::Event& event, const Made& made) {
  const bool is_allocation = made.kind == RecordKind::kAllocate;
  return (event.kind == trace::EventKind::kAllocate) == is_allocation &&
         trace::index(event.thread) == made.ring && (!is_allocation || event.size == made.size);
}

TEST_CASE("records of several threads become events in the order of their times", "[drain]") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  DrainedSession session;
  Maker maker(seed, session.begin_ns());
  std::mt19937 random(seed);
  std::vector<Made> all;
  std::size_t taken = 0;
  for (int stage = 0; stage < 6; ++stage) {
    const auto made = maker.make(1 + random() % 8'000);
    for (const Made& one : made)
      session.write(one);
    all.insert(all.end(), made.begin(), made.end());
    taken += session.pass(made.back().ns);
  }

  CHECK(taken == all.size() + DrainedSession::kRings);
  CHECK(session.log().breaches().empty());
  std::vector<trace::Event> events = session.log().events();
  std::erase_if(events, [](const trace::Event& event) { return !is_of_a_block(event); });
  REQUIRE(events.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    REQUIRE(is_event_of(events[i], all[i]));
  CHECK(std::ranges::is_sorted(events, {}, &trace::Event::at_ns));
}

TEST_CASE("the end of a thread is told by the kernel's mark, once and after all its records",
          "[drain]") {
  DrainedSession session;
  std::atomic<std::uint32_t> word{1001};
  session.ring(0).watch_word.store(reinterpret_cast<std::uintptr_t>(&word));
  session.ring(1).watch_word.store(reinterpret_cast<std::uintptr_t>(&word));
  std::uint64_t ns = session.begin_ns() + 10;
  session.pass_looking_at_threads(ns);
  CHECK(session.log().of_kind(trace::EventKind::kThreadEnd).empty());

  session.ring(0).watch_word.store(reinterpret_cast<std::uintptr_t>(&ns));  // of no thread
  session.write({RecordKind::kAllocate, 1, monotonic_ns(), 64, 77});
  word = wire::kOwnerDied;
  session.pass_looking_at_threads(monotonic_ns());
  session.pass_looking_at_threads(monotonic_ns());
  const auto ends = session.log().of_kind(trace::EventKind::kThreadEnd);
  REQUIRE(ends.size() == 1);
  CHECK(trace::index(ends[0].thread) == 1);
  CHECK(session.log().events().back().kind == trace::EventKind::kThreadEnd);

  // Whoever takes over tells it too, as it may be first.
  session.write({RecordKind::kThreadEnd, 1, monotonic_ns(), 0, 0});
  session.pass(monotonic_ns());
  CHECK(session.log().of_kind(trace::EventKind::kThreadEnd).size() == 1);
  CHECK(session.log().breaches().empty());
}

TEST_CASE("a mark that cannot be read, or is of the only thread, ends nothing", "[drain]") {
  DrainedSession session;
  std::atomic<std::uint32_t> word{wire::kOwnerDied};
  session.ring(1).watch_word.store(reinterpret_cast<std::uintptr_t>(&word));
  session.pass_looking_at_threads(monotonic_ns());
  session.ring(0).watch_word.store(8);
  session.pass_looking_at_threads(monotonic_ns());
  CHECK(session.log().of_kind(trace::EventKind::kThreadEnd).empty());
}

/// As ControlBlock::collector_cpu would be on a CPU that this machine does not have.
constexpr std::uint32_t kOtherCpu = 4096;

TEST_CASE("a pass leaves nobody waiting, and nobody's wish for room", "[drain]") {
  DrainedSession session;
  session.control().space_wanted.store(1);
  session.ring(0).writer_waits.store(1);
  session.ring(1).writer_waits.store(1 + kOtherCpu);
  session.pass(session.begin_ns());

  CHECK(session.ring(0).writer_waits.load() == 0);
  CHECK(session.ring(0).space_sequence.load() == 1);
  CHECK(session.ring(1).writer_waits.load() == 0);
  CHECK(session.ring(1).space_sequence.load() == 1);
  CHECK(session.ring(2).space_sequence.load() == 0);
  CHECK(session.control().space_wanted.load() == 0);
  CHECK(session.control().collector_cpu.load() != 0);
}

TEST_CASE("while a pass goes on, writers on other cores go on and those on its own wait",
          "[drain]") {
  const OneCore core;
  DrainedSession session;
  constexpr std::uint64_t kRecords = 3 * RingReader::kBatchRecords;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    for (const std::uint32_t ring : {0U, 1U})
      session.write({RecordKind::kAllocate, ring, session.begin_ns() + i, (2 * i + ring + 1) * 64});
  }
  session.ring(0).writer_waits.store(1 + static_cast<std::uint32_t>(core.cpu() + 1));
  session.ring(1).writer_waits.store(1 + kOtherCpu);
  bool own_waits = true;
  bool other_waits = false;
  session.log().on_event = [&] {
    own_waits = own_waits && session.ring(0).writer_waits.load() != 0;
    other_waits = other_waits || session.ring(1).writer_waits.load() != 0;
  };
  session.pass(session.begin_ns() + kRecords);

  CHECK(own_waits);
  CHECK_FALSE(other_waits);
  CHECK(session.ring(0).writer_waits.load() == 0);
}

/// Memory of this process, a sixteenth of it touched.
struct PartlyTouched {
  static constexpr std::uint64_t kBytes = std::uint64_t{64} << 20U;

  PartlyTouched()
      : memory(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(memory != MAP_FAILED);
    madvise(memory, kBytes, MADV_NOHUGEPAGE);
    std::memset(memory, 1, kBytes / 16);
  }
  PartlyTouched(const PartlyTouched&) = delete;
  PartlyTouched& operator=(const PartlyTouched&) = delete;
  PartlyTouched(PartlyTouched&&) = delete;
  PartlyTouched& operator=(PartlyTouched&&) = delete;
  ~PartlyTouched() { munmap(memory, kBytes); }

  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory); }

  void* memory;
};

TEST_CASE("a mapping counts in part at a peak, unless a record ahead takes pages of it",
          "[drain]") {
  constexpr std::uint64_t kBytes = PartlyTouched::kBytes;
  constexpr std::uint64_t kBlock = kBytes / 32;
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kElsewhere = 0x10000;
  const PartlyTouched touched;
  const std::uint64_t inside = touched.address() + kBytes / 2;
  const std::uint64_t end = touched.address() + kBytes;
  struct Case {
    const char* name;
    RecordKind comes;
    Made ahead;
    bool is_full;
  };
  const auto map = RecordKind::kMap;
  const auto [name, comes, ahead, is_full] = GENERATE_REF(values<Case>({
      {"unmapped", map, {RecordKind::kUnmap, 1, 0, inside, kPage}, true},
      {"mapped over", map, {RecordKind::kMap, 1, 0, inside, kPage}, true},
      {"moved away", map, {RecordKind::kRemapBegin, 1, 0, inside, kPage}, true},
      {"moved over it", map, {RecordKind::kRemapEnd, 1, 0, inside, kPage}, true},
      {"given back", map, {RecordKind::kAdvise, 1, 0, inside, kPage, MADV_DONTNEED}, true},
      {"read ahead", map, {RecordKind::kAdvise, 1, 0, inside, kPage, MADV_WILLNEED}, false},
      {"a lower break", map, {RecordKind::kBreak, 1, 0, end, inside}, true},
      {"a higher break", map, {RecordKind::kBreak, 1, 0, inside, end}, false},
      {"moved elsewhere", map, {RecordKind::kRemapEnd, 1, 0, kElsewhere, kPage}, false},
      {"no end of it", map, {RecordKind::kUnmap, 1, 0, kElsewhere, ~std::uint64_t{0}}, true},
      {"of the break", RecordKind::kBreak, {RecordKind::kFree, 1, 0, 64, 0}, true},
  }));
  CAPTURE(name);
  DrainedSession session;
  std::uint64_t ns = session.begin_ns();
  session.write({comes, 0, ++ns, touched.address(), comes == RecordKind::kBreak ? end : kBytes});
  session.write({RecordKind::kAllocate, 0, ++ns, kBlock, kBlock});
  session.write({RecordKind::kFree, 0, ++ns, kBlock, 0});
  Made later = ahead;
  later.ns = ++ns;
  session.write(later);
  std::uint64_t highest = 0;
  session.log().on_event = [&] { highest = std::max(highest, session.log().totals().footprint()); };
  session.pass(ns);
  CHECK(session.log().breaches().empty());
  CHECK(highest == (is_full ? kBytes : kBytes / 16) + kBlock);
}

TEST_CASE("a table of stacks that still grows while it is emptied loses none", "[drain]") {
  constexpr std::uint32_t kLast = 2000;  // A ring has room for them.
  DrainedSession session;
  const wire::StackTable table = session.stack_table();
  const std::atomic<std::uint32_t>& generation = session.host().stack_generation;
  const auto add_node = [&table](std::uint32_t parent, std::uint64_t address) {
    const std::uint32_t node = table.header().node_count.load() + 1;
    table.nodes()[node].address = address;
    table.nodes()[node].links.store(parent);
    table.header().node_count.store(node);
    return node;
  };
  const std::uint32_t root = add_node(wire::kNoNode, wire::kRootMark);
  std::uint32_t last = root;
  while (last < wire::kSmallStackNodes)
    last = add_node(root, last);
  // One thread has found it full. Another one goes on in a larger part of it, as long as it may.
  session.host().wanted_generation.store(2);
  std::thread grows([&] {
    while (last < wire::kMaxStackNodes - 1) {
      const std::uint32_t node = add_node(root, last);
      if (generation.load() != 0)
        return;
      last = node;
      std::this_thread::yield();
    }
  });
  session.pass(session.begin_ns());
  grows.join();
  REQUIRE(generation.load() == 2);
  std::uint64_t ns = monotonic_ns();
  for (std::uint32_t node = last - kLast + 1; node <= last; ++node)
    session.write({.kind = RecordKind::kAllocate,
                   .ns = ++ns,
                   .address = std::uint64_t{node} * 64,
                   .size = 8,
                   .stack = wire::name_stack(0, node)});
  session.pass(ns);
  const auto allocations = session.log().of_kind(trace::EventKind::kAllocate);
  CHECK(allocations.size() == kLast);
  CHECK(std::ranges::count(allocations, trace::kNoStack, &trace::Event::stack) == 0);
}

}  // namespace
}  // namespace tidemark::tests
