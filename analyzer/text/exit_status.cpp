#include "analyzer/text/exit_status.hpp"

#include <fmt/format.h>

#include <cstring>

namespace tidemark::analyzer {
namespace {

constexpr int kFirstBySignal = 128;

int signal_of(int exit_status) {
  return exit_status > kFirstBySignal ? exit_status - kFirstBySignal : 0;
}

}  // namespace

std::string ending_signal(int exit_status) {
  const char* const name = sigabbrev_np(signal_of(exit_status));
  return name == nullptr ? std::string() : fmt::format("SIG{}", name);
}

std::string ending_signal_described(int exit_status) {
  const std::string name = ending_signal(exit_status);
  return name.empty() ? name : fmt::format("{} ({})", name, sigdescr_np(signal_of(exit_status)));
}

std::string exit_status_text(int exit_status) {
  const std::string name = ending_signal(exit_status);
  return name.empty() ? std::to_string(exit_status) : fmt::format("{} ({})", exit_status, name);
}

}  // namespace tidemark::analyzer
