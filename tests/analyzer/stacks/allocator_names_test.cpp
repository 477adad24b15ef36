// Whose functions ask for memory, and whose only pass the request on: by the names of libraries.
#include "tests/analyzer/stacks/named_stacks.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using tests::mixed_stack;
using tests::named;
using tests::stack_of;

namespace {

/// Of a stack without Python, innermost first.
std::string asker_of(const std::vector<std::string>& functions) {
  const auto stack = stack_of(functions);
  return stack[analyzer::asking_frame(stack)].function;
}

struct Case {
  std::vector<std::string> inside;  ///< An allocator's and a container's functions.
  std::string asker;
};

}  // namespace

TEST_CASE("who asked is told beyond the allocators of languages", "[allocator_names]") {
  const auto tried = GENERATE(values<Case>(
      {{{"std::sys::alloc::unix::aligned_malloc",
         "<std::alloc::System as core::alloc::global::GlobalAlloc>::alloc_zeroed",
         "__rustc::__rdl_alloc_zeroed", "alloc::alloc::alloc_zeroed"},
        "arrow_buffer::buffer::mutable::MutableBuffer::from_len_zeroed"},
       {{"__rdl_realloc", "__rust_realloc", "alloc::raw_vec::finish_grow"}, "loader::read"},
       {{"__rustc::__rg_alloc", "__rustc::__rust_alloc", "<alloc::alloc::Global>::alloc_impl",
         "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
         "alloc::raw_vec::RawVecInner<A>::try_allocate_in",
         "ndarray::impl_constructors::<impl ndarray::ArrayBase<S,D>>::uninit"},
        "ndarray::zip::Zip<(P1,P2),D>::map_collect_owned"},
       {{"Perl_safesysrealloc", "Perl_sv_grow"}, "Perl_sv_setpvn"},
       {{"Perl_safesysmalloc", "Perl_more_sv"}, "Perl_sv_newmortal"},
       {{"objspace_xmalloc0", "ruby_xmalloc2"}, "rb_str_concat"},
       {{"_emalloc_large", "_safe_emalloc"}, "php_json_parser_array_append"},
       {{"_femalloc"}, "_php_stream_copy_to_mem"},
       {{"l_alloc", "luaM_growaux_"}, "luaV_execute"},
       {{"R_alloc", "Rf_allocVector3"}, "do_readbin"},
       {{"caml_alloc_for_heap", "expand_heap", "caml_alloc_shr", "caml_alloc_string"},
        "camlStdlib__really_input_string_316"},
       {{"caml_stat_alloc_aligned_noexc"}, "caml_set_minor_heap_size"},
       {{"erts_mmap", "erts_mseg_alloc_opt", "erts_alcu_alloc_thr_pref", "enif_alloc_binary"},
        "erts_call_dirty_nif"},
       {{"mono_valloc", "mono_valloc_aligned", "sgen_alloc_os_memory"}, "ves_icall_System_IO_read"},
       {{"jl_gc_big_alloc", "ijl_gc_alloc", "ijl_alloc_array_1d"}, "julia_load_12"},
       {{"x_cgo_mmap", "runtime.callCgoMmap", "runtime.mmap.func1", "runtime.mmap",
         "runtime.sysMapOS", "runtime.sysMap"},
        "runtime.(*mheap).grow"},
       {{"runtime.mallocgc", "runtime.makeslice"}, "main.load"},
       {{"os::pd_commit_memory_or_exit(char*, unsigned long)", "os::commit_memory_or_exit(char*)"},
        "G1PageBasedVirtualSpace::commit(unsigned long, unsigned long)"},
       {{"_PyObject_Malloc", "gc_alloc", "_PyObject_GC_New"}, "PyList_New"}}));
  auto functions = tried.inside;
  functions.insert(functions.end(), {tried.asker, "main"});
  CHECK(asker_of(functions) == tried.asker);
}

