#include "collector/symbols/cache/symbol_cache.hpp"

#include "collector/trace/coding/compression.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using tidemark::CachedSymbols;
using tidemark::CacheSubject;
using tidemark::NamedAddress;
using tidemark::SymbolCache;
using tidemark::tests::TemporaryFolder;
using tidemark::trace::ByteBuffer;
using tidemark::trace::Location;

namespace {

const std::string kKey = "0123456789abcdef0123456789abcdef01234567";

std::vector<NamedAddress> some_addresses(std::uint32_t line = 7) {
  return {{0x10, {{"inner", "a.cpp", line}, {"outer()", "b.cpp", 8}}},
          {0x20, {}},
          {0x21, {{"inner", "a.cpp", line}, {"outer()", "b.cpp", 8}}},
          {0xffff'ffff'ffff'fff0, {{"far", "", 0}}}};
}

ByteBuffer a_file(std::uint32_t line = 7) {
  return encode_cache_file({kKey, "some.debug", 42}, some_addresses(line));
}

bool same(const std::vector<Location>& a, const std::vector<Location>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.function == y.function && x.file == y.file && x.line == y.line;
  });
}

void write_file(const std::string& path, const ByteBuffer& bytes, std::filesystem::perms mode) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::filesystem::permissions(path, mode);
}

unsigned mode_of(const std::string& path) {
  struct stat file {};
  REQUIRE(::stat(path.c_str(), &file) == 0);
  return file.st_mode & 0777;
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    total += entry.file_size();
  }
  return total;
}

void set_age(const std::string& path, std::chrono::hours age) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}

constexpr auto kPrivate = std::filesystem::perms(0600);

}  // namespace

TEST_CASE("what a cache file is given comes back", "[symbol cache]") {
  const auto symbols = CachedSymbols::open(a_file());

  REQUIRE(symbols);
  CHECK(symbols->subject() == CacheSubject{kKey, "some.debug", 42});
  for (const NamedAddress& address : some_addresses()) {
    const auto found = symbols->find(address.offset);
    REQUIRE(found);
    CHECK(same(*found, address.locations));
  }
  CHECK_FALSE(symbols->find(0));
  CHECK_FALSE(symbols->find(0x11));
  CHECK_FALSE(symbols->find(~std::uint64_t{0}));
  CHECK(symbols->all().size() == some_addresses().size());
}

TEST_CASE("a cache file that is cut off is none", "[symbol cache][robustness]") {
  const ByteBuffer whole = a_file();
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    CAPTURE(kept);
    const auto end = whole.begin() + static_cast<std::ptrdiff_t>(kept);
    REQUIRE_FALSE(CachedSymbols::open(ByteBuffer(whole.begin(), end)));
  }
}

TEST_CASE("a cache file with any bit changed is none", "[symbol cache][robustness]") {
  const ByteBuffer whole = a_file();
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    CAPTURE(bit);
    ByteBuffer changed = whole;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << (bit % 8)));
    const bool is_open = CachedSymbols::open(std::move(changed)).has_value();
    REQUIRE_FALSE(is_open);
  }
}

TEST_CASE("a cache file with a right checksum over wrong contents does no harm",
          "[symbol cache][robustness]") {
  const ByteBuffer whole = a_file();
  constexpr std::size_t kBody = 16;
  for (std::size_t at = kBody; at < whole.size(); ++at) {
    for (const unsigned value : {0U, 1U, 0x7fU, 0x80U, 0xffU}) {
      ByteBuffer forged = whole;
      forged[at] = static_cast<std::uint8_t>(value);
      tidemark::trace::store(forged.data() + 8,
                             tidemark::trace::checksum_of(std::span(forged).subspan(kBody)));
      const auto symbols = CachedSymbols::open(std::move(forged));
      std::size_t names = 0;
      for (const NamedAddress& address : symbols ? symbols->all() : std::vector<NamedAddress>()) {
        names += address.locations.size();
      }
      REQUIRE(names < 1000);
    }
  }
}

