#include "collector/session/shared_session.hpp"

#include "tests/support/catch.hpp"

#include <cstring>
#include <utility>

using namespace tidemark;

TEST_CASE("a lock that a host has overwritten does not matter when the session ends", "[drain]") {
  // The lock says its own kind and leads to other locks: each byte of it is the host's to write.
  const int byte = GENERATE(0x00, 0x10, 0x40, 0xff);
  auto session = SharedSession::create({});
  REQUIRE(session.ok());
  wire::ControlBlock& block = session.value()->control();
  std::memset(block.collector_lock, byte, sizeof block.collector_lock);

  session.value().reset();

  // The thread can hold another one's.
  auto next = SharedSession::create({});
  REQUIRE(next.ok());
  CHECK(next.value()->control().magic == wire::kSessionMagic);
}
