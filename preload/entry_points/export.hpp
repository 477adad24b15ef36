/// Included by every entry point file. An entry point is a few lines: the real call, with a
/// `record_*` from preload/hooks before or after it; the hook's header gives the order and the
/// reason.
#pragma once

#include "preload/hooks/real.hpp"
#include "preload/hooks/stack.hpp"

#define TIDEMARK_EXPORT extern "C" __attribute__((visibility("default")))

/// Another of libc's names for `function`, which stands above it: the same code at the same
/// address.
#define TIDEMARK_ALIAS(name, function) \
  extern "C" __attribute__((visibility("default"), alias(#function))) decltype(function) name;
