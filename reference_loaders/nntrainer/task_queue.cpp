#include "reference_loaders/nntrainer/task_queue.hpp"

#include <utility>

namespace tidemark::loaders::nntrainer {

TaskQueue::TaskQueue(std::size_t threads) {
  for (std::size_t at = 0; at < threads; ++at) {
    threads_.emplace_back([this] { run_until_closed(); });
  }
}

TaskQueue::~TaskQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void TaskQueue::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++unfinished_;
  }
  changed_.notify_all();
}

void TaskQueue::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return unfinished_ == 0; });
  if (error_) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

void TaskQueue::run_until_closed() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_closed_ || !tasks_.empty(); });
    if (tasks_.empty()) {
      return;
    }
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    std::exception_ptr error;
    try {
      task();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = error_ ? error_ : error;
    --unfinished_;
    changed_.notify_all();
  }
}

}  // namespace tidemark::loaders::nntrainer
