// This very process is the host: what its records say of its address space is the test's.
#include "collector/drain/books/area_book.hpp"

#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

constexpr std::uint64_t kAreaBytes = std::uint64_t{4} << 20U;

/// A file of 4 MiB, mapped by this process.
struct MappedFile : OwnSession {
  explicit MappedFile(std::string_view begins_with = "weights", bool is_forked = false)
      : path(folder.file("weights.bin")) {
    if (is_forked)
      claim_slot(0, static_cast<std::uint32_t>(getpid()), 1, wire::Origin::kForked);
    std::string content(begins_with);
    content.resize(kAreaBytes);
    folder.file("weights.bin", content);
    file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile() {
    unmap();
    ::close(file);
  }

  void map(int protection = PROT_READ) {
    memory = mmap(nullptr, kAreaBytes, protection, MAP_PRIVATE, file, 0);
    REQUIRE(memory != MAP_FAILED);
  }
  void unmap() {
    if (memory != nullptr)
      munmap(std::exchange(memory, nullptr), kAreaBytes);
  }
  void say_map() { main.map(address(), kAreaBytes, {file, PROT_READ, MAP_PRIVATE, 0, 0}); }
  void say_unmap() { main.unmap(address(), kAreaBytes); }
  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory); }
  void look() {
    constexpr std::uint64_t kLater = 1'000'000'000;
    pass_time(kLater);
    assembler().look_at_pages(*assembler().processes().hosts().at(0), now());
  }
  trace::Loss loss() {
    assembler().tell_rest();
    trace::Loss lost;
    assembler().areas().put_into(lost);
    return lost;
  }
  std::uint64_t unseen() {
    const trace::Loss lost = loss();
    const auto found = std::ranges::find(lost.mapped_unseen, path, &trace::UnseenFile::path);
    return found == lost.mapped_unseen.end() ? 0 : found->bytes;
  }

  TemporaryFolder folder;
  std::string path;
  int file = -1;
  void* memory = nullptr;
  RecordedThread main{*this, 0, 0, static_cast<std::uint32_t>(getpid())};
};

}  // namespace

TEST_CASE("a file that no record explains is lost", "[assembler]") {
  MappedFile host;
  host.map();
  host.look();
  host.unmap();
  host.look();
  CHECK(host.unseen() == kAreaBytes);
  CHECK(host.loss().shared_unseen_bytes == 0);
}

TEST_CASE("what only the last look has seen is not lost", "[assembler]") {
  MappedFile host;
  host.look();
  host.map();
  host.look();
  SECTION("while the process goes on") {
    CHECK(host.unseen() == 0);
    host.look();
    CHECK(host.unseen() == kAreaBytes);
  }
  SECTION("unless that process has ended: no record can come any more") {
    host.assembler().processes().end(*host.assembler().processes().hosts().at(0), host.now());
    CHECK(host.unseen() == kAreaBytes);
  }
}

TEST_CASE("what the next image of a process maps is not lost for the one before", "[assembler]") {
  MappedFile host;
  host.look();
  Host& image = *host.assembler().processes().hosts().at(0);
  SECTION("a look comes before the record of the exec") {
    host.map();
    host.look();
    image.begin_exec(host.now(), 0);
  }
  SECTION("looks come after it") {
    image.begin_exec(host.now(), 0);
    host.map();
    host.look();
    host.look();
  }
  host.assembler().processes().end(image, host.now());
  CHECK(host.unseen() == 0);
}

TEST_CASE("an exec that fails hides nothing", "[assembler]") {
  MappedFile host;
  Host& image = *host.assembler().processes().hosts().at(0);
  image.begin_exec(host.now(), 0);
  image.exec_failed();
  host.map();
  host.look();
  host.look();
  CHECK(host.unseen() == kAreaBytes);
}

TEST_CASE("a record that is on its way explains a file", "[assembler]") {
  MappedFile host;
  host.map();
  SECTION("of a mapping, which is made after the call") {
    host.look();
    host.look();
    host.say_map();
    CHECK(host.unseen() == 0);
  }
  SECTION("of an unmapping, which is made before it") {
    host.say_map();
    host.look();
    host.say_unmap();
    host.look();
    host.look();
    CHECK(host.unseen() == 0);
  }
  SECTION("of what libc has mapped, and the program moves") {
    host.main.remap_begin(host.address() + (std::uint64_t{1} << 40U), kAreaBytes);
    host.main.remap_end(host.address(), kAreaBytes);
    host.look();
    host.look();
    CHECK(host.unseen() == 0);
  }
}

TEST_CASE("programs and what libc maps for itself are not lost", "[assembler]") {
  const std::string content = GENERATE(std::string("\x7f"
                                                   "ELF"),
                                       std::string("\x20\x07\x09\x20"),
                                       std::string("\xde\x12\x04\x95"), std::string("code"));
  MappedFile host(content);
  host.map(content == "code" ? PROT_READ | PROT_EXEC : PROT_READ);
  host.look();
  host.look();
  CHECK(host.unseen() == 0);
}

