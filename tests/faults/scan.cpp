#include "tests/faults/scan.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/session_files.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tidemark::faults {
namespace {

struct Errors {
  const char* name;
  Call call;
  std::vector<int> errors;
};

const std::vector<Errors>& plausible_errors() {
  static const std::vector<Errors> all = {
      {"open", Call::kOpen, {ENOENT, EACCES, EMFILE, EINTR}},
      {"read", Call::kRead, {EIO, EINTR}},
      {"write", Call::kWrite, {ENOSPC, EIO, EINTR, EPIPE}},
      {"stream", Call::kStream, {ENOSPC, EIO}},
      {"mmap", Call::kMap, {ENOMEM}},
      {"ftruncate", Call::kTruncate, {ENOSPC, EINTR}},
      {"close", Call::kClose, {EIO, EINTR}},
      {"fsync", Call::kSync, {EIO}},
      {"rename", Call::kRename, {EACCES, EXDEV}},
      {"memfd_create", Call::kMemfd, {EMFILE, ENOSYS}},
      {"fork", Call::kProcess, {EAGAIN, ENOMEM}},
      {"execve", Call::kExec, {EACCES, ENOMEM, ETXTBSY}},
      {"pthread_create", Call::kThread, {EAGAIN}},
      {"wait", Call::kWait, {EINTR}},
      {"poll", Call::kPoll, {EINTR, ENOMEM}},
      {"control", Call::kControl, {EPERM, ENOTTY}},
      {"stat", Call::kStat, {EACCES, ENOENT}},
      {"folder", Call::kFolder, {EACCES, ENOSPC, EMFILE}},
      {"unlink", Call::kRemove, {EACCES}},
      {"pipe", Call::kPipe, {EMFILE}},
      {"limit", Call::kLimit, {EPERM}},
      {"syscall", Call::kSystem, {ENOSYS, EMFILE}},
  };
  return all;
}

void add_errors(std::vector<FaultKind>& out, const Errors& what) {
  for (const int error : what.errors) {
    Fault fault{
        .call = what.call, .effect = Effect::kFail, .number = 0, .error = error, .lasts = 0};
    out.push_back({std::string(what.name) + " " + strerrorname_np(error), fault});
    if (error == EINTR)
      continue;  // An interrupted call is made again; one that always is, is no case.
    if (what.call == Call::kStat)
      continue;  // Nor are files that can be opened but never looked at.
    fault.lasts = 1;
    out.push_back({out.back().name + " from there on", fault});
  }
}

bool is_every_fault_wanted() {
  const char* const wanted = std::getenv("TIDEMARK_EVERY_FAULT");
  return wanted != nullptr && *wanted != '\0';
}

std::uint64_t end_of(const FaultKind& kind, const Run& right) {
  return kind.fault.effect == Effect::kDiskFull ? right.bytes_written
                                                : right.count(kind.fault.call);
}

/// How a person gets this fault again.
std::string repeat_text(const FaultyProgram& program, const Fault& fault) {
  return std::string(kFaultVariable) + "=" + std::to_string(static_cast<unsigned>(fault.call)) +
         ":" + std::to_string(static_cast<unsigned>(fault.effect)) + ":" +
         std::to_string(fault.number) + ":" + std::to_string(fault.error) + ":" +
         std::to_string(fault.lasts) + " LD_PRELOAD=" TIDEMARK_FAULT_OBJECT " " + program.text();
}

/// From one fault to the next: where there are few calls, none is passed over. Of a disk that fills
/// up there is a case for every byte.
std::uint64_t stride_of(const FaultKind& kind, std::uint64_t end, std::uint64_t stride) {
  constexpr std::uint64_t kMaxFullDisks = 200;
  constexpr std::uint64_t kFew = 30;
  if (is_every_fault_wanted() || end <= kFew)
    stride = 1;
  return kind.fault.effect == Effect::kDiskFull ? std::max(stride, end / kMaxFullDisks) : stride;
}

std::string text_of(const Run& run) {
  std::string files;
  for (const auto& [name, text] : run.files)
    files += " " + name + " (" + std::to_string(text.size()) + " bytes)";
  return "status " + std::to_string(run.status) + ", files:" + files + ", stderr: " + run.err;
}

std::vector<std::string> judge_any(const Run& run, const Judge& judge, const Run& right) {
  std::vector<std::string> wrong = judge(run, right);
  if (run.is_late)
    wrong.emplace_back("it did not end");
  if (run.has_late_orphan)
    wrong.emplace_back("what it started did not end");
  if (run.status >= 128)
    wrong.push_back(std::string("ended by ") + strsignal(run.status - 128));
  if (run.err.find("std::") != std::string::npos)
    wrong.emplace_back("an exception's name is no sentence");
  return wrong;
}

}  // namespace

