/// The checks that a command line asks for.
#pragma once

#include "analyzer/cli/verbs/checking/check_options.hpp"
#include "analyzer/gate/gate_policy.hpp"

namespace tidemark::cli {

/// Checks of the options first, then those of the policy. `model` is the option's, else the
/// policy's.
/// @return kUsage with the option and what is wrong with it, also when nothing is asked for; what
///     reading the baseline or the policy returns.
Result<analyzer::Policy> wanted_checks(const CheckCommand& command);

}  // namespace tidemark::cli
