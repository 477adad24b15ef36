// Functions that pass a request for memory on: allocators, by their names, and code around them.
#include "analyzer/stacks/allocator_names.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace tidemark::analyzer {
namespace {

/// jemalloc's own functions, if a program has it inside with their names unchanged. Only names that
/// a program is unlikely to give a function of its own: `arena_alloc` and `base_map` are not among
/// them.
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

/// Where a name has a word such as `je_`, at its start or after an underscore; `npos` if it does
/// not.
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

/// Whether the parenthesis at `at` is part of a name: `tsl::(anonymous namespace)::CPUAllocator`,
/// Go's `runtime.(*mheap).alloc`.
bool is_in_name(std::string_view function, std::size_t at) {
  const std::string_view rest = function.substr(at);
  return rest.starts_with("(anonymous namespace)") ||
         (at > 0 && function[at - 1] == '.' && rest.starts_with("(*"));
}

/// The function's name without return type and parameters; what templates return may well be a
/// `std::vector`.
std::string_view called_name(std::string_view function) {
  function = without_return_type(function);
  std::size_t end = function.find('(');
  while (end != std::string_view::npos && is_in_name(function, end)) {
    end = function.find('(', end + 1);
  }
  return function.substr(0, end);
}

/// Rust's implementations of its own library's traits.
bool is_rust_plumbing(std::string_view name) {
  return name.starts_with('<') && (name.find(" as alloc::") != std::string_view::npos ||
                                   name.find(" as core::alloc::") != std::string_view::npos ||
                                   name.find(" as core::iter::") != std::string_view::npos);
}

/// `zmalloc`, `pool_realloc`, `_safe_femalloc`: what a program calls its own way to libc's malloc.
/// A name of more words says more: `load_with_malloc`.
bool is_wrapper_of_malloc(std::string_view name) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {"malloc", "calloc", "realloc", "memalign", "strdup", "strndup"});
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  return std::ranges::count(name, '_') <= 1 &&
         std::ranges::any_of(kEndings,
                             [name](std::string_view ending) { return name.ends_with(ending); });
}

FunctionPart part_of(const NamedFrame& frame) {
  if (!frame.named || frame.is_python) {
    return FunctionPart::kOther;
  }
  const std::string_view name = called_name(frame.function);
  if (const FunctionPart part = part_of_name(name); part != FunctionPart::kOther) {
    return part;
  }
  if (is_rust_plumbing(name)) {
    return FunctionPart::kShared;
  }
  const bool is_plain = name.find_first_of(": <") == std::string_view::npos;
  return is_plain && (!prefixed_allocator(name).empty() || is_wrapper_of_malloc(name))
             ? FunctionPart::kAllocator
             : FunctionPart::kOther;
}

}  // namespace

bool is_allocator(const NamedFrame& frame) {
  return part_of(frame) == FunctionPart::kAllocator;
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
  return part_of(frame) != FunctionPart::kOther;
}

}  // namespace tidemark::analyzer
