// What a forked process has for itself of its parent's memory, and what of it may be missing.
#include "collector/os/clocks.hpp"
#include "tests/collector/drain/mapped_host.hpp"
#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

#include <vector>

using namespace tidemark;
using tests::AssembledSession;
using tests::RecordedThread;
using trace::Lane;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kFaultsPerMiB = kMiB / wire::kPageBytes;
constexpr std::uint64_t kHeap = 64 * kMiB;

/// A program with 64 MiB that has forked `kChildren` processes. No process of this machine has
/// their numbers: what the kernel would say of them is said here.
struct Family : AssembledSession {
  static constexpr std::uint32_t kChildren = 2;

  /// @param file_bytes of a file that it has mapped for itself, with `protection`.
  explicit Family(std::uint64_t file_bytes = 0, std::uint32_t protection = 0) {
    claim_slot(0, kFirstPid);
    program.emplace_back(*this, 0, 0, kFirstPid);
    program[0].allocate(0x1000000, kHeap);
    if (file_bytes != 0) {
      program[0].open(3, "/models/weights", file_bytes);
      program[0].map(0x700000000000, file_bytes, tests::of_file(3, protection));
    }
    for (std::uint32_t i = 1; i <= kChildren; ++i) {
      claim_slot(i, kFirstPid + i, kFirstPid, wire::Origin::kForked);
      program.emplace_back(*this, i, i, kFirstPid + i);
    }
  }
  RecordedThread& child(std::size_t i) { return program.at(i); }
  Host& host(std::size_t i) { return *assembler().processes().hosts().at(i); }
  ForkBook& forks() { return assembler().forks(); }

  /// The kernel has counted so many faults of process `i`, as a sample has told.
  void count_faults(std::size_t i, std::uint64_t mib) {
    host(i).tables.fault_counts = {FaultCount{now(), mib * kFaultsPerMiB},
                                   host(i).tables.fault_counts.front()};
  }
  /// What a wait of the program tells of the end of child `i`.
  void wait_for(std::uint32_t i, std::uint64_t mib) {
    program[0].add(wire::RecordKind::kChildEnded, 0, 0,
                   static_cast<std::uint32_t>(mib * kFaultsPerMiB), kFirstPid + i);
  }
  void end(std::size_t i) { assembler().processes().end(host(i), now()); }
  std::uint64_t unseen() {
    assembler().tell_rest();
    return forks().written_unseen_bytes();
  }

  /// Process `i` has so much of its own, and so much that `sharers` have in common.
  ForkBook::Look look(std::size_t i,
                      std::uint64_t own,
                      std::uint64_t common = 0,
                      std::uint64_t sharers = 1) {
    ForkBook::Look look = forks().begin_look(host(i));
    look.memory.anon_bytes = own + common;
    look.memory.own_anon_bytes = look.memory.own_anon_at_most_bytes = own;
    look.memory.pss_anon_bytes = own + common / sharers;
    return look;
  }
  void note(const std::vector<ForkBook::Look>& looks) { forks().note(looks); }

  std::vector<RecordedThread> program;
};

}  // namespace

TEST_CASE("what a forked process has written behind the last look is a loss", "[assembler]") {
  const bool is_looked_at = GENERATE(false, true);
  CAPTURE(is_looked_at);
  Family family;
  if (is_looked_at) {
    family.count_faults(1, 10);
    family.note({family.look(1, 8 * kMiB)});
    CHECK(family.bytes(Lane::kAnon) == 8 * kMiB);
  }
  family.end(1);
  family.wait_for(1, 24);
  CHECK(family.unseen() == (is_looked_at ? 24 - 10 : 24) * kMiB);
}

TEST_CASE("a look at memory goes with the faults of its moment", "[assembler]") {
  Family family;
  family.count_faults(1, 2);
  CHECK(ForkBook::is_told_by(family.host(1), family.look(1, 2 * kMiB)));
  const ForkBook::Look before = family.look(1, 8 * kMiB);
  // Behind the last sample, as the kernel would say of a process that is there.
  family.host(1).set_last_faults(8 * kFaultsPerMiB);
  CHECK_FALSE(ForkBook::is_told_by(family.host(1), before));
  family.note({family.look(1, 8 * kMiB)});
  family.end(1);
  CHECK(family.unseen() == 0);
}

