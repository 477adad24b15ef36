// Who asked for memory, who passed it on, and what is nobody's business.
#include "analyzer/stacks/stack_text.hpp"
#include "tests/analyzer/stacks/named_stacks.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::NamedFrame;
using analyzer::short_function;
using tests::mixed_stack;
using tests::named;
using tests::stack_of;

TEST_CASE("the innermost Python line outside of Python's own library asked", "[stack_roles]") {
  using analyzer::asking_frame;
  CHECK(asking_frame(mixed_stack({"malloc", "at::empty", "load  /srv/load.py:3",
                                  "main  /srv/load.py:9", "Py_BytesMain"})) == 2);
  CHECK(asking_frame(mixed_stack({"malloc", "read  /usr/lib/python3.11/pathlib.py:3",
                                  "load  /srv/load.py:9", "Py_BytesMain"})) == 2);
  CHECK(asking_frame(mixed_stack({"malloc", "f  <frozen importlib._bootstrap>:3", "Py_Main"})) ==
        1);
  CHECK(asking_frame(mixed_stack({"malloc", "load  /usr/lib/python3/dist-packages/torch/s.py:3",
                                  "main  /srv/load.py:9"})) == 1);
  CHECK(asking_frame(mixed_stack({"malloc", "std::vector<int>::resize", "main"})) == 2);
  CHECK(asking_frame(mixed_stack({"os::malloc(unsigned long, MEMFLAGS)", "AllocateHeap",
                                  "jni_GetByteArrayElements", "main"})) == 2);
}

TEST_CASE("who asked is found without naming the whole stack", "[stack_roles]") {
  const auto seed = GENERATE(range(1U, 200U));
  CAPTURE(seed);
  const trace::Definitions tables = tests::random_stacks(seed);
  for (std::uint32_t i = 0; i < tables.stacks.size(); ++i) {
    const auto stack = analyzer::named_stack(tables, trace::StackId{i});
    const auto found = analyzer::asking_of(tables, trace::StackId{i});
    CAPTURE(i);
    REQUIRE(found.has_value() == !stack.empty());
    CHECK((stack.empty() || *found == stack[analyzer::asking_frame(stack)]));
  }
}

TEST_CASE("a Python function is what it is called, whatever C calls so", "[stack_roles]") {
  const auto stack = mixed_stack({"malloc  /srv/a.py:1", "_start  /srv/a.py:2"});
  CHECK_FALSE(analyzer::is_allocation_plumbing(stack[0]));
  CHECK_FALSE(analyzer::is_startup(stack[1]));
  CHECK(short_function("load.<locals>.<lambda>") == "load.<locals>.<lambda>");
  CHECK(short_function("<module>") == "<module>");
  CHECK_FALSE(short_function("<T as alloc::Trait>::make<u8>").empty());
}

TEST_CASE("below the outermost Python frame the interpreter alone is start-up code",
          "[stack_roles]") {
  using analyzer::startup_begin;
  CHECK(startup_begin(mixed_stack({"malloc", "<module>  /srv/a.py:1", "PyEval_EvalCode",
                                   "Py_RunMain", "Py_BytesMain", "_start"})) == 2);
  auto embedded = mixed_stack({"malloc", "<module>  /srv/a.py:1", "PyEval_EvalCode", "run_script"});
  embedded.back().module = "/opt/app";
  CHECK(startup_begin(embedded) == 4);
  auto stripped = mixed_stack({"malloc", "<module>  /srv/a.py:1", "PyEval_EvalCode", "Py_BytesMain",
                               "libc.so.6+0x29fba", "__libc_start_main", "_start"});
  stripped[4].module = "/usr/lib/libc.so.6";
  stripped[4].named = false;
  stripped[5].module = stripped[4].module;
  CHECK(startup_begin(stripped) == 2);
}

