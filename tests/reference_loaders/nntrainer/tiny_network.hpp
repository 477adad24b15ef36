#pragma once

#include "reference_loaders/nntrainer/network.hpp"

#include <string>

/// A network with one layer of each kind, small enough to be looked at.
namespace tidemark::loaders::nntrainer::tiny_network {

/// Two images of 2x4x4; a residual connection around the second convolution.
std::string tiny_description();
/// The same without an optimizer.
std::string tiny_inference();

Network network_from(const std::string& description);

/// `text` with its first `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to);

}  // namespace tidemark::loaders::nntrainer::tiny_network
