/// Owns the shared memory of one session: see preload/wire/session.hpp for what is in it.
#pragma once

#include "collector/file_descriptor.hpp"
#include "collector/trace/result.hpp"
#include "preload/wire/session.hpp"

#include <boost/interprocess/mapped_region.hpp>

#include <memory>
#include <string>

namespace tidemark {

struct SessionOptions {
  wire::Overflow overflow = wire::Overflow::kBlock;
  wire::Unwinder unwinder = wire::Unwinder::kFast;
  std::uint32_t depth_limit = 0;   ///< Frames kept of a stack; 0 = as many as the unwinder can.
  std::uint64_t stacks_above = 0;  ///< Heap allocations of fewer bytes get no stack.
};

/// A memfd, mapped whole, readable and writable by its owner only. It has no name in any file
/// system, so nothing is left behind however the collector ends; hosts that still map it keep it
/// alive.
class SharedSession {
 public:
  /// @return kIo with one sentence when the memory cannot be had.
  static Result<std::unique_ptr<SharedSession>> create(const SessionOptions& options);

  SharedSession(const SharedSession&) = delete;
  SharedSession& operator=(const SharedSession&) = delete;
  ~SharedSession();

  [[nodiscard]] const wire::SessionMap& map() const { return map_; }
  [[nodiscard]] wire::ControlPage& control() const { return map_.control(); }
  /// Value of wire::kSessionVariable for hosts.
  [[nodiscard]] std::string address() const;

  /// Tells hosts to detach when they next look. Cannot be undone.
  void end();
  /// Gives pages back to the system; they read as zeros afterwards. Both page-aligned.
  void discard(std::uint64_t offset, std::uint64_t bytes);

 private:
  SharedSession(FileDescriptor file, boost::interprocess::mapped_region region);
  void fill_control(const SessionOptions& options);

  FileDescriptor file_;
  boost::interprocess::mapped_region region_;
  wire::SessionMap map_;
};

}  // namespace tidemark
