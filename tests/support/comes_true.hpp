/// To wait for what only time and somebody else can make true, without a core of its own: on two
/// cores a loop that asks again and again keeps from working whoever it waits for.
#pragma once

#include <chrono>
#include <thread>

namespace tidemark::tests {

/// Asks every millisecond.
/// @return false where it was not true before `limit` was over.
template <typename Condition>
bool comes_true(const Condition& condition, std::chrono::steady_clock::duration limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace tidemark::tests
