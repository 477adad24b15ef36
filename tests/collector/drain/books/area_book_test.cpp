// This very process is the host: what its records say of its address space is the test's.
#include "collector/drain/books/area_book.hpp"

#include "tests/collector/drain/own_memory.hpp"
#include "tests/collector/scratch_folder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

constexpr std::uint64_t kAreaBytes = std::uint64_t{4} << 20U;

/// A file of 4 MiB, mapped by this process.
struct MappedFile : OwnSession {
  explicit MappedFile(std::string_view begins_with = "weights", bool is_forked = false)
      : path(folder.path("weights.bin")) {
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

  ScratchFolder folder;
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
  CHECK(host.unseen() == kAreaBytes);
  CHECK(host.loss().shared_unseen_bytes == 0);
}

TEST_CASE("a record that is on its way explains a file", "[assembler]") {
  MappedFile host;
  host.map();
  SECTION("of a mapping, which is made after the call") {
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
  CHECK(host.unseen() == 0);
}
