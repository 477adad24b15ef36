// This very process as the host: what it reads, no hook sees, as none is in it.
#include "collector/drain/books/unseen_read_book.hpp"

#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;
using tests::kMiB;
using tests::OwnSession;
using tests::RecordedThread;
using tests::TemporaryFolder;
using trace::EventKind;

namespace {

constexpr std::size_t kFileBytes = 4 * kMiB;
constexpr std::uint32_t kRecordedDescriptor = 40;

struct Reader : OwnSession {
  explicit Reader(std::size_t bytes = kFileBytes)
      : path(folder.file("weights", std::string(bytes, 'x'))) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  Reader(Reader&&) = delete;
  Reader& operator=(Reader&&) = delete;
  ~Reader() { close(); }

  void open() { file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }
  void close() {
    if (file >= 0)
      ::close(file);
    file = -1;
  }
  void read(std::size_t bytes) {
    std::string into(bytes, '\0');
    REQUIRE(::read(file, into.data(), bytes) == static_cast<ssize_t>(bytes));
  }
  void read_at(std::size_t offset, std::size_t bytes) {
    std::string into(bytes, '\0');
    REQUIRE(::pread(file, into.data(), bytes, static_cast<off_t>(offset)) ==
            static_cast<ssize_t>(bytes));
  }
  /// What a hook does behind a read.
  void count(std::size_t bytes) { map().process(0).bytes_read.fetch_add(bytes); }
  void look() {
    constexpr std::uint64_t kMuchLater = 1'000'000'000;  // Whatever the look before has cost.
    pass_time(kMuchLater);
    book.look(*assembler().processes().hosts().at(0), now());
  }
  void end() { book.end(*assembler().processes().hosts().at(0)); }

  /// Bytes of each read event, in order, to 64 KiB: looks at this process are reads of it, too.
  std::vector<std::uint64_t> reads() {
    constexpr std::uint64_t kWhole = kMiB / 16;
    std::vector<std::uint64_t> bytes;
    for (const trace::Event& event : log().of_kind(EventKind::kRead)) {
      CHECK(log().files().at(event.extra).path == path);
      bytes.push_back(event.size / kWhole * kWhole);
    }
    return bytes;
  }

  TemporaryFolder folder;
  std::string path;
  int file = -1;
  UnseenReadBook book{map(), assembler().files()};
  RecordedThread main{*this, 0, 0, static_cast<std::uint32_t>(getpid())};
};

using Bytes = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a file whose position goes on beyond what hooks saw was read", "[unseen_reads]") {
  Reader host;
  host.look();
  host.open();
  host.look();
  REQUIRE(host.log().of_kind(EventKind::kOpen).size() == 1);
  host.read(kMiB);
  host.look();
  CHECK(host.reads().empty());  // A hook may be about to count them.
  host.read(2 * kMiB);
  host.look();
  CHECK(host.reads() == Bytes{kMiB});
  host.look();
  CHECK(host.reads() == Bytes{kMiB, 2 * kMiB});
  CHECK(host.book.told_bytes() == 3 * kMiB);

  const trace::Event open = host.log().of_kind(EventKind::kOpen).at(0);
  const trace::File& known = host.log().files().at(open.extra);
  CHECK(known.path == host.path);
  CHECK(known.size == kFileBytes);
  CHECK_FALSE(known.written);
  CHECK(open.stack == trace::kNoStack);
}

TEST_CASE("a file that was read before the first look is told of, too", "[unseen_reads]") {
  Reader host;
  host.open();
  host.read(kMiB);
  host.look();
  host.look();
  CHECK(host.reads() == Bytes{kMiB});
}

