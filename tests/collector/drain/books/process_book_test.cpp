#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

#include <random>

#include <unistd.h>

using namespace tidemark;
using tests::anonymous;
using tests::AssembledSession;
using tests::RecordedThread;
using trace::EventKind;
using trace::Lane;
using wire::RecordKind;
using namespace std::string_literals;

namespace {

constexpr std::uint64_t kBlocksAt = 0x10000;
constexpr std::uint32_t kPid = AssembledSession::kFirstPid;
constexpr std::uint64_t kPageSize = wire::kPageBytes;

}  // namespace

TEST_CASE("a process begins with its first thread and says so in the trace", "[assembler]") {
  AssembledSession session;
  session.claim_slot(4, kPid, 77);
  RecordedThread main(session, 0, 4, kPid);
  main.text(RecordKind::kProcessBegin, "/usr/bin/loader\0loader\0model.bin\0"s);

  REQUIRE(session.log().processes().size() == 1);
  const trace::Process& process = session.log().processes()[0];
  CHECK(process.pid == kPid);
  CHECK(process.parent_pid == 77);
  CHECK(process.executable == "/usr/bin/loader");
  CHECK(process.command == "loader model.bin");
  REQUIRE(session.log().events().size() == 2);
  CHECK(session.log().events()[0].kind == EventKind::kProcessBegin);
  CHECK(session.log().events()[1].kind == EventKind::kThreadBegin);
}

TEST_CASE("a thread keeps its id, and its last name is its name", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  session.begin_thread(0, 0, kPid, "first");
  RecordedThread again(session, 1, 0, kPid);
  again.text(RecordKind::kThreadName, "last", kPid);
  again.text(RecordKind::kThreadEnd, "");
  REQUIRE(session.log().threads().size() == 1);
  CHECK(session.log().threads()[0].name == "last");
  CHECK(session.log().of_kind(EventKind::kThreadEnd).size() == 1);
}

TEST_CASE("a thread that has ended and a later one with its number are two", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  session.begin_thread(0, 0, kPid, "first");
  session.begin_thread(1, 0, kPid + 1, "reader");
  session.assembler().processes().end_thread(1, session.now());
  session.begin_thread(2, 0, kPid + 1, "writer");
  RecordedThread(session, 3, 0, kPid + 1).text(RecordKind::kThreadName, "renamed", kPid + 1);

  REQUIRE(session.log().threads().size() == 3);
  CHECK(session.log().threads()[1].name == "reader");
  CHECK(session.log().threads()[2].name == "renamed");
  const Host& host = *session.assembler().processes().hosts().at(0);
  CHECK(host.tables.threads.size() == 2);
  // The first one stands for the process after its end, too.
  session.assembler().processes().end_thread(0, session.now());
  CHECK(host.first_thread() == trace::ThreadId{0});
}

TEST_CASE("what a process still holds at its end goes from every lane", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread main(session, 0, 0, kPid);
  main.allocate(kBlocksAt, 100);
  main.map(0x7f0000000000, 2 * kPageSize, anonymous());
  main.map(0x7f0000010000, 3 * kPageSize, tests::of_file(3));
  main.realloc_begin(kBlocksAt, 200);  // in the middle of which it dies
  Host& host = *session.assembler().processes().hosts().at(0);
  session.assembler().processes().end(host, session.now() + 10);

  CHECK(session.log().of_kind(EventKind::kReleaseAll).size() == 3);
  CHECK(session.log().events().back().kind == EventKind::kProcessEnd);
  CHECK(session.log().totals() == trace::LaneTotals{});
  CHECK(session.log().processes()[0].end_ns == session.now() + 10);
  CHECK(session.log().processes()[0].peak[Lane::kHeap] == 100);

  // Whatever its rings still say has no host any more.
  main.allocate(kBlocksAt, 7);
  session.assembler().processes().end(host, session.now());
  CHECK(session.log().totals() == trace::LaneTotals{});
  CHECK(session.log().of_kind(EventKind::kProcessEnd).size() == 1);
  CHECK(session.log().breaches().empty());
}

