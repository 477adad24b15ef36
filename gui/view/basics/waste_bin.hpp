/// Moves the freeing of large objects to the thread that made them, or to one of its own.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace tidemark::gui {

/// Freeing trees of a million nodes takes as long as many frames, so the window's thread only puts
/// them into a bin. Any thread may put objects in; one thread empties it.
class WasteBin {
 public:
  /// When the last of these pointers is gone, the object goes into the bin, which they keep alive.
  template <typename T>
  static std::shared_ptr<T> shared(std::shared_ptr<WasteBin> bin, std::unique_ptr<T> object) {
    return std::shared_ptr<T>(object.release(), [bin = std::move(bin)](T* thrown_away) {
      bin->take(Waste(thrown_away, [](const void* waste) { delete static_cast<const T*>(waste); }));
    });
  }

  [[nodiscard]] bool is_empty() const {
    const std::lock_guard lock(mutex_);
    return all_.empty();
  }
  /// Frees what is in it.
  void empty() {
    std::vector<Waste> all;
    const std::lock_guard lock(mutex_);
    all.swap(all_);
    // Destroyed after the lock is released: freeing may put more into the bin.
  }
  /// Call when it will not be emptied any more: from now on, what is put in is freed at once.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
    }
    empty();
  }

 private:
  using Waste = std::unique_ptr<const void, void (*)(const void*)>;

  /// Frees `waste` at once if the bin is closed or cannot grow.
  void take(Waste waste) noexcept {
    const std::lock_guard lock(mutex_);
    if (is_closed_) {
      return;
    }
    try {
      all_.push_back(std::move(waste));
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  mutable std::mutex mutex_;  // Guards what follows.
  std::vector<Waste> all_;
  bool is_closed_ = false;
};

/// Frees it on a thread of its own, or at once if no thread can be started.
/// @return keep it until the freeing is done: destroying or overwriting it waits for the thread.
template <typename T>
std::future<void> free_aside(std::unique_ptr<T> waste) {
  try {
    return std::async(std::launch::async, [held = std::move(waste)]() mutable { held.reset(); });
  } catch (const std::bad_alloc&) {
    return {};
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace tidemark::gui
