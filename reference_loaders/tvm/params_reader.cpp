#include "reference_loaders/tvm/params_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/field_reader.hpp"
#include "reference_loaders/tvm/ndarray_reader.hpp"
#include "reference_loaders/tvm/params_format.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::loaders::tvm {
namespace {

std::vector<std::string> read_names(FieldReader& fields) {
  fields.enter("the names");
  const auto count = fields.value<std::uint64_t>();
  const std::uint64_t most = fields.remaining() / (kNameHeadBytes + kNDArrayHeadBytes);
  if (count > most) {
    fields.refuse(fmt::format(
        "{} tensors are announced, but the rest of the file has room for {} at most", count, most));
  }
  std::vector<std::string> names(count);
  for (std::string& name : names) {
    name = fields.string("a name");
  }
  return names;
}

}  // namespace

Params read_params(Stream& stream, const std::string& source) {
  FieldReader fields(stream, source);
  fields.expect_magic(kListMagic, "a TVM params file");
  fields.value<std::uint64_t>();  // reserved
  std::vector<std::string> names = read_names(fields);

  fields.enter("the number of tensors");
  const auto count = fields.value<std::uint64_t>();
  if (count != names.size()) {
    fields.refuse(fmt::format("{} tensors follow {} names", count, names.size()));
  }
  Params params;
  for (std::string& name : names) {
    const std::uint64_t begin = fields.offset();
    NDArray tensor = read_ndarray(fields, fmt::format("tensor '{}'", printable(name)));
    if (!params.emplace(std::move(name), std::move(tensor)).second) {
      fields.refuse_at(begin, fmt::format("{} appears twice", fields.part()));
    }
  }
  fields.expect_end("the last tensor");
  return params;
}

}  // namespace tidemark::loaders::tvm