TEST_CASE("an exec ends the old image and starts the new one at zero", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread before(session, 0, 0, kPid);
  before.allocate(kBlocksAt, 100);
  before.add(RecordKind::kExec, 0, 0, 0, kPid);
  session.claim_slot(1, kPid);
  RecordedThread after(session, 1, 1, kPid);

  CHECK(session.bytes(Lane::kHeap) == 0);
  CHECK(session.log().of_kind(EventKind::kProcessEnd).size() == 1);
  REQUIRE(session.log().processes().size() == 2);
  after.allocate(kBlocksAt, 30);
  after.free(kBlocksAt);
  CHECK(session.bytes(Lane::kHeap) == 0);
  CHECK(session.assembler().unmatched_releases() == 0);
  CHECK(session.log().breaches().empty());
}

TEST_CASE("the kernel's peak of a process is its highest image's", "[assembler]") {
  const std::size_t highest = GENERATE(0U, 1U);
  CAPTURE(highest);
  AssembledSession session;
  for (std::uint32_t image = 0; image < 2; ++image) {
    session.claim_slot(image, kPid);
    RecordedThread main(session, image, image, kPid);
    main.allocate(kBlocksAt, image == highest ? 5000 : 100);
    main.add(RecordKind::kExec, 0, 0, 0, kPid);
  }
  auto& processes = session.assembler().processes();
  processes.end(*processes.hosts().back(), session.now());
  processes.set_kernel_peak(kPid, 9000);
  CHECK(session.log().processes()[highest].kernel_peak_rss_bytes == 9000);
  CHECK(session.log().processes()[1 - highest].kernel_peak_rss_bytes == 0);
}

TEST_CASE("an exec that failed leaves the image as it was", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread main(session, 0, 0, kPid);
  main.allocate(kBlocksAt, 100);
  main.add(RecordKind::kExec, 0, 0, 0, kPid);
  CHECK(session.assembler().processes().hosts().at(0)->execs());
  main.add(RecordKind::kExecFailed, 0, 0, 0, kPid);
  CHECK_FALSE(session.assembler().processes().hosts().at(0)->execs());
  main.free(kBlocksAt);
  CHECK(session.bytes(Lane::kHeap) == 0);
}

TEST_CASE("an exec by a vfork child is not its parent's", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread main(session, 0, 0, kPid);
  main.add(RecordKind::kExec, 0, 0, 0, kPid + 1);
  CHECK_FALSE(session.assembler().processes().hosts().at(0)->execs());
}

TEST_CASE("a child that was waited for holds nothing any more", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread parent(session, 0, 0, kPid);
  session.claim_slot(1, kPid + 1, kPid, wire::Origin::kForked);
  RecordedThread child(session, 1, 1, kPid + 1);
  child.allocate(kBlocksAt, 100);
  SECTION("before what its parent does next") {
    parent.add(RecordKind::kChildEnded, 0, 0, 0, kPid + 1);
    parent.allocate(kBlocksAt, 7);
    CHECK(session.bytes(Lane::kHeap) == 7);
    CHECK(session.log().of_kind(EventKind::kProcessEnd).size() == 1);
  }
  SECTION("and has ended once") {
    parent.add(RecordKind::kChildEnded, 0, 0, 0, kPid + 1);
    parent.add(RecordKind::kChildEnded, 0, 0, 0, kPid + 1);
    CHECK(session.log().of_kind(EventKind::kProcessEnd).size() == 1);
  }
  SECTION("also where the wait does not say which child it was") {
    parent.add(RecordKind::kChildEnded, 0, 0, 0, 0);
    CHECK(session.bytes(Lane::kHeap) == 0);
  }
  SECTION("of another parent") {
    child.add(RecordKind::kChildEnded, 0, 0, 0, 0);
    CHECK(session.bytes(Lane::kHeap) == 100);
  }
  SECTION("no other one does") {
    parent.add(RecordKind::kChildEnded, 0, 0, 0, kPid + 2);
    CHECK(session.bytes(Lane::kHeap) == 100);
  }
  CHECK(session.log().breaches().empty());
}

