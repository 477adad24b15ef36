/// Records as hosts would write them, straight into an assembler.
#pragma once

#include "collector/drain/assembler.hpp"
#include "tests/collector/drain/event_log.hpp"
#include "tests/support/session_memory.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <sys/mman.h>

namespace tidemark::tests {

/// A session and its assembler. Time passes by itself: one tick of 10 ns a record.
class AssembledSession {
 public:
  /// No process has such a number, so nothing of this machine is looked at.
  static constexpr std::uint32_t kFirstPid = 5'000'000;

  [[nodiscard]] const wire::SessionMap& map() const { return memory_.map(); }
  EventLog& log() { return log_; }
  Assembler& assembler() { return assembler_; }
  [[nodiscard]] std::uint64_t bytes(trace::Lane lane) const { return log_.totals()[lane]; }
  [[nodiscard]] std::uint64_t now() const { return now_; }

  void pass_time(std::uint64_t ns) { now_ += ns; }

  std::uint64_t add(std::uint32_t ring,
                    const RawRecord& record,
                    std::span<const std::byte> payload = {}) {
    now_ += 10;
    assembler_.add(ring, record, payload, now_);
    return now_;
  }

  /// What a host does when it claims a slot.
  void claim_slot(std::uint32_t slot,
                  std::uint32_t pid,
                  std::uint32_t parent = 1,
                  wire::Origin origin = wire::Origin::kStarted) {
    wire::ProcessSlot& shared = map().process(slot);
    shared.pid = pid;
    shared.parent_pid = parent;
    shared.origin = origin;
    shared.generation.fetch_add(1);
  }
  void begin_thread(std::uint32_t ring,
                    std::uint32_t slot,
                    std::uint32_t tid,
                    std::string_view name = "loader") {
    RawRecord record;
    record.kind = wire::RecordKind::kThreadBegin;
    record.address = (std::uint64_t{map().process(slot).generation.load()} << 32) | slot;
    record.extra = tid;
    add_text(ring, record, name);
  }
  void add_text(std::uint32_t ring, RawRecord record, std::string_view text) {
    record.size = text.size();
    std::string padded(text);
    padded.resize((text.size() + wire::kPayloadBytes - 1) / wire::kPayloadBytes *
                  wire::kPayloadBytes);
    record.payload_bytes = static_cast<std::uint32_t>(padded.size());
    add(ring, record, std::as_bytes(std::span(padded)));
  }

 private:
  SessionMemory memory_;
  EventLog log_;
  Assembler assembler_{memory_.map(), log_};
  std::uint64_t now_ = 0;
};

/// One thread: a ring, and a verb for each record.
class RecordedThread {
 public:
  using Kind = wire::RecordKind;

  RecordedThread(AssembledSession& session,
                 std::uint32_t ring,
                 std::uint32_t slot,
                 std::uint32_t tid)
      : session_(session), ring_(ring) {
    session.begin_thread(ring, slot, tid);
  }

  void allocate(std::uint64_t address, std::uint64_t size) { add(Kind::kAllocate, address, size); }
  void free(std::uint64_t address) { add(Kind::kFree, address); }
  void look_last(std::uint64_t address, std::uint64_t touched) {
    add(Kind::kLastLook, address, touched);
  }
  void realloc_begin(std::uint64_t address, std::uint64_t size) {
    add(Kind::kReallocBegin, address, size);
  }
  void realloc_end(std::uint64_t address, std::uint64_t size) {
    add(Kind::kReallocEnd, address, size);
  }
  void realloc_failed(std::uint64_t size) { add(Kind::kReallocFailed, 0, size); }

  void map(std::uint64_t address, std::uint64_t size, const wire::MappingArguments& arguments) {
    add_mapping(Kind::kMap, address, size, arguments);
  }
  void unmap(std::uint64_t address, std::uint64_t size) { add(Kind::kUnmap, address, size); }
  void unmap_failed(std::uint64_t address, std::uint64_t size) {
    add(Kind::kUnmapFailed, address, size);
  }
  void remap_begin(std::uint64_t address, std::uint64_t size) {
    add(Kind::kRemapBegin, address, size);
  }
  void remap_end(std::uint64_t address, std::uint64_t size, std::uint32_t flags = 0) {
    add_mapping(Kind::kRemapEnd, address, size, {-1, 0, flags, 0, 0});
  }
  void remap_failed(std::uint64_t size, std::uint32_t flags = MREMAP_MAYMOVE) {
    add_mapping(Kind::kRemapFailed, 0, size, {-1, 0, flags, 0, 0});
  }
  void protect(std::uint64_t address, std::uint64_t size, std::uint32_t protection) {
    add(Kind::kProtect, address, size, 0, protection);
  }
  void advise(std::uint64_t address, std::uint64_t size, std::uint32_t advice) {
    add(Kind::kAdvise, address, size, 0, advice);
  }
  void move_break(std::uint64_t from, std::uint64_t to) { add(Kind::kBreak, from, to); }

