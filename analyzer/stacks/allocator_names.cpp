#include "analyzer/stacks/allocator_names.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tidemark::analyzer {
namespace {

/// Names with this beginning. It is a library's own prefix or namespace, which no function of a
/// program has by accident.
struct Beginning {
  std::string_view text;
  /// For a namespace or class that also has functions which count as asking: only these pass on,
  /// each followed by a blank. Empty: all with this beginning pass on.
  std::string_view functions{};
};

/// `names` and `beginnings` are in the order of their texts, and no beginning begins another one.
struct Table {
  std::span<const std::string_view> names;
  std::span<const Beginning> beginnings;
};

template <std::size_t kCount>
consteval std::array<std::string_view, kCount> sorted(std::array<std::string_view, kCount> names) {
  std::ranges::sort(names);
  return names;
}

template <std::size_t kCount>
consteval std::array<Beginning, kCount> sorted(std::array<Beginning, kCount> beginnings) {
  std::ranges::sort(beginnings, {}, &Beginning::text);
  return beginnings;
}

constexpr bool is_free_of_prefixes(std::span<const Beginning> beginnings) {
  return std::ranges::adjacent_find(beginnings, [](const Beginning& one, const Beginning& next) {
           return next.text.starts_with(one.text);
         }) == beginnings.end();
}

constexpr auto kAllocatorNames = sorted(std::to_array<std::string_view>(
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
     "new_arena", "allocate_from_new_pool",
     // Go
     "runtime.mmap", "runtime.mmap.func1", "runtime.callCgoMmap", "x_cgo_mmap", "runtime.newobject",
     "runtime.newarray", "runtime.growslice", "runtime.makeslice64", "runtime.makeslicecopy",
     "runtime.makeslice", "runtime.rawbyteslice", "runtime.rawruneslice", "runtime.rawstring",
     "runtime.rawstringtmp",
     // Ruby, Lua, R, Erlang
     "heap_page_allocate", "heap_page_body_allocate", "l_alloc", "R_alloc", "R_allocLD", "S_alloc",
     "S_realloc", "driver_alloc", "driver_alloc_binary", "driver_realloc", "driver_realloc_binary",
     // mimalloc, SQLite, BLAS, JPEG
     "unix_mmap", "unix_mmap_prim", "unix_mmap_prim_aligned", "mallocWithAlarm", "pcache1Alloc",
     "blas_memory_alloc", "mkl_malloc", "mkl_calloc", "mkl_realloc", "jpeg_get_small",
     "jpeg_get_large"}));