TEST_CASE("reads that hooks saw are not told again", "[unseen_reads]") {
  Reader host;
  host.look();
  host.open();
  struct stat status {};
  REQUIRE(::fstat(host.file, &status) == 0);
  host.main.open(kRecordedDescriptor, host.path, kFileBytes, status.st_dev, status.st_ino);
  host.look();
  SECTION("counted at once") {
    host.read(2 * kMiB);
    host.count(2 * kMiB);
    host.main.read(kRecordedDescriptor, 2 * kMiB);
    host.look();
    host.look();
    CHECK(host.reads() == Bytes{2 * kMiB});
  }
  SECTION("counted behind a look") {
    host.read(2 * kMiB);
    host.look();
    host.count(2 * kMiB);
    host.main.read(kRecordedDescriptor, 2 * kMiB);
    host.look();
    host.look();
    CHECK(host.reads() == Bytes{2 * kMiB});
  }
  SECTION("counted behind many looks, of a thread that waited for its turn") {
    host.map().process(0).bytes_being_read.fetch_add(2 * kMiB);
    host.read(2 * kMiB);
    for (int i = 0; i < 4; ++i)
      host.look();
    CHECK(host.reads().empty());
    host.main.read(kRecordedDescriptor, 2 * kMiB);
    host.count(2 * kMiB);
    host.map().process(0).bytes_being_read.fetch_sub(2 * kMiB);
    host.look();
    host.look();
    CHECK(host.reads() == Bytes{2 * kMiB});
  }
  SECTION("some are, some are not") {
    host.read(3 * kMiB);
    host.count(kMiB);
    host.main.read(kRecordedDescriptor, kMiB);
    host.look();
    host.look();
    CHECK(host.reads() == Bytes{kMiB, 2 * kMiB});
  }
  CHECK(host.log().of_kind(EventKind::kOpen).size() == 1);
}

TEST_CASE("a file that was read and closed between two looks is told by the count",
          "[unseen_reads]") {
  Reader host;
  host.look();
  host.open();
  host.look();
  SECTION("to its end") {
    host.read(kFileBytes);
    host.close();
    host.look();
    CHECK(host.reads().empty());
    host.look();
    CHECK(host.reads() == Bytes{kFileBytes});
  }
  SECTION("not at all") {
    host.close();
    host.look();
    host.look();
    CHECK(host.reads().empty());
  }
  SECTION("in part: nobody knows which file these bytes are of") {
    host.read(kFileBytes / 2);
    host.close();
    host.look();
    host.look();
    CHECK(host.reads().empty());
  }
  SECTION("in part, while it was being read") {
    host.read(kMiB);
    host.look();
    host.look();
    host.read(kMiB);
    host.close();
    host.look();
    host.look();
    CHECK(host.reads() == Bytes{kMiB, kMiB});
  }
  host.look();
  CHECK(host.reads().size() <= 2);
}

TEST_CASE("a file that is read at offsets over many looks is told when it is closed",
          "[unseen_reads]") {
  constexpr std::size_t kPadding = kFileBytes / 64;
  Reader host;
  const std::string beside = host.folder.file("beside", std::string(2 * kMiB, 'x'));
  host.look();
  host.open();
  host.look();
  int other = -1;
  const auto read_and_close = [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; at += kPadding) {
      host.read_at(at, kPadding);
      host.look();
    }
    host.close();
    if (other >= 0) {
      ::close(other);
    }
    host.look();
    host.look();
  };
  SECTION("but for its padding") {
    read_and_close(0, kFileBytes - kPadding);
    const auto reads = host.reads();
    REQUIRE(reads.size() == 1);
    CHECK(reads[0] >= kFileBytes - kPadding);
    CHECK(reads[0] <= kFileBytes);
    CHECK(host.book.told_bytes() >= reads[0]);
  }
  SECTION("not in part") {
    read_and_close(0, kFileBytes * 9 / 10);
    CHECK(host.reads().empty());
  }
  SECTION("not where more was read than it has") {
    for (int i = 0; i < 2; ++i) {
      host.read_at(0, kFileBytes * 3 / 4);
      host.look();
      host.look();
      host.look();
    }
    host.close();
    host.look();
    host.look();
    CHECK(host.reads().empty());
  }
  SECTION("not where another file is open that may be meant") {
    other = ::open(beside.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(other >= 0);
    read_and_close(0, kFileBytes - kPadding);
    CHECK(host.reads().empty());
  }
}

