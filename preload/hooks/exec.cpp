#include "preload/hooks/exec.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/os/text.hpp"
#include "preload/session/process.hpp"
#include "preload/session/record.hpp"
#include "preload/session/session_file.hpp"
#include "preload/session/start_block.hpp"
#include "preload/session/thread.hpp"

#include <cstring>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

// Copies: a host that sets its process title writes over the originals.
constexpr std::size_t kMaxObjectPathBytes = 4096;
/// Our objects, the head of the LD_PRELOAD list that loaded us: one, or with preload/copies two and
/// a colon between them. "" = not recorded.
constinit char g_objects[kMaxObjectPathBytes]{};
/// The first of them: the second one is in the same folder.
constinit char g_first_object[kMaxObjectPathBytes]{};
/// "TIDEMARK_SESSION=..." as the collector wrote it, without fields that a host appended for us.
constinit char g_session_variable[128]{};
/// ":ABILITIES:OWN_DESCRIPTOR" at most.
constexpr std::size_t kMaxAdditionBytes = sizeof ":01234567:18446744073709551615";

/// @return the value when `variable` is "name=value", else nullptr.
const char* value_of(const char* variable, const char* name) {
  const std::size_t length = std::strlen(name);
  const bool is_it = std::strncmp(variable, name, length) == 0 && variable[length] == '=';
  return is_it ? variable + length + 1 : nullptr;
}

/// Length of the first entry of a preload list: ld.so accepts colons and spaces as separators.
std::size_t entry_length(const char* list) {
  return std::strcspn(list, ": ");
}

const char* next_entry(const char* list) {
  const char* end = list + entry_length(list);
  return *end != '\0' ? end + 1 : end;
}

bool names(const char* list, const char* object, std::size_t length) {
  for (; *list != '\0'; list = next_entry(list)) {
    if (entry_length(list) == length && std::strncmp(list, object, length) == 0)
      return true;
  }
  return false;
}

bool names_us(const char* list) {
  for (const char* object = g_objects; *object != '\0'; object = next_entry(object)) {
    if (!names(list, object, entry_length(object)))
      return false;
  }
  return true;
}

bool has_entry_of_ours(const char* list) {
  for (; *list != '\0'; list = next_entry(list)) {
    if (names(g_objects, list, entry_length(list)))
      return true;
  }
  return false;
}

/// The object of preload/copies comes right behind this one.
bool is_copies_object(const char* entry) {
  constexpr char kName[] = "/libtidemark_copies.so";
  constexpr std::size_t kLength = sizeof kName - 1;
  const std::size_t length = entry_length(entry);
  return length >= kLength && std::strncmp(entry + length - kLength, kName, kLength) == 0;
}

void remember_objects(const char* list) {
  std::size_t length = entry_length(list);
  const char* second = next_entry(list);
  if (is_copies_object(second))
    length = static_cast<std::size_t>(second - list) + entry_length(second);
  if (length >= sizeof g_objects)
    return;
  std::memcpy(g_objects, list, length);
  std::memcpy(g_first_object, list, entry_length(list));
}

/// Copies `variable` up to the end of its third field.
void remember_session(const char* variable) {
  std::size_t length = 0;
  for (int colons = 0; variable[length] != '\0'; ++length) {
    if (variable[length] == ':' && ++colons == 3)
      break;
  }
  if (length < sizeof g_session_variable)
    std::memcpy(g_session_variable, variable, length);
}

}  // namespace

void remember_session_variables() {
  const char* const* variables = start_environment();
  for (; *variables != nullptr; ++variables) {
    if (const char* list = value_of(*variables, wire::kPreloadVariable)) {
      remember_objects(list);
    } else if (value_of(*variables, wire::kSessionVariable) != nullptr) {
      remember_session(*variables);
    }
  }
}