TEST_CASE("what is further out than the runtime's call of main in Rust is start-up code",
          "[stack_roles]") {
  using analyzer::startup_begin;
  const std::vector<std::string> runtime{
      "std::sys::backtrace::__rust_begin_short_backtrace",
      "std::rt::lang_start::{{closure}}",
      "<&dyn core::ops::function::Fn<()> as core::ops::function::FnOnce<()>>::call_once",
      "std::panicking::try",
      "std::rt::lang_start_internal",
      "main",
      "__libc_start_call_main",
      "_start"};
  const auto begin = [&runtime](std::vector<std::string> inside) {
    inside.insert(inside.end(), runtime.begin(), runtime.end());
    return startup_begin(mixed_stack(inside));
  };
  CHECK(begin({"malloc", "app::load", "app::main"}) == 3);
  CHECK(begin({"malloc", "app::load", "app::main", "core::ops::function::FnOnce::call_once"}) == 3);
  // Of a closure that the program calls itself nothing is known.
  CHECK(begin({"malloc", "core::ops::function::FnOnce::call_once", "app::main"}) == 3);
  // Where main was inlined, the runtime's function stands for it.
  CHECK(begin({"malloc"}) == 7);
  CHECK(startup_begin(mixed_stack({"malloc", "app::__rust_begin_short_backtraces", "main"})) == 3);
}

TEST_CASE("what the interpreter calls a Python function by says nothing to a reader",
          "[stack_roles]") {
  using analyzer::telling_frames;
  using Places = std::vector<std::size_t>;
  const auto stack =
      mixed_stack({"malloc", "load  /srv/a.py:2", "_PyEval_EvalFrame", "_PyFunction_Vectorcall",
                   "map_next", "PyObject_Call", "main  /srv/a.py:9", "_PyEval_Vector", "run_mod"});
  CHECK(telling_frames(stack, 2, stack.size()) == Places{4, 6, 7, 8});
  // `python3 -m package`.
  const auto module =
      mixed_stack({"malloc", "<module>  /srv/__main__.py:1", "_PyEval_Vector", "builtin_exec_impl",
                   "builtin_exec", "_run_code  <frozen runpy>:88"});
  CHECK(telling_frames(module, 1, module.size()) == Places{1, 5});
  CHECK(telling_frames(stack, 2, 4).empty());
  CHECK(telling_frames(stack, 0, 2) == Places{0, 1});

  auto extension = stack;  // another module calls back into Python
  extension[4].module = extension[5].module = "/lib/_core.so";
  CHECK(telling_frames(extension, 2, 7) == Places{4, 5, 6});
  auto nameless = stack;
  nameless[4].named = false;
  CHECK(telling_frames(nameless, 2, 7) == Places{6});
}

TEST_CASE("whose code a Python file is can be told by its path", "[stack_roles]") {
  const auto origin = [](const std::string& file) {
    NamedFrame frame;
    frame.is_python = true;
    frame.file = file;
    return analyzer::python_origin(frame);
  };
  using analyzer::PythonOrigin;
  CHECK(origin("/home/me/load.py") == PythonOrigin::kProgram);
  CHECK(origin("<string>") == PythonOrigin::kProgram);
  CHECK(origin("/usr/lib/python3.11/json/decoder.py") == PythonOrigin::kStandard);
  CHECK(origin("<frozen importlib._bootstrap>") == PythonOrigin::kStandard);
  CHECK(origin("<__array_function__ internals>") == PythonOrigin::kStandard);
  CHECK(origin("<decorator-gen-12>") == PythonOrigin::kStandard);
  CHECK(origin("<string>") == PythonOrigin::kProgram);  // python3 -c
  CHECK(origin("/usr/lib/python3/dist-packages/numpy/core.py") == PythonOrigin::kPackage);
  CHECK(origin("/v/lib/python3.12/site-packages/torch/serialization.py") == PythonOrigin::kPackage);
}

TEST_CASE("who asked is the innermost function that is no allocator", "[stack_roles]") {
  CHECK(analyzer::asking_frame(
            stack_of({"malloc", "operator new(unsigned long)",
                      "std::vector<int>::reserve(unsigned long)", "load", "main"})) == 3);
  CHECK(analyzer::asking_frame(stack_of({"load", "main"})) == 0);
  CHECK(analyzer::asking_frame(stack_of({"malloc", "calloc"})) == 0);
  CHECK(analyzer::asking_frame(stack_of({"malloc_trim_everything", "main"})) == 0);
}

TEST_CASE("a name close by goes before an address", "[stack_roles]") {
  auto stack = stack_of({"malloc", "python3.11+0x62d099", "PyList_New", "main"});
  stack[1].named = false;

  CHECK(analyzer::asking_frame(stack) == 2);
}

