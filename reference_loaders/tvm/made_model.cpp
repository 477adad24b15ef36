#include "reference_loaders/tvm/made_model.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::tvm {
namespace {

constexpr std::uint64_t kMatrices = 24;
constexpr std::uint64_t kColumns = 1024;

}  // namespace

std::string constant_name(std::uint64_t index) {
  return fmt::format("const_{}", index);
}

std::vector<TensorSpec> model_of(std::uint64_t weight_bytes) {
  constexpr std::uint64_t kRowBytes = kColumns * sizeof(float);
  if (weight_bytes < kMatrices * kRowBytes || weight_bytes % sizeof(float) != 0) {
    throw UsageError(
        fmt::format("a TVM model of {} bytes cannot be made: give a multiple of 4, at least {}",
                    weight_bytes, format_size(kMatrices * kRowBytes)));
  }
  const std::uint64_t rows = weight_bytes / kRowBytes;
  std::vector<TensorSpec> model;
  for (std::uint64_t index = 0; index < kMatrices; ++index) {
    const std::uint64_t own = rows / kMatrices + (index < rows % kMatrices ? 1 : 0);
    model.push_back({constant_name(index),
                     {static_cast<std::int64_t>(own), static_cast<std::int64_t>(kColumns)}});
  }
  if (const std::uint64_t rest = weight_bytes % kRowBytes / sizeof(float); rest > 0) {
    model.push_back({constant_name(kMatrices), {static_cast<std::int64_t>(rest)}});
  }
  return model;
}

}  // namespace tidemark::loaders::tvm
