/// Runs what takes longer than a frame on a thread of its own.
#pragma once

#include <exception>
#include <future>
#include <memory>
#include <system_error>
#include <utility>

namespace tidemark::gui {

/// Calls `work` on a thread of its own, or at once if no thread can be started: a frame is late
/// then, but the window goes on.
/// @return its result, or what it threw. Destroying or overwriting it waits for the thread.
template <typename Work>
auto in_background(Work work) -> std::future<decltype(work())> {
  const auto held = std::make_shared<Work>(std::move(work));
  try {
    return std::async(std::launch::async, [held] { return (*held)(); });
  } catch (const std::system_error&) {
    std::promise<decltype(work())> done;
    try {
      done.set_value((*held)());
    } catch (...) {
      done.set_exception(std::current_exception());
    }
    return done.get_future();
  }
}

}  // namespace tidemark::gui