TEST_CASE("what was too little to say at one look counts at the next ones", "[assembler]") {
  constexpr std::uint64_t kLittle = kMiB * 3 / 4;
  Family family;
  family.host(1).set_last_faults(kLittle / wire::kPageBytes);
  family.note({family.look(1, kLittle)});
  CHECK(family.bytes(Lane::kAnon) == 0);
  for (const std::uint64_t mib : {8U, 24U, 40U}) {
    family.host(1).set_last_faults(mib * kFaultsPerMiB);
    family.note({family.look(1, mib * kMiB)});
    CHECK(family.bytes(Lane::kAnon) == mib * kMiB);
  }
}

TEST_CASE("what a parent has written up to a look counts in it, or is said to be missing",
          "[assembler]") {
  Family family;
  family.host(0).set_last_faults(8 * kFaultsPerMiB);
  family.note({family.look(1, 8 * kMiB)});
  const std::uint64_t counted = family.bytes(Lane::kAnon);
  family.end(1);
  family.wait_for(1, 0);
  CHECK(counted + family.unseen() == 8 * kMiB);
}

TEST_CASE("private mappings of files that may be written to are among what a parent had",
          "[assembler]") {
  const bool is_writable = GENERATE(false, true);
  CAPTURE(is_writable);
  constexpr std::uint64_t kFile = 128 * kMiB;
  Family family(kFile, is_writable ? PROT_READ | PROT_WRITE : PROT_READ);
  family.end(1);
  family.wait_for(1, 500);
  CHECK(family.unseen() == kHeap + (is_writable ? kFile : 0));
}

TEST_CASE("faults of children that a forked process has waited for are not its own",
          "[assembler]") {
  const bool is_wait_late = GENERATE(false, true);
  CAPTURE(is_wait_late);
  Family family;
  family.child(1).add(wire::RecordKind::kChildEnded, 0, 0, 300 * kFaultsPerMiB, 77);
  if (!is_wait_late)
    family.wait_for(1, 306);
  family.end(1);
  if (is_wait_late)
    family.wait_for(1, 306);
  CHECK(family.unseen() == 6 * kMiB);
}

TEST_CASE("what a parent takes does not stand for what its child has written", "[assembler]") {
  Family family;
  family.program[0].allocate(0x9000000, 32 * kMiB);
  family.end(1);
  family.wait_for(1, 24);
  CHECK(family.unseen() == 24 * kMiB);
}

TEST_CASE("no more than its parent had can have become a forked process's own", "[assembler]") {
  Family family;
  family.end(1);
  family.wait_for(1, 500);
  CHECK(family.unseen() == kHeap);
}

TEST_CASE("what a forked process has asked for itself is in its lanes", "[assembler]") {
  Family family;
  family.child(1).allocate(0x9000000, 20 * kMiB);
  family.end(1);
  family.wait_for(1, 24);
  CHECK(family.unseen() == 4 * kMiB);
}

TEST_CASE("where its parent writes, a forked process keeps what was there", "[assembler]") {
  Family family;
  family.count_faults(0, 7);
  family.end(1);
  family.wait_for(1, 2);
  CHECK(family.unseen() == 9 * kMiB);
}

TEST_CASE("before a fork, nothing that its parent has touched is a forked process's own",
          "[assembler]") {
  const bool has_child_told = GENERATE(false, true);  // else a sample has
  CAPTURE(has_child_told);
  AssembledSession session;
  session.claim_slot(0, AssembledSession::kFirstPid);
  RecordedThread parent(session, 0, 0, AssembledSession::kFirstPid);
  parent.allocate(0x1000000, kHeap);
  auto& hosts = session.assembler().processes().hosts();
  FaultCount& counted = hosts.at(0)->tables.fault_counts.front();
  counted = {session.now(), (has_child_told ? 40 : 64) * kFaultsPerMiB};
  session.claim_slot(1, AssembledSession::kFirstPid + 1, AssembledSession::kFirstPid,
                     wire::Origin::kForked);
  session.map().process(1).faults_before_fork = has_child_told ? 64 * kFaultsPerMiB : 0;
  const RecordedThread child(session, 1, 1, AssembledSession::kFirstPid + 1);
  counted = {session.now(), 64 * kFaultsPerMiB};
  session.assembler().processes().end(*hosts.at(1), session.now());
  parent.add(wire::RecordKind::kChildEnded, 0, 0, 5 * kFaultsPerMiB,
             AssembledSession::kFirstPid + 1);
  session.assembler().tell_rest();
  CHECK(session.assembler().forks().written_unseen_bytes() == 5 * kMiB);
}

