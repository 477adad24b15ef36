#include "analyzer/io/work_apart.hpp"

#include "analyzer/io/child_processes.hpp"
#include "collector/trace/output/write_all.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark::analyzer {
namespace {

constexpr int kOutOfMemory = 3;
constexpr int kStopped = 4;

/// Before each text. Both ends are the same program.
struct Header {
  std::uint64_t kind = 0;
  std::uint64_t length = 0;
};

/// Ends the process if the other end is closed.
void send(int descriptor, const void* bytes, std::size_t length) {
  if (trace::write_all(descriptor, bytes, length) != 0) {
    _exit(kStopped);
  }
}

/// Appended to `bytes`. @return the error of a read that failed; 0: all of it was read.
int receive(int descriptor, std::string& bytes) {
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return got < 0 ? errno : 0;
    }
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
}

/// A last one that was cut off is left out.
std::vector<HandedOver> results_in(std::string_view bytes) {
  std::vector<HandedOver> results;
  Header header;
  while (bytes.size() >= sizeof header) {
    std::memcpy(&header, bytes.data(), sizeof header);
    bytes.remove_prefix(sizeof header);
    if (header.length > bytes.size()) {
      break;
    }
    results.push_back({.kind = static_cast<std::uint8_t>(header.kind),
                       .text = std::string(bytes.substr(0, header.length))});
    bytes.remove_prefix(header.length);
  }
  return results;
}

void leave_standard_streams() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    dup2(nothing, stream);
  }
}

/// The child's whole life. An end of memory unwinds nothing.
[[noreturn]] void run_child(int results,
                            const std::function<void(const HandOver& hand_over)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);  // A crash leaves no core where a user would look for their own.
  leave_standard_streams();
  std::set_new_handler([] { _exit(kOutOfMemory); });
  std::set_terminate([] { _exit(kStopped); });
  try {
    work([results](std::uint8_t kind, std::string_view text) {
      const Header header{.kind = kind, .length = text.size()};
      send(results, &header, sizeof header);
      send(results, text.data(), text.size());
    });
    _exit(0);
  } catch (const std::bad_alloc&) {
    _exit(kOutOfMemory);
  } catch (...) {
    _exit(kStopped);
  }
}

std::string trouble_of(std::optional<int> status) {
  if (!status) {
    return "how it ended is not known";
  }
  if (WIFSIGNALED(*status)) {
    return std::string("it crashed (") + strsignal(WTERMSIG(*status)) + ')';
  }
  switch (WEXITSTATUS(*status)) {
    case 0:
      return {};
    case kOutOfMemory:
      return "there is not enough memory";
    default:
      return "it stopped by a mistake in tidemark itself; please report it";
  }
}

}  // namespace

ApartWork work_apart(const std::function<void(const HandOver& hand_over)>& work) {
  const ChildProcesses children;
  std::array<int, 2> ends{-1, -1};
  const bool has_pipe = pipe2(ends.data(), O_CLOEXEC) == 0;
  const auto [reading, writing] = ends;
  const pid_t child = has_pipe ? fork() : -1;
  if (child == 0) {
    run_child(writing, work);
  }
  ApartWork done;
  if (child < 0) {
    done.trouble = std::string("no process for it: ") + std::strerror(errno);
  }
  int read_error = 0;
  if (has_pipe) {
    close(writing);
    std::string bytes;
    read_error = receive(reading, bytes);
    done.results = results_in(bytes);
    close(reading);
  }
  if (child > 0) {
    done.trouble = trouble_of(wait_for(children, child));
  }
  // A child whose output is not read ends for that reason.
  if (read_error != 0) {
    done.trouble = std::string("what it found cannot be read: ") + std::strerror(read_error);
  }
  return done;
}

}  // namespace tidemark::analyzer
