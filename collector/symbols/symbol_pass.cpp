#include "collector/symbols/symbol_pass.hpp"

#include "collector/symbols/module_names.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace tidemark {
namespace {

/// The wanted frames of one module.
struct Job {
  const trace::Module* module = nullptr;
  std::vector<trace::FrameId> frames;
  std::vector<std::uint64_t> offsets;  ///< Those of `frames`, ascending.
  ModuleNames names;
  bool is_done = false;  ///< Guarded by Work::mutex; `names` belongs to its worker before.
};

std::vector<Job> jobs_of(std::span<const trace::Module> modules,
                         std::span<const trace::Frame> frames,
                         std::vector<trace::FrameId> wanted) {
  const auto frame_of = [&](trace::FrameId id) -> const trace::Frame& {
    return frames[trace::index(id)];
  };
  std::erase_if(wanted, [&](trace::FrameId id) {
    return frame_of(id).language != trace::FrameLanguage::kNative ||
           frame_of(id).module == trace::kNoModule ||
           trace::index(frame_of(id).module) >= modules.size();
  });
  std::ranges::sort(wanted, {}, [&](trace::FrameId id) {
    return std::pair(frame_of(id).module, frame_of(id).offset);
  });
  std::vector<Job> jobs;
  for (const trace::FrameId id : wanted) {
    const trace::Module* module = &modules[trace::index(frame_of(id).module)];
    if (jobs.empty() || jobs.back().module != module) {
      jobs.emplace_back().module = module;
    }
    jobs.back().frames.push_back(id);
    jobs.back().offsets.push_back(frame_of(id).offset);
  }
  return jobs;
}

/// Threads that do the jobs, and a caller that takes the results in order.
class Work {
 public:
  Work(std::vector<Job>& jobs, const SymbolCache* cache) : jobs_(jobs), cache_(cache) {
    // Modules with most to read and most addresses come first, or the other threads would wait for
    // them in the end.
    for (Job& job : jobs_) {
      order_.push_back(&job);
    }
    std::ranges::stable_sort(order_, std::ranges::greater{},
                             [](const Job* job) { return job->frames.size(); });
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  Work(Work&&) = delete;
  Work& operator=(Work&&) = delete;
  ~Work() {
    next_ = order_.size();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  /// Starts fewer, or none, where the system does not give more.
  void start(std::size_t threads) {
    try {
      while (threads_.size() < threads) {
        threads_.emplace_back([this] {
          while (do_next()) {
          }
        });
      }
    } catch (const std::system_error&) {
      return;
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  /// Waits until `job` is done, or a tenth of a second. Where there are no threads: does one job.
  /// @return whether `job` is done.
  bool wait_for(const Job& job) {
    if (threads_.empty() && !job.is_done) {
      do_next();
      return job.is_done;
    }
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, std::chrono::milliseconds(100), [&] { return job.is_done; });
  }

 private:
  bool do_next() {
    const std::size_t number = next_.fetch_add(1);
    if (number >= order_.size()) {
      return false;
    }
    Job& job = *order_[number];
    try {
      job.names = find_names(*job.module, job.offsets, cache_);
    } catch (const std::exception&) {
      // There is no memory for this module's names. A trace without names is still valid.
      job.names = {};
      job.names.locations.resize(job.offsets.size());
    }
    const std::lock_guard lock(mutex_);
    job.is_done = true;
    done_.notify_one();
    return true;
  }

  std::vector<Job>& jobs_;
  const SymbolCache* cache_;
  std::vector<Job*> order_;
  std::atomic<std::size_t> next_{0};  ///< In order_.
  std::mutex mutex_;
  std::condition_variable done_;  ///< Some job's is_done has become true.
  std::vector<std::thread> threads_;
};

std::size_t thread_count(const SymbolPassOptions& options, std::size_t jobs) {
  const unsigned most =
      options.threads != 0 ? options.threads : std::thread::hardware_concurrency();
  return std::min<std::size_t>(most, jobs);
}

void hand_over(Job& job, const NameFrame& name_frame) {
  for (std::size_t i = 0; i < job.frames.size(); ++i) {
    if (!job.names.locations[i].empty()) {
      name_frame(job.frames[i], job.names.locations[i]);
    }
  }
  job.names.locations = {};
}

}  // namespace

void resolve_symbols(std::span<const trace::Module> modules,
                     std::span<const trace::Frame> frames,
                     std::vector<trace::FrameId> wanted,
                     const SymbolPassOptions& options,
                     const NameFrame& name_frame) {
  std::vector<Job> jobs = jobs_of(modules, frames, std::move(wanted));
  Work work(jobs, options.cache);
  if (const std::size_t threads = thread_count(options, jobs.size()); threads > 1) {
    work.start(threads);
  }
  std::size_t done = 0;
  bool is_stored = false;
  for (Job& job : jobs) {
    while (!work.wait_for(job)) {
      if (options.progress) {
        options.progress("resolving symbols", done, frames.size());
      }
    }
    hand_over(job, name_frame);
    done += job.frames.size();
    is_stored = is_stored || job.names.is_stored;
    if (options.progress) {
      options.progress("resolving symbols", done, frames.size());
    }
  }
  if (is_stored) {
    options.cache->trim();
  }
}

std::vector<trace::FrameId> every_frame(std::span<const trace::Frame> frames) {
  std::vector<trace::FrameId> ids(frames.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    ids[i] = trace::FrameId{i};
  }
  return ids;
}

}  // namespace tidemark