  void open(std::uint32_t descriptor,
            std::string_view path,
            std::uint64_t size,
            std::uint64_t device = 0x801,
            std::uint64_t inode = 2,
            std::uint32_t flags = 0) {
    const wire::FileIdentity identity{device, inode, static_cast<std::uint32_t>(path.size()),
                                      flags};
    std::string payload(reinterpret_cast<const char*>(&identity), sizeof identity);
    payload += path;
    payload.resize((payload.size() + 23) / 24 * 24);
    RawRecord record = make(Kind::kOpen, 0, size, 0, descriptor);
    record.payload_bytes = static_cast<std::uint32_t>(payload.size());
    session_.add(ring_, record, std::as_bytes(std::span(payload)));
  }
  void close(std::uint32_t descriptor) { add(Kind::kClose, 0, 0, 0, descriptor); }
  void read(std::uint32_t descriptor, std::uint64_t bytes) {
    add(Kind::kRead, 0x1000, bytes, 0, descriptor);
  }
  void read_into(std::uint32_t descriptor,
                 std::uint64_t address,
                 std::uint64_t bytes,
                 std::uint64_t resident_share = 0) {
    add(Kind::kRead, address,
        wire::Read{.bytes = bytes, .resident_share = resident_share}.encode().size, 0, descriptor);
  }
  void read_at(std::uint32_t descriptor,
               std::uint64_t address,
               std::uint64_t bytes,
               std::uint64_t offset) {
    RawRecord record = make(Kind::kReadAt, address, bytes, 0, descriptor);
    record.payload_bytes = wire::kPayloadBytes;
    const std::uint64_t payload[wire::kPayloadBytes / 8] = {offset};
    session_.add(ring_, record, std::as_bytes(std::span(payload)));
  }
  void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    RawRecord record = make(Kind::kCopy, to, bytes, 0, 0);
    record.payload_bytes = wire::kPayloadBytes;
    const std::uint64_t payload[wire::kPayloadBytes / 8] = {from};
    session_.add(ring_, record, std::as_bytes(std::span(payload)));
  }
  void fill(std::uint64_t to, std::uint64_t bytes) { add(Kind::kFill, to, bytes); }
  void device_begin(std::uint64_t bytes) { add(Kind::kDeviceBegin, 0, bytes); }
  void device_end(std::uint64_t handle, std::uint64_t bytes, std::uint32_t place = 0) {
    add(handle != 0 ? Kind::kDeviceAllocate : Kind::kDeviceFailed, handle, bytes, 0, place);
  }
  void device_free(std::uint64_t handle) { add(Kind::kDeviceFree, handle); }
  void device_map(std::uint64_t handle, std::uint64_t address, std::uint64_t bytes) {
    add(Kind::kDeviceMap, address, bytes, static_cast<std::uint32_t>(handle),
        static_cast<std::uint32_t>(handle >> 32));
  }
  void device_unmap(std::uint64_t handle) { add(Kind::kDeviceUnmap, handle); }
  void duplicate(std::uint32_t from, std::uint32_t to) { add(Kind::kDuplicate, to, 0, 0, from); }

  void text(Kind kind, std::string_view text, std::uint32_t extra = 0) {
    session_.add_text(ring_, make(kind, 0, 0, 0, extra), text);
  }
  void add(Kind kind,
           std::uint64_t address = 0,
           std::uint64_t size = 0,
           std::uint32_t stack = 0,
           std::uint32_t extra = 0) {
    session_.add(ring_, make(kind, address, size, stack, extra));
  }

 private:
  static RawRecord make(Kind kind,
                        std::uint64_t address,
                        std::uint64_t size,
                        std::uint32_t stack,
                        std::uint32_t extra) {
    RawRecord record;
    record.kind = kind;
    record.address = address;
    record.size = size;
    record.stack = stack;
    record.extra = extra;
    return record;
  }
  void add_mapping(Kind kind,
                   std::uint64_t address,
                   std::uint64_t size,
                   const wire::MappingArguments& arguments) {
    RawRecord record = make(kind, address, size, 0, 0);
    record.payload_bytes = sizeof arguments;
    session_.add(ring_, record, std::as_bytes(std::span(&arguments, 1)));
  }

  AssembledSession& session_;
  std::uint32_t ring_;
};

/// What most mmaps ask for.
inline wire::MappingArguments anonymous(std::uint32_t protection = 3) {
  return {-1, protection, 0x22, 0, 0};
}
/// Anonymous memory that forked processes share.
inline wire::MappingArguments shared() {
  return {-1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, 0, 0};
}
inline wire::MappingArguments of_file(std::int32_t descriptor, std::uint32_t protection = 1) {
  return {descriptor, protection, 0x2, 0, 0};
}

}  // namespace tidemark::tests
