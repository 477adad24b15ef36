#include "reference_loaders/strategies/parallel_read.hpp"

#include "reference_loaders/strategies/weights_file.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tidemark::loaders::strategies {
namespace {

class ParallelReader {
 public:
  ParallelReader(const WeightsFile& file, std::span<const Piece> pieces)
      : file_(file), pieces_(pieces) {}

  void read(std::uint64_t threads) {
    {
      std::vector<std::jthread> others;
      for (std::uint64_t thread = 1; thread < threads; ++thread) {
        others.emplace_back([this] { read_pieces(); });
      }
      read_pieces();
    }
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  void read_pieces() {
    try {
      for (auto at = next_++; at < pieces_.size(); at = next_++) {
        file_.read_exactly(pieces_[at].offset, pieces_[at].to);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      next_ = pieces_.size();
    }
  }

  const WeightsFile& file_;
  std::span<const Piece> pieces_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void read_in_parallel(const WeightsFile& file,
                      std::span<const Piece> pieces,
                      std::uint64_t threads) {
  ParallelReader(file, pieces).read(threads);
}

}  // namespace tidemark::loaders::strategies