namespace {

/// Appends the entries of a preload list that are not ours.
char* append_foreign_entries(char* end, const char* list) {
  const char* separator = end[-1] == '=' ? "" : ":";
  for (; *list != '\0'; list = next_entry(list)) {
    const std::size_t length = entry_length(list);
    if (length == 0 || names(g_objects, list, length))
      continue;
    end = append(end, separator);
    std::memcpy(end, list, length);
    end += length;
    *end = '\0';
    separator = ":";
  }
  return end;
}

}  // namespace

Environment::Environment(const ProgramName& program, char* const* variables)
    : variables_(variables) {
  if (g_objects[0] == '\0' || g_session_variable[0] == '\0')
    return;
  bool has_session = false;
  for (; variables != nullptr && variables[count_] != nullptr; ++count_) {
    if (const char* list = value_of(variables[count_], wire::kPreloadVariable))
      preload_ = list;
    else if (value_of(variables[count_], wire::kSessionVariable) != nullptr)
      has_session = true;
  }
  const bool is_attached = g_attachment.load(std::memory_order_relaxed) == Attachment::kAttached;
  const bool names_all = preload_ != nullptr && names_us(preload_);
  const bool names_any = preload_ != nullptr && has_entry_of_ours(preload_);
  if (!is_attached && !names_any)
    return;
  if (breaks_with_preload(program) || is_out_of_reach(g_first_object)) {
    way_ = names_any ? Way::kWithoutUs : Way::kAsItIs;
  } else if (is_attached) {
    descriptor_ = pass_descriptor();
    abilities_ = g_abilities.load(std::memory_order_relaxed);
    const bool is_plain = descriptor_ < 0 && abilities_ == kEveryAbility;
    way_ = names_all && has_session && is_plain ? Way::kAsItIs : Way::kJoins;
  }
  if (way_ == Way::kAsItIs)
    return;
  const std::size_t own_list = preload_ != nullptr ? std::strlen(preload_) + 1 : 0;
  const std::size_t text =
      std::strlen(wire::kPreloadVariable) + 1 + std::strlen(g_objects) + own_list;
  bytes_ = (count_ + 3) * sizeof(char*) + text + 1 + sizeof g_session_variable + kMaxAdditionBytes;
}
char* const* Environment::build(void* memory) const {
  if (way_ == Way::kAsItIs)
    return variables_;
  auto** out = static_cast<char**>(memory);
  auto* text = reinterpret_cast<char*>(out + count_ + 3);
  std::size_t used = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const bool is_ours = value_of(variables_[i], wire::kPreloadVariable) != nullptr ||
                         value_of(variables_[i], wire::kSessionVariable) != nullptr;
    if (!is_ours)
      out[used++] = variables_[i];
  }
  out[used++] = text;
  char* end = append(append(text, wire::kPreloadVariable), "=");
  if (way_ == Way::kJoins)
    end = append(end, g_objects);
  if (preload_ != nullptr)
    end = append_foreign_entries(end, preload_);
  out[used++] = ++end;
  end = append(append(end, g_session_variable), ":");
  end = append_hexadecimal(end, abilities_);
  if (descriptor_ >= 0)
    append(append(end, ":"), static_cast<std::uint64_t>(descriptor_));
  out[used] = nullptr;
  return out;
}

namespace {

/// The real pid, even in a vfork child, which borrows its parent's memory.
std::uint32_t own_pid() {
  return may(kMayAttach) ? sys::process_id() : process_slot().pid;
}

std::uint64_t own_faults() {
  return may(kMayAskUsage) ? sys::page_faults(RUSAGE_SELF) : 0;
}

}  // namespace

void record_exec() {
  // Attaches a forked child that has recorded nothing yet, so that its exec is seen.
  if (ThreadState* thread = current_thread())
    write(*thread, wire::Exec{.pid = own_pid(), .faults = own_faults()});
}

void record_spawn(int child) {
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    write(*thread, wire::Exec{.pid = static_cast<std::uint32_t>(child)});
}

void record_exec_failed() {
  hold_descriptor();
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    write(*thread, wire::ExecFailed{.pid = own_pid()});
}

}  // namespace tidemark::preload