TEST_CASE("what was ever resident of a child is known from its wait", "[assembler]") {
  constexpr std::uint64_t kResident = 5 << 20;
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread parent(session, 0, 0, kPid);
  session.claim_slot(1, kPid + 1, kPid, wire::Origin::kForked);
  RecordedThread child(session, 1, 1, kPid + 1);
  child.allocate(kBlocksAt, 100);
  const auto resident = [&](std::size_t process) {
    return session.log().processes().at(process).rss_at_most_bytes;
  };
  SECTION("that it names") {
    parent.add(RecordKind::kChildEnded, 0, kResident, 0, kPid + 1);
    CHECK(resident(1) == kResident);
  }
  SECTION("and not of whichever child it was") {
    parent.add(RecordKind::kChildEnded, 0, kResident, 0, 0);
    CHECK(resident(1) == 0);
  }
  SECTION("of its own child alone") {
    child.add(RecordKind::kChildEnded, 0, 4096, 0, kPid);
    CHECK(resident(0) == 0);
  }
  SECTION("also where it had been found dead before") {
    session.assembler().processes().look_for_ends([] { return std::uint64_t{1}; });
    parent.add(RecordKind::kChildEnded, 0, kResident, 0, kPid + 1);
    CHECK(resident(1) == kResident);
  }
  CHECK(resident(0) == 0);
}

TEST_CASE("a child whose records are not all read has not ended by what another's wait says",
          "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread parent(session, 0, 0, kPid);
  session.claim_slot(1, kPid + 1, kPid, wire::Origin::kForked);
  RecordedThread child(session, 1, 1, kPid + 1);
  session.assembler().processes().set_is_read([](const Host&) { return false; });
  // system() in the parent, and this child ends only behind it.
  parent.add(RecordKind::kChildEnded, 0, 0, 0, 0);
  child.allocate(kBlocksAt, 100);
  CHECK(session.bytes(Lane::kHeap) == 100);
}

TEST_CASE("a child that was waited for as it stopped goes on", "[assembler]") {
  const auto own = static_cast<std::uint32_t>(getpid());
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread parent(session, 0, 0, kPid);
  session.claim_slot(1, own, kPid, wire::Origin::kForked);
  RecordedThread child(session, 1, 1, own);
  child.allocate(kBlocksAt, 100);
  parent.add(RecordKind::kChildEnded, 0, 0, 0, own);
  CHECK(session.bytes(Lane::kHeap) == 100);
}

TEST_CASE("a forked child starts at zero, and its frees of inherited blocks are only counted",
          "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread parent(session, 0, 0, kPid);
  parent.text(RecordKind::kProcessBegin, "/usr/bin/loader\0loader\0model.bin\0"s);
  parent.allocate(kBlocksAt, 100);
  parent.map(0x7f0000000000, 2 * kPageSize, anonymous());
  session.claim_slot(1, kPid + 1, kPid, wire::Origin::kForked);
  RecordedThread child(session, 1, 1, kPid + 1);
  child.free(kBlocksAt);
  child.unmap(0x7f0000000000, 2 * kPageSize);
  child.allocate(kBlocksAt, 5);

  CHECK(session.bytes(Lane::kHeap) == 105);
  CHECK(session.bytes(Lane::kAnon) == 2 * kPageSize);
  CHECK(session.assembler().unmatched_releases() == 1);
  REQUIRE(session.log().processes().size() == 2);
  CHECK(session.log().processes()[1].parent == 0);
  CHECK(session.log().processes()[1].command == "loader model.bin");
  session.assembler().processes().end(*session.assembler().processes().hosts().at(1),
                                      session.now());
  CHECK(session.bytes(Lane::kHeap) == 100);
  parent.free(kBlocksAt);
  CHECK(session.bytes(Lane::kHeap) == 0);
  CHECK(session.log().breaches().empty());
}

TEST_CASE("a ring that serves another process next speaks for that one", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  session.claim_slot(1, kPid + 1);
  RecordedThread first(session, 0, 0, kPid);
  first.allocate(kBlocksAt, 100);
  RecordedThread second(session, 0, 1, kPid + 1);
  second.free(kBlocksAt);
  CHECK(session.bytes(Lane::kHeap) == 100);
  CHECK(session.assembler().unmatched_releases() == 1);
}

TEST_CASE("a slot that serves another image next is another process", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread first(session, 0, 0, kPid);
  first.allocate(kBlocksAt, 100);
  session.assembler().processes().end(*session.assembler().processes().hosts().at(0),
                                      session.now());
  session.claim_slot(0, kPid + 5);
  RecordedThread second(session, 0, 0, kPid + 5);
  second.allocate(kBlocksAt, 3);
  CHECK(session.log().processes().size() == 2);
  CHECK(session.bytes(Lane::kHeap) == 3);
  session.assembler().processes().remove_hosts([](const Host&) { return true; });
  CHECK(session.assembler().processes().hosts().size() == 1);
}

