#include "collector/os/secure_mode.hpp"

#include "collector/os/file_descriptor.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <array>
#include <cstdio>
#include <optional>
#include <string>

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

using tidemark::Credentials;
using tidemark::open_regular_file;
using tidemark::secure_mode_reason;
using tidemark::tests::TemporaryFolder;

namespace {

constexpr uid_t kNobody = 65534;
constexpr gid_t kOthers = 4321;
const char* const kPlain = TIDEMARK_HOSTS "plain";

bool may_change_owners() {
  if (::geteuid() != 0) {
    SKIP_TEST("only root can make programs that belong to others");
    return false;
  }
  return true;
}

bool predicted(const std::string& path, const Credentials& caller) {
  return !secure_mode_reason(open_regular_file(path).number(), caller).empty();
}

/// Runs the program, as user and group `id`, and returns what it says: nothing if it did not start.
std::optional<char> answer_of_kernel(const std::string& path, uid_t id) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    if (::setgid(id) == 0 && ::setuid(id) == 0) {
      ::execl(path.c_str(), path.c_str(), nullptr);
    }
    ::_exit(127);
  }
  ::close(ends[1]);
  char answer = '?';
  const ssize_t got = ::read(ends[0], &answer, 1);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return got == 1 ? std::optional(answer) : std::nullopt;
}

bool is_secure_for_kernel(const std::string& path, uid_t id) {
  const auto answer = answer_of_kernel(path, id);
  REQUIRE(answer);
  return *answer != '0';
}

/// By the permission bits alone, which is what decides for all but root.
bool may_execute(const std::string& path, uid_t id) {
  struct stat file {};
  REQUIRE(::stat(path.c_str(), &file) == 0);
  const mode_t bit = file.st_uid == id ? S_IXUSR : file.st_gid == id ? S_IXGRP : S_IXOTH;
  return id == 0 || (file.st_mode & bit) != 0;
}

struct Case {
  std::string name;
  mode_t mode;
  uid_t owner;
  gid_t group;
};

}  // namespace

TEST_CASE("secure mode is predicted as the kernel decides it", "[secure_mode]") {
  if (!may_change_owners()) {
    return;
  }
  const auto [name, mode, owner, group] =
      GENERATE(Case{"plain", 0755, 0, 0}, Case{"set-user-id", 04755, kNobody, 0},
               Case{"set-user-id to root", 04755, 0, 0}, Case{"set-group-id", 02755, 0, kOthers},
               Case{"set-group-id, not executable by group", 02745, 0, kOthers});
  const uid_t id = GENERATE(uid_t{0}, kNobody, uid_t{kOthers});
  CAPTURE(name, id);
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.file("").c_str(), 0755) == 0);
  const std::string program = folder.copy_of(kPlain, "program");
  REQUIRE(::chown(program.c_str(), owner, group) == 0);
  REQUIRE(::chmod(program.c_str(), mode) == 0);

  if (!may_execute(program, id)) {
    // The group itself is shut out without its execute bit.
    CHECK_FALSE(answer_of_kernel(program, id));
    return;
  }
  CHECK(predicted(program, {id, id, id, id}) == is_secure_for_kernel(program, id));
}

TEST_CASE("file capabilities mean secure mode for all but root", "[secure_mode]") {
  if (!may_change_owners()) {
    return;
  }
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.file("").c_str(), 0755) == 0);
  const std::string program = folder.copy_of(kPlain, "program");
  vfs_cap_data capabilities{};
  capabilities.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  capabilities.data[0].permitted = 1U << CAP_NET_BIND_SERVICE;
  if (::setxattr(program.c_str(), "security.capability", &capabilities, sizeof capabilities, 0) !=
      0) {
    SKIP_TEST("this filesystem holds no capabilities");
    return;
  }
  CHECK(predicted(program, {1234, 1234, 1234, 1234}));
  CHECK(is_secure_for_kernel(program, 1234));
  CHECK_FALSE(predicted(program, {0, 0, 0, 0}));
  CHECK_FALSE(is_secure_for_kernel(program, 0));
}
