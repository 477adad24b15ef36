#include "reference_loaders/tvm/params_writer.hpp"

#include "reference_loaders/tvm/field_writer.hpp"
#include "reference_loaders/tvm/ndarray_writer.hpp"
#include "reference_loaders/tvm/params_format.hpp"

#include <string>

namespace tidemark::loaders::tvm {
namespace {

void write_names(Stream& stream, const std::vector<std::string>& names) {
  write_value(stream, kListMagic);
  write_value(stream, std::uint64_t{0});
  write_strings(stream, names);
  write_value(stream, std::uint64_t{names.size()});
}

}  // namespace

void write_params(Stream& stream, const Params& params) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : params) {
    names.push_back(name);
  }
  write_names(stream, names);
  for (const auto& [name, tensor] : params) {
    write_ndarray(stream, tensor);
  }
}

std::uint64_t params_file_bytes(const std::vector<TensorSpec>& model) {
  constexpr std::uint64_t kListHeadBytes = 32;  // magic, reserved and the two counts
  std::uint64_t bytes = kListHeadBytes;
  for (const TensorSpec& tensor : model) {
    bytes += kNameHeadBytes + tensor.name.size() + ndarray_file_bytes(tensor);
  }
  return bytes;
}

void write_random_params(Stream& stream, const std::vector<TensorSpec>& model, std::uint64_t seed) {
  std::vector<std::string> names;
  names.reserve(model.size());
  for (const TensorSpec& tensor : model) {
    names.push_back(tensor.name);
  }
  write_names(stream, names);
  for (std::uint64_t index = 0; index < model.size(); ++index) {
    write_random_ndarray(stream, model[index], {seed, index});
  }
}

}  // namespace tidemark::loaders::tvm
