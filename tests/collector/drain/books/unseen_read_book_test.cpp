#include "collector/drain/books/unseen_read_book.hpp"

#include "collector/os/file_descriptor.hpp"
#include "collector/process/process_io.hpp"
#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::size_t kModel = 8 * kMiB;

/// This process reads, and no record tells of it.
struct Reader : tests::OwnMemory {
  explicit Reader(const std::string& begin = "GGUF\x03") {
    std::string content(kModel, 'w');
    content.replace(0, begin.size(), begin);
    path = folder.file("model", content);
    look_at_new(kAfterAnyPause);
    // What it has read so far is no secret.
    map().process(0).bytes_read = bytes_read_by(::getpid()).value();
  }
  void open() {
    file = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(file->is_open());
  }
  void read(std::size_t bytes) {
    std::string into(bytes, '\0');
    REQUIRE(::read(file->number(), into.data(), bytes) == static_cast<ssize_t>(bytes));
  }
  void read_at(std::size_t bytes) {
    std::string into(bytes, '\0');
    REQUIRE(::pread(file->number(), into.data(), bytes, 0) == static_cast<ssize_t>(bytes));
  }
  void look() { look_at_new(kAfterAnyPause); }

  /// Of all that the trace has.
  [[nodiscard]] std::uint64_t told() {
    std::uint64_t bytes = 0;
    for (const trace::Event& event : log().events()) {
      if (event.kind == trace::EventKind::kRead && log().files().at(event.extra).path == path)
        bytes += event.size;
    }
    return bytes;
  }

  static constexpr std::uint64_t kAfterAnyPause = 30'000'000'000;
  TemporaryFolder folder;
  std::string path;
  std::optional<FileDescriptor> file;
};

}  // namespace

TEST_CASE("a file that is read without a record is found by its position", "[unseen_reads]") {
  Reader host("no weights, for all its bytes say");
  host.open();
  host.read(3 * kMiB);
  host.look();
  CHECK(host.told() == 0);  // A record may be on its way.
  host.look();
  CHECK(host.told() == 3 * kMiB);
  host.read(2 * kMiB);
  host.look();
  CHECK(host.told() == 5 * kMiB);
  // What came before it was closed, nobody has seen.
  host.read(3 * kMiB);
  host.file.reset();
  host.look();
  CHECK(host.told() == kModel);
  host.look();
  CHECK(host.told() == kModel);
}

TEST_CASE("one call that reads a whole file of weights is told, and so is pread",
          "[unseen_reads]") {
  Reader host;
  host.open();
  host.look();
  host.look();
  CHECK(host.told() == 0);
  host.read_at(kModel);
  const bool is_closed = GENERATE(true, false);
  if (is_closed)
    host.file.reset();
  host.look();
  CHECK(host.told() == kModel);
}

TEST_CASE("reads of something else are of no file that stands open", "[unseen_reads]") {
  SECTION("one that holds no weights") {
    Reader host("no weights");
    host.open();
    host.look();
    host.read_at(kModel);  // Or of a pipe, for all that anybody knows.
    host.look();
    CHECK(host.told() == 0);
  }
  SECTION("one of two") {
    Reader host;
    const std::string other = host.folder.file("other", "GGUF\x03" + std::string(kModel, 'o'));
    const FileDescriptor file(::open(other.c_str(), O_RDONLY | O_CLOEXEC));
    host.open();
    host.look();
    host.read_at(kModel);
    host.look();
    CHECK(host.told() == 0);
  }
  SECTION("no more than nobody saw") {
    Reader host;
    host.open();
    REQUIRE(::lseek(host.file->number(), 0, SEEK_END) == static_cast<off_t>(kModel));
    host.look();
    host.look();
    CHECK(host.told() < kMiB);  // What the looks themselves have read of /proc.
  }
}

TEST_CASE("a file that a record tells of is not told once more", "[unseen_reads]") {
  Reader host;
  host.open();
  host.read(4 * kMiB);
  host.look();
  host.main.open(static_cast<std::uint32_t>(host.file->number()), host.path, kModel);
  host.look();
  host.look();
  CHECK(host.told() == 0);
}
