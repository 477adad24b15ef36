// Records whose text is built in the thread's buffer, and signal handlers that build theirs there.
#include "preload/hooks/modules.hpp"
#include "tests/preload/session/guest_session.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include <pthread.h>

using namespace tidemark;
using tests::comes_true;
using tests::GuestSession;
using wire::RecordKind;

namespace {

/// Where it is says which one it is; the headers at `begin` are of no program.
unwind::Module module_at(const std::byte* begin, const char* path) {
  const auto at = reinterpret_cast<std::uint64_t>(begin);
  unwind::Module module;
  module.begin = at;
  module.end = at + wire::kPageBytes;
  module.bias = at;
  module.path = path;
  return module;
}

alignas(wire::kPageBytes) std::byte g_pages[2 * wire::kPageBytes];

std::atomic<bool> g_has_come{false};

void announce_another(int) {
  g_has_come.store(true);
  preload::announce_module(module_at(g_pages + wire::kPageBytes, "/the/handler's"), 1);
}

void fill(preload::ThreadState& thread) {
  while (thread.header->reserved <
         thread.header->read_position.load() + wire::kRingSlots - preload::kRingSlack)
    write(thread, wire::Free{});
}

std::string path_of(const RingBatch& batch, const RawRecord& record) {
  return reinterpret_cast<const char*>(batch.payload.data()) + record.payload_at;
}

}  // namespace

TEST_CASE("a handler that builds a record while another one waits for space leaves that one whole",
          "[record][concurrency]") {
  const GuestSession session;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = announce_another;
  ::sigaction(SIGUSR1, &action, &before);
  g_has_come.store(false);
  std::atomic<bool> is_full{false};
  std::thread writer = GuestSession::start_thread([&](preload::ThreadState& thread) {
    fill(thread);
    is_full.store(true);
    preload::announce_module(module_at(g_pages, "/the/thread's"), 1);
  });
  CHECK(comes_true([&] { return is_full.load(); }));
  CHECK(comes_true([&] { return session.map().ring(0).writer_waits.load() != 0; }));
  ::pthread_kill(writer.native_handle(), SIGUSR1);
  CHECK(comes_true([&] { return g_has_come.load(); }));

  RingReader reader(session.map(), 0);
  std::vector<std::string> paths;
  const auto read_all = [&] {
    RingBatch batch;
    reader.read(batch, tests::any_time(), true);
    reader.release();
    reader.wake_writer();
    for (const RawRecord& record : batch.records) {
      if (record.kind == RecordKind::kModule)
        paths.push_back(path_of(batch, record));
    }
    return paths.size() == 2;
  };
  CHECK(comes_true(read_all));
  writer.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  std::ranges::sort(paths);
  CHECK(paths == std::vector<std::string>{"/the/handler's", "/the/thread's"});
}
