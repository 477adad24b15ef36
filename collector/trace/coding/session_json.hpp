/// The facts of a session as the JSON text of a session block.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::trace {

/// What a session block says: the session, and how many events the writer had written by then.
struct SessionText {
  Session session;
  std::uint64_t events = 0;
};

std::string to_json(const SessionText& text);
/// Empty when `bytes` are no JSON object. Keys of another type than expected keep their defaults.
std::optional<SessionText> session_from_json(ByteView bytes);

}  // namespace tidemark::trace
