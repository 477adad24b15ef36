/// Work done ahead of its use, on other threads, and handed out in order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// Makes items 0, 1, 2 ... `count` - 1 on several threads, and hands them out in that order to one.
///
/// An item is a function of its number, so the result does not depend on the threads. If there is
/// little to do, or no thread can be started, items are made on request. Memory: twice as many
/// items as threads, all reused.
template <typename Item>
class Ahead {
 public:
  /// Makes item `number`, reusing the storage of `item`.
  using Make = std::function<void(std::size_t number, Item& item)>;

  /// @param new_maker is called once for each thread, on the caller's; what it returns is used on
  /// that thread alone.
  Ahead(std::size_t count,
        const std::function<Make()>& new_maker,
        std::size_t most_threads = thread_count())
      : count_(count) {
    const std::size_t threads = count < kMinItemsForThreads ? 0 : most_threads;
    slots_.resize(std::max<std::size_t>(1, 2 * threads));
    // Everything that can fail, except starting a thread, comes before the first one runs.
    makers_.push_back(new_maker());
    while (makers_.size() < threads) {
      makers_.push_back(new_maker());
    }
    threads_.reserve(threads);
    start(threads);
  }
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  ~Ahead() {
    {
      const std::scoped_lock lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
  }

  /// The next item, borrowed until the next call, of which there are at most `count`.
  /// Throws what making it threw.
  Item& next() {
    if (threads_.empty()) {
      makers_.front()(handed_out_++, slots_.front().item);
      return slots_.front().item;
    }
    std::unique_lock lock(mutex_);
    if (handed_out_ > 0) {
      slot(handed_out_ - 1).is_ready = false;
    }
    Slot& wanted = slot(handed_out_++);
    changed_.notify_all();
    changed_.wait(lock, [&] { return wanted.is_ready; });
    if (wanted.error) {
      std::rethrow_exception(wanted.error);
    }
    return wanted.item;
  }

 private:
  static constexpr std::size_t kMinItemsForThreads = 4;
  static constexpr std::size_t kMaxThreads = 4;

  struct Slot {
    Item item{};
    bool is_ready = false;
    std::exception_ptr error;
  };

  static std::size_t thread_count() {
    return std::min<std::size_t>(kMaxThreads, std::thread::hardware_concurrency());
  }
  void start(std::size_t threads) {
    try {
      for (std::size_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this, i] { work(makers_[i]); });
      }
    } catch (const std::system_error&) {
      // Goes on with as many as the system allows.
    } catch (const std::bad_alloc&) {
      // The same. Rethrowing would wait for running threads that have not been told to stop.
    }
  }
  Slot& slot(std::size_t number) { return slots_[number % slots_.size()]; }

  void work(const Make& make) {
    std::unique_lock lock(mutex_);
    for (;;) {
      // The item handed out last is still in use.
      changed_.wait(lock, [this] {
        return is_over_ || begun_ == count_ ||
               begun_ < slots_.size() + (handed_out_ == 0 ? 0 : handed_out_ - 1);
      });
      if (is_over_ || begun_ == count_) {
        return;
      }
      const std::size_t number = begun_++;
      Slot& target = slot(number);
      lock.unlock();
      try {
        make(number, target.item);
      } catch (...) {
        target.error = std::current_exception();
      }
      lock.lock();
      target.is_ready = true;
      changed_.notify_all();
    }
  }

  const std::size_t count_;
  std::vector<Slot> slots_;
  std::vector<Make> makers_;  // One for each thread; without threads the first is used.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t begun_ = 0;  // Items that some thread has taken on.
  std::size_t handed_out_ = 0;
  bool is_over_ = false;
  std::vector<std::jthread> threads_;  // Last: they end before what they use.
};

}  // namespace tidemark::analyzer
