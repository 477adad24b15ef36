#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tidemark::loaders::nntrainer {

/// A few threads that run what they are given, in its order: nntrainer's task executor.
class TaskQueue {
 public:
  explicit TaskQueue(std::size_t threads);
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;
  /// Runs what was submitted to its end.
  ~TaskQueue();

  void submit(std::function<void()> task);
  /// Waits until every task is done. @throws what the first task threw that failed
  void wait_until_idle();

 private:
  void run_until_closed();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::size_t unfinished_ = 0;  ///< Those that run included.
  bool is_closed_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace tidemark::loaders::nntrainer