TEST_CASE("reads are of the file that their descriptor means by then", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread main(session, 0, 0, kPid);
  main.open(3, "/models/a.bin", 1000);
  main.duplicate(3, 5);
  main.close(3);
  main.open(3, "/models/b.bin", 2000);
  main.read(5, 10);
  main.read(3, 20);
  main.close(5);
  main.read(5, 30);
  const auto reads = session.log().of_kind(EventKind::kRead);
  REQUIRE(reads.size() == 2);
  CHECK(session.log().files().at(reads[0].extra).path == "/models/a.bin");
  CHECK(session.log().files().at(reads[1].extra).path == "/models/b.bin");
  CHECK(session.log().files().at(1).size == 2000);
}

TEST_CASE("small reads that are put together are of the file that their thread was reading",
          "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread main(session, 0, 0, kPid);
  RecordedThread other(session, 1, 0, kPid + 1);
  main.open(3, "/models/weights", 100);
  main.read(3, 4);
  // The number is another file's before the rest is told.
  other.close(3);
  other.open(3, "/tmp/log", 100);
  other.read(3, 1);
  main.add(RecordKind::kGatheredReads, 0x1000, 40);
  main.add(RecordKind::kGatheredReads, 0x1000, 60);
  other.add(RecordKind::kGatheredReads, 0x1000, 5);
  const auto read_of = [&](const std::string& path) {
    std::uint64_t bytes = 0;
    for (const trace::Event& event : session.log().of_kind(EventKind::kRead))
      bytes += session.log().files().at(event.extra).path == path ? event.size : 0;
    return bytes;
  };
  CHECK(read_of("/models/weights") == 64);
  CHECK(read_of("/tmp/log") == 6);

  SECTION("what is in no record is told when the process has ended") {
    session.map().ring(0).gathered_bytes.store(70);
    session.assembler().processes().end(*session.assembler().processes().hosts().at(0),
                                        session.now());
    CHECK(read_of("/models/weights") == 74);
  }
  SECTION("and when the thread has") {
    session.map().ring(1).gathered_bytes.store(9);
    session.assembler().processes().end_thread(1, session.now());
    CHECK(read_of("/tmp/log") == 10);
  }
  SECTION("of a sum that goes back nothing is told") {
    main.add(RecordKind::kGatheredReads, 0x1000, 10);
    CHECK(read_of("/models/weights") == 64);
  }
}

TEST_CASE("a file that is opened twice is one file, as large as it was last seen", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread main(session, 0, 0, kPid);
  main.open(3, "/models/a.bin", 1000);
  main.open(4, "/models/a.bin", 5000);
  REQUIRE(session.log().files().size() == 1);
  CHECK(session.log().files()[0].size == 5000);
}

TEST_CASE("phases and loaded libraries arrive by name", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread main(session, 0, 0, kPid);
  main.text(RecordKind::kPhaseBegin, "weights");
  main.text(RecordKind::kLoad, "libfoo.so");
  main.text(RecordKind::kPhaseEnd, "weights");
  const auto& events = session.log().events();
  REQUIRE(events.size() == 5);
  CHECK(events[2].kind == EventKind::kPhaseBegin);
  CHECK(events[3].kind == EventKind::kLoad);
  CHECK(events[4].kind == EventKind::kPhaseEnd);
  CHECK(events[2].extra == events[4].extra);
  CHECK(events[2].extra != events[3].extra);
}

TEST_CASE("a library that is announced again was not read again", "[assembler]") {
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread main(session, 0, 0, kPid);
  const auto bytes = [&] { return session.assembler().processes().loader_bytes(); };
  const auto load = [](RecordedThread& thread, std::uint64_t bias, std::uint32_t epoch) {
    thread.add(RecordKind::kModule, bias, bias + kPageSize, epoch);
  };
  const std::uint64_t at_start = bytes();
  load(main, 0x7f0000000000, 0);
  const std::uint64_t one = bytes() - at_start;
  CHECK(one != 0);
  load(main, 0x7f1000000000, 0);
  load(main, 0x7f1000000000, 0);  // By another thread.
  CHECK(bytes() == at_start + 2 * one);
  // After a dlclose one of them may have been loaded again.
  load(main, 0x7f0000000000, 1);
  load(main, 0x7f1000000000, 1);
  CHECK(bytes() == at_start + 3 * one);

  session.map().process(1).forked_from = {0, session.map().process(0).generation.load()};
  session.claim_slot(1, kPid + 1, kPid, wire::Origin::kForked);
  RecordedThread child(session, 1, 1, kPid + 1);
  load(child, 0x7f0000000000, 1);
  load(child, 0x7f1000000000, 1);
  CHECK(bytes() == at_start + 3 * one);
}

