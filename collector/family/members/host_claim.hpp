/// What a process states about itself when it takes its place in a session, and which process it
/// is.
#pragma once

#include "collector/process/process.hpp"

#include <cstdint>
#include <memory>

#include <sys/types.h>

namespace tidemark {

/// What a process states about itself when it takes its place in a session.
struct HostClaim {
  pid_t pid = 0;     ///< In its own pid namespace.
  pid_t parent = 0;  ///< Its parent's, there; 0: the parent is outside of the namespace.
  /// wire::ProcessSlot::identity: if both it and Process::identity are known, they tell for certain
  /// which process it is.
  std::uint64_t identity = 0;
  bool is_forked = false;  ///< Made by a fork that has not seen an exec.
  std::uint64_t at_ns = 0;
  /// `search` came after the claim. Without that, an ended process is not taken for the one that
  /// made it if a living one may have: in pid namespaces, pids are reused at once.
  bool is_searched = false;
};

/// Which process of this machine made a claim.
struct HostSearch {
  enum class State {
    kFound,
    kNotYet,  ///< Ask again after `search`.
    kGone,    ///< It has ended, and nothing more is known of it.
  };
  static constexpr std::uint64_t kUnknownNamespace = ~std::uint64_t{0};
  State state = State::kGone;
  std::shared_ptr<const Process> process;
  pid_t parent = 0;  ///< In our pid namespace.
  /// The kernel's number of its pid namespace; 0: it is in ours.
  std::uint64_t pid_namespace = kUnknownNamespace;
  /// The image that made the claim was never seen: another process that has ended may have made it
  /// as well.
  bool is_guess = false;
  bool is_image_gone = false;  ///< An exec has since replaced the image that made the claim.
};

}  // namespace tidemark
