#include "preload/hooks/exec.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/os/text.hpp"
#include "preload/session/own_objects.hpp"
#include "preload/session/process.hpp"
#include "preload/session/record.hpp"
#include "preload/session/session_file.hpp"
#include "preload/session/start_block.hpp"
#include "preload/session/thread.hpp"

#include <cstring>
#include <initializer_list>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// "TIDEMARK_SESSION=..." as the collector wrote it, without fields that a host appended for us.
/// A copy: a host that sets its process title writes over the original.
constinit char g_session_variable[128]{};
/// ":ABILITIES" and three descriptors at most.
constexpr std::size_t kMaxAdditionBytes = sizeof ":01234567:4294967295:4294967295:4294967295";

/// @return the value when `variable` is "name=value", else nullptr.
const char* value_of(const char* variable, const char* name) {
  const std::size_t length = std::strlen(name);
  const bool is_it = std::strncmp(variable, name, length) == 0 && variable[length] == '=';
  return is_it ? variable + length + 1 : nullptr;
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
  adopt_objects(inherited_objects().numbers);
}

Environment::Environment(const ProgramName& program, char* const* variables)
    : variables_(variables) {
  if (!are_objects_known() || g_session_variable[0] == '\0')
    return;
  bool has_session = false;
  for (; variables != nullptr && variables[count_] != nullptr; ++count_) {
    if (const char* list = value_of(variables[count_], wire::kPreloadVariable))
      preload_ = list;
    else if (value_of(variables[count_], wire::kSessionVariable) != nullptr)
      has_session = true;
  }
  const bool is_attached = g_attachment.load(std::memory_order_relaxed) == Attachment::kAttached;
  const bool names_any = preload_ != nullptr && names_an_object(preload_);
  if (!is_attached && !names_any)
    return;
  if (objects_.list() == nullptr || breaks_with_preload(program)) {
    way_ = names_any ? Way::kWithoutUs : Way::kAsItIs;
  } else if (is_attached) {
    descriptor_ = pass_descriptor();
    let_objects_pass(true);
    abilities_ = g_abilities.load(std::memory_order_relaxed);
    const bool is_plain = descriptor_ < 0 && abilities_ == kEveryAbility;
    way_ = names_any && names_objects(preload_) && has_session && is_plain ? Way::kAsItIs
                                                                           : Way::kJoins;
  }
  if (way_ == Way::kAsItIs)
    return;
  const std::size_t own_list = preload_ != nullptr ? std::strlen(preload_) + 1 : 0;
  const std::size_t our_list = way_ == Way::kJoins ? std::strlen(objects_.list()) : 0;
  const std::size_t text = std::strlen(wire::kPreloadVariable) + 1 + our_list + own_list;
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
    end = append(end, objects_.list());
  if (preload_ != nullptr)
    end = append_other_objects(end, preload_);
  out[used++] = ++end;
  end = append(append(end, g_session_variable), ":");
  end = append_hexadecimal(end, abilities_);
  // The fields that follow one that is missing are missing, too.
  for (const int descriptor : {descriptor_, objects_.numbers()[0], objects_.numbers()[1]}) {
    if (descriptor < 0)
      break;
    end = append(append(end, ":"), static_cast<std::uint64_t>(descriptor));
  }
  out[used] = nullptr;
  return out;
}

void keep_way_in() {
  keep_descriptor();
  keep_objects();
}

void hold_way_in() {
  hold_descriptor();
  let_objects_pass(false);
}

int kept_descriptor_in(unsigned first, unsigned last) {
  const int object = kept_object_in(first, last);
  const int session = kept_session_file_in(first, last);
  return session >= 0 && (object < 0 || session < object) ? session : object;
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
  hold_way_in();
  ThreadState* thread = t_thread;
  if (thread != nullptr && thread->ring != nullptr)
    write(*thread, wire::ExecFailed{.pid = own_pid()});
}

}  // namespace tidemark::preload
