// Pages of a mapped model that were written, for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::Load;

namespace {

/// Maps the model, and has as much of its own beside it.
struct Mapped : Load {
  Mapped() {
    trace.map(model, kModelBytes);
    block("activations", kModelBytes);
  }
  /// What is written of a private mapping of `file`.
  void write(trace::FileId file, std::uint64_t bytes) {
    const auto stack = trace.stack({"mmap", "map_weights loader.cpp:12", "main"});
    const auto pages = trace.written_pages(file, stack);
    wait_ms(10);
    if (bytes != 0) {
      trace.grow(pages, bytes);
    }
  }
  std::vector<analyzer::Finding> found() {
    wait_ms(100);
    return findings_of(report(), FindingKind::kCopyOnWrite);
  }
};

}  // namespace

TEST_CASE("pages of the mapped model that were written are private copies", "[anatomy]") {
  Mapped load;
  load.write(load.model, 64 * kMiB);
  load.write(load.model, 36 * kMiB);

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 100 * kMiB);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].sentence ==
        "100.0 MiB of the model's mapped pages are private copies, in 2 mappings of map_weights "
        "(loader.cpp:12): they were written to, or made ready for it by MAP_POPULATE.");
}

TEST_CASE("a mapping of the model that may be written to, and was not, is none", "[anatomy]") {
  Mapped load;
  load.write(load.model, 0);
  CHECK(load.found().empty());
}

TEST_CASE("written pages of another file, and memory of no file, are none", "[anatomy]") {
  Mapped load;
  load.write(load.trace.file("/cache/index.db", 64 * kMiB), 64 * kMiB);
  load.block("scratch", 64 * kMiB, trace::Lane::kAnon);
  CHECK(load.found().empty());
}

TEST_CASE("a few written pages of the model are not worth a word", "[anatomy]") {
  Mapped load;
  load.write(load.model, 12 * kMiB);
  CHECK(load.found().empty());
}
