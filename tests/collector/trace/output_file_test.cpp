// Where outputs go: beside their real name until they are complete, into streams, and never in the
// place of anything that is no file.
#include "collector/trace/output/output_file.hpp"

#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

namespace tidemark::trace::tests {
namespace {

namespace fs = std::filesystem;
using Way = OutputFile::Way;

ByteView bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

mode_t mode_of(const std::string& path) {
  struct stat file {};
  REQUIRE(lstat(path.c_str(), &file) == 0);
  return file.st_mode & 07777U;
}

/// While it lives, the umask is this one.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  Umask(Umask&&) = delete;
  Umask& operator=(Umask&&) = delete;
  ~Umask() { umask(before_); }

 private:
  mode_t before_;
};

/// A folder with an output in it that is to be called `name()`.
class Outputs {
 public:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] std::string name() const { return file("out"); }
  [[nodiscard]] std::string begun() const { return file("out.incomplete"); }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(fs::path(name()).parent_path()), {}));
  }

  /// Writes `text` from beginning to end.
  static bool write(const std::string& path, std::string_view text, Way way) {
    auto file = OutputFile::create(path, way);
    return file.ok() && file.value()->append(bytes_of(text)) && file.value()->publish();
  }
  static std::string refusal(const std::string& path, Way way) {
    const auto file = OutputFile::create(path, way);
    REQUIRE_FALSE(file.ok());
    INFO(file.error().message);
    CHECK(file.error().message.find('\n') == std::string::npos);
    return file.error().message;
  }

 private:
  TemporaryFolder folder_;
};

/// A device node of the test's own; false, loudly, where that is not allowed.
bool make_device(const std::string& path,
                 mode_t type,
                 unsigned major_number,
                 unsigned minor_number) {
  int error = 0;
  if (mknod(path.c_str(), type | S_IRUSR | S_IWUSR, makedev(major_number, minor_number)) != 0)
    error = errno;
  if (error == 0 && type == S_IFCHR) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    error = descriptor < 0 ? errno : 0;
    ::close(descriptor);
  }
  if (error == 0)
    return true;
  SKIP_TEST("device nodes cannot be made here");
  CHECK((error == EPERM || error == EACCES));
  return false;
}

/// True for root; else says that the test is skipped, loudly.
bool is_root(const char* what_only_root_can) {
  if (geteuid() == 0)
    return true;
  SKIP_TEST("only root can " << what_only_root_can);
  CHECK(geteuid() != 0);
  return false;
}

TEST_CASE_METHOD(Outputs, "a file gets its name when it is complete", "[output]") {
  const Way way = GENERATE(Way::kUnderKnownName, Way::kAtOnce);
  put(name(), "older");

  auto file = OutputFile::create(name(), way);
  REQUIRE(file.ok());
  CHECK(file.value()->append(bytes_of("newer")));
  CHECK(file_text(name()) == "older");
  CHECK(file.value()->publish());

  CHECK(file_text(name()) == "newer");
  CHECK(count() == 1);
}

TEST_CASE_METHOD(Outputs, "what is not published leaves the older file", "[output]") {
  const Way way = GENERATE(Way::kUnderKnownName, Way::kAtOnce);
  put(name(), "older");

  auto file = OutputFile::create(name(), way);
  REQUIRE(file.ok());
  file.value()->append(bytes_of("newer"));
  file.value()->discard();

  CHECK(file_text(name()) == "older");
  CHECK(count() == 1);
}

TEST_CASE_METHOD(Outputs, "nobody else can read what is being written", "[output]") {
  const Umask mask(0);
  const Way way = GENERATE(Way::kUnderKnownName, Way::kAtOnce);

  auto file = OutputFile::create(name(), way);
  REQUIRE(file.ok());
  CHECK(mode_of(file.value()->begun_path()) == 0600);
  REQUIRE(file.value()->publish());

  CHECK(mode_of(name()) == 0666);
}