TEST_CASE("start-up code is never named for a nearer frame of the program", "[stack_roles]") {
  for (const char* entry : {"_start", "__libc_start_main", "main", "Py_RunMain"}) {
    CAPTURE(entry);
    auto stack = stack_of({"malloc", "prog+0x1180", entry});
    stack[1].named = false;

    CHECK(analyzer::asking_frame(stack) == 1);
  }
}

TEST_CASE("a name of another module does not stand for an address", "[stack_roles]") {
  auto stack = stack_of({"malloc", "prog+0x1180", "run_plugin", "main"});
  stack[0].module = "/lib/libc.so.6";
  stack[1].module = "/bin/prog";
  stack[1].named = false;
  stack[2].module = "/lib/libplugins.so";

  CHECK(analyzer::asking_frame(stack) == 1);
}

TEST_CASE("what a library's allocator calls without a name is the allocator's", "[stack_roles]") {
  auto stack =
      stack_of({"c10::alloc_cpu(unsigned long)", "libc10.so+0x1b1e2", "getRecord", "main"});
  stack[0].module = stack[1].module = "/lib/libc10.so";
  stack[1].named = false;
  stack[2].module = "/lib/libtorch.so";

  CHECK(analyzer::asking_frame(stack) == 2);
  // Of a program with its allocator inside, the address may be who asked.
  CHECK(analyzer::asking_frame({stack[0], stack[1], named("__libc_start_call_main")}) == 1);
}

TEST_CASE("a template's copy does not make its module an allocator", "[stack_roles]") {
  auto stack = stack_of({"operator new(unsigned long)",
                         "std::vector<float>::_M_realloc_insert(float const&)",
                         "fasttext_pybind.so+0x1b1e2", "_PyObject_MakeTpCall", "main"});
  stack[1].module = stack[2].module = "/lib/fasttext_pybind.so";
  stack[2].named = false;
  stack[3].module = "/bin/python3";

  CHECK(analyzer::asking_frame(stack) == 2);
}

TEST_CASE("many nameless steps are a program with its allocator inside", "[stack_roles]") {
  auto stack = stack_of({"duckdb_je_malloc", "duckdb.node+0x1", "duckdb.node+0x2",
                         "duckdb.node+0x3", "napi_call_function", "main"});
  for (std::size_t i = 0; i < 4; ++i) {
    stack[i].module = "/lib/duckdb.node";
    stack[i].named = i == 0;
  }
  stack[4].module = "/bin/node";

  CHECK(analyzer::asking_frame(stack) == 1);
}

TEST_CASE("what an allocator calls without a name is the allocator's, also inside a program",
          "[stack_roles]") {
  auto stack = stack_of({"_duckdb.so+0x3f93e25", "duckdb_je_pages_map",
                         "duckdb_je_ecache_alloc_grow", "_duckdb.so+0x3f92b3f",
                         "duckdb_je_large_palloc", "duckdb::Allocator::AllocateData", "main"});
  for (std::size_t i = 0; i < 6; ++i) {
    stack[i].module = "_duckdb.so";
  }
  stack[0].named = stack[3].named = false;
  CHECK(stack[asking_frame(stack)].function == "duckdb::Allocator::AllocateData");

  SECTION("not where another module calls it") {
    stack[0].module = "libother.so";
    CHECK(asking_frame(stack) == 0);
  }
  SECTION("not by many steps") {
    for (const std::size_t i : {1U, 2U}) {
      stack[i].named = false;
    }
    CHECK(asking_frame(stack) < 4);
  }
}

TEST_CASE("a stripped allocator's way to the system is its own, two steps without a name at most",
          "[stack_roles]") {
  auto stack = stack_of({"php+0x1", "php+0x2", "php+0x3", "_emalloc_huge", "zend_hash_extend",
                         "php_var_unserialize", "main"});
  for (std::size_t i = 0; i < stack.size(); ++i) {
    stack[i].module = "/usr/bin/php";
    stack[i].named = i > 2;
  }
  CHECK(stack[asking_frame(stack)].function == "zend_hash_extend");
  SECTION("not where one of them has a name") {
    stack[0].named = true;
    CHECK(asking_frame(stack) == 0);
  }
  SECTION("not by more steps") {
    stack[3].named = false;
    CHECK(asking_frame(stack) == 0);
  }
}

