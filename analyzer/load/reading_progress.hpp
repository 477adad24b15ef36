/// How much of the model had been read at which time.
#pragma once

#include "analyzer/load/load_facts.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::analyzer {

/// When a file of the model was read or mapped for the first time. W must be known by its files.
std::uint64_t model_first_use_ns(const LoadFacts& load);
/// The sum of `FileUse::bytes_until` over all files of the model.
std::uint64_t model_bytes_until(const LoadFacts& load, std::uint64_t ns);
/// When that many bytes of the model had been read or mapped; none if never.
std::optional<std::uint64_t> when_model_bytes(const LoadFacts& load, std::uint64_t bytes);

}  // namespace tidemark::analyzer
