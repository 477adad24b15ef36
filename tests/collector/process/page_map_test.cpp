#include "collector/process/page_map.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kPages = 40'000;  ///< More than one read of the page map covers.

std::vector<std::uint64_t> pages_of(const std::vector<PageRange>& ranges, const char* begin) {
  std::vector<std::uint64_t> pages;
  for (const PageRange& range : ranges) {
    for (std::uint64_t at = range.begin; at < range.end; at += kPage)
      pages.push_back((at - reinterpret_cast<std::uint64_t>(begin)) / kPage);
  }
  return pages;
}

/// A mapping of this process.
class Mapped {
 public:
  Mapped(std::size_t bytes, int flags, int descriptor)
      : begin_(
            static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0))),
        bytes_(bytes) {
    REQUIRE(begin_ != MAP_FAILED);
    madvise(begin_, bytes, MADV_NOHUGEPAGE);
  }
  ~Mapped() { munmap(begin_, bytes_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  [[nodiscard]] char* begin() const { return begin_; }
  [[nodiscard]] std::vector<std::uint64_t> present(PageMap::Way way, PageMap::Which which) const {
    const PageMap map(getpid(), way);
    REQUIRE(map.access() == PageMap::Access::kOpen);
    const auto address = reinterpret_cast<std::uint64_t>(begin_);
    return pages_of(map.present(address, address + bytes_, which), begin_);
  }

 private:
  char* begin_;
  std::size_t bytes_;
};

}  // namespace

TEST_CASE("the pages that were touched are there, and no others", "[process]") {
  const auto way = GENERATE(PageMap::Way::kScan, PageMap::Way::kRead);
  const Mapped memory(kPages * kPage, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  CHECK(memory.present(way, PageMap::Which::kAll).empty());
  const std::vector<std::uint64_t> touched{0, 1, 7, 8'191, 8'192, 20'000, kPages - 1};
  for (const std::uint64_t page : touched)
    memory.begin()[page * kPage] = 1;
  CHECK(memory.present(way, PageMap::Which::kAll) == touched);
  madvise(memory.begin(), 8 * kPage, MADV_DONTNEED);
  CHECK(memory.present(way, PageMap::Which::kAll) ==
        std::vector<std::uint64_t>{8'191, 8'192, 20'000, kPages - 1});
}

TEST_CASE("of a file that is mapped privately, the written pages are told from the read ones",
          "[process]") {
  const auto way = GENERATE(PageMap::Way::kScan, PageMap::Way::kRead);
  const TemporaryFolder folder;
  const int descriptor =
      open(folder.file("weights", std::string(10 * kPage, 'w')).c_str(), O_RDONLY);
  const Mapped memory(10 * kPage, MAP_PRIVATE, descriptor);
  close(descriptor);
  volatile char read = memory.begin()[2 * kPage];
  CHECK(read == 'w');
  memory.begin()[5 * kPage] = 1;
  CHECK(memory.present(way, PageMap::Which::kPrivate) == std::vector<std::uint64_t>{5});
}

TEST_CASE("a process that is not there has no pages", "[process]") {
  const PageMap map(5'000'000);
  CHECK(map.access() == PageMap::Access::kGone);
  CHECK(map.present(0, 1U << 20U).empty());
}
