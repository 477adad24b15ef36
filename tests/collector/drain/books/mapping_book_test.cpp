#include "tests/collector/drain/mapped_host.hpp"
#include "tests/support/catch.hpp"

#include <sys/mman.h>

using namespace tidemark;
using tests::anonymous;
using tests::kHere;
using tests::kPage;
using tests::kThere;
using tests::MappedHost;
using tests::of_file;
using trace::EventKind;
using trace::Lane;

namespace {

constexpr std::uint32_t kWeights = 3;  ///< Descriptor.

}  // namespace

TEST_CASE("anonymous memory counts in whole pages while it is mapped", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 3 * kPage - 100, anonymous());
  CHECK(host.anon() == 3);
  host.worker.unmap(kHere, 3 * kPage - 100);
  CHECK(host.anon() == 0);
  CHECK(host.count(EventKind::kRelease) == 1);
}

TEST_CASE("a munmap of a part releases that part", "[assembler]") {
  const auto [first, pages] =
      GENERATE(table<std::uint64_t, std::uint64_t>({{0, 4}, {3, 4}, {6, 4}}));
  CAPTURE(first, pages);
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.unmap(kHere + first * kPage, pages * kPage);
  CHECK(host.anon() == 10 - pages);
  REQUIRE(host.count(EventKind::kReleasePart) == 1);
  CHECK(host.log().of_kind(EventKind::kReleasePart)[0].size == pages * kPage);
  host.main.unmap(kHere, 10 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("a munmap over several mappings and gaps releases what is mapped", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 2 * kPage, anonymous());
  host.main.map(kHere + 4 * kPage, 2 * kPage, anonymous());
  host.main.map(kHere + 8 * kPage, 2 * kPage, anonymous());
  host.main.unmap(kHere + kPage, 8 * kPage);
  CHECK(host.anon() == 2);
}

TEST_CASE("a munmap of what was never seen changes nothing", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, kPage, anonymous());
  host.main.unmap(kThere, kPage);
  CHECK(host.anon() == 1);
}

TEST_CASE("a munmap that failed puts everything back", "[assembler]") {
  MappedHost host;
  host.main.open(kWeights, "/models/w.bin", 8 * kPage);
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.map(kHere + 4 * kPage, 4 * kPage, of_file(static_cast<std::int32_t>(kWeights)));
  host.main.unmap(kHere + 2 * kPage, 4 * kPage);
  CHECK(host.anon() == 2);
  CHECK(host.file() == 2);
  host.main.unmap_failed(kHere + 2 * kPage, 4 * kPage);
  CHECK(host.anon() == 4);
  CHECK(host.file() == 4);
  CHECK(host.log().events().back().extra == 0);  // still the same file
  host.main.unmap(kHere, 8 * kPage);
  CHECK(host.anon() + host.file() == 0);
}