TEST_CASE("who asked is told beyond the allocators and containers of libraries",
          "[allocator_names]") {
  const auto tried = GENERATE(values<Case>(
      {{{"Eigen::internal::aligned_malloc(unsigned long)",
         "void* Eigen::internal::conditional_aligned_malloc<true>(unsigned long)",
         "Eigen::DenseStorage<double, -1, -1, -1, 0>::resize(long, long, long)",
         "void Eigen::PlainObjectBase<Eigen::Matrix<double, -1, -1, 0, -1, -1> >::resizeLike<"
         "Eigen::Map<Eigen::Matrix<float, -1, -1> > >(Eigen::EigenBase<double> const&)"},
        "widen(float const*)"},
       {{"float* arma::memory::acquire<float>(unsigned long long)",
         "arma::Mat<float>::init_warm(unsigned long long, unsigned long long)",
         "arma::Mat<float>::set_size(unsigned long long, unsigned long long)"},
        "bool arma::diskio::load_raw_binary<float>(arma::Mat<float>&, std::istream&)"},
       {{"std::allocator_traits<std::allocator<float> >::pointer "
         "xt::detail::safe_init_allocate<std::allocator<float> >(std::allocator<float>&)",
         "xt::uvector<float, std::allocator<float> >::resize_impl(unsigned long)",
         "bool xt::resize_container<xt::uvector<float, std::allocator<float> > >(int)",
         "decltype(auto) xtl::mpl::static_if<false, xt::assign_xexpression<int> >(bool)"},
        "scale(float)"},
       {{"cv::fastMalloc(unsigned long)", "cv::StdMatAllocator::allocate(int, int const*) const",
         "cv::Mat::create(int, int const*, int)", "cv::Mat::Mat(int, int, int)"},
        "cv::imread(std::string const&, int)"},
       {{"simdjson::internal::allocate_padded_buffer(unsigned long)",
         "simdjson::padded_string::padded_string(unsigned long)"},
        "simdjson::padded_string::load(std::string_view)"},
       {{"operator new[](unsigned long)",
         "simdjson::haswell::dom_parser_implementation::set_capacity(unsigned long)",
         "simdjson::dom::parser::allocate(unsigned long, unsigned long)"},
        "simdjson::dom::parser::parse(unsigned char const*, unsigned long, bool) &"},
       {{"google::protobuf::internal::SerialArena::AllocateNewBlock(unsigned long)",
         "google::protobuf::internal::ThreadSafeArena::AllocateAligned(unsigned long)",
         "google::protobuf::RepeatedField<float>::Reserve(int)"},
        "t::Net::_InternalParse(char const*, google::protobuf::internal::ParseContext*)"},
       {{"msgpack::v1::zone::allocate_expand(unsigned long)"},
        "msgpack::v2::detail::create_object_visitor::visit_bin(char const*, unsigned int)"},
       {{"std::vector<int>* nlohmann::json_abi_v3_11_2::basic_json<std::map, std::vector>::"
         "create<std::vector<int>, std::vector<int> const&>(std::vector<int> const&)"},
        "nlohmann::json_abi_v3_11_2::detail::parser<int>::parse(bool)"},
       {{"ggml_aligned_malloc", "ggml_backend_cpu_buffer_type_alloc_buffer(void*, unsigned long)",
         "alloc_tensor_range", "ggml_backend_alloc_ctx_tensors_from_buft"},
        "llama_kv_cache::llama_kv_cache(llama_model const&)"},
       {{"MNNMemoryAllocAlign", "MNN::DefaultAllocator::onAlloc(unsigned long, unsigned long)",
         "MNN::CPUBackend::allocBuffer(unsigned long, MNN::Tensor*)"},
        "MNN::FileLoader::merge(MNN::AutoStorage<unsigned char>&)"},
       {{"tsl::(anonymous namespace)::CPUAllocator::AllocateRaw(unsigned long, unsigned long)",
         "tsl::BFCAllocator::Extend(unsigned long, unsigned long)",
         "tensorflow::MklCPUAllocator::AllocateRaw(unsigned long, unsigned long)",
         "tensorflow::Tensor::Tensor(tsl::Allocator*, tensorflow::DataType)",
         "tensorflow::OpKernelContext::allocate_output(int, tensorflow::TensorShape const&)"},
        "tensorflow::BinaryOp<float>::Compute(tensorflow::OpKernelContext*)"},
       {{"c10::alloc_cpu(unsigned long)", "c10::DefaultCPUAllocator::allocate(unsigned long)"},
        "torch::jit::load(std::istream&)"},
       {{"arrow::BaseMemoryPoolImpl<arrow::(anonymous "
         "namespace)::MimallocAllocator>::Allocate(int)",
         "arrow::PoolBuffer::Reserve(long)", "arrow::AllocateBuffer(long, arrow::MemoryPool*)"},
        "arrow::ipc::ReadMessage(arrow::io::InputStream*)"},
       {{"absl::lts_20220623::container_internal::raw_hash_set<int>::resize(unsigned long)"},
        "index_tensors()"},
       {{"tcmalloc::PageHeap::New(unsigned long)", "boost::pool<int>::malloc_need_resize()"},
        "read_header()"},
       {{"H5MM_malloc", "H5FL_blk_malloc"}, "H5D__read"},
       {{"sqlite3MemMalloc", "sqlite3Malloc"}, "sqlite3VdbeMemGrow"},
       {{"g_malloc0", "g_try_realloc_n"}, "gdk_pixbuf_new"},
       {{"unix_mmap_prim_aligned", "unix_mmap", "_mi_prim_alloc", "mi_heap_malloc"},
        "load_tokens"}}));
  auto functions = tried.inside;
  functions.insert(functions.end(), {tried.asker, "main"});
  CHECK(asker_of(functions) == tried.asker);
}