TEST_CASE(
    "a forked process can have written to what its parent touched between a look and the fork",
    "[assembler]") {
  const bool has_more = GENERATE(true, false);
  CAPTURE(has_more);
  constexpr std::uint64_t kLookedAt = 20;
  AssembledSession session;
  session.claim_slot(0, AssembledSession::kFirstPid);
  RecordedThread parent(session, 0, 0, AssembledSession::kFirstPid);
  parent.allocate(0x1000000, kHeap);
  auto& hosts = session.assembler().processes().hosts();
  if (has_more)  // Untouched, by the last look.
    hosts.at(0)->tables.pages.gone.add({0x700000000000, 0x700000000000 + 64 * kMiB});
  const FaultCount counted{session.now(), kLookedAt * kFaultsPerMiB};
  hosts.at(0)->tables.fault_counts = {counted, counted};
  session.claim_slot(1, AssembledSession::kFirstPid + 1, AssembledSession::kFirstPid,
                     wire::Origin::kForked);
  session.map().process(1).faults_before_fork = 50 * kFaultsPerMiB;
  const RecordedThread child(session, 1, 1, AssembledSession::kFirstPid + 1);
  session.assembler().processes().end(*hosts.at(1), session.now());
  parent.add(wire::RecordKind::kChildEnded, 0, 0, 200 * kFaultsPerMiB,
             AssembledSession::kFirstPid + 1);
  session.assembler().tell_rest();
  const std::uint64_t touched = (has_more ? 50 - kLookedAt : 0) * kMiB;
  CHECK(session.assembler().forks().written_unseen_bytes() == kHeap + touched);
}

TEST_CASE("what processes have written at one time is added up, what they have in turn is not",
          "[assembler]") {
  const bool are_in_turn = GENERATE(false, true);
  CAPTURE(are_in_turn);
  Family family;
  if (!are_in_turn)
    family.count_faults(2, 5);
  family.end(1);
  family.wait_for(1, 8);
  if (are_in_turn)
    family.count_faults(2, 5);
  family.end(2);
  family.wait_for(2, 5);
  CHECK(family.unseen() == (are_in_turn ? 8 : 13) * kMiB);
}

TEST_CASE("what a look finds later, a peak lacks as far as others have gone before it",
          "[assembler]") {
  const bool has_memory_of_its_own = GENERATE(false, true);
  CAPTURE(has_memory_of_its_own);
  Family family;
  if (has_memory_of_its_own)
    family.child(1).allocate(0x9000000, 20 * kMiB);
  family.count_faults(2, 5);
  family.end(1);
  family.wait_for(1, 0);
  family.note({family.look(2, 5 * kMiB)});
  family.end(2);
  family.wait_for(2, 5);
  CHECK(family.unseen() == (has_memory_of_its_own ? 5 * kMiB : 0));
}

TEST_CASE("what processes have written that end together is added up, however late they are told",
          "[assembler]") {
  Family family;
  family.host(2).look_for_death();
  family.end(1);
  family.end(2);
  family.wait_for(2, 7);
  family.wait_for(1, 8);
  CHECK(family.unseen() == 15 * kMiB);
}

TEST_CASE("where nothing tells its faults, its time bounds what a forked process can have written",
          "[assembler]") {
  const bool does_exec = GENERATE(false, true);
  CAPTURE(does_exec);
  constexpr std::uint64_t kFaultNs = 500;
  Family family;
  family.count_faults(1, 3);
  family.pass_time(10 * kFaultsPerMiB * kFaultNs);
  family.count_faults(2, 0);
  if (does_exec) {
    family.child(1).add(wire::RecordKind::kExec, 0, 0, 0, AssembledSession::kFirstPid + 1);
    family.assembler().processes().exec_left(family.host(1), family.now());
    family.wait_for(1, 40);  // with those of the program that it has become
  } else {
    family.end(1);
  }
  CHECK(family.unseen() == 13 * kMiB);
}

