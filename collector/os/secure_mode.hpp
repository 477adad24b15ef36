/// Would the kernel start a file in secure mode (AT_SECURE), where ld.so ignores LD_PRELOAD?
#pragma once

#include <string>

#include <sys/types.h>

namespace tidemark {

/// Ids of the process that would call execve.
struct Credentials {
  uid_t real_user = 0;
  uid_t effective_user = 0;
  gid_t real_group = 0;
  gid_t effective_group = 0;

  static Credentials own();
};

/// Follows the kernel's cap_bprm_creds_from_file: what counts is whether the new effective ids
/// differ from the *real* ones, not that the file carries a set-id bit. The bits mean nothing on a
/// nosuid mount or under no_new_privs.
/// @return what is special about the file ("is set-user-id to another user"); empty when it would
/// start normally.
std::string secure_mode_reason(int file, const Credentials& caller);

}  // namespace tidemark