TEST_CASE("a function that only has a name like an allocator's may ask", "[allocator_names]") {
  const auto* const name = GENERATE(values<const char*>({
      "my::allocate_weights(unsigned long)",
      "my::Allocator::allocate(unsigned long)",
      "cv::imread(std::string const&, int)",
      "cv::Mat::copyTo(cv::_OutputArray const&) const",
      "cv_model::Mat::create(int)",
      "Perl_pp_concat",
      "caml_input_value",
      "expand_heap",
      "erts_call_dirty_nif",
      "mono_runtime_invoke",
      "jl_apply_generic",
      "rb_str_concat",
      "R_allocate_model",
      "driver_allocate_buffers",
      "jpeg_get_dimensions",
      "l_allocate",
      "default_malloc_size",
      "mkl_malloc_weights",
      "runtime.(*mheap).grow",
      "example.com/runtime.mallocgc",
      "runtime_model::load()",
      "EigenModel::load()",
      "eigen::internal::load()",
      "arma::diskio::load_raw_binary<float>(arma::Mat<float>&, std::istream&)",
      "xt::load_npy<float>(std::istream&)",
      "simdjson::dom::parser::parse(unsigned char const*)",
      "nlohmann::json_abi_v3_11_2::detail::parser<int>::create_sax()",
      "google::protobuf::MessageLite::ParseFromString(std::string const&)",
      "MNN::Interpreter::createFromFile(char const*)",
      "tensorflow::BinaryOp<float>::Compute(tensorflow::OpKernelContext*)",
      "tensorflow::OpKernelContext::input(int)",
      "tsl::(anonymous namespace)::ReadFile(char const*)",
      "(anonymous namespace)::malloc_weights()",
      "boost::serialization::load(int&)",
      "arrow::ipc::ReadMessage(arrow::io::InputStream*)",
      "absolute::load()",
      "H5Dread",
      "sqlite3_step",
      "ggml_init",
      "unix_mmap_model",
      "__rustc_loader::read",
      "ndarray::impl_methods::<impl ndarray::ArrayBase<S,D>>::mapv",
      "float* load<arma::memory::acquire<float> >(char const*)",
  }));
  CAPTURE(name);
  CHECK_FALSE(analyzer::is_allocation_plumbing(named(name)));
  CHECK(asker_of({"malloc", name, "main"}) == name);
}

TEST_CASE("where all are allocators the innermost one stands", "[allocator_names]") {
  CHECK(asker_of({"caml_alloc_for_heap", "caml_alloc_shr"}) == "caml_alloc_for_heap");
  CHECK(asker_of({"Eigen::internal::aligned_malloc(unsigned long)", "Eigen::Matrix<int>::Matrix()"})
            .starts_with("Eigen::internal::aligned_malloc"));
  CHECK(asker_of({"x_cgo_mmap", "runtime.mmap", "runtime.sysAlloc"}) == "x_cgo_mmap");
}

TEST_CASE("what lies between two functions of an allocator is the allocator's",
          "[allocator_names]") {
  auto stack = stack_of({"erts_mseg_alloc_opt", "beam.smp+0x11669b", "beam.smp+0x119ed6",
                         "beam.smp+0x11aa00", "erts_alcu_alloc_thr_pref", "erts_new_mso_binary"});
  for (std::size_t i = 0; i < stack.size(); ++i) {
    stack[i].module = "/usr/lib/erlang/beam.smp";
    stack[i].named = i == 0 || i > 3;
  }
  CHECK(analyzer::asking_frame(stack) == 5);

  SECTION("not where another module is between them") {
    stack[2].module = "/opt/nif.so";
    CHECK(analyzer::asking_frame(stack) == 2);
  }
  SECTION("not where they are of no allocator") {
    stack[4].function = "erts_process_main";
    CHECK(stack[analyzer::asking_frame(stack)].function == "erts_process_main");
  }
  SECTION("nor what has a name and is outside of one") {
    CHECK(asker_of({"caml_alloc_for_heap", "expand_heap", "main"}) == "expand_heap");
    CHECK(asker_of({"read_all", "expand_heap", "caml_alloc_shr", "main"}) == "read_all");
    CHECK(asker_of({"operator new(unsigned long)", "load", "std::invoke(void (*)())", "main"}) ==
          "load");
  }
}

TEST_CASE("a run-time system's function without a name stays the asker", "[allocator_names]") {
  auto stack = stack_of({"mono_valloc", "mono-sgen+0x30c0b9", "mono-sgen+0x2f0429",
                         "mono-sgen+0x2dc180", "mono-sgen+0x2bfdda", "0x406a2c2e"});
  for (std::size_t i = 0; i < 5; ++i) {
    stack[i].module = "/usr/bin/mono-sgen";
    stack[i].named = i == 0;
  }
  stack[5].named = false;
  CHECK(analyzer::asking_frame(stack) == 1);
}

TEST_CASE("an extension's function that asks is found beyond its allocators", "[allocator_names]") {
  auto stack = mixed_stack({"ggml_aligned_malloc", "ggml_backend_cpu_buffer_type_alloc_buffer",
                            "alloc_tensor_range", "ggml_backend_alloc_ctx_tensors_from_buft",
                            "whisper_model_load", "load  /srv/load.py:3", "_PyEval_EvalFrame"});
  for (std::size_t i = 0; i < 5; ++i) {
    stack[i].module = "/lib/_whisper.so";
  }
  CHECK(stack[analyzer::native_asker(stack)].function == "whisper_model_load");
}
