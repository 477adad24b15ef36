/// What a process says of itself when it takes its place in a session, and who it was.
#pragma once

#include "collector/process/process.hpp"

#include <cstdint>
#include <memory>

#include <sys/types.h>

namespace tidemark {

/// What a process says of itself when it takes its place in a session.
struct HostClaim {
  pid_t pid = 0;     ///< As its own pid namespace calls it.
  pid_t parent = 0;  ///< The same of its parent; 0: that one is outside of the namespace.
  /// wire::ProcessSlot::identity: where both it and Process::identity are known, who it was is no
  /// question.
  std::uint64_t identity = 0;
  bool is_forked = false;  ///< Made by a fork that has not seen an exec.
  std::uint64_t at_ns = 0;
  /// `search` came after the claim. Before, somebody who has ended is not taken for the one who
  /// made it where a living one may have: in pid namespaces the same numbers come again at once.
  bool is_searched = false;
};

/// Which process of this machine made a claim.
struct HostSearch {
  enum class State {
    kFound,
    kNotYet,  ///< To be asked again after `search`.
    kGone,    ///< It has ended, and nothing more is known of it.
  };
  static constexpr std::uint64_t kUnknownNamespace = ~std::uint64_t{0};
  State state = State::kGone;
  std::shared_ptr<const Process> process;
  pid_t parent = 0;  ///< As we call it.
  /// The kernel's number of its pid namespace; 0: it is in ours.
  std::uint64_t pid_namespace = kUnknownNamespace;
  /// Another one that had ended may have made it as well: the image that made the claim was never
  /// seen.
  bool is_guess = false;
  bool is_image_gone = false;  ///< What made the claim was replaced by an exec since.
};

}  // namespace tidemark
