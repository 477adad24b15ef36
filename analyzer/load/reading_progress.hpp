/// How far the reading of the model was, and when.
#pragma once

#include "analyzer/load/load_facts.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::analyzer {

/// Of all files of the model, as `FileUse::bytes_until` has it.
std::uint64_t model_bytes_until(const LoadFacts& load, std::uint64_t ns);
/// When so many bytes of the model had been read or mapped; none where they never were.
std::optional<std::uint64_t> when_model_bytes(const LoadFacts& load, std::uint64_t bytes);

}  // namespace tidemark::analyzer
