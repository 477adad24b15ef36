/// What every entry point file starts from. An entry point is a few lines: the real call, and a
/// `record_*` from preload/hooks before or after it; order and reason are told there.
#pragma once

#include "preload/hooks/real.hpp"
#include "preload/hooks/stack.hpp"

#define TIDEMARK_EXPORT extern "C" __attribute__((visibility("default")))