TEST_CASE("a wait long after its end is of another process of that number", "[assembler]") {
  constexpr std::uint64_t kLongNs = 10'000'000'001;
  const bool is_long = GENERATE(false, true);
  CAPTURE(is_long);
  Family family;
  family.pass_time(kLongNs);
  family.end(1);
  family.pass_time(is_long ? kLongNs : kLongNs / 2);
  family.wait_for(1, 5);
  CHECK(family.unseen() == (is_long ? kHeap : 5 * kMiB));
}

TEST_CASE("less than 4 MiB that a forked process may have written is not said", "[assembler]") {
  Family family;
  family.end(1);
  family.program[0].add(wire::RecordKind::kChildEnded, 0, 0, 4 * kFaultsPerMiB - 1,
                        AssembledSession::kFirstPid + 1);
  CHECK(family.unseen() == 0);
}

TEST_CASE("of a crowd of forked processes, what is too little in each to count is no loss",
          "[assembler]") {
  const std::uint64_t faults = GENERATE(kFaultsPerMiB - 1, 4 * kFaultsPerMiB);
  CAPTURE(faults);
  constexpr std::uint32_t kMany = 40;
  Family family;
  for (std::uint32_t i = 1; i <= kMany; ++i) {
    family.claim_slot(2 + i, AssembledSession::kFirstPid + 2 + i, AssembledSession::kFirstPid,
                      wire::Origin::kForked);
    family.program.emplace_back(family, 2 + i, 2 + i, AssembledSession::kFirstPid + 2 + i);
    family.host(2 + i).look_for_death();
  }
  for (std::uint32_t i = 1; i <= kMany; ++i)
    family.end(2 + i);
  for (std::uint32_t i = 1; i <= kMany; ++i)
    family.program[0].add(wire::RecordKind::kChildEnded, 0, 0, static_cast<std::uint32_t>(faults),
                          AssembledSession::kFirstPid + 2 + i);
  CHECK(family.unseen() == (faults < kFaultsPerMiB ? 0 : kMany * 4 * kMiB));
}

TEST_CASE("up to its exec a forked process can have written what faults it had then",
          "[assembler]") {
  Family family;
  family.child(1).add(wire::RecordKind::kExec, 0, 6 * kFaultsPerMiB, 0,
                      AssembledSession::kFirstPid + 1);
  family.assembler().processes().exec_left(family.host(1), family.now());
  family.wait_for(1, 40);
  CHECK(family.unseen() == 6 * kMiB);
}

TEST_CASE("a look at shares is due when much of a parent's memory can have been written",
          "[assembler]") {
  Family family;
  family.count_faults(1, 4);
  CHECK_FALSE(family.forks().is_look_due(family.host(1)));
  family.count_faults(1, 5);
  CHECK(family.forks().is_look_due(family.host(1)));
  CHECK_FALSE(family.forks().is_look_due(family.host(0)));
  family.note({family.look(1, 5 * kMiB)});
  CHECK_FALSE(family.forks().is_look_due(family.host(1)));
  CHECK(family.bytes(Lane::kAnon) == 5 * kMiB);
}

TEST_CASE("what goes from one forked process to another is never in both", "[assembler]") {
  const std::size_t from = GENERATE(1U, 2U);
  CAPTURE(from);
  constexpr std::uint64_t kOwn = 16 * kMiB;
  Family family;
  family.count_faults(1, 20);
  family.count_faults(2, 20);
  family.note({family.look(from, kOwn), family.look(3 - from, 0)});
  family.count_faults(3 - from, 40);
  family.note({family.look(3 - from, kOwn), family.look(from, 0)});
  CHECK(family.bytes(Lane::kAnon) == kOwn);
  CHECK(family.assembler().peak_footprint() == kHeap + kOwn);
}