std::vector<FaultKind> every_kind() {
  std::vector<FaultKind> out = every_kind_but_malloc();
  for (FaultKind& kind : out) {
    if (kind.fault.call == Call::kNew)
      kind.fault.call = Call::kAllocate;
  }
  return out;
}

std::vector<FaultKind> every_kind_but_malloc() {
  Fault fault{
      .call = Call::kNew, .effect = Effect::kFail, .number = 0, .error = ENOMEM, .lasts = 0};
  std::vector<FaultKind> out{{"one allocation", fault}};
  fault.lasts = 1;
  out.push_back({"allocations from there on", fault});
  for (const Errors& what : plausible_errors())
    add_errors(out, what);
  for (const Call call : {Call::kRead, Call::kWrite})
    out.push_back({call == Call::kRead ? "short read" : "short write",
                   {.call = call, .effect = Effect::kShort, .number = 0, .error = 0, .lasts = 0}});
  out.push_back({"disk full at a byte",
                 {.call = Call::kWrite,
                  .effect = Effect::kDiskFull,
                  .number = 0,
                  .error = ENOSPC,
                  .lasts = 1}});
  return out;
}

std::vector<std::string> judge_reader(const Run& run, const Run& right) {
  std::vector<std::string> wrong;
  if (run.status == right.status) {
    if (run.out != right.out)
      wrong.emplace_back("another output, with the status of success");
    if (run.files != right.files)
      wrong.emplace_back("other files, with the status of success");
    return wrong;
  }
  if (run.status != 2)
    wrong.emplace_back("neither the right status nor 2");
  if (!run.err.starts_with("tidemark: ") || std::ranges::count(run.err, '\n') != 1 ||
      !run.err.ends_with('\n'))
    wrong.emplace_back("not one sentence on standard error");
  // The first of several files may have been written before; a part of one never is.
  for (const auto& [name, text] : run.files) {
    const auto whole = right.files.find(name);
    if (whole == right.files.end() || whole->second != text)
      wrong.push_back(name + " was left behind, and is not the right one");
  }
  return wrong;
}

void scan(FaultyProgram& program,
          const std::vector<FaultKind>& kinds,
          const Judge& judge,
          std::uint64_t stride) {
  const bool is_every_one = is_every_fault_wanted();
  const auto shared_before = tests::session_files();
  const Run right = program.run({});
  INFO(program.text());
  REQUIRE(judge_any(right, judge, right).empty());
  for (const FaultKind& kind : kinds) {
    const std::uint64_t end = end_of(kind, right);
    std::uint64_t runs = 0;
    // Up to the first that meets no call: after some faults there are more calls than without.
    for (std::uint64_t n = 1; n <= 2 * end; n += stride_of(kind, end, stride)) {
      Fault fault = kind.fault;
      fault.number = n;
      const Run run = program.run(fault);
      if (run.faults == 0)
        break;
      ++runs;
      const auto wrong = judge_any(run, judge, right);
      if (!wrong.empty()) {
        std::string all;
        for (const std::string& line : wrong)
          all += line + "; ";
        INFO(kind.name << ", number " << n << " of " << end << ": " << text_of(run));
        INFO("to repeat: " << repeat_text(program, fault));
        INFO(all);
        CHECK(all.empty());
      }
    }
    if (is_every_one && runs != 0)
      std::fprintf(stderr, "%s: %s: %llu runs\n", program.text().c_str(), kind.name.c_str(),
                   static_cast<unsigned long long>(runs));
  }
  CHECK(tests::session_files() == shared_before);
}

}  // namespace tidemark::faults
