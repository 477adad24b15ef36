#include "collector/os/secure_mode.hpp"

#include <cstdint>
#include <cstring>

#include <endian.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace tidemark {
namespace {

bool privileges_are_ignored(int file) {
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) {
    return true;
  }
  struct statvfs mount {};
  return ::fstatvfs(file, &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0;
}

bool sets_group(const struct stat& file) {
  // Without the group's execute bit the set-group-id bit once meant mandatory locking.
  return (file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0;
}

/// True if the file's capabilities give the new image any, or make any effective.
bool grants_capabilities(int file) {
  vfs_ns_cap_data attribute{};
  const ssize_t bytes = ::fgetxattr(file, "security.capability", &attribute, sizeof attribute);
  if (bytes < static_cast<ssize_t>(XATTR_CAPS_SZ_1)) {
    return false;
  }
  std::uint32_t permitted = attribute.data[0].permitted;
  if (bytes >= static_cast<ssize_t>(XATTR_CAPS_SZ_2)) {
    permitted |= attribute.data[1].permitted;
  }
  return permitted != 0 || (le32toh(attribute.magic_etc) & VFS_CAP_FLAGS_EFFECTIVE) != 0;
}

}  // namespace

Credentials Credentials::own() {
  return {::getuid(), ::geteuid(), ::getgid(), ::getegid()};
}

std::string secure_mode_reason(int file, const Credentials& caller) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || privileges_are_ignored(file)) {
    return {};
  }
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != caller.real_user) {
    return "is set-user-id to another user";
  }
  if (sets_group(status) && status.st_gid != caller.real_group) {
    return "is set-group-id to another group";
  }
  // A real root is exempt: to it, capabilities of a file are nothing new.
  if (caller.real_user != 0 && grants_capabilities(file)) {
    return "has file capabilities";
  }
  return {};
}

}  // namespace tidemark
