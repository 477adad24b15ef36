#include "preload/hooks/exec.hpp"

#include "preload/process.hpp"
#include "preload/record.hpp"
#include "preload/start_block.hpp"
#include "preload/sys.hpp"

#include <cstring>

// clang-format off: last
#include "preload/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

// Copies: a host that sets its process title writes over the originals.
constexpr std::size_t kMaxObjectPath = 4096;
/// The head of the list that we were preloaded by, our objects: one, or with copies two and a colon
/// between them. "" = not recorded.
constinit char g_objects[kMaxObjectPath]{};
constinit char g_session_variable[128]{};  ///< "TIDEMARK_SESSION=..."

/// @return the value when `variable` is "name=value", else nullptr.
const char* value_of(const char* variable, const char* name) {
  const std::size_t length = std::strlen(name);
  const bool is_it = std::strncmp(variable, name, length) == 0 && variable[length] == '=';
  return is_it ? variable + length + 1 : nullptr;
}

/// One entry of a preload list ends here: ld.so takes colons and spaces.
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
  if (length < sizeof g_objects)
    std::memcpy(g_objects, list, length);
}

char* append(char* out, const char* text) {
  const std::size_t length = std::strlen(text);
  std::memcpy(out, text, length + 1);
  return out + length;
}

}  // namespace

void remember_session_variables() {
  const char* const* variables = start_environment();
  for (; *variables != nullptr; ++variables) {
    if (const char* list = value_of(*variables, wire::kPreloadVariable)) {
      remember_objects(list);
    } else if (value_of(*variables, wire::kSessionVariable) != nullptr &&
               std::strlen(*variables) < sizeof g_session_variable) {
      std::memcpy(g_session_variable, *variables, std::strlen(*variables));
    }
  }
}

Environment::Environment(char* const* variables) : variables_(variables) {
  if (g_objects[0] == '\0' || g_session_variable[0] == '\0' ||
      g_attachment.load(std::memory_order_relaxed) != Attachment::kAttached)
    return;
  bool has_session = false;
  for (; variables != nullptr && variables[count_] != nullptr; ++count_) {
    if (const char* list = value_of(variables[count_], wire::kPreloadVariable))
      preload_ = list;
    else if (value_of(variables[count_], wire::kSessionVariable) != nullptr)
      has_session = true;
  }
  if (preload_ != nullptr && names_us(preload_) && has_session)
    return;
  const std::size_t own_list = preload_ != nullptr ? std::strlen(preload_) + 1 : 0;
  const std::size_t text =
      std::strlen(wire::kPreloadVariable) + 1 + std::strlen(g_objects) + own_list;
  bytes_ = (count_ + 3) * sizeof(char*) + text + 1;
}

char* const* Environment::build(void* memory) const {
  if (bytes_ == 0)
    return variables_;
  auto** out = static_cast<char**>(memory);
  auto* text = reinterpret_cast<char*>(out + count_ + 3);
  std::size_t used = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (value_of(variables_[i], wire::kPreloadVariable) == nullptr &&
        value_of(variables_[i], wire::kSessionVariable) == nullptr)
      out[used++] = variables_[i];
  }
  out[used++] = text;
  out[used++] = g_session_variable;
  out[used] = nullptr;
  char* end = append(append(append(text, wire::kPreloadVariable), "="), g_objects);
  if (preload_ != nullptr && preload_[0] != '\0' && !names_us(preload_))
    append(append(end, ":"), preload_);
  return out;
}

void record_exec() {
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    write(*thread, {.kind = wire::RecordKind::kExec, .extra = sys::process_id()});
}

void record_spawn(int child) {
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    write(*thread, {.kind = wire::RecordKind::kExec, .extra = static_cast<std::uint32_t>(child)});
}

void record_exec_failed() {
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    write(*thread, {.kind = wire::RecordKind::kExecFailed, .extra = sys::process_id()});
}

}  // namespace tidemark::preload