TEST_CASE("a seek reads nothing", "[unseen_reads]") {
  Reader host;
  host.look();
  host.open();
  host.look();
  SECTION("to the end, for its size") {
    REQUIRE(::lseek(host.file, 0, SEEK_END) == kFileBytes);
    host.look();
    host.look();
    CHECK(host.reads().empty());
  }
  SECTION("back, to read it again") {
    host.read(2 * kMiB);
    host.look();
    REQUIRE(::lseek(host.file, 0, SEEK_SET) == 0);
    host.read(kMiB);
    host.look();
    host.look();
    CHECK(host.reads() == Bytes{2 * kMiB, kMiB});
  }
}

TEST_CASE("what a stream has read ahead is no read that no hook saw", "[unseen_reads]") {
  constexpr std::size_t kBuffer = 4096;
  Reader host;
  host.look();
  host.open();
  host.look();
  for (int i = 0; i < 8; ++i) {
    host.read(kBuffer);
    host.look();
    host.count(kBuffer);
    host.look();
  }
  CHECK(host.reads().empty());
}

TEST_CASE("small files are not told of", "[unseen_reads]") {
  Reader host(kMiB / 2);
  host.look();
  host.open();
  host.read(kMiB / 2);
  host.look();
  host.look();
  CHECK(host.reads().empty());
  CHECK(host.log().files().empty());
}

TEST_CASE("reads shortly before a host's end are told at its end", "[unseen_reads]") {
  Reader host;
  host.look();
  host.open();
  host.look();
  SECTION("of a file that stays open") {
    host.read(kMiB);
    host.look();
    host.read(2 * kMiB);
    host.end();
    CHECK(host.reads() == Bytes{kMiB, 2 * kMiB});
  }
  SECTION("of one read as a whole") {
    host.read(kFileBytes);
    host.end();
    CHECK(host.reads() == Bytes{kFileBytes});
  }
  SECTION("of a read that a hook had no time to count") {
    host.map().process(0).bytes_being_read.fetch_add(kFileBytes);
    host.read(kFileBytes);
    host.look();
    host.look();
    CHECK(host.reads().empty());
    host.end();
    CHECK(host.reads() == Bytes{kFileBytes});
  }
}

TEST_CASE("the last bytes of a file that is read past hooks are told, however few",
          "[unseen_reads]") {
  constexpr std::size_t kFew = 1000;
  Reader host;
  host.look();
  host.open();
  host.look();
  host.read(kFileBytes - kFew);
  host.look();
  SECTION("it is closed") {
    host.look();
    host.read(kFew);
    host.close();
    host.look();
    host.look();
  }
  SECTION("its reader ends") {
    host.look();
    host.read(kFew);
    host.end();
  }
  CHECK(host.book.told_bytes() == kFileBytes);
}

TEST_CASE("what was read before an exec is no reason to tell of a file that is closed unread",
          "[unseen_reads]") {
  const auto read_another = [](std::size_t bytes) {
    Reader other(bytes);
    other.open();
    other.read(bytes);
  };
  Reader host;
  read_another(kFileBytes);
  host.open();
  host.look();
  host.close();
  read_another(kMiB / 8);
  host.look();
  host.look();
  CHECK(host.reads().empty());
}

TEST_CASE("what a child read is no reason to tell of a file that its parent closes unread",
          "[unseen_reads]") {
  Reader host;
  host.look();
  host.open();
  host.look();
  const pid_t child = ::fork();
  if (child == 0) {
    std::string into(kFileBytes, '\0');
    const int file = ::open(host.path.c_str(), O_RDONLY | O_CLOEXEC);
    ::_exit(::read(file, into.data(), into.size()) == static_cast<ssize_t>(kFileBytes) ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  host.close();
  host.look();
  host.look();
  CHECK(host.reads().empty());
}
