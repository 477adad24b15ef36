#include "preload/session/own_objects.hpp"

#include "preload/os/program_file.hpp"
#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"
#include "preload/os/text.hpp"
#include "preload/session/kept_file.hpp"

#include <cstring>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

constexpr char kDescriptors[] = "/proc/self/fd/";
constexpr std::size_t kMaxListBytes = 4096;
/// As they were loaded. A copy: a host that sets its process title writes over the original. "" =
/// not recorded.
constinit char g_objects[kMaxListBytes]{};
/// The same, each ended by a zero.
constinit char g_split[kMaxListBytes]{};
constinit std::size_t g_second_at = 0;  ///< In `g_split`; 0: there is one only.
constinit bool g_are_by_descriptor = false;
constinit KeptFile g_kept[2]{};

/// @param i 0 or 1. @return "" where there is none.
const char* name_of(std::size_t i) {
  return i == 0 ? g_split : g_second_at != 0 ? g_split + g_second_at : "";
}

/// ld.so accepts colons and spaces as separators.
std::size_t entry_length(const char* list) {
  return std::strcspn(list, ": ");
}

const char* next_entry(const char* list) {
  const char* end = list + entry_length(list);
  return *end != '\0' ? end + 1 : end;
}

bool is_by_descriptor(const char* entry) {
  return std::strncmp(entry, kDescriptors, sizeof kDescriptors - 1) == 0;
}

/// The object of preload/copies comes right behind the first one, which was named in the same way.
bool is_copies_object(const char* entry) {
  constexpr char kName[] = "/libtidemark_copies.so";
  constexpr std::size_t kLength = sizeof kName - 1;
  const std::size_t length = entry_length(entry);
  return g_are_by_descriptor
             ? is_by_descriptor(entry)
             : length >= kLength && std::strncmp(entry + length - kLength, kName, kLength) == 0;
}

bool is_ours(const char* entry) {
  const auto is = [&](const char* name) {
    const std::size_t length = std::strlen(name);
    return length != 0 && entry_length(entry) == length && std::strncmp(entry, name, length) == 0;
  };
  return is(name_of(0)) || is(name_of(1));
}

bool has(const char* list, const char* name) {
  for (; *list != '\0'; list = next_entry(list)) {
    if (entry_length(list) == std::strlen(name) &&
        std::strncmp(list, name, entry_length(list)) == 0)
      return true;
  }
  return false;
}

}  // namespace

void remember_objects(const char* list) {
  g_are_by_descriptor = is_by_descriptor(list);
  std::size_t length = entry_length(list);
  const char* const second = next_entry(list);
  const bool has_copies = is_copies_object(second);
  if (has_copies)
    length = static_cast<std::size_t>(second - list) + entry_length(second);
  if (length >= kMaxListBytes)
    return;
  std::memcpy(g_objects, list, length);
  std::memcpy(g_split, list, length);
  if (has_copies) {
    g_second_at = static_cast<std::size_t>(second - list);
    g_split[g_second_at - 1] = '\0';
  }
}

bool are_objects_known() {
  return g_objects[0] != '\0';
}

void keep_objects() {
  for (std::size_t i = 0; i < 2; ++i) {
    if (name_of(i)[0] != '\0' && may(kMayLookAtPrograms) && may(kMayPassDescriptor) &&
        g_kept[i].number() < 0)
      g_kept[i].keep(sys::open(name_of(i), O_RDONLY));
  }
}

void adopt_objects(const int (&numbers)[2]) {
  for (int i = 0; i < 2; ++i)
    g_kept[i].adopt(numbers[i]);
  let_objects_pass(false);
}

void let_objects_pass(bool passes) {
  for (const KeptFile& kept : g_kept)
    kept.let_pass(passes || g_are_by_descriptor);
}

int kept_object_in(unsigned first, unsigned last) {
  int lowest = -1;
  for (const KeptFile& kept : g_kept) {
    const int number = kept.number_in(first, last);
    if (number >= 0 && (lowest < 0 || number < lowest))
      lowest = number;
  }
  return lowest;
}

ObjectNames::ObjectNames() : numbers_{g_kept[0].number(), g_kept[1].number()} {
  if (!g_are_by_descriptor && !is_out_of_reach(name_of(0))) {
    list_ = g_objects;
    return;
  }
  if (numbers_[0] < 0)
    return;
  char* end = append(append(by_descriptor_, kDescriptors), static_cast<std::uint64_t>(numbers_[0]));
  if (is_out_of_reach(by_descriptor_))
    return;
  if (numbers_[1] >= 0)
    append(append(append(end, ":"), kDescriptors), static_cast<std::uint64_t>(numbers_[1]));
  list_ = by_descriptor_;
}

bool names_objects(const char* list) {
  return has(list, name_of(0)) && (g_second_at == 0 || has(list, name_of(1)));
}

bool names_an_object(const char* list) {
  return has(list, name_of(0)) || (g_second_at != 0 && has(list, name_of(1)));
}

char* append_other_objects(char* end, const char* list) {
  const char* separator = end[-1] == '=' ? "" : ":";
  for (; *list != '\0'; list = next_entry(list)) {
    const std::size_t length = entry_length(list);
    if (length == 0 || is_ours(list))
      continue;
    end = append(end, separator);
    std::memcpy(end, list, length);
    end += length;
    *end = '\0';
    separator = ":";
  }
  return end;
}

}  // namespace tidemark::preload