TEST_CASE_METHOD(Outputs,
                 "a new file has what the umask leaves, a replaced one keeps its permissions",
                 "[output]") {
  const Umask mask(027);

  REQUIRE(write(name(), "new", Way::kAtOnce));
  CHECK(mode_of(name()) == 0640);
  fs::permissions(name(), fs::perms::owner_read | fs::perms::owner_write);
  REQUIRE(write(name(), "newer", Way::kAtOnce));
  CHECK(mode_of(name()) == 0600);
}

TEST_CASE_METHOD(Outputs, "a link stays, and what it leads to is replaced", "[output]") {
  const Way way = GENERATE(Way::kUnderKnownName, Way::kAtOnce);
  fs::create_directory(file("there"));
  const bool dangles = GENERATE(false, true);
  if (!dangles)
    put(file("there/real"), "older");
  fs::create_symlink("there/real", file("link"));
  fs::create_symlink(file("link"), name());

  auto output = OutputFile::create(name(), way);
  REQUIRE(output.ok());
  CHECK(fs::path(output.value()->begun_path()).parent_path() == file("there"));
  REQUIRE((output.value()->append(bytes_of("newer")) && output.value()->publish()));

  CHECK(fs::is_symlink(name()));
  CHECK(fs::is_symlink(file("link")));
  CHECK(file_text(file("there/real")) == "newer");
}

TEST_CASE_METHOD(Outputs, "links in a circle are refused", "[output]") {
  fs::create_symlink(file("a"), file("b"));
  fs::create_symlink(file("b"), file("a"));

  CHECK_THAT(refusal(file("a"), Way::kAtOnce), Catch::Contains("symbolic links"));
  CHECK(fs::is_symlink(file("a")));
}

TEST_CASE_METHOD(Outputs,
                 "another user's link in a folder for everybody is not followed",
                 "[output]") {
  if (!is_root("make links that belong to others"))
    return;
  constexpr uid_t kSomebody = 65534;
  const std::string folder = file("for_everybody");
  fs::create_directory(folder);
  REQUIRE(chmod(folder.c_str(), 01777) == 0);
  fs::create_symlink(file("precious"), folder + "/out");
  REQUIRE(lchown((folder + "/out").c_str(), kSomebody, kSomebody) == 0);

  CHECK_THAT(refusal(folder + "/out", Way::kAtOnce), Catch::Contains("symbolic link"));
  CHECK_FALSE(fs::exists(file("precious")));

  REQUIRE(lchown((folder + "/out").c_str(), 0, 0) == 0);
  CHECK(write(folder + "/out", "mine", Way::kAtOnce));
  CHECK(file_text(file("precious")) == "mine");
}

TEST_CASE_METHOD(Outputs,
                 "another user's file that cannot be replaced is refused at once",
                 "[output]") {
  if (!is_root("be two users"))
    return;
  const std::string folder = file("for_everybody");
  fs::create_directory(folder);
  put(folder + "/out", "theirs");
  REQUIRE(chmod(folder.c_str(), 01777) == 0);
  REQUIRE(chmod((folder + "/out").c_str(), 0666) == 0);
  REQUIRE(chmod(file(".").c_str(), 0755) == 0);

  REQUIRE(seteuid(65534) == 0);
  const auto refused = OutputFile::create(folder + "/out", Way::kUnderKnownName);
  REQUIRE(seteuid(0) == 0);

  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, Catch::Contains("another user's"));
  CHECK(file_text(folder + "/out") == "theirs");
}

