#pragma once

#include "reference_loaders/system.hpp"

namespace tidemark::loaders::ggml {

/// ggml-gobject: GPT-2 with hard-coded and with measured execution memory, pull request 11.
System make_system();

}  // namespace tidemark::loaders::ggml
