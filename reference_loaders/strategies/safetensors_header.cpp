#include "reference_loaders/strategies/safetensors_header.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>

namespace tidemark::loaders::strategies {
namespace {

/// The characters of the header, with a count of those that the parser has taken.
class CountedCharacters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedCharacters(const char* at, std::uint64_t* taken) : at_(at), taken_(taken) {}

  const char& operator*() const { return *at_; }
  CountedCharacters& operator++() {
    ++at_;
    ++*taken_;
    return *this;
  }
  CountedCharacters operator++(int) {
    const CountedCharacters before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountedCharacters& other) const { return at_ == other.at_; }
  bool operator!=(const CountedCharacters& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::uint64_t* taken_;
};

/// Takes the parser's events and refuses the first that a header cannot have. True means "go on".
class HeaderEvents final : public nlohmann::json::json_sax_t {
 public:
  HeaderEvents(std::uint64_t offset, const std::string& file) : offset_(offset), file_(file) {}

  [[nodiscard]] std::uint64_t* taken() { return &taken_; }
  SafetensorsHeader header() && { return std::move(header_); }

  bool start_object(std::size_t /*elements*/) override;
  bool end_object() override;
  bool key(std::string& name) override;
  bool string(std::string& value) override;
  bool start_array(std::size_t /*elements*/) override;
  bool end_array() override;
  bool number_unsigned(std::uint64_t value) override;

  bool number_integer(std::int64_t /*value*/) override { refuse("a negative number"); }
  bool number_float(double /*value*/, const std::string& text) override { refuse(printable(text)); }
  bool null() override { refuse("null"); }
  bool boolean(bool /*value*/) override { refuse("a truth value"); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { refuse("binary data"); }
  bool parse_error(std::size_t /*position*/,
                   const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    throw BadInput(file_, position(), "the header is not valid JSON here");
  }

 private:
  /// Where the parser is: what it may meet next follows from it.
  enum class Place {
    kOutside,
    kHeader,
    kMetadataName,
    kMetadata,
    kTensorName,
    kTensor,
    kShape,
    kRange
  };
  enum Field : std::size_t { kDtype, kShapeField, kOffsets, kFields };

  [[nodiscard]] std::uint64_t position() const { return offset_ + taken_; }
  [[noreturn]] void refuse(const std::string& found) const {
    throw BadInput(file_, position(), fmt::format("{} has {} where it cannot be", part_, found));
  }
  bool tensor_key(const std::string& name);
  void end_tensor();

  std::uint64_t offset_;
  const std::string& file_;
  std::uint64_t taken_ = 0;
  SafetensorsHeader header_;
  std::set<std::string> names_;  ///< Names of the tensors, and "__metadata__".
  std::set<std::string> metadata_keys_;
  Place place_ = Place::kOutside;
  Field field_ = kFields;
  std::array<bool, kFields> seen_{};
  std::vector<std::uint64_t> range_;
  std::string part_ = "the header";
};

bool HeaderEvents::start_object(std::size_t /*elements*/) {
  if (place_ == Place::kOutside) {
    place_ = Place::kHeader;
  } else if (place_ == Place::kMetadataName) {
    place_ = Place::kMetadata;
  } else if (place_ == Place::kTensorName) {
    place_ = Place::kTensor;
    field_ = kFields;
    seen_ = {};
    range_.clear();
  } else {
    refuse("an object");
  }
  return true;
}

bool HeaderEvents::end_object() {
  if (place_ == Place::kTensor) {
    end_tensor();
  }
  part_ = "the header";
  place_ = place_ == Place::kHeader ? Place::kOutside : Place::kHeader;
  return true;
}

bool HeaderEvents::key(std::string& name) {
  if (place_ == Place::kTensor) {
    return tensor_key(name);
  }
  auto& names = place_ == Place::kMetadata ? metadata_keys_ : names_;
  if (!names.insert(name).second) {
    throw BadInput(file_, position(), fmt::format("'{}' appears twice", printable(name)));
  }
  if (place_ == Place::kMetadata) {
    header_.metadata.push_back({.key = std::move(name)});
  } else if (name == "__metadata__") {
    part_ = name;
    place_ = Place::kMetadataName;
  } else {
    part_ = fmt::format("tensor '{}'", printable(name));
    place_ = Place::kTensorName;
    header_.tensors.push_back({.name = std::move(name)});
  }
  return true;
}

bool HeaderEvents::tensor_key(const std::string& name) {
  constexpr std::array<std::string_view, kFields> kNames = {"dtype", "shape", "data_offsets"};
  field_ = static_cast<Field>(std::ranges::find(kNames, name) - kNames.begin());
  if (field_ == kFields || seen_.at(field_)) {
    refuse(fmt::format("'{}'{}", printable(name), field_ == kFields ? "" : " once more"));
  }
  seen_.at(field_) = true;
  return true;
}

bool HeaderEvents::string(std::string& value) {
  if (place_ == Place::kMetadata) {
    header_.metadata.back().raw = std::move(value);
  } else if (place_ == Place::kTensor && field_ == kDtype) {
    header_.tensors.back().dtype = std::move(value);
  } else {
    refuse("text");
  }
  return true;
}

bool HeaderEvents::start_array(std::size_t /*elements*/) {
  if (place_ != Place::kTensor || (field_ != kShapeField && field_ != kOffsets)) {
    refuse("an array");
  }
  place_ = field_ == kShapeField ? Place::kShape : Place::kRange;
  return true;
}

bool HeaderEvents::end_array() {
  place_ = Place::kTensor;
  return true;
}

bool HeaderEvents::number_unsigned(std::uint64_t value) {
  if (place_ == Place::kShape) {
    // What is 2^63 or more becomes negative, which no tensor's size can be counted from.
    header_.tensors.back().shape.push_back(static_cast<std::int64_t>(value));
  } else if (place_ == Place::kRange && range_.size() < 2) {
    range_.push_back(value);
  } else {
    refuse("a number");
  }
  return true;
}

void HeaderEvents::end_tensor() {
  if (!std::ranges::all_of(seen_, std::identity{}) || range_.size() != 2) {
    throw BadInput(file_, position(),
                   fmt::format("{} does not have a dtype, a shape and two data_offsets", part_));
  }
  auto& tensor = header_.tensors.back();
  tensor.begin = range_[0];
  tensor.end = range_[1];
  tensor.offset = position();
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json,
                                           std::uint64_t offset,
                                           const std::string& file) {
  HeaderEvents events(offset, file);
  nlohmann::json::sax_parse(CountedCharacters(json.data(), events.taken()),
                            CountedCharacters(json.data() + json.size(), events.taken()), &events);
  return std::move(events).header();
}

}  // namespace tidemark::loaders::strategies
