// What a pane computes in the background is there, also where no thread can be started.
#include "gui/view/basics/in_background.hpp"

#include "tests/support/catch.hpp"

#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include <pthread.h>

using namespace tidemark::gui;

namespace {

/// While it exists, no thread can be started: each would get a stack larger than any address space.
class NoThreads {
 public:
  NoThreads() {
    REQUIRE(pthread_getattr_default_np(&before_) == 0);
    pthread_attr_t huge{};
    REQUIRE(pthread_attr_init(&huge) == 0);
    REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 52U) == 0);
    REQUIRE(pthread_setattr_default_np(&huge) == 0);
    pthread_attr_destroy(&huge);
    REQUIRE_THROWS_AS(std::thread([] {}), std::system_error);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  NoThreads(NoThreads&&) = delete;
  NoThreads& operator=(NoThreads&&) = delete;

 private:
  pthread_attr_t before_{};
};

bool is_ready(const std::future<std::unique_ptr<int>>& result) {
  return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

TEST_CASE("work in the background is done on another thread", "[in_background]") {
  const auto here = std::this_thread::get_id();
  auto there = in_background([] { return std::this_thread::get_id(); });
  CHECK(there.get() != here);
}

TEST_CASE("where no thread can be started, work in the background is done at once",
          "[in_background]") {
  const NoThreads none;
  auto result =
      in_background([held = std::make_unique<int>(7)] { return std::make_unique<int>(*held); });
  REQUIRE(is_ready(result));
  CHECK(*result.get() == 7);
  auto failed = in_background([]() -> std::unique_ptr<int> { throw std::bad_alloc(); });
  REQUIRE(is_ready(failed));
  CHECK_THROWS_AS(failed.get(), std::bad_alloc);
}
