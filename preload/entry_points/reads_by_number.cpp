#include "preload/entry_points/reads_by_number.hpp"

#include "preload/hooks/files.hpp"
#include "preload/hooks/queued_reads.hpp"
#include "preload/hooks/real.hpp"

#include <sys/uio.h>

namespace tidemark::preload {
namespace {

template <typename Type>
Type* pointer(long argument) {
  return reinterpret_cast<Type*>(argument);
}

int descriptor(long argument) {
  return static_cast<int>(argument);
}

ReadInProgress in_progress(long number, const long (&arguments)[6]) {
  constexpr int kNoDescriptor = -1;
  switch (number) {
    case SYS_read:
    case SYS_pread64:
      return {descriptor(arguments[0]), static_cast<std::size_t>(arguments[2])};
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
      return {descriptor(arguments[0]), ReadInProgress::kMaxCapacity};
    case SYS_sendfile:
      return {descriptor(arguments[1]), static_cast<std::size_t>(arguments[3])};
    case SYS_copy_file_range:
      return {descriptor(arguments[0]), static_cast<std::size_t>(arguments[4])};
    default:
      return {kNoDescriptor, 0};
  }
}

void before_close(long number, const long (&arguments)[6]) {
  if (number == SYS_close) {
    record_close(descriptor(arguments[0]));
    note_ring_closed(descriptor(arguments[0]));
  } else if (number == SYS_close_range) {
    const auto first = static_cast<unsigned>(arguments[0]);
    const auto last = static_cast<unsigned>(arguments[1]);
    const auto flags = static_cast<unsigned>(arguments[2]);
    record_close_range(first, last, flags);
    note_rings_closed(first, last, flags);
  }
}

void record_result(long number,
                   const long (&arguments)[6],
                   long result,
                   const unwind::FrameState& caller) {
  switch (number) {
    case SYS_read:
    case SYS_pread64:
      record_read(
          descriptor(arguments[0]),
          {.destination = pointer<void>(arguments[1]),
           .bytes = result,
           .offset = number == SYS_read ? kAtPosition : static_cast<std::uint64_t>(arguments[3])},
          caller);
      break;
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
      // An offset of -1 is the position, which is what it says here, too.
      record_read_parts(
          descriptor(arguments[0]), pointer<iovec>(arguments[1]), descriptor(arguments[2]), result,
          number == SYS_readv ? kAtPosition : static_cast<std::uint64_t>(arguments[3]), caller);
      break;
    case SYS_sendfile:
      record_read(descriptor(arguments[1]), {.bytes = result}, caller);
      break;
    case SYS_copy_file_range:
      record_read(descriptor(arguments[0]), {.bytes = result}, caller);
      break;
    case SYS_splice:
      record_splice(descriptor(arguments[0]), result, caller);
      break;
    case SYS_io_submit:
      record_aio_submit(pointer<AioBlock*>(arguments[2]), result, caller);
      break;
    case SYS_io_uring_setup:
      record_ring_made(result, pointer<io_uring_params>(arguments[1]));
      break;
    case SYS_open:
    case SYS_creat:
      record_open(descriptor(result), pointer<char>(arguments[0]), caller);
      break;
    case SYS_memfd_create:
      record_open(descriptor(result), nullptr, caller);
      break;
    case SYS_openat:
    case SYS_openat2:
      record_open(descriptor(result), pointer<char>(arguments[1]), caller);
      break;
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
      record_duplicate(descriptor(arguments[0]), descriptor(result));
      break;
    case SYS_fcntl:
      if (duplicates(arguments[1]))
        record_duplicate(descriptor(arguments[0]), descriptor(result));
      break;
    default:
      break;
  }
}

}  // namespace

long read_by_number(long number, const long (&arguments)[6], const unwind::FrameState& caller) {
  before_close(number, arguments);
  if (number == SYS_io_uring_enter && !InLibrary::stands())
    record_ring_enter(descriptor(arguments[0]), static_cast<std::uint32_t>(arguments[1]), caller);
  const ReadInProgress reading = in_progress(number, arguments);
  const long result = real::syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                                    arguments[4], arguments[5]);
  if (!InLibrary::stands())
    record_result(number, arguments, result, caller);
  return result;
}

}  // namespace tidemark::preload