constexpr auto kAllocatorBeginnings = sorted(std::to_array<Beginning>(
    {// libc and GLib
     {"__libc_malloc"},
     {"__libc_calloc"},
     {"__libc_re"},
     {"__GI___libc_"},
     {"__malloc"},
     {"g_malloc"},
     {"g_try_malloc"},
     {"g_realloc"},
     {"g_try_realloc"},
     {"g_slice_alloc"},
     {"g_slice_copy"},
     {"g_aligned_alloc"},
     {"g_memdup"},
     {"g_strdup"},
     {"g_strndup"},
     // CPython
     {"PyMem_"},
     {"_PyMem_"},
     {"_PyObject_GC_"},
     {"_PyObject_Arena"},
     {"pymalloc_"},
     // tcmalloc, snmalloc, scudo, TBB
     {"tcmalloc::"},
     {"snmalloc::"},
     {"scudo::"},
     {"rml::internal::"},
     // Chromium's PartitionAlloc, and what V8 takes pages with
     {"partition_alloc::"},
     {"allocator_shim::"},
     {"WTF::Partitions::"},
     {"v8::base::OS::"},
     {"v8::base::PageAllocator::"},
     {"v8::base::BoundedPageAllocator::"},
     {"v8::internal::VirtualMemory"},
     {"v8::internal::AllocatePages"},
     {"v8::internal::SetPermissions"},
     {"v8::internal::MemoryAllocator::"},
     // Java's machine
     {"os::commit_memory"},
     {"os::pd_commit_memory"},
     {"os::reserve_memory"},
     {"os::pd_reserve_memory"},
     // Perl, Ruby, PHP, Lua, R
     {"Perl_safesys"},
     {"Perl_malloc"},
     {"Perl_calloc"},
     {"Perl_realloc"},
     {"Perl_more_sv"},
     {"Perl_more_bodies"},
     {"Perl_sv_grow"},
     {"Perl_av_extend"},
     {"ruby_xmalloc"},
     {"ruby_xcalloc"},
     {"ruby_xrealloc"},
     {"ruby_mimmalloc"},
     {"objspace_xmalloc"},
     {"objspace_xcalloc"},
     {"objspace_xrealloc"},
     {"objspace_malloc_"},
     {"rb_gc_impl_"},
     {"rb_xmalloc_"},
     {"rb_xcalloc_"},
     {"rb_xrealloc_"},
     {"rb_alloc_tmp_buffer"},
     {"rb_aligned_malloc"},
     {"rb_newobj"},
     {"rb_wb_protected_newobj"},
     {"rb_wb_unprotected_newobj"},
     {"_emalloc"},
     {"_ecalloc"},
     {"_erealloc"},
     {"_femalloc"},
     {"_fecalloc"},
     {"_ferealloc"},
     {"_safe_femalloc"},
     {"_safe_ferealloc"},
     {"_estrdup"},
     {"_estrndup"},
     {"_safe_emalloc"},
     {"_safe_erealloc"},
     {"_safe_malloc"},
     {"_safe_realloc"},
     {"__zend_malloc"},
     {"__zend_calloc"},
     {"__zend_realloc"},
     {"zend_mm_"},
     {"luaM_"},
     {"lj_mem_"},
     {"lj_alloc_"},
     {"Rf_alloc"},
     {"R_chk_calloc"},
     {"R_chk_realloc"},
     // OCaml, Haskell, Erlang, Fortran
     {"caml_alloc"},
     {"caml_stat_"},
     {"caml_ba_alloc"},
     {"caml_shared_try_alloc"},
     {"caml_mem_map"},
     {"stgMallocBytes"},
     {"stgCallocBytes"},
     {"stgReallocBytes"},
     {"erts_mmap"},
     {"erts_mseg_"},
     {"erts_alcu_"},
     {"erts_alloc"},
     {"erts_realloc"},
     {"erts_sys_alloc"},
     {"erts_sys_realloc"},
     {"erts_sys_aligned_"},
     {"enif_alloc"},
     {"enif_realloc"},
     {"_gfortrani_x"},
     // .NET: mono, CoreCLR
     {"mono_valloc"},
     {"mono_gc_alloc_"},
     {"mono_mempool_"},
     {"monoeg_malloc"},
     {"monoeg_g_malloc"},
     {"monoeg_g_calloc"},
     {"monoeg_g_realloc"},
     {"monoeg_g_try_"},
     {"sgen_alloc_"},
     {"GCToOSInterface::Virtual"},
     {"WKS::gc_heap::"},
     {"WKS::GCHeap::"},
     {"SVR::gc_heap::"},
     {"SVR::GCHeap::"},
     // Go
     {"runtime.mallocgc"},
     {"runtime.persistentalloc"},
     {"runtime.sysAlloc"},
     {"runtime.sysMap"},
     {"runtime.sysReserve"},
     {"runtime.sysUsed"},
     {"runtime.(*fixalloc)."},
     {"runtime.(*linearAlloc)."},
     // Julia
     {"jl_gc_"},
     {"ijl_gc_"},
     {"jl_malloc"},
     {"jl_calloc"},
     {"jl_realloc"},
     {"jl_alloc_"},
     {"ijl_alloc_"},
     // PyTorch, TensorFlow, ONNX Runtime, OpenVINO, CTranslate2
     {"c10::alloc_cpu"},
     {"c10::DefaultCPUAllocator::"},
     {"c10::DefaultMobileCPUAllocator::"},
     {"c10::cuda::CUDACachingAllocator::"},
     {"c10::StorageImpl"},
     {"at::detail::empty"},
     {"tsl::BFCAllocator::"},
     {"tsl::BasicCPUAllocator::"},
     {"tsl::PoolAllocator::"},
     {"tsl::TrackingAllocator::"},
     {"tsl::(anonymous namespace)::CPUAllocator"},
     {"tsl::port::Aligned"},
     {"tensorflow::BFCAllocator::"},
     {"tensorflow::BasicCPUAllocator::"},
     {"tensorflow::PoolAllocator::"},
     {"tensorflow::TrackingAllocator::"},
     {"tensorflow::MklCPUAllocator::"},
     {"tensorflow::MklSmallSizeAllocator::"},
     {"tensorflow::(anonymous namespace)::CPUAllocator"},
     {"tensorflow::port::Aligned"},
     {"tensorflow::Tensor::", "Tensor "},
     {"tensorflow::OpKernelContext::",
      "allocate_tensor allocate_temp allocate_output forward_input_or_allocate_output "
      "forward_input_or_allocate_temp "},
     {"onnxruntime::BFCArena::"},
     {"onnxruntime::CPUAllocator::"},
     {"onnxruntime::IAllocator::"},
     {"onnxruntime::AllocatorDefaultAlloc"},
     {"onnxruntime::utils::DefaultAlloc"},
     {"ov::Allocator::"},
     {"ov::DefaultAllocator::"},
     {"ctranslate2::cpu::MklAllocator::"},
     // ggml, ncnn, MNN, XNNPACK, oneDNN, MKL
     {"ggml_malloc"},
     {"ggml_calloc"},
     {"ggml_aligned_malloc"},
     {"ggml_backend_alloc_"},
     {"ggml_backend_buft_alloc_"},
     {"ggml_backend_sched_alloc_"},
     {"ggml_backend_cpu_buffer_type_alloc_"},
     {"ggml_gallocr_"},
     {"ggml_tallocr_"},
     {"ggml_dyn_tallocr_"},
     {"ggml_vbuffer_"},
     {"ncnn::fastMalloc"},
     {"ncnn::PoolAllocator::"},
     {"ncnn::UnlockedPoolAllocator::"},
     {"ncnn::Mat::create"},
     {"MNNMemory"},
     {"MNN::", "alloc onAlloc allocBuffer onAcquire onAcquireBuffer "},
     {"xnn_allocate_"},
     {"xnn_reallocate_"},
     {"xnn_aligned_allocate"},
     {"dnnl::impl::malloc"},
     {"mkl_serv_"},
     {"MKL_malloc"},
     {"MKL_calloc"},
     // Arrow, protobuf, RocksDB and LevelDB, SQLite, HDF5, XML
     {"arrow::BaseMemoryPoolImpl<"},
     {"arrow::MemoryPool::"},
     {"arrow::PoolBuffer::"},
     {"arrow::ProxyMemoryPool::"},
     {"arrow::LoggingMemoryPool::"},
     {"arrow::memory_pool::"},
     {"arrow::AllocateBuffer"},
     {"arrow::AllocateResizableBuffer"},
     {"arrow::(anonymous namespace)::SystemAllocator"},
     {"arrow::(anonymous namespace)::ResizePoolBuffer"},
     {"google::protobuf::Arena::"},
     {"google::protobuf::internal::SerialArena::"},
     {"google::protobuf::internal::ThreadSafeArena::"},
     {"google::protobuf::internal::ArenaImpl::"},
     {"google::protobuf::internal::AllocateMemory"},
     {"google::protobuf::internal::AllocateAtLeast"},
     {"rocksdb::Arena::"},
     {"rocksdb::ConcurrentArena::"},
     {"rocksdb::AllocateBlock"},
     {"leveldb::Arena::"},
     {"sqlite3Malloc"},
     {"sqlite3MemMalloc"},
     {"sqlite3MemRealloc"},
     {"sqlite3Realloc"},
     {"sqlite3DbMalloc"},
     {"sqlite3DbRealloc"},
     {"sqlite3DbStrDup"},
     {"sqlite3PageMalloc"},
     {"sqlite3_malloc"},
     {"sqlite3_realloc"},
     {"H5MM_"},
     {"H5FL_"},
     {"xmlMalloc"},
     {"xmlRealloc"},
     {"xmlMemMalloc"},
     {"xmlMemRealloc"},
     {"xmlMemoryStrdup"},
     // Images, video, cryptography
     {"cv::fastMalloc"},
     {"cv::StdMatAllocator::"},
     {"cv::MatAllocator::"},
     {"cv::Mat::", "create Mat "},
     {"cv::UMat::", "create UMat "},
     {"cv::_OutputArray::", "create createSameSize "},
     {"av_malloc"},
     {"av_calloc"},
     {"av_realloc"},
     {"av_fast_malloc"},
     {"av_fast_realloc"},
     {"av_fast_padded_malloc"},
     {"av_buffer_alloc"},
     {"av_buffer_realloc"},
     {"png_malloc"},
     {"png_calloc"},
     {"_TIFFmalloc"},
     {"_TIFFcalloc"},
     {"_TIFFrealloc"},
     {"ZSTD_custom"},
     {"CRYPTO_malloc"},
     {"CRYPTO_zalloc"},
     {"CRYPTO_realloc"},
     {"CRYPTO_strdup"},
     {"CRYPTO_memdup"}}));