TEST_CASE("a forked process has what its parent had", "[assembler]") {
  MappedFile host("weights", true);
  RecordedThread forked(host, 1, 0, static_cast<std::uint32_t>(getpid()));
  const bool is_later = GENERATE(false, true);
  CAPTURE(is_later);
  REQUIRE(host.assembler().processes().hosts().size() == 2);
  Host& child = *host.assembler().processes().hosts().at(1);
  const auto look = [&] {
    host.pass_time(1'000'000'000);
    host.assembler().look_at_pages(child, host.now());
  };
  if (is_later)
    look();
  host.map();
  look();
  look();
  CHECK(host.unseen() == (is_later ? kAreaBytes : 0));
}

TEST_CASE("of what a forked process begins with, what no record of its parent names is lost",
          "[assembler]") {
  MappedFile host("weights", true);
  const bool is_known = GENERATE(true, false);
  CAPTURE(is_known);
  host.claim_slot(1, AssembledSession::kFirstPid);
  RecordedThread parent(host, 1, 1, AssembledSession::kFirstPid);
  host.map();
  const auto fork = [&] {
    if (is_known) {
      const wire::SessionMap& session = host.AssembledSession::map();
      session.process(0).forked_from = {1, session.process(1).generation.load()};
    }
    host.begin_thread(2, 0, static_cast<std::uint32_t>(getpid()));
  };
  const auto look = [&] {
    host.pass_time(1'000'000'000);
    host.assembler().look_at_pages(*host.assembler().processes().hosts().back(), host.now());
  };
  const auto say_map = [&] {
    parent.map(host.address(), kAreaBytes, {host.file, PROT_READ, MAP_PRIVATE, 0, 0});
  };
  SECTION("none") {
    fork();
    look();
    look();
    CHECK(host.unseen() == (is_known ? kAreaBytes : 0));
  }
  SECTION("one before the fork, and it has gone there since") {
    say_map();
    parent.unmap(host.address(), kAreaBytes);
    fork();
    look();
    look();
    CHECK(host.unseen() == 0);
  }
  SECTION("so many elsewhere that they are not followed any more") {
    constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 44U;
    for (std::uint64_t i = 0; i <= 1024; ++i)
      parent.map(kElsewhere + 2 * i * kAreaBytes, kAreaBytes,
                 {host.file, PROT_READ, MAP_PRIVATE, 0, 0});
    fork();
    look();
    look();
    CHECK(host.unseen() == 0);
  }
  SECTION("one that comes after the fork") {
    fork();
    look();
    look();
    say_map();
    CHECK(host.unseen() == 0);
  }
}

TEST_CASE("what a process may have from a parent that is not known, it hands on", "[assembler]") {
  MappedFile host("weights", true);
  const auto origin = GENERATE(wire::Origin::kForked, wire::Origin::kStarted);
  host.claim_slot(1, AssembledSession::kFirstPid, 1, origin);
  RecordedThread parent(host, 1, 1, AssembledSession::kFirstPid);
  host.AssembledSession::map().process(0).forked_from = {
      1, host.AssembledSession::map().process(1).generation.load()};
  host.map();
  host.begin_thread(2, 0, static_cast<std::uint32_t>(getpid()));
  for (int look = 0; look < 2; ++look) {
    host.pass_time(1'000'000'000);
    host.assembler().look_at_pages(*host.assembler().processes().hosts().back(), host.now());
  }
  CHECK(host.unseen() == (origin == wire::Origin::kForked ? 0 : kAreaBytes));
}

TEST_CASE("a mapping that is gone without a record goes at the second look", "[assembler]") {
  MappedFile host;
  host.map();
  host.say_map();
  host.look();
  REQUIRE(host.bytes(trace::Lane::kFile) == kAreaBytes);
  SECTION("whole") {
    host.unmap();
    host.look();
    CHECK(host.bytes(trace::Lane::kFile) == kAreaBytes);
    host.look();
    CHECK(host.bytes(trace::Lane::kFile) == 0);
    CHECK(host.loss().unmapped_unseen_bytes == kAreaBytes);
  }
  SECTION("a half of it") {
    munmap(static_cast<char*>(host.memory) + kAreaBytes / 2, kAreaBytes / 2);
    host.look();
    host.look();
    CHECK(host.bytes(trace::Lane::kFile) == kAreaBytes / 2);
    CHECK(host.loss().unmapped_unseen_bytes == kAreaBytes / 2);
  }
  SECTION("but not where a record came between them") {
    const std::uint64_t address = host.address();
    host.unmap();
    host.look();
    host.main.unmap(address, kAreaBytes);
    host.main.map(address, kAreaBytes, {host.file, PROT_READ, MAP_PRIVATE, 0, 0});
    host.look();
    CHECK(host.bytes(trace::Lane::kFile) == kAreaBytes);
    CHECK(host.loss().unmapped_unseen_bytes == 0);
    host.main.unmap(address, kAreaBytes);
  }
}

TEST_CASE("where records were dropped nothing is compared", "[assembler]") {
  MappedFile host;
  RawRecord lost;
  lost.kind = wire::RecordKind::kLost;
  lost.size = 3;
  host.add(0, lost);
  host.map();
  host.look();
  host.look();
  CHECK(host.unseen() == 0);
}

TEST_CASE("a look before a record was dropped counts no more once it was", "[assembler]") {
  struct Ahead : RingsAhead {
    [[nodiscard]] std::uint64_t now_ns() const override { return 0; }
    [[nodiscard]] bool has_dropped() const override { return is_dropped; }
    [[nodiscard]] PageRanges taken_pages(const Host&) const override { return {}; }
    bool is_dropped = false;
  };
  Ahead ahead;
  MappedFile host;
  host.assembler().set_ahead(&ahead);
  host.map();
  SECTION("at the end") {
    host.look();
    host.look();
    ahead.is_dropped = true;
    CHECK(host.unseen() == 0);
  }
  SECTION("at the next look, for what is gone") {
    host.say_map();
    host.look();
    host.unmap();
    host.look();
    ahead.is_dropped = true;
    host.look();
    CHECK(host.bytes(trace::Lane::kFile) == kAreaBytes);
    CHECK(host.loss().unmapped_unseen_bytes == 0);
  }
}

TEST_CASE("shared memory is told apart though it has one name", "[assembler]") {
  MappedFile host;
  const std::string how = GENERATE("anonymous", "memfd");
  CAPTURE(how);
  std::array<void*, 3> memory{};
  std::array<int, 3> files{-1, -1, -1};
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (how == "memfd") {
      files[i] = memfd_create("area-book-test", MFD_CLOEXEC);
      REQUIRE(ftruncate(files[i], kAreaBytes) == 0);
    }
    memory[i] = mmap(nullptr, kAreaBytes, PROT_READ | PROT_WRITE,
                     how == "memfd" ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS, files[i], 0);
    REQUIRE(memory[i] != MAP_FAILED);
  }
  host.claim_slot(1, static_cast<std::uint32_t>(getpid()));
  RecordedThread second(host, 1, 1, static_cast<std::uint32_t>(getpid()));
  for (int look = 0; look < 2; ++look) {
    host.look();
    host.assembler().look_at_pages(*host.assembler().processes().hosts().back(), host.now());
  }
  CHECK(host.loss().shared_unseen_bytes == memory.size() * kAreaBytes);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    munmap(memory[i], kAreaBytes);
    if (files[i] >= 0)
      ::close(files[i]);
  }
}

TEST_CASE("a window that slides is no more than was mapped at one look", "[assembler]") {
  MappedFile host;
  const int file = memfd_create("area-book-test", MFD_CLOEXEC);
  constexpr int kPlaces = 6;
  REQUIRE(ftruncate(file, kPlaces * static_cast<off_t>(kAreaBytes)) == 0);
  auto* const reserved = static_cast<char*>(
      mmap(nullptr, kPlaces * kAreaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (int place = 0; place < kPlaces; ++place) {
    char* const at = reserved + static_cast<std::size_t>(place) * kAreaBytes;
    REQUIRE(mmap(at, kAreaBytes, PROT_READ, MAP_SHARED | MAP_FIXED, file,
                 static_cast<off_t>(place) * static_cast<off_t>(kAreaBytes)) == at);
    host.look();
    munmap(at, kAreaBytes);
  }
  host.look();
  CHECK(host.loss().shared_unseen_bytes == kAreaBytes);
  munmap(reserved, kPlaces * kAreaBytes);
  ::close(file);
}

TEST_CASE("a ring that comes among the areas is looked for", "[assembler]") {
  MappedFile host;
  host.look();
  const HostSampling& sampling = host.assembler().processes().hosts().at(0)->sampling;
  CHECK(sampling.rings.expected_ns == 0);
  io_uring_params facts{};
  const auto ring = static_cast<int>(::syscall(SYS_io_uring_setup, 4, &facts));
  if (ring < 0) {
    SKIP_TEST("this system cannot read by io_uring");
    return;
  }
  void* const entries =
      mmap(nullptr, 4 * sizeof(io_uring_sqe), PROT_READ, MAP_SHARED, ring, IORING_OFF_SQES);
  host.look();
  CHECK(sampling.rings.expected_ns == host.now());
  const std::uint64_t then = host.now();
  host.look();
  CHECK(sampling.rings.expected_ns == then);  // It is the same one.
  munmap(entries, 4 * sizeof(io_uring_sqe));
  ::close(ring);
}
