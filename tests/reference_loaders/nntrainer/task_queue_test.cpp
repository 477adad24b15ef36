#include "reference_loaders/nntrainer/task_queue.hpp"

#include "tests/support/catch.hpp"

#include <atomic>
#include <stdexcept>

using namespace tidemark::loaders::nntrainer;

TEST_CASE("every task that was submitted has run when the queue is idle", "[nntrainer][threads]") {
  TaskQueue queue(2);
  std::atomic<int> sum = 0;
  for (int i = 1; i <= 1000; ++i) {
    queue.submit([&sum, i] { sum += i; });
  }

  queue.wait_until_idle();

  CHECK(sum == 500'500);
}

TEST_CASE("the first task that fails is told of once, and others still run",
          "[nntrainer][threads]") {
  TaskQueue queue(1);
  int runs = 0;
  queue.submit([] { throw std::runtime_error("it broke"); });
  queue.submit([&runs] { ++runs; });
  queue.submit([] { throw std::runtime_error("it broke again"); });

  CHECK_THROWS_WITH(queue.wait_until_idle(), "it broke");
  CHECK(runs == 1);
  queue.submit([&runs] { ++runs; });
  queue.wait_until_idle();
  CHECK(runs == 2);
  queue.submit([] { throw std::runtime_error("it broke later"); });
  CHECK_THROWS_WITH(queue.wait_until_idle(), "it broke later");
}
