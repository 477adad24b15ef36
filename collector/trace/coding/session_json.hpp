/// The facts of a session as the JSON text of a session block.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::trace {

/// Content of a session block: the session, and the number of events written before it.
struct SessionText {
  Session session;
  std::uint64_t events = 0;
};

std::string to_json(const SessionText& text);
/// Empty if `bytes` are not a JSON object. Fields whose value has an unexpected type keep their
/// defaults.
std::optional<SessionText> session_from_json(ByteView bytes);

}  // namespace tidemark::trace
