#include "preload/python/thread_local.hpp"

#include "preload/python/memory.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::python {
namespace {

/// Limit on the thread-locals of the modules that a program starts with, which lie below the thread
/// pointer; no program has that many.
constexpr std::int64_t kMaxStaticBytes = 1 << 20;

bool is_static(std::int64_t distance) {
  return distance < 0 && distance > -kMaxStaticBytes;
}

/// Argument of __tls_get_addr.
struct Index {
  std::uint64_t module;
  std::uint64_t offset;
};

/// Address of the calling thread's copy of a variable, by its module's number. The thread pointer
/// leads to the thread's table of modules (glibc's tcbhead_t and dtv_t): two words each, preceded
/// by their count.
std::int64_t distance_of(const Index& index) {
  const auto thread = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  const std::uint64_t modules = load(thread + 8);
  if (index.module == 0 || index.module > load(modules - 16))
    return kNoDistance;
  return static_cast<std::int64_t>(load(modules + 16 * index.module) + index.offset - thread);
}

/// Cursor over machine code. Past its end nothing matches.
class Code {
 public:
  explicit Code(std::span<const std::byte> code) : code_(code) {}

  /// Skips these bytes, if they are next.
  template <std::size_t kSize>
  bool take(const unsigned char (&bytes)[kSize]) {
    if (code_.size() - at_ < kSize)
      return false;
    for (std::size_t i = 0; i < kSize; ++i) {
      if (std::to_integer<unsigned char>(code_[at_ + i]) != bytes[i])
        return false;
    }
    at_ += kSize;
    return true;
  }
  /// Reads a signed number; 0 past the end.
  template <typename Number>
  Number take_number() {
    if (code_.size() - at_ < sizeof(Number)) {
      at_ = code_.size();
      return 0;
    }
    const auto number = load_as<Number>(reinterpret_cast<std::uint64_t>(code_.data() + at_));
    at_ += sizeof(Number);
    return number;
  }
  /// Reads a 32-bit displacement from the instruction's end, which follows right after it.
  std::uint64_t take_address() {
    const std::int64_t distance = take_number<std::int32_t>();
    return reinterpret_cast<std::uint64_t>(code_.data() + at_) +
           static_cast<std::uint64_t>(distance);
  }
  /// Skips endbr64, and the instructions that set up or leave a frame.
  void skip_frame() {
    while (take({0xf3, 0x0f, 0x1e, 0xfa}) || take({0x55}) || take({0x48, 0x89, 0xe5}) ||
           take({0x48, 0x83, 0xec, 0x08}) || take({0x48, 0x83, 0xc4, 0x08}) || take({0x5d})) {
    }
  }

 private:
  std::span<const std::byte> code_;
  std::size_t at_ = 0;
};

/// lea of the index, which may be padded to the length that a linker needs.
bool takes_index(Code& code) {
  return code.take({0x66, 0x48, 0x8d, 0x3d}) || code.take({0x48, 0x8d, 0x3d});
}

/// call __tls_get_addr, by the procedure linkage table, or by the address in the global offset
/// table.
bool takes_call(Code& code) {
  if (!code.take({0x66, 0x66, 0x48, 0xe8}) && !code.take({0x66, 0x48, 0xff, 0x15}) &&
      !code.take({0xe8}) && !code.take({0xff, 0x15}))
    return false;
  code.take_number<std::int32_t>();
  return true;
}

/// mov N(%rax),%rax: the variable's offset from the address that the call returned.
bool takes_load(Code& code, std::int64_t& further) {
  further = 0;
  if (code.take({0x48, 0x8b, 0x00}))
    return true;
  if (code.take({0x48, 0x8b, 0x40})) {
    further = code.take_number<std::int8_t>();
    return true;
  }
  if (!code.take({0x48, 0x8b, 0x80}))
    return false;
  further = code.take_number<std::int32_t>();
  return true;
}

/// @param begin Distance of the address in `%rax` from the thread pointer.
std::int64_t find_behind(Code& code, std::int64_t begin) {
  code.skip_frame();
  std::int64_t further = 0;
  return takes_load(code, further) && begin != kNoDistance ? begin + further : kNoDistance;
}

std::int64_t find_by_call(Code& code) {
  const std::uint64_t place = code.take_address();
  if (!takes_call(code))
    return kNoDistance;
  return find_behind(code, distance_of(load_as<Index>(place)));
}

/// The forms into which a linker relaxes such a call: the thread pointer plus a number, either
/// constant, or in the global offset table, or in the load itself.
std::int64_t find_by_sum(Code& code) {
  if (code.take({0x48, 0x8d, 0x80})) {  // lea N(%rax),%rax
    const std::int64_t begin = code.take_number<std::int32_t>();
    return find_behind(code, begin);
  }
  if (code.take({0x48, 0x03, 0x05}))  // add N(%rip),%rax
    return find_behind(code, static_cast<std::int64_t>(load(code.take_address())));
  std::int64_t distance = kNoDistance;
  return takes_load(code, distance) ? distance : kNoDistance;
}

std::int64_t find_distance(Code& code) {
  while (code.take({0x66, 0x66})) {  // up to the length of the call that it was
  }
  if (code.take({0x66, 0x64, 0x48, 0x8b, 0x04, 0x25}) ||
      code.take({0x64, 0x48, 0x8b, 0x04, 0x25})) {  // mov %fs:N,%rax
    const std::int64_t distance = code.take_number<std::int32_t>();
    return distance != 0 ? distance : find_by_sum(code);
  }
  std::int64_t distance = kNoDistance;
  if (code.take({0x48, 0x8b, 0x05}))  // mov N(%rip),%rax
    distance = static_cast<std::int64_t>(load(code.take_address()));
  else if (code.take({0x48, 0xc7, 0xc0}))  // mov $N,%rax
    distance = code.take_number<std::int32_t>();
  else
    return takes_index(code) ? find_by_call(code) : kNoDistance;
  return code.take({0x64, 0x48, 0x8b, 0x00}) ? distance : kNoDistance;  // mov %fs:(%rax),%rax
}

}  // namespace

std::int64_t find_thread_local(std::span<const std::byte> bytes) {
  Code code(bytes);
  code.skip_frame();
  const std::int64_t distance = find_distance(code);
  code.skip_frame();
  const bool is_whole = code.take({0xc3});  // ret
  return is_whole && is_static(distance) ? distance : kNoDistance;
}

}  // namespace tidemark::python
