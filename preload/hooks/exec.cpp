#include "preload/hooks/exec.hpp"

#include <cstring>

#include "preload/process.hpp"
#include "preload/record.hpp"
#include "preload/sys.hpp"

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): glibc's name

namespace tidemark::preload {
namespace {

// "NAME=value" as the kernel gave them to us; that memory lives as long as the process.
constinit char* g_preload = nullptr;
constinit char* g_session_variable = nullptr;

bool has_name(const char* variable, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(variable, name, length) == 0 && variable[length] == '=';
}

/// The path by which we were preloaded: the first of LD_PRELOAD's list.
std::size_t own_path_length() {
  const char* value = g_preload + std::strlen(wire::kPreloadVariable) + 1;
  return std::strcspn(value, ": ");
}

bool names_us(const char* preload_value) {
  const char* own = g_preload + std::strlen(wire::kPreloadVariable) + 1;
  const std::size_t length = own_path_length();
  for (const char* at = preload_value; *at != '\0';) {
    const std::size_t part = std::strcspn(at, ": ");
    if (part == length && std::strncmp(at, own, length) == 0)
      return true;
    at += part;
    at += *at != '\0' ? 1 : 0;
  }
  return false;
}

}  // namespace

void remember_session_variables() {
  const auto* words = static_cast<const std::uint64_t*>(__libc_stack_end);
  auto* const* variables = reinterpret_cast<char* const*>(words + 1 + words[0] + 1);
  for (; *variables != nullptr; ++variables) {
    if (has_name(*variables, wire::kPreloadVariable))
      g_preload = *variables;
    else if (has_name(*variables, wire::kSessionVariable))
      g_session_variable = *variables;
  }
}

Environment::Environment(char* const* variables) : variables_(variables) {
  if (g_preload == nullptr || g_session_variable == nullptr ||
      g_attachment.load(std::memory_order_relaxed) != Attachment::kAttached)
    return;
  bool preloads = false;
  bool has_session = false;
  std::size_t count = 0;
  for (; variables != nullptr && variables[count] != nullptr; ++count) {
    if (has_name(variables[count], wire::kPreloadVariable))
      preloads = names_us(variables[count] + std::strlen(wire::kPreloadVariable) + 1);
    else if (has_name(variables[count], wire::kSessionVariable))
      has_session = true;
  }
  if (!preloads || !has_session)
    words_ = count + 3;
}

char* const* Environment::build(char** memory) const {
  if (words_ == 0)
    return variables_;
  std::size_t count = 0;
  // A preload list of the program's own gives way to ours for the time of the recording: joining the
  // two would need memory for text, which a vfork child does not have.
  for (std::size_t i = 0; variables_ != nullptr && variables_[i] != nullptr; ++i) {
    if (!has_name(variables_[i], wire::kPreloadVariable) &&
        !has_name(variables_[i], wire::kSessionVariable))
      memory[count++] = variables_[i];
  }
  memory[count++] = g_preload;
  memory[count++] = g_session_variable;
  memory[count] = nullptr;
  return memory;
}

void record_exec() {
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    write(*thread, {.kind = wire::RecordKind::kExec, .extra = sys::process_id()});
}

void record_exec_failed() {
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    write(*thread, {.kind = wire::RecordKind::kExecFailed, .extra = sys::process_id()});
}

}  // namespace tidemark::preload
