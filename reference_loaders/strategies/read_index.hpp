#pragma once

#include "reference_loaders/strategies/weights_index.hpp"

#include <string>

namespace tidemark::loaders::strategies {

class ByteSource;
class WeightsFile;

/// Reads the header of a weights file of either format; its first bytes say which.
/// @throws BadInput
WeightsIndex read_index(ByteSource& source, const std::string& file);

/// The same of an open file, as a phase of its own.
WeightsIndex read_header(WeightsFile& file);

}  // namespace tidemark::loaders::strategies
