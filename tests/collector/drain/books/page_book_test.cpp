#include "tests/collector/drain/mapped_host.hpp"
#include "tests/support/catch.hpp"

#include <sys/mman.h>

using namespace tidemark;
using tests::anonymous;
using tests::AssembledSession;
using tests::kHere;
using tests::kPage;
using tests::kThere;
using tests::MappedHost;
using tests::of_file;
using tests::RecordedThread;
using trace::EventKind;
using trace::Lane;

namespace {

constexpr std::uint32_t kDontNeed = 4;
constexpr std::uint32_t kFree = 8;
constexpr std::uint32_t kWillNeed = 3;

wire::MappingArguments unreserved(std::uint32_t protection = PROT_READ | PROT_WRITE) {
  return {-1, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0, 0};
}

}  // namespace

TEST_CASE("pages that madvise gives back leave the lane, once", "[assembler]") {
  const std::uint32_t advice = GENERATE(kDontNeed, kFree);
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.advise(kHere + 2 * kPage, 3 * kPage, advice);
  CHECK(host.anon() == 7);
  host.main.advise(kHere, 4 * kPage, advice);
  CHECK(host.anon() == 5);
  host.main.unmap(kHere, 10 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("other advice gives nothing back", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.advise(kHere, 10 * kPage, kWillNeed);
  CHECK(host.anon() == 10);
}

TEST_CASE("advice over several mappings and gaps gives back what is mapped there", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 2 * kPage, anonymous());
  host.main.map(kHere + 4 * kPage, 2 * kPage, anonymous());
  host.main.map(kHere + 6 * kPage, 2 * kPage, anonymous(PROT_NONE));
  host.main.advise(kHere + kPage, 8 * kPage, kDontNeed);
  CHECK(host.anon() == 1);
}

TEST_CASE("what a read, a copy or a fill goes into is there again", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 100 * kPage, anonymous());
  host.main.advise(kHere, 100 * kPage, kDontNeed);
  CHECK(host.anon() == 0);
  host.main.open(3, "/models/weights", 4'000);
  host.main.read_into(3, kHere + 100, 2 * kPage);
  CHECK(host.anon() == 3);
  host.main.fill(kHere + 10 * kPage, 20 * kPage);
  CHECK(host.anon() == 23);
  host.main.copy(kHere + 29 * kPage, kHere, 2 * kPage);
  CHECK(host.anon() == 24);
  host.main.unmap(kHere, 100 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("a part that was given back can be unmapped, and the rest too", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.advise(kHere, 4 * kPage, kDontNeed);
  host.main.unmap(kHere, 2 * kPage);
  CHECK(host.anon() == 6);
  host.main.unmap(kHere + 2 * kPage, 4 * kPage);
  CHECK(host.anon() == 4);
  host.main.map(kHere, 10 * kPage, anonymous());
  CHECK(host.anon() == 10);
}

TEST_CASE("memory given back moves with its mapping", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.advise(kHere, 4 * kPage, kDontNeed);
  host.main.remap_begin(kHere, 10 * kPage);
  host.main.remap_end(kThere, 12 * kPage);
  CHECK(host.anon() == 8);
  host.main.fill(kThere, 4 * kPage);
  CHECK(host.anon() == 12);
  host.main.remap_begin(kThere, 12 * kPage);
  host.main.remap_end(kThere, 5 * kPage);
  CHECK(host.anon() == 5);
  host.main.unmap(kThere, 5 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("address space that was asked for without memory counts what is touched", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 1'000 * kPage, unreserved());
  CHECK(host.anon() == 0);
  host.main.fill(kHere + 50 * kPage, 16 * kPage);
  CHECK(host.anon() == 16);
  host.main.unmap(kHere, 60 * kPage);
  CHECK(host.anon() == 6);
  host.main.unmap(kHere, 1'000 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("what is opened inside such address space counts as it does", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 1'000 * kPage, unreserved(PROT_NONE));
  host.main.protect(kHere, 10 * kPage, PROT_READ | PROT_WRITE);
  host.main.map(kHere + 20 * kPage, 10 * kPage, anonymous());
  CHECK(host.anon() == 0);
  host.main.fill(kHere, 30 * kPage);
  CHECK(host.anon() == 20);
}

TEST_CASE("the mapping of a file that may be written to has memory of its own", "[assembler]") {
  MappedHost host;
  host.main.open(3, "/models/weights", 100 * kPage);
  host.main.map(kHere, 100 * kPage, of_file(3, PROT_READ | PROT_WRITE));
  host.main.map(kThere, 100 * kPage, of_file(3, PROT_READ));
  CHECK(host.bytes(Lane::kFile) == 200 * kPage);
  REQUIRE(host.log().of_kind(EventKind::kAllocate).size() == 3);
  host.main.protect(kThere, 50 * kPage, PROT_READ | PROT_WRITE);
  CHECK(host.log().of_kind(EventKind::kAllocate).size() == 4);
  CHECK(host.anon() == 0);  // nothing is known to be written
  host.main.unmap(kHere, 100 * kPage);
  host.main.unmap(kThere, 100 * kPage);
  CHECK(host.bytes(Lane::kFile) == 0);
}

TEST_CASE("what may be written has an allocation of its own after a mremap and a failed munmap",
          "[assembler]") {
  MappedHost host;
  host.main.open(3, "/models/weights", 100 * kPage);
  host.main.map(kHere, 4 * kPage, of_file(3, PROT_READ | PROT_WRITE));
  host.main.remap_begin(kHere, 4 * kPage);
  host.main.remap_end(kThere, 8 * kPage);
  host.main.unmap(kThere, 8 * kPage);
  host.main.unmap_failed(kThere, 8 * kPage);
  host.main.unmap(kThere, 4 * kPage);
  host.main.unmap(kThere + 4 * kPage, 4 * kPage);
  CHECK(host.bytes(Lane::kFile) == 0);
  CHECK(host.anon() == 0);
}
