/// What nobody looks at any more, freed by the thread that made it, or by one of its own.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace tidemark::gui {

/// To free the trees of a million nodes takes as long as many frames: the window's thread only
/// throws them away. Any thread may throw away; one empties.
class WasteBin {
 public:
  /// The object of these pointers goes into the bin, which they keep, when the last one is gone.
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
    // Freed behind the lock: what is in it may throw away what it held.
  }
  /// Nobody empties it any more: what is thrown away is freed at once.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
    }
    empty();
  }

 private:
  using Waste = std::unique_ptr<const void, void (*)(const void*)>;

  /// Where there is no room for it, it is freed at once, too.
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

/// Frees it on a thread of its own; where there is none to be had, at once.
/// @return to be kept until then: who destroys it, or assigns to it, waits for the end of that.
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