TEST_CASE("a mapping over another one takes its place", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 8 * kPage, anonymous());
  host.main.map(kHere + 2 * kPage, 4 * kPage, anonymous());
  CHECK(host.anon() == 8);
  host.main.map(kHere + 2 * kPage, 4 * kPage, anonymous(PROT_NONE));
  CHECK(host.anon() == 4);
  host.main.unmap(kHere, 8 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("a reservation counts nothing until mprotect opens it", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 100 * kPage, anonymous(PROT_NONE));
  CHECK(host.anon() == 0);
  host.main.protect(kHere + 10 * kPage, 20 * kPage, PROT_READ | PROT_WRITE);
  CHECK(host.anon() == 20);
  host.main.protect(kHere + 10 * kPage, 20 * kPage, PROT_READ);
  CHECK(host.anon() == 20);
  host.main.protect(kHere + 15 * kPage, 30 * kPage, PROT_NONE);
  CHECK(host.anon() == 5);
  host.main.protect(kHere, 100 * kPage, PROT_READ | PROT_WRITE);
  CHECK(host.anon() == 100);
  host.main.unmap(kHere, 100 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("mprotect of a file mapping leaves its lane alone", "[assembler]") {
  MappedHost host;
  host.main.open(kWeights, "/models/w.bin", 8 * kPage);
  host.main.map(kHere, 8 * kPage, of_file(static_cast<std::int32_t>(kWeights)));
  host.main.protect(kHere + kPage, 2 * kPage, PROT_NONE);
  CHECK(host.file() == 8);
  host.main.unmap(kHere, 8 * kPage);
  CHECK(host.file() == 0);
}

TEST_CASE("a file mapping says of which file it is", "[assembler]") {
  MappedHost host;
  host.main.open(7, "/models/other.bin", kPage);
  host.main.open(kWeights, "/models/w.bin", 8 * kPage);
  host.main.map(kHere, 8 * kPage, of_file(static_cast<std::int32_t>(kWeights)));
  CHECK(host.file() == 8);
  CHECK(host.anon() == 0);
  CHECK(host.log().files().at(host.log().events().back().extra).path == "/models/w.bin");
  CHECK_FALSE(host.log().files().at(1).executable);
}

TEST_CASE("a file that is mapped executable is never a model file", "[assembler]") {
  MappedHost host;
  host.main.open(kWeights, "/lib/libx.so", 8 * kPage);
  host.main.map(kHere, 8 * kPage,
                of_file(static_cast<std::int32_t>(kWeights), PROT_READ | PROT_EXEC));
  CHECK(host.log().files().at(0).executable);
}

TEST_CASE("a mapping of a descriptor that is not known is in the file lane all the same",
          "[assembler]") {
  MappedHost host;
  host.main.map(kHere, kPage, of_file(99));
  CHECK(host.file() == 1);
}

TEST_CASE("an allocator's own mappings are not counted", "[assembler]") {
  MappedHost host;
  auto arguments = anonymous();
  arguments.internal = 1;
  host.main.map(kHere, 8 * kPage, arguments);
  CHECK(host.anon() == 0);
  host.main.protect(kHere, 8 * kPage, PROT_READ | PROT_WRITE);
  host.main.unmap(kHere, 4 * kPage);
  host.main.remap_begin(kHere + 4 * kPage, 4 * kPage);
  host.main.remap_end(kThere, 8 * kPage);
  CHECK(host.anon() == 0);
  CHECK(host.count(EventKind::kRelease) == 0);
}

TEST_CASE("an mremap that grows in place adds what is new", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.remap_begin(kHere, 4 * kPage);
  CHECK(host.anon() == 4);
  host.main.remap_end(kHere, 10 * kPage);
  CHECK(host.anon() == 10);
  host.main.unmap(kHere, 10 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("an mremap that shrinks releases its tail", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.remap_begin(kHere, 10 * kPage);
  host.main.remap_end(kHere, 4 * kPage);
  CHECK(host.anon() == 4);
  host.main.unmap(kHere + 4 * kPage, 6 * kPage);
  CHECK(host.anon() == 4);
  host.main.unmap(kHere, 4 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("an mremap that moves leaves its old place free", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.remap_begin(kHere, 4 * kPage);
  host.worker.map(kHere, kPage, anonymous());  // the kernel gave the old place away at once
  host.main.remap_end(kThere, 6 * kPage, MREMAP_MAYMOVE);
  CHECK(host.anon() == 7);
  host.main.unmap(kThere, 6 * kPage);
  CHECK(host.anon() == 1);
  host.main.unmap(kHere, 4 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("an mremap of a part moves that part", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.remap_begin(kHere + 2 * kPage, 3 * kPage);
  host.main.remap_end(kThere, 3 * kPage, MREMAP_MAYMOVE);
  CHECK(host.anon() == 10);
  host.main.unmap(kHere, 10 * kPage);
  CHECK(host.anon() == 3);
  host.main.unmap(kThere, 3 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("an mremap over another mapping takes its place", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.map(kThere, 8 * kPage, anonymous());
  host.main.remap_begin(kHere, 4 * kPage);
  host.main.remap_end(kThere + kPage, 4 * kPage, MREMAP_MAYMOVE | MREMAP_FIXED);
  CHECK(host.anon() == 8);
}

TEST_CASE("an mremap that keeps its old mapping has both", "[assembler]") {
  constexpr std::uint32_t kDontUnmap = 4;
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.remap_begin(kHere, 4 * kPage);
  host.main.remap_end(kThere, 4 * kPage, MREMAP_MAYMOVE | kDontUnmap);
  CHECK(host.anon() == 4);  // the pages have moved
  host.main.fill(kHere, 4 * kPage);
  CHECK(host.anon() == 8);
  host.main.unmap(kHere, 4 * kPage);
  host.main.unmap(kThere, 4 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("a file mapping that grows by mremap stays with its file", "[assembler]") {
  MappedHost host;
  host.main.open(7, "/models/other.bin", kPage);
  host.main.open(kWeights, "/models/w.bin", 8 * kPage);
  host.main.map(kHere, 4 * kPage, of_file(static_cast<std::int32_t>(kWeights)));
  host.main.remap_begin(kHere, 4 * kPage);
  host.main.remap_end(kHere, 8 * kPage);
  CHECK(host.file() == 8);
  CHECK(host.anon() == 0);
  CHECK(host.log().files().at(host.log().events().back().extra).path == "/models/w.bin");
}

TEST_CASE("an mremap that failed leaves everything in its place", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.remap_begin(kHere, 4 * kPage);
  host.main.remap_failed(1 << 30);
  CHECK(host.anon() == 4);
  CHECK(host.log().of_kind(EventKind::kFail).at(0).size == 1 << 30);
  host.main.unmap(kHere, 4 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("what cannot grow where it is was no request for memory", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.remap_begin(kHere, 4 * kPage);
  host.main.remap_failed(1 << 30, 0);
  CHECK(host.anon() == 4);
  CHECK(host.log().of_kind(EventKind::kFail).empty());
}

TEST_CASE("an mremap that failed finds its place taken only when records are missing",
          "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.remap_begin(kHere, 4 * kPage);
  host.worker.map(kHere + kPage, 8 * kPage, anonymous());
  host.main.remap_failed(1 << 30);
  host.main.unmap(kHere, 9 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("a munmap that failed finds its place taken only when records are missing",
          "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.unmap(kHere, 4 * kPage);
  host.worker.map(kHere + kPage, 8 * kPage, anonymous());
  host.main.unmap_failed(kHere, 4 * kPage);
  host.main.unmap(kHere, 9 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("an mremap whose end was dropped gives its mapping up", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 4 * kPage, anonymous());
  host.main.remap_begin(kHere, 4 * kPage);
  host.main.remap_begin(kThere, 4 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("the program break counts as it moves", "[assembler]") {
  MappedHost host;
  host.main.move_break(kHere, kHere + 10 * kPage);
  CHECK(host.anon() == 10);
  host.main.move_break(kHere + 10 * kPage, kHere + 4 * kPage);
  CHECK(host.anon() == 4);
  host.main.move_break(kHere + 4 * kPage, kHere + 6 * kPage);
  CHECK(host.anon() == 6);
  host.main.move_break(kHere + 6 * kPage, kHere);
  CHECK(host.anon() == 0);
}

TEST_CASE("a break whose way back was dropped is not counted twice", "[assembler]") {
  MappedHost host;
  host.main.move_break(kHere, kHere + 10 * kPage);
  host.main.move_break(kHere, kHere + 10 * kPage);
  CHECK(host.anon() == 10);
}

TEST_CASE("a mapping that failed is an event of its lane", "[assembler]") {
  MappedHost host;
  RawRecord record;
  record.kind = wire::RecordKind::kMapFailed;
  record.size = 1ULL << 50;
  const auto arguments = of_file(static_cast<std::int32_t>(kWeights));
  host.add(0, record, std::as_bytes(std::span(&arguments, 1)));
  REQUIRE(host.count(EventKind::kFail) == 1);
  CHECK(host.log().of_kind(EventKind::kFail)[0].lane == Lane::kFile);
}