TEST_CASE("random garbage for records never breaks a trace", "[assembler][robustness]") {
  const auto seed = GENERATE(range(1U, 13U));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  AssembledSession session;
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    session.claim_slot(slot, kPid + slot, random() % 2 == 0 ? kPid : 1);
    session.begin_thread(slot, slot, kPid + slot);
  }
  // Few addresses and sizes, so that ranges meet; the odd absurd one.
  const auto number = [&] {
    switch (random() % 8) {
      case 0:
        return random();
      case 1:
        return ~std::uint64_t{0} - random() % (8 * kPageSize);
      default:
        return kBlocksAt + random() % 64 * (random() % 2 == 0 ? kPageSize : 16);
    }
  };
  for (int i = 0; i < 20'000; ++i) {
    RawRecord record;
    record.kind =
        static_cast<RecordKind>(random() % (static_cast<unsigned>(RecordKind::kCount) + 3));
    // No module: its path would be looked up on this machine.
    if (record.kind == RecordKind::kModule)
      continue;
    record.address = number();
    record.size = random() % 2 == 0 ? number() : random() % (64 * kPageSize);
    record.stack = static_cast<std::uint32_t>(random());
    record.extra = static_cast<std::uint32_t>(random() % 3 == 0 ? random() : random() % 8);
    if (record.kind == RecordKind::kThreadBegin) {
      record.address = random() % 6 | (random() % 3 << 32);
      session.claim_slot(static_cast<std::uint32_t>(record.address), kPid + random() % 4);
    }
    std::byte payload[4 * wire::kPayloadBytes];
    for (std::byte& byte : payload)
      byte = static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 4);
    record.payload_bytes = static_cast<std::uint32_t>(random() % 5 * wire::kPayloadBytes);
    session.add(static_cast<std::uint32_t>(random() % 6), record,
                std::span(payload, record.payload_bytes));
    if (random() % 500 == 0) {
      auto& hosts = session.assembler().processes().hosts();
      session.assembler().processes().end(*hosts[random() % hosts.size()], session.now());
    }
    if (random() % 1000 == 0)
      session.assembler().processes().remove_hosts([&](const Host&) { return random() % 2 == 0; });
    if (session.assembler().processes().hosts().empty())
      break;
    if (i % 64 == 0) {
      for (const auto& host : session.assembler().processes().hosts())
        REQUIRE(host->tables.mappings.check_invariants());
    }
  }
  if (!session.log().breaches().empty())
    FAIL(session.log().breaches().size() << " breaches, first: " << session.log().breaches()[0]);
  for (const auto& host : session.assembler().processes().hosts())
    session.assembler().processes().end(*host, session.now());
  CHECK(session.log().totals() == trace::LaneTotals{});
}

TEST_CASE("what was ever resident is of the last image of a number, whatever came between",
          "[assembler]") {
  constexpr std::uint64_t kResident = 5 << 20;
  constexpr std::uint32_t kOthers = 3'000;
  AssembledSession session;
  session.claim_slot(0, kPid);
  RecordedThread parent(session, 0, 0, kPid);
  auto& processes = session.assembler().processes();
  const auto run_child = [&](std::uint32_t pid) {
    session.claim_slot(1, pid, kPid, wire::Origin::kForked);
    session.begin_thread(1, 1, pid);
    processes.end(*processes.hosts().back(), session.now());
    processes.remove_hosts([](const Host&) { return true; });
  };
  run_child(kPid + 1);
  run_child(kPid + 1);
  for (std::uint32_t i = 0; i < kOthers; ++i)
    run_child(kPid + 2 + i);

  parent.add(RecordKind::kChildEnded, 0, kResident, 0, kPid + 1);

  const auto known = session.log().processes();
  REQUIRE(known.size() == 3 + kOthers);
  CHECK(known[1].rss_at_most_bytes == 0);
  CHECK(known[2].rss_at_most_bytes == kResident);
  CHECK(known[3].rss_at_most_bytes == 0);
}