TEST_CASE("a small cache file cannot stand for endless text", "[symbol cache][robustness]") {
  // One chain of 30 long names at each of many addresses: some 100 KiB that unfold to 4 GiB.
  const std::vector<Location> chain(30, {std::string(60'000, 'x'), {}, 1});
  std::vector<NamedAddress> addresses;
  for (std::uint64_t i = 1; i <= 2'500; ++i) {
    addresses.push_back({i, i == 1 ? chain : std::vector<Location>()});
  }
  ByteBuffer file = encode_cache_file({kKey, {}, 0}, addresses);
  REQUIRE(CachedSymbols::open(file));
  // Chain 1 is the empty one, and the last byte of each address.
  for (std::size_t at = file.size() - 2 * 2'400; at < file.size(); ++at) {
    file[at] = file[at] == 1 && at % 2 == (file.size() - 1) % 2 ? std::uint8_t{0} : file[at];
  }
  tidemark::trace::store(file.data() + 8,
                         tidemark::trace::checksum_of(std::span(file).subspan(16)));

  CHECK_FALSE(CachedSymbols::open(file));
}

TEST_CASE("the cache's folder and files are private", "[symbol cache]") {
  const TemporaryFolder scratch;
  const mode_t before = ::umask(0);
  const auto cache = SymbolCache::open(scratch.file("a/b/symbols"));
  REQUIRE(cache);
  cache->store(kKey, a_file());
  ::umask(before);

  CHECK(mode_of(scratch.file("a")) == 0700);
  CHECK(mode_of(scratch.file("a/b/symbols")) == 0700);
  CHECK(mode_of(scratch.file("a/b/symbols/" + kKey)) == 0600);
  CHECK(cache->load(kKey));
}

TEST_CASE("a stored file replaces the one before", "[symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  cache->store(kKey, a_file(1));
  cache->store(kKey, a_file(2));

  REQUIRE(cache->load(kKey));
  CHECK(cache->load(kKey)->find(0x10)->front().line == 2);
  CHECK(bytes_in(scratch.file("symbols")) == a_file().size());
}

TEST_CASE("a damaged file is ignored, and written anew", "[symbol cache][robustness]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  const std::string path = scratch.file("symbols/" + kKey);
  ByteBuffer half = a_file();
  half.resize(half.size() / 2);
  write_file(path, half, kPrivate);
  REQUIRE_FALSE(cache->load(kKey));

  cache->store(kKey, a_file());
  CHECK(cache->load(kKey));
}

TEST_CASE("a cache file under another name is not believed", "[symbol cache][robustness]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  cache->store(kKey, a_file());
  std::filesystem::rename(scratch.file("symbols/" + kKey), scratch.file("symbols/other"));

  CHECK_FALSE(cache->load("other"));
}

TEST_CASE("what others can write is not read", "[symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  const std::string path = scratch.file("symbols/" + kKey);
  const auto mode = GENERATE(0620, 0602, 0666);
  write_file(path, a_file(), std::filesystem::perms(mode));
  CHECK_FALSE(cache->load(kKey));
  std::filesystem::permissions(path, kPrivate);
  CHECK(cache->load(kKey));

  std::filesystem::permissions(scratch.file("symbols"),
                               std::filesystem::perms(0700 | (mode & 022)));
  CHECK_FALSE(SymbolCache::open(scratch.file("symbols")));
}

TEST_CASE("what belongs to somebody else is not used", "[symbol cache]") {
  if (::geteuid() != 0) {
    SKIP_TEST("only root can give files away");
    return;
  }
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  cache->store(kKey, a_file());
  constexpr uid_t kSomebody = 12345;

  REQUIRE(::chown(scratch.file("symbols/" + kKey).c_str(), kSomebody, kSomebody) == 0);
  CHECK_FALSE(cache->load(kKey));
  REQUIRE(::chown(scratch.file("symbols").c_str(), kSomebody, kSomebody) == 0);
  CHECK_FALSE(SymbolCache::open(scratch.file("symbols")));
  // Nor is anything left in somebody else's home, where its owner could not use it.
  std::filesystem::create_directory(scratch.file("home"));
  REQUIRE(::chown(scratch.file("home").c_str(), kSomebody, kSomebody) == 0);
  CHECK_FALSE(SymbolCache::open(scratch.file("home/.cache/tidemark/symbols")));
  CHECK_FALSE(std::filesystem::exists(scratch.file("home/.cache")));
}

TEST_CASE("neither links nor pipes are followed", "[symbol cache][robustness]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  write_file(scratch.file("elsewhere"), a_file(), kPrivate);
  std::filesystem::create_symlink(scratch.file("elsewhere"), scratch.file("symbols/" + kKey));
  CHECK_FALSE(cache->load(kKey));
  cache->store(kKey, a_file(9));
  CHECK(cache->load(kKey));
  CHECK(bytes_in(scratch.file("symbols")) == a_file().size());

  REQUIRE(::mkfifo(scratch.file("symbols/fifo").c_str(), 0600) == 0);
  CHECK_FALSE(cache->load("fifo"));
}

TEST_CASE("without a place there is no cache", "[symbol cache]") {
  CHECK(SymbolCache::default_folder("/c", "/home/me") == "/c/tidemark/symbols");
  CHECK(SymbolCache::default_folder(nullptr, "/home/me") == "/home/me/.cache/tidemark/symbols");
  CHECK(SymbolCache::default_folder("", "/home/me") == "/home/me/.cache/tidemark/symbols");
  CHECK(SymbolCache::default_folder("relative", "/home/me") == "/home/me/.cache/tidemark/symbols");
  CHECK(SymbolCache::default_folder(nullptr, nullptr).empty());
  CHECK(SymbolCache::default_folder("", "").empty());

  CHECK_FALSE(SymbolCache::open(""));
  CHECK_FALSE(SymbolCache::open("/proc/no/such/place"));
  const TemporaryFolder scratch;
  CHECK_FALSE(SymbolCache::open(scratch.file("plain file", "")));
  CHECK_FALSE(SymbolCache::open(scratch.file("plain file") + "/below"));
}

TEST_CASE("files are kept by build id, or by path", "[symbol cache]") {
  CHECK(SymbolCache::key_of("/lib/a.so", kKey) == kKey);
  const std::string by_path = SymbolCache::key_of("/lib/a.so", "");
  CHECK_THAT(by_path, Catch::StartsWith("path-"));
  CHECK(SymbolCache::key_of("/lib/a.so", "0123") == by_path);
  CHECK(SymbolCache::key_of("/lib/b.so", "") != by_path);
}

TEST_CASE("a file that is too large is not kept", "[symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));

  cache->store(kKey, ByteBuffer(tidemark::kMaxCacheFileBytes + 1));

  CHECK(std::filesystem::is_empty(scratch.file("symbols")));
}

TEST_CASE("a full cache forgets what was not used for longest", "[symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  for (const int age : {1, 5, 3, 4, 2}) {
    const std::string key = "key" + std::to_string(age);
    cache->store(key, encode_cache_file({key, {}, 0}, some_addresses()));
    set_age(scratch.file("symbols/" + key), std::chrono::hours(48 * age));
  }
  REQUIRE(cache->load("key5"));  // That is a use.
  const std::uint64_t each = bytes_in(scratch.file("symbols")) / 5;

  cache->trim(2 * each + each / 2);

  CHECK(bytes_in(scratch.file("symbols")) == 2 * each);
  CHECK(cache->load("key5"));
  CHECK(cache->load("key1"));
}

TEST_CASE("what a killed recording left half written goes after a while", "[symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  write_file(scratch.file("symbols/unfinished-old"), a_file(), kPrivate);
  write_file(scratch.file("symbols/unfinished-new"), a_file(), kPrivate);
  set_age(scratch.file("symbols/unfinished-old"), std::chrono::hours(2));

  cache->trim();

  CHECK_FALSE(std::filesystem::exists(scratch.file("symbols/unfinished-old")));
  CHECK(std::filesystem::exists(scratch.file("symbols/unfinished-new")));
}

TEST_CASE("readers always see a whole file while others write it", "[symbol cache]") {
  const TemporaryFolder scratch;
  const auto cache = SymbolCache::open(scratch.file("symbols"));
  // Large enough that a look into the middle of writing it is likely.
  std::vector<NamedAddress> addresses;
  for (std::uint32_t i = 1; i <= 20'000; ++i) {
    addresses.push_back({i, {{"function number " + std::to_string(i), {}, i}}});
  }
  const ByteBuffer file = encode_cache_file({kKey, {}, 0}, addresses);
  cache->store(kKey, file);
  std::atomic<unsigned> writing{2};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 2; ++writer) {
    writers.emplace_back([&] {
      // Another object each, as other processes have.
      const auto own = SymbolCache::open(scratch.file("symbols"));
      for (int i = 0; i < 200; ++i) {
        own->store(kKey, file);
      }
      --writing;
    });
  }
  std::size_t reads = 0;
  std::size_t whole = 0;
  do {
    const auto symbols = cache->load(kKey);
    ++reads;
    whole += symbols && symbols->find(20'000) ? 1U : 0U;
  } while (writing != 0);
  for (std::thread& writer : writers) {
    writer.join();
  }

  CHECK(reads == whole);
  CHECK(bytes_in(scratch.file("symbols")) == file.size());
  CHECK(std::distance(std::filesystem::directory_iterator(scratch.file("symbols")), {}) == 1);
}