TEST_CASE("what a program frees stays with those that it has forked, once", "[assembler]") {
  const bool is_one_alone = GENERATE(false, true);
  CAPTURE(is_one_alone);
  Family family;
  const auto look_at_all = [&](bool has_program_it) {
    const std::uint64_t sharers = (is_one_alone ? 1U : 2U) + (has_program_it ? 1U : 0U);
    const std::uint64_t own = sharers == 1 ? kHeap : 0;
    std::vector<ForkBook::Look> looks = {family.look(0, 0, has_program_it ? kHeap : 0, sharers),
                                         family.look(1, own, kHeap - own, sharers)};
    if (!is_one_alone)
      looks.push_back(family.look(2, 0, kHeap, sharers));
    family.note(looks);
    family.pass_time(10);
  };
  look_at_all(true);
  CHECK(family.bytes(Lane::kAnon) == 0);
  family.program[0].free(0x1000000);
  look_at_all(false);
  look_at_all(false);
  CHECK(family.bytes(Lane::kHeap) == 0);
  CHECK(family.bytes(Lane::kAnon) == kHeap);
}

TEST_CASE("until its release can have been read, what a program has freed counts there alone",
          "[assembler]") {
  struct Ahead final : RingsAhead {
    std::uint64_t now = 0;
    [[nodiscard]] std::uint64_t now_ns() const override { return now; }
    [[nodiscard]] bool has_dropped() const override { return false; }
    [[nodiscard]] PageRanges taken_pages(const Host&) const override { return {}; }
  };
  Family family;
  Ahead ahead;
  family.assembler().set_ahead(&ahead);
  ahead.now = family.now() + 1'000;
  const std::vector<ForkBook::Look> looks = {family.look(0, 0), family.look(1, kHeap)};
  family.note(looks);
  family.note(looks);
  CHECK(family.bytes(Lane::kAnon) == 0);
  family.pass_time(2'000);
  family.program[0].free(0x1000000);
  family.note(looks);
  CHECK(family.bytes(Lane::kAnon) == kHeap);
}

TEST_CASE("what is left while a round of looks goes on may count by the next one", "[assembler]") {
  Family family;
  const ForkBook::Look before = family.look(1, 0, kHeap, 2);
  family.pass_time(10);
  family.end(0);
  family.note({before});
  family.pass_time(10);
  CHECK(family.bytes(Lane::kAnon) == 0);
  CHECK(family.forks().is_look_due(family.host(1)));
  family.note({family.look(1, kHeap)});
  CHECK(family.bytes(Lane::kAnon) == kHeap);
}

TEST_CASE("what forked processes share with one that was not looked at is not theirs",
          "[assembler]") {
  Family family;
  for (int look = 0; look < 2; ++look) {
    family.note({family.look(1, 0, kHeap, 3), family.look(2, 0, kHeap, 3)});
    family.pass_time(10);
  }
  CHECK(family.bytes(Lane::kAnon) == 0);
}

// Each was compared with each other one, and that one's parent looked for among all.
TEST_CASE("hundreds of workers whose parent has gone lose together what they had unseen",
          "[assembler]") {
  constexpr std::uint32_t kWorkers = 700;
  constexpr std::uint32_t kFirstSlot = 1 + Family::kChildren;
  Family family;
  constexpr std::uint32_t kParent = AssembledSession::kFirstPid + 1;
  const auto pid = [](std::uint32_t slot) { return kParent + slot; };
  for (std::uint32_t slot = kFirstSlot; slot < kFirstSlot + kWorkers; ++slot) {
    family.claim_slot(slot, pid(slot), kParent, wire::Origin::kForked);
    family.program.emplace_back(family, slot, slot, pid(slot));
    family.count_faults(slot, 8);
  }
  family.end(1);
  for (std::uint32_t slot = kFirstSlot; slot < kFirstSlot + kWorkers; ++slot)
    family.end(slot);
  for (std::uint32_t slot = kFirstSlot; slot < kFirstSlot + kWorkers; ++slot)
    family.wait_for(slot + 1, 8);
  CHECK(family.unseen() == 8 * kWorkers * kMiB);
}