TEST_CASE("a program's own way to malloc is known by its name, where that says no more",
          "[stack_roles]") {
  const std::string way =
      GENERATE("zmalloc", "_femalloc", "pool_realloc", "_safe_ferealloc", "my_memalign", "xstrdup");
  CHECK(asking_frame(stack_of({way, "read_tensor", "main"})) == 1);
  const std::string asker =
      GENERATE("load_with_malloc", "Pool::malloc_all", "mallocs", "realloc_map");
  CHECK(asking_frame(stack_of({asker, "main"})) == 0);
}

TEST_CASE("allocators are known under the prefixes they are built with", "[stack_roles]") {
  for (const char* name :
       {"je_malloc", "duckdb_je_arena_malloc_hard", "_rjem_malloc", "_rjem_je_large_palloc",
        "arena_malloc_hard", "extent_grow_retained", "pages_map", "ecache_alloc_grow",
        "_mi_page_malloc", "mi_heap_malloc", "duckdb_mi_malloc", "tc_malloc", "tc_new",
        "tcmalloc::ThreadCache::FetchFromCentralCache(unsigned int, int)",
        "partition_alloc::PartitionRoot::Alloc<(partition_alloc::AllocFlags)0>(unsigned long)",
        "v8::base::OS::SetPermissions(void*, unsigned long, int)",
        "<tikv_jemallocator::Jemalloc as core::alloc::global::GlobalAlloc>::alloc",
        "void* std::__copy<int>(int*)"}) {
    CAPTURE(name);
    CHECK(analyzer::is_allocation_plumbing(named(name)));
  }
  for (const char* name :
       {"arena_alloc", "arena_new", "extent_map_insert", "base_map", "tcache_lookup", "pa_alloc",
        "prime_je", "obje_ct", "semi_join", "lib_mi_run", "tc_filter_add", "load_pages_map",
        "std::vector<float> load_weights<float>(char const*)"}) {
    CAPTURE(name);
    CHECK_FALSE(analyzer::is_allocation_plumbing(named(name)));
  }
}

TEST_CASE("Rust's iterators are not who asked, its other functions are", "[stack_roles]") {
  const auto stack = stack_of(
      {"alloc::alloc::alloc", "alloc::vec::Vec<T>::with_capacity",
       "<alloc::vec::Vec<T> as core::iter::traits::collect::FromIterator<T>>::from_iter",
       "core::iter::traits::iterator::Iterator::collect", "loader::to_f32", "loader::main"});
  CHECK(analyzer::asking_frame(stack) == 4);
  for (const char* name : {"<loader::Tensor as core::clone::Clone>::clone", "core_loader::read",
                           "loader::core::iter::read"}) {
    CAPTURE(name);
    CHECK_FALSE(analyzer::is_allocation_plumbing(named(name)));
  }
}

TEST_CASE("CPython's allocators are not who asked, its other functions are", "[stack_roles]") {
  for (const char* name : {"_PyObject_Malloc", "PyObject_Realloc", "_PyMem_RawMalloc",
                           "PyType_GenericAlloc", "_PyObject_GC_New"}) {
    CAPTURE(name);
    CHECK(analyzer::is_allocation_plumbing(named(name)));
  }
  for (const char* name : {"PyObject_Repr", "_PyObject_MakeTpCall", "PyList_New"}) {
    CAPTURE(name);
    CHECK_FALSE(analyzer::is_allocation_plumbing(named(name)));
  }
}

TEST_CASE("start-up code below main is left out, named or not", "[stack_roles]") {
  const auto lines = analyzer::chain_text(
      {},
      stack_of({"load", "main", "__libc_start_call_main", "__libc_start_main_impl", "ls+0x61f1"}),
      40);

  CHECK(lines == std::vector<std::string>{"from main"});
}

TEST_CASE("what a line of Python called is said from the extension's function on, named or not",
          "[stack_roles]") {
  auto stack =
      mixed_stack({"malloc", "grow", "_ext+0x12", "PyObject_Vectorcall", "_PyEval_EvalFrameDefault",
                   "load  /srv/load.py:3", "_PyEval_EvalFrameDefault", "main"});
  stack[0].module = "/usr/lib/libc.so.6";
  stack[1].module = stack[2].module = "/srv/_ext.so";
  stack[2].named = false;
  const bool is_stripped = GENERATE(false, true);
  if (is_stripped) {
    stack[1].function = "_ext+0x8";
    stack[1].named = false;
  }
  const auto lines = analyzer::chain_text({}, stack, 70);
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.front() == (is_stripped ? "through _ext+0x8" : "through grow"));
}
