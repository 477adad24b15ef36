/// The environment that a host is started with.
#pragma once

#include <string>
#include <vector>

namespace tidemark {

/// The variables that lead a program into a session.
struct SessionVariables {
  std::string preload_objects;  ///< For LD_PRELOAD, before the user's own.
  std::string session_address;  ///< SharedSession::address().
  std::string vulkan_layers;    ///< Folder of the Vulkan layer's manifest; empty: no layer.
};

/// `variables` ("NAME=value") with ours added. What the user has set stays in force after ours.
std::vector<std::string> host_environment(const std::vector<std::string>& variables,
                                          const SessionVariables& session);

}  // namespace tidemark
