#include "collector/family/members/image_watch.hpp"

#include "collector/os/file_descriptor.hpp"
#include "tests/support/catch.hpp"

#include <csignal>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;

TEST_CASE("an image has a file mapped, whatever the file is called", "[image_watch]") {
  const FileDescriptor mapped(::memfd_create("same name", MFD_CLOEXEC));
  const FileDescriptor other(::memfd_create("same name", MFD_CLOEXEC));
  REQUIRE(::ftruncate(mapped.number(), 4096) == 0);
  void* place = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, mapped.number(), 0);
  REQUIRE(place != MAP_FAILED);
  const ImageWatch watch(::getpid());
  CHECK(watch.is_open());
  CHECK(watch.is_alive());
  CHECK(watch.maps_file(mapped_file_key(mapped.number())));
  CHECK_FALSE(watch.maps_file(mapped_file_key(other.number())));
  CHECK_FALSE(watch.maps_file(mapped_file_key(-1)));
  ::munmap(place, 4096);
  CHECK_FALSE(watch.maps_file(mapped_file_key(mapped.number())));
}

TEST_CASE("an image is gone after an exec, while its process lives", "[image_watch]") {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::raise(SIGSTOP);
    ::execlp("sleep", "sleep", "100", nullptr);
    ::_exit(127);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, WUNTRACED) == pid);
  const ImageWatch watch(pid);
  CHECK(watch.is_alive());
  ::kill(pid, SIGCONT);
  while (watch.is_alive()) {
  }
  CHECK(::kill(pid, 0) == 0);
  CHECK_FALSE(watch.maps_file(" 00:00 0 "));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  CHECK_FALSE(ImageWatch(pid).is_open());
}
