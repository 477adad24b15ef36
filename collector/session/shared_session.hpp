/// Owns the shared memory of one session: see preload/wire/session.hpp for what is in it.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/result.hpp"
#include "preload/wire/session.hpp"

#include <boost/interprocess/mapped_region.hpp>

#include <memory>
#include <string>
#include <vector>

namespace tidemark {

struct SessionOptions {
  wire::Overflow overflow = wire::Overflow::kBlock;
  wire::Unwinder unwinder = wire::Unwinder::kFast;
  std::uint32_t depth_limit = 0;   ///< Frames kept of a stack; 0 = as many as the unwinder can.
  std::uint64_t stacks_above = 0;  ///< Heap allocations of fewer bytes get no stack.
  /// Mean distance of sample points in bytes: only a sample of the smaller heap allocations gets
  /// stacks. 0: all get theirs.
  std::uint64_t sample_bytes = 0;
  bool python_frames = true;  ///< Put Python frames into stacks.
};

/// A memfd, mapped part by part, readable and writable by its owner only. It has no name in any
/// file system, so nothing is left behind however the collector ends; hosts that still map it keep
/// it alive.
class SharedSession {
 public:
  /// @return kIo with one sentence if the memory cannot be allocated.
  static Result<std::unique_ptr<SharedSession>> create(const SessionOptions& options);

  SharedSession(const SharedSession&) = delete;
  SharedSession& operator=(const SharedSession&) = delete;
  ~SharedSession();

  [[nodiscard]] const wire::SessionMap& map() const { return map_; }
  [[nodiscard]] wire::ControlBlock& control() const { return map_.control(); }
  /// The version of a Python interpreter in a host whose frames cannot be read: `3.14`. Empty: none
  /// was found.
  [[nodiscard]] std::string unread_python() const;
  /// Maps what hosts have claimed since the last call: all rings below `rings` and stack tables
  /// below `processes`. What address space does not suffice for stays unmapped, with null windows.
  /// @return false where that happened.
  [[nodiscard]] bool map_windows(std::uint32_t rings, std::uint32_t processes);
  /// Number of blocks in the file. Our own copy, since hosts can write to the control block.
  [[nodiscard]] std::uint32_t blocks() const { return blocks_; }
  /// The memory's descriptor, which stays the session's.
  [[nodiscard]] int descriptor() const { return file_.number(); }
  /// Value of wire::kSessionVariable for hosts.
  [[nodiscard]] std::string address() const;

  /// Tells hosts to detach when they next look. Cannot be undone.
  void end();
  /// Gives pages back to the system; they read as zeros afterwards. Both page-aligned.
  void discard(std::uint64_t offset, std::uint64_t bytes);

 private:
  SharedSession(FileDescriptor file, boost::interprocess::mapped_region control);
  void fill_control(const SessionOptions& options, std::uint32_t blocks);
  std::byte* map_window(std::uint64_t offset, std::uint64_t bytes);

  FileDescriptor file_;
  std::vector<boost::interprocess::mapped_region> regions_;  ///< The control region, then windows.
  std::unique_ptr<wire::SessionWindows> windows_;
  std::uint32_t blocks_ = 0;
  std::uint32_t rings_ = 0;   ///< Those below are mapped, unless that failed.
  std::uint32_t tables_ = 0;  ///< The same.
  wire::SessionMap map_;
};

}  // namespace tidemark
