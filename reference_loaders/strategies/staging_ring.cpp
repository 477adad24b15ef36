#include "reference_loaders/strategies/staging_ring.hpp"

#include <cstring>

namespace tidemark::loaders::strategies {

StagingRing::StagingRing(std::size_t buffers, std::size_t buffer_bytes) : copies_(buffers) {
  constexpr std::size_t kDiskAlignment = 4096;
  buffers_.reserve(buffers);
  for (std::size_t at = 0; at < buffers; ++at) {
    buffers_.emplace_back(buffer_bytes, kDiskAlignment);
  }
  device_ = std::thread([this] { copy_until_closed(); });
}

StagingRing::~StagingRing() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  device_.join();
}

std::span<std::byte> StagingRing::acquire() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return submitted_ - copied_ < buffers_.size(); });
  return buffers_[submitted_ % buffers_.size()].bytes();
}

void StagingRing::submit(std::span<const std::byte> bytes, std::byte* destination) {
  {
    const std::lock_guard lock(mutex_);
    copies_[submitted_ % copies_.size()] = {bytes, destination};
    ++submitted_;
  }
  changed_.notify_all();
}

void StagingRing::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return submitted_ == copied_; });
}

void StagingRing::copy_until_closed() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || copied_ < submitted_; });
    if (copied_ == submitted_) {
      return;  // closed, and nothing is left
    }
    const Copy copy = copies_[copied_ % copies_.size()];
    lock.unlock();
    if (!copy.from.empty()) {
      std::memcpy(copy.to, copy.from.data(), copy.from.size());
    }
    lock.lock();
    ++copied_;
    changed_.notify_all();
  }
}

}  // namespace tidemark::loaders::strategies
