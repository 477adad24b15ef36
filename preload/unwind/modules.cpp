#include "preload/unwind/modules.hpp"

#include "preload/os/symbol_search.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

// glibc's struct dl_find_object (<dlfcn.h>, 2.35), declared here so that the object also builds
// against, and runs on, older ones.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  struct link_map* link_map;
  void* eh_frame;
  unsigned long long reserved[7];
};
using FindObject = int (*)(void*, FoundObject*);

constinit FindObject g_find_object = nullptr;

void set_bounds(Module& out, std::uint64_t begin, std::uint64_t end, const void* eh_frame_header) {
  out.begin = begin;
  out.end = end;
  out.tables.eh_frame_header = static_cast<const std::byte*>(eh_frame_header);
  out.tables.map_begin = reinterpret_cast<const std::byte*>(begin);
  out.tables.map_end = reinterpret_cast<const std::byte*>(end);
  // By value, not by address: a variable of ld.so may be copied into a program that uses it.
  out.is_loader = out.bias == _r_debug.r_ldbase;
}

/// From the first to the last byte of an object's segments, whatever lies between them.
struct Span {
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  const void* eh_frame_header = nullptr;
  const void* dynamic = nullptr;

  Span(std::uint64_t bias, const ElfW(Phdr) * headers, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const ElfW(Phdr)& segment = headers[i];
      const std::uint64_t at = bias + segment.p_vaddr;
      if (segment.p_type == PT_GNU_EH_FRAME)
        eh_frame_header = reinterpret_cast<const void*>(at);
      if (segment.p_type == PT_DYNAMIC)
        dynamic = reinterpret_cast<const void*>(at);
      if (segment.p_type != PT_LOAD)
        continue;
      begin = at < begin ? at : begin;
      end = at + segment.p_memsz > end ? at + segment.p_memsz : end;
    }
  }
  [[nodiscard]] bool contains(std::uint64_t address) const {
    return begin <= address && address < end;
  }
};

struct Search {
  std::uint64_t address;
  Module* out;
};

int visit_object(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const Span span(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
  if (!span.contains(search.address))
    return 0;
  search.out->bias = info->dlpi_addr;
  search.out->path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  search.out->dynamic = span.dynamic;
  set_bounds(*search.out, span.begin, span.end, span.eh_frame_header);
  return 1;
}

/// If a program's segments have gaps between them, as node's do, _dl_find_object returns only the
/// segment of the address, and the unwind tables are in another. The kernel says where the
/// program's headers are.
void widen_to_program(Module& out, std::uint64_t address) {
  const Span span(out.bias, reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR)),
                  getauxval(AT_PHNUM));
  if (span.contains(address))
    set_bounds(out, span.begin, span.end, span.eh_frame_header);
}

}  // namespace

void look_up_loader() {
  g_find_object = reinterpret_cast<FindObject>(preload::find_next_function("_dl_find_object"));
}

bool find_module(std::uint64_t address, Module& out) {
  if (g_find_object == nullptr) {
    Search search{address, &out};
    return dl_iterate_phdr(visit_object, &search) != 0;
  }
  FoundObject found{};
  if (g_find_object(reinterpret_cast<void*>(address), &found) != 0)
    return false;
  out.bias = found.link_map->l_addr;
  out.dynamic = found.link_map->l_ld;
  out.path = found.link_map->l_name != nullptr ? found.link_map->l_name : "";
  set_bounds(out, reinterpret_cast<std::uint64_t>(found.map_start),
             reinterpret_cast<std::uint64_t>(found.map_end), found.eh_frame);
  if (found.eh_frame < found.map_start || found.eh_frame >= found.map_end) [[unlikely]]
    widen_to_program(out, address);
  return true;
}

}  // namespace tidemark::unwind
