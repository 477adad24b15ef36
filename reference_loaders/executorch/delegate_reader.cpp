#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/copied_bytes.hpp"
#include "reference_loaders/executorch/delegate_blob.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <string_view>

#include <vk_graph_generated.h>

namespace tidemark::loaders::executorch {
namespace {

constexpr std::size_t kHeaderBytes = 30;
constexpr std::int8_t kFloat32 = 5;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::uint64_t kInPtdFile = std::numeric_limits<std::uint64_t>::max();

template <typename T>
T field_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::span<const std::byte> flatbuffer_in(std::span<const std::byte> blob, const std::string& file) {
  constexpr std::string_view kMagic = "VH00";
  if (blob.size() < kHeaderBytes || std::memcmp(blob.data() + 4, kMagic.data(), 4) != 0) {
    throw BadInput(file, "not a blob of the Vulkan delegate: it does not begin with VH00");
  }
  const auto header = field_at<std::uint16_t>(blob, 8);
  const auto offset = field_at<std::uint32_t>(blob, 10);
  const auto size = field_at<std::uint32_t>(blob, 14);
  if (header < kHeaderBytes || offset < kHeaderBytes || offset > blob.size() ||
      size > blob.size() - offset || size >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    throw BadInput(file, 8,
                   fmt::format("a header of {} bytes announces a flatbuffer of {} at {}, in a "
                               "file of {}",
                               header, size, offset, blob.size()));
  }
  return blob.subspan(offset, size);
}

/// A flatbuffer whose offsets have been verified becomes a graph.
class GraphParser {
 public:
  GraphParser(const vk_graph::VkGraph& table, std::uint64_t bytes, const std::string& file)
      : table_(table), file_(file), copied_(bytes, file) {}

  DelegateGraph graph();

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw BadInput(file_, what); }

  void read_constants();
  void read_values();
  GraphTensor tensor(std::size_t value, const vk_graph::VkTensor& table);
  void require_bytes(std::size_t value, const GraphTensor& tensor) const;
  void read_chain();
  OperatorCall call(const vk_graph::OperatorCall& table);
  std::vector<std::uint32_t> ids(const flatbuffers::Vector<std::uint32_t>* table, const char* what);

  /// Copies a vector of numbers, each of which has as many bytes there as here.
  template <typename T>
  std::vector<T> copy(const flatbuffers::Vector<T>* table) {
    if (table == nullptr) {
      return {};
    }
    copied_.add(std::uint64_t{table->size()} * sizeof(T));
    return {table->begin(), table->end()};
  }

  std::string text(const flatbuffers::String* table) {
    if (table == nullptr) {
      return {};
    }
    copied_.add(table->size());
    return table->str();
  }

  const vk_graph::VkGraph& table_;
  const std::string& file_;
  CopiedBytes copied_;
  DelegateGraph graph_;
};

DelegateGraph GraphParser::graph() {
  read_constants();
  read_values();
  read_chain();
  graph_.inputs = ids(table_.input_ids(), "input");
  graph_.outputs = ids(table_.output_ids(), "output");
  return std::move(graph_);
}

void GraphParser::read_constants() {
  if (table_.constants() == nullptr) {
    return;
  }
  for (const vk_graph::VkBytes* const constant : *table_.constants()) {
    const std::size_t index = graph_.constants.size();
    if (constant->offset() != kInPtdFile || constant->named_key() == nullptr) {
      refuse(
          fmt::format("constant {} has no key in a .ptd file, and others are not loaded", index));
    }
    graph_.constants.push_back(text(constant->named_key()));
  }
}

void GraphParser::read_values() {
  if (table_.values() == nullptr) {
    return;
  }
  for (const vk_graph::VkValue* const value : *table_.values()) {
    const std::size_t index = graph_.values.size();
    const vk_graph::VkTensor* const table = value->value_as_VkTensor();
    if (table == nullptr) {
      refuse(fmt::format("value {} is not a tensor, and others are not known", index));
    }
    graph_.values.push_back(tensor(index, *table));
  }
}

GraphTensor GraphParser::tensor(std::size_t value, const vk_graph::VkTensor& table) {
  if (table.datatype() != kFloat32) {
    refuse(fmt::format("value {} has the data type {}, and only {}, float32, is known", value,
                       table.datatype(), kFloat32));
  }
  if (table.dims() != nullptr && table.dims()->size() > kMaxDimensions) {
    refuse(fmt::format("value {} has {} dimensions, and {} is the most", value,
                       table.dims()->size(), kMaxDimensions));
  }
  GraphTensor tensor{.dims = copy(table.dims()),
                     .constant_id = std::max(table.constant_id(), kNone),
                     .mem_obj_id = std::max(table.mem_obj_id(), kNone)};
  if (tensor.is_constant() &&
      static_cast<std::size_t>(tensor.constant_id) >= graph_.constants.size()) {
    refuse(fmt::format("value {} is constant {} of {}", value, tensor.constant_id,
                       graph_.constants.size()));
  }
  require_bytes(value, tensor);
  return tensor;
}

void GraphParser::require_bytes(std::size_t value, const GraphTensor& tensor) const {
  std::uint64_t bytes = sizeof(float);
  for (const std::uint32_t extent : tensor.dims) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      refuse(fmt::format("value {} is larger than any memory", value));
    }
  }
  if (bytes == 0) {
    refuse(fmt::format("value {} has no elements", value));
  }
}

void GraphParser::read_chain() {
  if (table_.chain() != nullptr) {
    for (const vk_graph::OperatorCall* const table : *table_.chain()) {
      graph_.chain.push_back(call(*table));
    }
  }
}

OperatorCall GraphParser::call(const vk_graph::OperatorCall& table) {
  OperatorCall call{.name = text(table.name()), .args = copy(table.args())};
  for (const std::int32_t arg : call.args) {
    if (arg < 0 || static_cast<std::size_t>(arg) >= graph_.values.size()) {
      refuse(fmt::format("operator {} ({}) takes value {} of {}", graph_.chain.size(),
                         printable(call.name), arg, graph_.values.size()));
    }
  }
  return call;
}

std::vector<std::uint32_t> GraphParser::ids(const flatbuffers::Vector<std::uint32_t>* table,
                                            const char* what) {
  std::vector<std::uint32_t> all = copy(table);
  for (const std::uint32_t id : all) {
    if (id >= graph_.values.size()) {
      refuse(fmt::format("an {} is value {} of {}", what, id, graph_.values.size()));
    }
  }
  return all;
}

}  // namespace

std::uint64_t GraphTensor::bytes() const {
  std::uint64_t bytes = sizeof(float);
  for (const std::uint32_t extent : dims) {
    bytes *= extent;
  }
  return bytes;
}

DelegateGraph parse_delegate(std::span<const std::byte> blob, const std::string& file) {
  const auto flatbuffer = flatbuffer_in(blob, file);
  // A copy where it is aligned as flatbuffers need it.
  const std::vector<std::byte> aligned(flatbuffer.begin(), flatbuffer.end());
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(bytes, aligned.size());
  if (!vk_graph::VerifyVkGraphBuffer(verifier)) {
    throw BadInput(file, field_at<std::uint32_t>(blob, 10), "the flatbuffer is damaged");
  }
  return GraphParser(*vk_graph::GetVkGraph(bytes), aligned.size(), file).graph();
}

}  // namespace tidemark::loaders::executorch