static_assert(is_free_of_prefixes(kAllocatorBeginnings));

constexpr auto kSharedNames = sorted(
    std::to_array<std::string_view>({// numpy
                                     "default_malloc", "default_calloc", "default_realloc"}));

constexpr auto kSharedBeginnings = sorted(std::to_array<Beginning>(
    {// C++
     {"operator new"},
     {"std::"},
     {"__gnu_cxx::"},
     // Rust; since 1.87 its shims are in a namespace
     {"alloc::"},
     {"<alloc::"},
     {"core::alloc::"},
     {"hashbrown::raw"},
     {"__rust_"},
     {"__rdl_"},
     {"__rg_"},
     {"__rustc::__rust_"},
     {"__rustc::__rdl_"},
     {"__rustc::__rg_"},
     // Rust's iterators, which a `collect` asks for memory through
     {"core::iter::"},
     {"<core::iter::"},
     {"core::option::Option<"},
     {"core::result::Result<"},
     {"core::ops::function::"},
     {"core::slice::iter::"},
     // Rust's arrays
     {"ndarray::impl_constructors::", "uninit build_uninit "},
     {"ndarray::ArrayBase<", "uninit build_uninit "},
     {"<ndarray::ArrayBase<", "uninit build_uninit "},
     {"rkyv::util::alloc::"},
     // numpy
     {"PyDataMem_"},
     {"npy_alloc_cache"},
     {"_npy_alloc_cache"},
     // Matrices whose expressions a program's own line computes, in code of its own
     {"Eigen::"},
     {"arma::memory::"},
     {"arma::podarray<"},
     {"arma::Mat<", "Mat operator= init_warm init_cold set_size resize zeros ones copy_size "},
     {"arma::Col<", "Col operator= set_size resize zeros ones "},
     {"arma::Row<", "Row operator= set_size resize zeros ones "},
     {"arma::Cube<", "Cube operator= init_warm init_cold set_size resize zeros ones "},
     {"arma::op_"},
     {"arma::glue_"},
     {"arma::eop_"},
     {"arma::eglue_"},
     {"arma::conv_to<"},
     {"xt::x"},
     {"xt::uvector<"},
     {"xt::svector<"},
     {"xt::assign_"},
     {"xt::resize_container<"},
     {"xt::detail::resize_data_container<"},
     {"xt::detail::safe_init_allocate<"},
     {"xtl::"},
     {"xsimd::aligned_"},
     // Containers and arenas
     {"absl::"},
     {"boost::container::"},
     {"boost::alignment::"},
     {"boost::pool<"},
     {"boost::object_pool<"},
     {"boost::singleton_pool<"},
     {"boost::pool_allocator<"},
     {"boost::fast_pool_allocator<"},
     {"boost::simple_segregated_storage<"},
     {"boost::default_user_allocator_"},
     {"folly::Arena<"},
     {"folly::IOBuf::"},
     {"folly::checked"},
     {"folly::f14::"},
     {"folly::fbvector<"},
     {"folly::small_vector<"},
     {"llvm::SmallVector"},
     {"llvm::BumpPtrAllocatorImpl<"},
     {"llvm::allocate_buffer"},
     {"llvm::safe_"},
     {"google::protobuf::RepeatedField<"},
     {"google::protobuf::RepeatedPtrField<"},
     {"google::protobuf::internal::GenericTypeHandler<"},
     {"google::protobuf::internal::RepeatedPtrFieldBase::"},
     {"msgpack::",
      "allocate_align allocate_no_align allocate_expand expand_buffer reserve_buffer "},
     {"nlohmann::", "create json_value basic_json "},
     {"simdjson::",
      "allocate allocate_padded_buffer create_dom_parser_implementation ensure_capacity "
      "set_capacity set_max_depth padded_string "},
     // V8's zones, which are taken from malloc, and its embedders' arrays
     {"v8::internal::AccountingAllocator::"},
     {"v8::internal::AllocWithRetry"},
     {"v8::internal::AllocAtLeastWithRetry"},
     {"v8::internal::AlignedAllocWithRetry"},
     {"v8::internal::Malloced::"},
     {"v8::internal::Zone::"},
     {"v8::internal::Heap::", "AllocateExternalBackingStore "},
     {"v8::internal::BackingStore::", "Allocate "},
     {"v8::ArrayBuffer::New"},
     {"node::NodeArrayBufferAllocator::"},
     {"node::UncheckedMalloc"}}));
