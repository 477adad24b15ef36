/// Reads JSON that people write or keep, with our own error messages.
#pragma once

#include "collector/trace/types/result.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// `it cannot be read as JSON at line 3, column 7`; of the end: `it ends in the middle of its
/// JSON`.
/// @param byte as nlohmann counts them: the first one is 1.
std::string no_json_sentence(std::string_view text, std::size_t byte);

/// @return kUsage with `no_json_sentence`, for text that is no JSON.
template <typename AnyJson>
Result<AnyJson> parsed_json(const std::string& text, bool has_comments = false) {
  try {
    constexpr bool kThrows = true;
    return AnyJson::parse(text, nullptr, kThrows, has_comments);
  } catch (const nlohmann::detail::parse_error& error) {
    return Error{ErrorCode::kUsage, no_json_sentence(text, error.byte)};
  } catch (const nlohmann::detail::exception&) {
    return Error{ErrorCode::kUsage, "it has a number that is too large"};
  }
}

}  // namespace tidemark::analyzer
