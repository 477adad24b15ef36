// The kernel says when a thread is gone, and libc's own robust mutexes do not notice.
#include "preload/session/thread_watch.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using tidemark::preload::ThreadWatch;
using tidemark::preload::watch_this_thread;

namespace {

class RobustMutex {
 public:
  RobustMutex() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  ~RobustMutex() { pthread_mutex_destroy(&mutex_); }
  RobustMutex(const RobustMutex&) = delete;
  RobustMutex& operator=(const RobustMutex&) = delete;

  [[nodiscard]] int lock() { return pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  void make_consistent() {
    pthread_mutex_consistent(&mutex_);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_;
};

std::uint32_t own_tid() {
  return static_cast<std::uint32_t>(::syscall(SYS_gettid));
}

void run_thread(const std::function<void()>& body) {
  std::thread(body).join();
}

/// The kernel marks the word a moment before or after others can join the thread.
bool ends_soon(const ThreadWatch& watch) {
  return tidemark::tests::comes_true([&] { return watch.has_ended(); }, std::chrono::seconds(20));
}

}  // namespace

TEST_CASE("the end of a watched thread is marked, and not before", "[thread]") {
  ThreadWatch watch{};
  run_thread([&] {
    CHECK(watch_this_thread(watch, own_tid()));
    CHECK_FALSE(watch.has_ended());
    CHECK(watch.word.load() == own_tid());
  });
  CHECK(ends_soon(watch));
}

TEST_CASE("a thread that pthread_exit ends is marked", "[thread]") {
  ThreadWatch watch{};
  pthread_t thread{};
  REQUIRE(pthread_create(
              &thread, nullptr,
              [](void* argument) -> void* {
                watch_this_thread(*static_cast<ThreadWatch*>(argument), own_tid());
                pthread_exit(nullptr);
              },
              &watch) == 0);
  pthread_join(thread, nullptr);
  CHECK(ends_soon(watch));
}

TEST_CASE("robust mutexes around a watch work as without it", "[thread]") {
  ThreadWatch watch{};
  RobustMutex before, between, after, left_locked, locked_before;
  run_thread([&] {
    REQUIRE(before.lock() == 0);
    REQUIRE(locked_before.lock() == 0);
    REQUIRE(between.lock() == 0);
    REQUIRE(watch_this_thread(watch, own_tid()));
    REQUIRE(after.lock() == 0);
    REQUIRE(left_locked.lock() == 0);
    // In another order than they came in: each takes itself out of the middle of the list.
    between.unlock();
    after.unlock();
    before.unlock();
    REQUIRE(between.lock() == 0);
    between.unlock();
  });
  CHECK(ends_soon(watch));
  for (RobustMutex* mutex : {&left_locked, &locked_before}) {
    CHECK(mutex->lock() == EOWNERDEAD);
    mutex->make_consistent();
  }
  for (RobustMutex* mutex : {&before, &between, &after}) {
    CHECK(mutex->lock() == 0);
    mutex->unlock();
  }
}

TEST_CASE("a watch of another thread's number is left alone", "[thread]") {
  ThreadWatch watch{};
  run_thread([&] { CHECK(watch_this_thread(watch, 1)); });
  CHECK(watch.word.load() == 1);
}