static_assert(is_free_of_prefixes(kSharedBeginnings));

/// `cv::Mat::create` -> `create`, `nlohmann::basic_json<std::map>::create<std::string>` ->
/// `create`.
std::string_view last_part(std::string_view name) {
  if (name.ends_with('>')) {
    std::size_t depth = 0;
    std::size_t at = name.size();
    do {
      --at;
      depth += name[at] == '>' ? 1U : 0U;
      depth -= name[at] == '<' ? 1U : 0U;
    } while (depth > 0 && at > 0);
    name = name.substr(0, at);
  }
  const std::size_t scope = name.rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

bool lists(std::string_view functions, std::string_view function) {
  for (std::size_t end = functions.find(' '); end != std::string_view::npos;
       end = functions.find(' ')) {
    if (functions.substr(0, end) == function) {
      return true;
    }
    functions.remove_prefix(end + 1);
  }
  return false;
}

bool is_in(const Table& table, std::string_view name) {
  if (std::ranges::binary_search(table.names, name)) {
    return true;
  }
  // The beginning of the name comes before it in the order, and nothing can be between the two.
  const auto behind = std::ranges::upper_bound(table.beginnings, name, {}, &Beginning::text);
  if (behind == table.beginnings.begin()) {
    return false;
  }
  const Beginning& found = *std::prev(behind);
  return name.starts_with(found.text) &&
         (found.functions.empty() || lists(found.functions, last_part(name)));
}

}  // namespace

FunctionPart part_of_name(std::string_view name) {
  if (is_in({kAllocatorNames, kAllocatorBeginnings}, name)) {
    return FunctionPart::kAllocator;
  }
  return is_in({kSharedNames, kSharedBeginnings}, name) ? FunctionPart::kShared
                                                        : FunctionPart::kOther;
}

}  // namespace tidemark::analyzer