TEST_CASE_METHOD(Outputs, "folders and sockets are refused, and stay", "[output]") {
  const Way way = GENERATE(Way::kUnderKnownName, Way::kAtOnce, Way::kAppended);
  fs::create_directory(file("folder"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket_path = file("socket");
  REQUIRE(socket_path.size() < sizeof address.sun_path);
  socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);

  CHECK_THAT(refusal(file("folder"), way), Catch::Contains("a folder"));
  CHECK_THAT(refusal(file("folder/"), way), Catch::Contains("a folder"));
  CHECK_THAT(refusal(file("new/"), way), Catch::Contains("a folder"));
  CHECK_THAT(refusal(socket_path, way), Catch::Contains("a socket"));

  ::close(descriptor);
  CHECK(fs::is_directory(file("folder")));
  CHECK(fs::is_socket(socket_path));
  CHECK(count() == 2);
}

TEST_CASE_METHOD(Outputs, "a device is written into, and stays", "[output]") {
  if (!make_device(file("null"), S_IFCHR, 1, 3) || !make_device(file("full"), S_IFCHR, 1, 7))
    return;
  const Way way = GENERATE(Way::kAtOnce, Way::kAppended);

  CHECK(write(file("null"), "text", way));
  CHECK_FALSE(write(file("full"), "text", way));

  CHECK(fs::is_character_file(file("null")));
  CHECK(fs::is_character_file(file("full")));
  CHECK(count() == 2);
}

TEST_CASE_METHOD(Outputs, "a disk is not written into", "[output]") {
  if (!make_device(file("disk"), S_IFBLK, 7, 200))
    return;
  const Way way = GENERATE(Way::kUnderKnownName, Way::kAtOnce, Way::kAppended);

  CHECK_THAT(refusal(file("disk"), way), Catch::Contains("a block device"));
  CHECK(fs::is_block_file(file("disk")));
}

TEST_CASE_METHOD(Outputs,
                 "what others read while it grows goes to a file, or nowhere",
                 "[output]") {
  REQUIRE(mkfifo(file("fifo").c_str(), 0600) == 0);
  CHECK_THAT(refusal(file("fifo"), Way::kUnderKnownName), Catch::Contains("a FIFO"));
  CHECK_THAT(refusal("/dev/stdout", Way::kUnderKnownName), Catch::Contains("an open stream"));
  CHECK(fs::is_fifo(file("fifo")));
  if (!make_device(file("null"), S_IFCHR, 1, 3) || !make_device(file("full"), S_IFCHR, 1, 7))
    return;
  CHECK_THAT(refusal(file("full"), Way::kUnderKnownName), Catch::Contains("a device"));

  auto null = OutputFile::create(file("null"), Way::kUnderKnownName);
  REQUIRE(null.ok());
  CHECK_FALSE(null.value()->is_kept());
  CHECK(null.value()->append(bytes_of("text")));
  CHECK(null.value()->overwrite(0, bytes_of("next")));
  CHECK(null.value()->publish());

  CHECK(fs::is_character_file(file("null")));
  CHECK(count() == 3);
}

TEST_CASE_METHOD(Outputs, "a FIFO gets the text once somebody reads", "[output]") {
  REQUIRE(mkfifo(name().c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = file_text(name()); });

  CHECK(write(name(), "text", Way::kAtOnce));

  reader.join();
  CHECK(read == "text");
  CHECK(fs::is_fifo(name()));
}

TEST_CASE_METHOD(Outputs, "an open descriptor is written to where it stands", "[output]") {
  const int descriptor = ::open(name().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(descriptor >= 0);
  REQUIRE(::write(descriptor, "before ", 7) == 7);
  const std::string path = GENERATE(as<std::string>(), "/dev/fd/", "/proc/self/fd/");

  CHECK(write(path + std::to_string(descriptor), "text", Way::kAtOnce));
  REQUIRE(::write(descriptor, " after", 6) == 6);

  ::close(descriptor);
  CHECK(file_text(name()) == "before text after");
  CHECK_THAT(refusal("/dev/fd/987654", Way::kAtOnce), Catch::Contains("no such descriptor"));
}

TEST_CASE_METHOD(Outputs, "what a killed process left is replaced", "[output]") {
  put(begun(), "the rest of last time");

  CHECK(write(name(), "newer", Way::kUnderKnownName));

  CHECK(file_text(name()) == "newer");
  CHECK(count() == 1);
}

TEST_CASE_METHOD(Outputs, "what another process is writing is left to it", "[output]") {
  auto first = OutputFile::create(name(), Way::kUnderKnownName);
  REQUIRE(first.ok());
  REQUIRE(first.value()->append(bytes_of("first")));

  CHECK_THAT(refusal(name(), Way::kUnderKnownName), Catch::Contains("another tidemark is writing"));

  CHECK(first.value()->publish());
  CHECK(file_text(name()) == "first");
}

TEST_CASE_METHOD(Outputs, "nothing is opened under the name of an unfinished file", "[output]") {
  SECTION("a link is not followed") {
    put(file("precious"), "precious");
    fs::create_symlink(file("precious"), begun());
    CHECK_THAT(refusal(name(), Way::kUnderKnownName), Catch::Contains("a symbolic link"));
    CHECK(file_text(file("precious")) == "precious");
    CHECK(fs::is_symlink(begun()));
  }
  SECTION("a link to nothing makes nothing") {
    fs::create_symlink(file("elsewhere"), begun());
    CHECK_THAT(refusal(name(), Way::kUnderKnownName), Catch::Contains("a symbolic link"));
    CHECK_FALSE(fs::exists(file("elsewhere")));
  }
  SECTION("a FIFO is not waited for") {
    REQUIRE(mkfifo(begun().c_str(), 0600) == 0);
    CHECK_THAT(refusal(name(), Way::kUnderKnownName), Catch::Contains("a FIFO"));
    CHECK(fs::is_fifo(begun()));
  }
  SECTION("a folder is in the way") {
    fs::create_directory(begun());
    CHECK_THAT(refusal(name(), Way::kUnderKnownName), Catch::Contains("a folder"));
  }
}

TEST_CASE_METHOD(Outputs, "another user's unfinished file is left alone", "[output]") {
  if (!is_root("give files away"))
    return;
  put(begun(), "theirs");
  REQUIRE(chown(begun().c_str(), 65534, 65534) == 0);

  CHECK_THAT(refusal(name(), Way::kUnderKnownName), Catch::Contains("another user's"));
  CHECK(file_text(begun()) == "theirs");
}

TEST_CASE_METHOD(Outputs,
                 "what came in the place of the file meanwhile is not replaced",
                 "[output]") {
  auto output = OutputFile::create(name(), Way::kUnderKnownName);
  REQUIRE(output.ok());
  REQUIRE(output.value()->append(bytes_of("newer")));
  fs::create_symlink(file("elsewhere"), name());

  CHECK_FALSE(output.value()->publish());

  CHECK_THAT(output.value()->error(), Catch::Contains("is now a symbolic link"));
  CHECK(fs::is_symlink(name()));
  CHECK(file_text(begun()) == "newer");
}

TEST_CASE_METHOD(Outputs, "an unfinished file that was swapped does not get the name", "[output]") {
  auto output = OutputFile::create(name(), Way::kUnderKnownName);
  REQUIRE(output.ok());
  fs::remove(begun());
  put(begun(), "somebody else's");

  CHECK_FALSE(output.value()->publish());
  output.value()->discard();

  CHECK_FALSE(fs::exists(name()));
  CHECK(file_text(begun()) == "somebody else's");
}

TEST_CASE_METHOD(Outputs, "what is appended comes behind what was there", "[output]") {
  CHECK(write(name(), "one ", Way::kAppended));
  fs::create_symlink(name(), file("link"));
  CHECK(write(file("link"), "two", Way::kAppended));

  CHECK(file_text(name()) == "one two");
  CHECK(count() == 2);
}

TEST_CASE_METHOD(Outputs, "a finished file is moved only where a file may be", "[output]") {
  put(file("from"), "new");
  put(file("real"), "old");
  fs::create_symlink(file("real"), name());
  REQUIRE(mkfifo(file("fifo").c_str(), 0600) == 0);

  CHECK_FALSE(move_into_place(file("from"), file("fifo")).ok());
  CHECK(fs::is_fifo(file("fifo")));
  CHECK(move_into_place(file("from"), name()).ok());

  CHECK(fs::is_symlink(name()));
  CHECK(file_text(file("real")) == "new");
}

}  // namespace
}  // namespace tidemark::trace::tests
