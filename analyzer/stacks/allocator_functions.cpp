// Functions that pass a request for memory on: allocators, by their names, and code around them.
#include "analyzer/stacks/stack_names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace tidemark::analyzer {
namespace {

/// Allocators under their own names.
constexpr auto kAllocatorNames = std::to_array<std::string_view>(
    {// libc
     "malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "posix_memalign",
     "valloc", "pvalloc", "strdup", "strndup", "__GI___strdup", "__GI___strndup", "mmap", "mmap64",
     "mremap", "mprotect", "pkey_mprotect", "brk", "sbrk", "_int_malloc",
     // GNU programs
     "xmalloc", "xrealloc", "xcalloc",
     // rpmalloc, snmalloc, TBB, Hoard, dlmalloc
     "rpmalloc", "rpcalloc", "rprealloc", "rpaligned_alloc", "rpmemalign", "sn_malloc", "sn_calloc",
     "sn_realloc", "scalable_malloc", "scalable_calloc", "scalable_realloc",
     "scalable_aligned_malloc", "xxmalloc", "dlmalloc", "mspace_malloc",
     // Java's machine
     "os::malloc", "os::realloc", "AllocateHeap", "ReallocateHeap",
     // CPython
     "PyObject_Malloc", "PyObject_Calloc", "PyObject_Realloc", "_PyObject_Malloc",
     "_PyObject_Calloc", "_PyObject_Realloc", "PyType_GenericAlloc", "_PyType_AllocNoTrack",
     "new_arena", "allocate_from_new_pool"});

constexpr auto kAllocatorPrefixes = std::to_array<std::string_view>(
    {// libc and GLib
     "__libc_malloc", "__libc_calloc", "__libc_re", "__GI___libc_", "__malloc", "g_malloc",
     // CPython
     "PyMem_", "_PyMem_", "_PyObject_GC_", "_PyObject_Arena", "pymalloc_",
     // PyTorch
     "c10::alloc_cpu", "at::detail::empty", "c10::StorageImpl",
     // tcmalloc, snmalloc, scudo, TBB
     "tcmalloc::", "snmalloc::", "scudo::", "rml::internal::",
     // Chromium's PartitionAlloc, and what V8 takes pages with
     "partition_alloc::", "allocator_shim::", "WTF::Partitions::", "v8::base::OS::",
     "v8::base::PageAllocator::", "v8::base::BoundedPageAllocator::", "v8::internal::VirtualMemory",
     "v8::internal::AllocatePages", "v8::internal::SetPermissions",
     "v8::internal::MemoryAllocator::"});

/// Code that every module may have a copy of, among its own functions.
constexpr auto kSharedNames = std::to_array<std::string_view>(
    {"__rust_alloc", "__rust_realloc", "__rust_alloc_zeroed", "__rdl_alloc", "__rdl_realloc",
     "__rdl_alloc_zeroed", "__rg_alloc", "__rg_realloc", "__rg_alloc_zeroed"});
constexpr auto kSharedPrefixes = std::to_array<std::string_view>(
    {// C++
     "operator new", "std::", "__gnu_cxx::",
     // Rust
     "alloc::", "<alloc::", "core::alloc::", "hashbrown::raw", "__rustc::__rust_",
     // Rust's iterators, which a `collect` asks for memory through
     "core::iter::", "<core::iter::", "core::option::Option<", "core::result::Result<",
     "core::ops::function::", "core::slice::iter::"});

/// jemalloc's own functions, where a program has it inside and has left their names as they are.
/// Only what no program is likely to call a function of its own: `arena_alloc` and `base_map` may
/// be anybody's.
constexpr auto kJemallocNames = std::to_array<std::string_view>(
    {"pages_map",        "pages_commit",     "os_pages_map",      "os_pages_commit",
     "pages_boot",       "base_block_alloc", "large_malloc",      "arena_palloc",
     "large_palloc",     "large_ralloc",     "chunk_alloc_mmap",  "chunk_alloc_wrapper",
     "imalloc",          "imalloc_body",     "imalloc_no_sample", "arena_ralloc",
     "iallocztm",        "ipalloct",         "ipallocztm",        "malloc_default",
     "malloc_init_hard", "pac_alloc_impl",   "pac_alloc_real",    "san_bump_alloc"});
constexpr auto kJemallocPrefixes = std::to_array<std::string_view>(
    {// Arenas
     "arena_malloc_hard", "arena_malloc_small", "arena_malloc_large", "arena_bin_malloc_",
     "arena_slab_alloc", "arena_slab_reg_alloc", "arena_cache_bin_fill_", "arena_tcache_fill_",
     "arena_extent_alloc_", "arena_chunk_alloc_", "arena_run_alloc_",
     // Extents
     "extent_alloc_wrapper", "extent_alloc_core", "extent_alloc_mmap", "extent_alloc_dss",
     "extent_alloc_default", "extent_alloc_retained", "extent_grow_retained", "extent_recycle",
     "ecache_", "ehooks_", "hpa_",
     // Caches of threads
     "tcache_alloc_", "tcache_create_"});

bool begins_with_any(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

bool holds_any(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [name](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

/// Where a word such as `je_` stands in a name, at its start or behind an underscore; `npos` where
/// it does not.
std::size_t find_word(std::string_view name, std::string_view word) {
  std::size_t at = name.find(word);
  while (at != std::string_view::npos && at != 0 && name[at - 1] != '_') {
    at = name.find(word, at + 1);
  }
  return at;
}

/// jemalloc, mimalloc and tcmalloc, also under the prefixes that programs build them with:
/// `duckdb_je_arena_malloc`, `_rjem_malloc`, `_mi_page_alloc`. Empty: a function of none of them.
std::string_view prefixed_allocator(std::string_view name) {
  constexpr auto kAllocatorWords = std::to_array<std::string_view>(
      {"alloc", "memalign", "new", "heap", "page", "segment", "arena"});
  if (find_word(name, "je_") != std::string_view::npos ||
      find_word(name, "rjem_") != std::string_view::npos ||
      std::ranges::find(kJemallocNames, name) != kJemallocNames.end() ||
      begins_with_any(name, kJemallocPrefixes)) {
    return "jemalloc";
  }
  const std::size_t mimalloc = find_word(name, "mi_");
  if (mimalloc != std::string_view::npos &&
      (name.find_first_not_of('_') == mimalloc || holds_any(name, kAllocatorWords))) {
    return "mimalloc";
  }
  const std::size_t tcmalloc = find_word(name, "tc_");
  return tcmalloc != std::string_view::npos &&
                 holds_any(name.substr(tcmalloc), std::span(kAllocatorWords).first(3))
             ? "tcmalloc"
             : std::string_view();
}

/// Allocators whose functions are in a namespace, or have a beginning of their own.
struct Family {
  std::string_view beginning;
  std::string_view name;
};
constexpr auto kFamilies = std::to_array<Family>({{"tcmalloc::", "tcmalloc"},
                                                  {"snmalloc::", "snmalloc"},
                                                  {"scudo::", "scudo"},
                                                  {"rml::internal::", "TBB"},
                                                  {"scalable_", "TBB"},
                                                  {"rpmalloc", "rpmalloc"},
                                                  {"partition_alloc::", "PartitionAlloc"},
                                                  {"allocator_shim::", "PartitionAlloc"},
                                                  {"WTF::Partitions::", "PartitionAlloc"}});

/// The function's name without return type and parameters; what templates return may well be a
/// `std::vector`.
std::string_view called_name(std::string_view function) {
  function = without_return_type(function);
  return function.substr(0, function.find('('));
}

bool is_shared_code(const NamedFrame& frame) {
  if (!frame.named) {
    return false;
  }
  const std::string_view name = called_name(frame.function);
  return std::ranges::find(kSharedNames, name) != kSharedNames.end() ||
         begins_with_any(name, kSharedPrefixes) ||
         (name.starts_with('<') && (name.find(" as alloc::") != std::string_view::npos ||
                                    name.find(" as core::alloc::") != std::string_view::npos ||
                                    name.find(" as core::iter::") != std::string_view::npos));
}

}  // namespace

bool is_allocator(const NamedFrame& frame) {
  if (!frame.named || frame.is_python) {
    return false;
  }
  const std::string_view name = called_name(frame.function);
  const bool is_plain = name.find_first_of(": <") == std::string_view::npos;
  return std::ranges::find(kAllocatorNames, name) != kAllocatorNames.end() ||
         begins_with_any(name, kAllocatorPrefixes) ||
         (is_plain && !prefixed_allocator(name).empty());
}

std::string_view allocator_of(const NamedFrame& frame) {
  if (!frame.named || frame.is_python) {
    return {};
  }
  const std::string_view name = called_name(frame.function);
  const auto family = std::ranges::find_if(
      kFamilies, [name](const Family& it) { return name.starts_with(it.beginning); });
  if (family != kFamilies.end()) {
    return family->name;
  }
  return name.find_first_of(": <") == std::string_view::npos ? prefixed_allocator(name)
                                                             : std::string_view();
}

bool is_allocation_plumbing(const NamedFrame& frame) {
  return is_allocator(frame) || is_shared_code(frame);
}

}  // namespace tidemark::analyzer
