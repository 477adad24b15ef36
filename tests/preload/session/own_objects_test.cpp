#include "preload/session/own_objects.hpp"

#include "preload/session/kept_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <unistd.h>

using namespace tidemark::preload;
using tidemark::tests::TemporaryFolder;

namespace {

int open_file(const TemporaryFolder& folder, const std::string& name) {
  std::ofstream(folder.file(name)) << name;
  return ::open(folder.file(name).c_str(), O_RDONLY | O_CLOEXEC);
}

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

std::string others_in(const char* list) {
  char text[256] = "=";
  return std::string(text, append_other_objects(text + 1, list)).substr(1);
}

}  // namespace

TEST_CASE("a kept file's descriptor is high, and passed to programs only when it is to be",
          "[own_objects]") {
  const TemporaryFolder folder;
  KeptFile kept;
  CHECK(kept.number() < 0);
  kept.keep(-1);
  CHECK(kept.number() < 0);

  const int first = open_file(folder, "file");
  kept.keep(first);
  CHECK_FALSE(is_open(first));
  const int number = kept.number();
  REQUIRE(number >= 1000);
  CHECK(::fcntl(number, F_GETFD) == FD_CLOEXEC);
  CHECK(kept.let_pass(true) == number);
  CHECK(::fcntl(number, F_GETFD) == 0);
  kept.let_pass(false);
  CHECK(::fcntl(number, F_GETFD) == FD_CLOEXEC);

  const auto at = static_cast<unsigned>(number);
  CHECK(kept.number_in(3, ~0U) == number);
  CHECK(kept.number_in(at, at) == number);
  CHECK(kept.number_in(3, at - 1) < 0);
  CHECK(kept.number_in(at + 1, ~0U) < 0);
  ::close(number);
  CHECK(kept.number() < 0);
}

TEST_CASE("a descriptor that the program has put another file at is not a kept one",
          "[own_objects]") {
  const TemporaryFolder folder;
  KeptFile kept;
  kept.keep(open_file(folder, "file"));
  const int number = kept.number();
  const int other = open_file(folder, "other");
  REQUIRE(::dup2(other, number) == number);
  CHECK(kept.number() < 0);
  CHECK(kept.let_pass(true) < 0);
  ::close(other);
  ::close(number);
}

TEST_CASE("our objects are found by their paths, else by descriptors that were kept",
          "[own_objects]") {
  const TemporaryFolder folder;
  for (const char* name : {"libtidemark_preload.so", "libtidemark_copies.so"})
    std::ofstream(folder.file(name)) << name;
  const std::string first = folder.file("libtidemark_preload.so");
  const std::string second = folder.file("libtidemark_copies.so");
  remember_objects((first + ":" + second + ":/usr/lib/other.so").c_str());
  REQUIRE(are_objects_known());

  CHECK(names_objects(("/a.so " + second + " " + first).c_str()));
  CHECK_FALSE(names_objects(first.c_str()));
  CHECK(names_an_object(second.c_str()));
  CHECK_FALSE(names_an_object("/a.so:/b.so"));
  CHECK(others_in(("/a.so:" + first + "::" + second + " /b.so").c_str()) == "/a.so:/b.so");
  CHECK(others_in(first.c_str()).empty());

  CHECK(ObjectNames().list() == first + ":" + second);
  CHECK(ObjectNames().numbers()[0] < 0);
  keep_objects();
  const int object = ObjectNames().numbers()[0];
  const int copies = ObjectNames().numbers()[1];
  CHECK(object >= 1000);
  CHECK(copies >= 1000);
  CHECK(kept_object_in(3, ~0U) == std::min(object, copies));
  CHECK(ObjectNames().list() == first + ":" + second);
  let_objects_pass(true);
  CHECK(::fcntl(object, F_GETFD) == 0);
  let_objects_pass(false);
  CHECK(::fcntl(object, F_GETFD) == FD_CLOEXEC);

  ::unlink(first.c_str());
  CHECK(ObjectNames().list() ==
        "/proc/self/fd/" + std::to_string(object) + ":/proc/self/fd/" + std::to_string(copies));
  ::close(object);
  CHECK(ObjectNames().list() == nullptr);
  ::close(copies);
  CHECK(kept_object_in(3, ~0U) < 0);
}
