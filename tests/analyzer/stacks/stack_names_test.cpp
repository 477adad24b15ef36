#include "analyzer/stacks/stack_names.hpp"

#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/stacks/telling_arguments.hpp"
#include "tests/analyzer/stacks/named_stacks.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::NamedFrame;
using analyzer::short_function;
using analyzer::Telling;
using tests::named;
using tests::stack_of;

TEST_CASE("long function names lose what distinguishes nothing", "[stack_names]") {
  CHECK(short_function("main") == "main");
  CHECK(short_function("std::vector<char, std::allocator<char> >::resize(unsigned long)") ==
        "std::vector<>::resize");
  CHECK(short_function("operator new(unsigned long)") == "operator new");
  CHECK(short_function("void copy<int>(int*, int const*)") == "copy<>");
  CHECK(short_function("(anonymous namespace)::load(char const*)") == "load");
  CHECK(short_function("Reader::operator()(int) const") == "Reader::operator()");
  CHECK(short_function("std::ostream& operator<< <char>(std::ostream&)") == "operator<< <>");
  CHECK(short_function("burn::load::h0123456789abcdef") == "burn::load");
  CHECK(short_function("parse(int) [clone .cold]") == "parse");
  CHECK(short_function("std::mem::align_of::<f64>") == "std::mem::align_of::<>");
  CHECK(short_function("std::panicking::catch_unwind::do_call::<&dyn Fn() -> i32, i32>") ==
        "std::panicking::catch_unwind::do_call::<>");
  CHECK(short_function("core::slice::<impl [T]>::iter") == "core::slice::<impl [T]>::iter");
  CHECK(short_function("<alloc::vec::Vec<T> as core::clone::Clone>::clone") ==
        "<alloc::vec::Vec<> as core::clone::Clone>::clone");
}

TEST_CASE("what belongs to a parameter list goes with it", "[stack_names]") {
  CHECK(short_function("Foo::bar() &") == "Foo::bar");
  CHECK(short_function("Foo::bar(int) const &&") == "Foo::bar");
  CHECK(short_function("int Foo::get<int>() const &") == "Foo::get<>");
  CHECK(short_function("Foo::bar(int) volatile noexcept") == "Foo::bar");
  CHECK(short_function("void f<int>(int) requires C<int>") == "f<>");
  CHECK(short_function("parse(int) (.cold)") == "parse");
}

TEST_CASE("lambdas keep their function's name", "[stack_names]") {
  CHECK(short_function("main::{lambda(int)#1}::operator()(int) const") ==
        "main::{lambda#1}::operator()");
  CHECK(short_function("Foo::bar() const &::{lambda(int)#1}::operator()(int) const") ==
        "Foo::bar::{lambda#1}::operator()");
  CHECK(short_function("void f()::{lambda(auto:1)#2}::operator()<int>(int) const") ==
        "f::{lambda#2}::operator()<>");
  CHECK(short_function("main::'lambda'(int)::operator()(int) const") ==
        "main::'lambda'::operator()");
  CHECK(short_function("Foo::{unnamed type#1}::bar()") == "Foo::{unnamed type#1}::bar");
}

TEST_CASE("operators keep their signs, and words before them go", "[stack_names]") {
  CHECK(short_function("Foo::operator bool() const") == "Foo::operator bool");
  CHECK(short_function("Foo::operator unsigned long() const") == "Foo::operator unsigned long");
  CHECK(short_function("Foo::operator std::vector<int>() const &") ==
        "Foo::operator std::vector<>");
  CHECK(short_function("Foo::operator->() const") == "Foo::operator->");
  CHECK(short_function("Foo::operator->*(int)") == "Foo::operator->*");
  CHECK(short_function("auto operator<=><int>(A, B)") == "operator<=><>");
  CHECK(short_function("bool operator< <int>(A const&)") == "operator< <>");
  CHECK(short_function("operator\"\" _mb(unsigned long long)") == "operator\"\" _mb");
  CHECK(short_function("operator delete[](void*)") == "operator delete[]");
  CHECK(short_function("void operators::copy<int>(int)") == "operators::copy<>");
  CHECK(short_function("my_operator<int>(int)") == "my_operator<>");
}

TEST_CASE("names of other makers keep what they are known by", "[stack_names]") {
  CHECK(short_function("std::to_string[abi:cxx11](int)") == "std::to_string");
  CHECK(short_function("A<(b>c)>::f()") == "A<>::f");
  CHECK(short_function("decltype ((x)+(y)) f<int>(int)") == "f<>");
  CHECK(short_function("github.com/foo/bar.(*Reader).Read") == "github.com/foo/bar.(*Reader).Read");
  CHECK(short_function("core::ops::FnOnce::call_once{{vtable.shim}}::h0123456789abcdef") ==
        "core::ops::FnOnce::call_once{{vtable.shim}}");
  CHECK(short_function("<fn(i32) -> i32 as Foo>::bar") == "<fn -> i32 as Foo>::bar");
  CHECK(short_function("burn::load::{closure#0}") == "burn::load::{closure#0}");
}

TEST_CASE("unbalanced names are no trouble", "[stack_names]") {
  for (const char* name : {"", "<", "a<", "a(", "a>)", "operator", "((((", "a<b(c>d)", " ", "->"}) {
    CAPTURE(name);
    CHECK(short_function(name).size() <= std::string(name).size() + 2);
  }
}

TEST_CASE("code without a name is told by its place in the module", "[stack_names]") {
  auto frame = named("_multiarray_umath.cpython-311-x86_64-linux-gnu.so+0xde138");
  frame.named = false;
  frame.module = "/usr/lib/_multiarray_umath.cpython-311-x86_64-linux-gnu.so";

  CHECK(analyzer::short_name(frame) == "_multiarray_umath+0xde138");
  CHECK(analyzer::frame_text({}, frame, 20) == "_multiarr...+0xde138");
  frame.function = "libonnxruntime.so.1.17.3+0x1234";
  CHECK(analyzer::short_name(frame) == frame.function);
  CHECK(analyzer::width_of(analyzer::frame_text({}, frame, 4)) <= 4);
}

TEST_CASE("without room a module gives way to a name, and a caller's scopes to its own",
          "[stack_names]") {
  auto first = stack_of({"v8::internal::PagedSpaceBase::TryExpandImpl", "v8::internal::A::Run"});
  auto second = stack_of({"v8::internal::PagedSpaceBase::TryExpandImpl", "v8::internal::B::Walk"});
  for (auto* const stack : {&first, &second}) {
    for (NamedFrame& frame : *stack) {
      frame.module = "/usr/bin/node";
    }
  }

  const auto telling = analyzer::telling_texts({&first, &second});

  CHECK(analyzer::frame_text({}, first[0], 40) == "internal::PagedSpaceBase::TryExpandImpl");
  CHECK(analyzer::row_text({}, first, telling[0], 40) ==
        "TryExpandImpl  from v8::internal::A::Run");
  CHECK(analyzer::row_text({}, second, telling[1], 30) == "TryExpandImpl  from B::Walk");
}

TEST_CASE("a name without room keeps both its ends", "[stack_names]") {
  CHECK(analyzer::frame_text({}, named("ggml_backend_buffer_alloc_tensor"), 22) ==
        "ggml_backend..._tensor");
}

TEST_CASE("tidemark's own code in the host is no part of a stack", "[stack_names]") {
  trace::Definitions definitions;
  definitions.modules.resize(2);
  definitions.modules[0].path = "/opt/tidemark/libtidemark_preload.so";
  definitions.modules[1].path = "/bin/prog";
  definitions.frames = {{.module = trace::ModuleId{0}, .offset = 0x42},
                        {.module = trace::ModuleId{1}, .offset = 0x77}};
  definitions.locations = {{{"fread_unlocked", "", 0}}, {{"load", "", 0}}};
  definitions.stacks = {{},
                        {.parent = trace::kNoStack, .frame = trace::FrameId{1}},
                        {.parent = trace::StackId{1}, .frame = trace::FrameId{0}}};

  const auto stack = analyzer::named_stack(definitions, trace::StackId{2});

  REQUIRE(stack.size() == 1);
  CHECK(stack[0].function == "load");
}

TEST_CASE("rows that would read the same are told apart by the caller", "[stack_names]") {
  const auto first = stack_of({"malloc", "grow", "append", "load_weights", "main"});
  const auto second = stack_of({"malloc", "grow", "append", "load_names", "main"});
  const auto third = stack_of({"malloc", "parse", "main"});

  const auto telling = analyzer::telling_texts({&first, &second, &third});

  CHECK(telling ==
        std::vector<Telling>{{.caller = "from load_weights"}, {.caller = "from load_names"}, {}});
  CHECK(analyzer::row_text({}, first, telling[0], 40) == "grow  from load_weights");
  CHECK(analyzer::width_of(analyzer::row_text({}, first, telling[0], 15)) <= 15);
  CHECK(analyzer::row_text({}, third, telling[2], 40) == "parse");
}

TEST_CASE("rows of one function with other arguments show what differs", "[stack_names]") {
  const auto first =
      stack_of({"malloc", "Tensor* copy<float, std::allocator<float> >(int)", "main"});
  const auto second =
      stack_of({"malloc", "Tensor* copy<half, std::allocator<half> >(int)", "main"});
  const auto third = stack_of({"malloc", "Tensor* copy<half, std::allocator<half> >(int)", "load"});

  const auto telling = analyzer::telling_texts({&first, &second, &third});

  CHECK(telling == std::vector<Telling>{{.arguments = "with <float>"},
                                        {.arguments = "with <half>", .caller = "from main"},
                                        {.arguments = "with <half>", .caller = "from load"}});
  CHECK(analyzer::row_text({}, first, telling[0], 40) == "copy<>  with <float>");
  CHECK(analyzer::row_text({}, second, telling[1], 40) == "copy<>  with <half>, from main");
  CHECK(analyzer::row_text({}, second, telling[1], 26) == "copy<>  with <half>, fr...");
  CHECK(analyzer::row_text({}, second, telling[1].without_caller(), 40) == "copy<>  with <half>");
}

TEST_CASE("arguments that find no room keep both ends", "[stack_names]") {
  const auto stack = stack_of({"malloc", "copy<std::vector<int>, 4>(int)"});
  const analyzer::Telling telling{.arguments = "with <std::vector<>, 4>"};
  for (std::size_t width = 8; width < 40; ++width) {
    CHECK(analyzer::width_of(analyzer::row_text({}, stack, telling, width)) <= width);
  }
  CHECK(analyzer::row_text({}, stack, telling, 28) == "copy<>  with <std::...<>, 4>");
  CHECK(analyzer::fit_middle({.utf8 = true}, "äöüäöüäöü", 6) == "äöü…öü");
}

TEST_CASE("rows told apart by a caller's arguments show those", "[stack_names]") {
  const auto first = stack_of({"malloc", "grow", "append<int>()", "main"});
  const auto second = stack_of({"malloc", "grow", "append<char>()", "main"});

  CHECK(analyzer::telling_texts({&first, &second}) ==
        std::vector<Telling>{{.caller = "from append<>  with <int>"},
                             {.caller = "from append<>  with <char>"}});
}

TEST_CASE("of arguments only what tells names apart is shown", "[stack_names]") {
  using analyzer::telling_arguments;
  CHECK(telling_arguments("load(int)", {"load(char const*)"}) == "with (int)");
  CHECK(telling_arguments("load()", {"load(int)"}) == "with ()");
  CHECK(telling_arguments("f<int const>()", {"f<int>()"}) == "with <int const>");
  CHECK(telling_arguments("f<int>()", {"f<int, 4>()"}) == "with <int>");
  CHECK(telling_arguments("f<int, 4>()", {"f<int, 8>()"}) == "with <.., 4>");
  CHECK(telling_arguments("f<int, 4>()", {"f<int, 8>()", "f<char, 4>()"}) == "with <int, 4>");
  CHECK(telling_arguments("f<A<int> >::g<B>()", {"f<A<int> >::g<C>()"}) == "with <B>");
  CHECK(telling_arguments("f<std::vector<A<int>, B> >()", {"f<std::set<A<int>, C> >()"}) ==
        "with <std::vector<>>");
  CHECK(telling_arguments("f<std::map<A<int>, B, C> >()", {"f<std::map<A<int>, D, E> >()"}) ==
        "with <std::map<.., B>>");
  CHECK(telling_arguments("f(int) [clone .cold]", {"f(int)"}).empty());
  CHECK(telling_arguments("f", {"f"}).empty());
}

TEST_CASE("names of brackets in brackets do not exhaust the stack", "[stack_names]") {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) {
    deep += "f<";
  }
  CHECK_FALSE(analyzer::telling_arguments(deep + "int", {deep + "char"}).empty());
}

TEST_CASE("ids outside the tables give an empty or shorter stack", "[stack_names]") {
  trace::Definitions definitions;
  definitions.stacks = {{},
                        {.parent = trace::kNoStack, .frame = trace::FrameId{99}},
                        {.parent = trace::StackId{2}, .frame = trace::FrameId{0}}};
  definitions.frames = {{.module = trace::ModuleId{77}, .offset = 0x42}};

  CHECK(analyzer::named_stack(definitions, trace::StackId{1000}).empty());
  CHECK(analyzer::named_stack(definitions, trace::StackId{1}).empty());
  // A parent that is its own child ends somewhere.
  CHECK(analyzer::named_stack(definitions, trace::StackId{2}).front().function == "0x42");
}

TEST_CASE("inlined functions are frames of their own, innermost first", "[stack_names]") {
  trace::Definitions definitions;
  definitions.stacks = {{}, {.parent = trace::kNoStack, .frame = trace::FrameId{0}}};
  definitions.frames = {{.module = trace::kNoModule, .offset = 0x42}};
  definitions.locations = {{{"inner", "a.hpp", 3}, {"outer", "b.cpp", 9}}};

  const auto stack = analyzer::named_stack(definitions, trace::StackId{1});

  REQUIRE(stack.size() == 2);
  CHECK(stack[0].function == "inner");
  CHECK(stack[1].line == 9);
}

TEST_CASE("the middle of a deep stack is elided and counted", "[stack_names]") {
  std::vector<std::string> functions;
  for (int i = 0; i < 30; ++i) {
    functions.push_back("f" + std::to_string(i));
  }

  const auto lines = analyzer::chain_text({}, stack_of(functions), 40);

  REQUIRE(lines.size() == 7);
  CHECK(lines[0] == "from f1");
  CHECK(lines[4] == "     ... 23 frames");
  CHECK(lines[6] == "     f29");
}

TEST_CASE("a whole stack has a line for every frame", "[stack_names]") {
  std::vector<std::string> functions = {"malloc", "operator new(unsigned long)", "load"};
  for (int i = 0; i < 30; ++i) {
    functions.push_back("f" + std::to_string(i));
  }
  functions.insert(functions.end(), {"main", "__libc_start_call_main"});

  const auto lines = analyzer::chain_text({.whole_stacks = true}, stack_of(functions), 40);

  REQUIRE(lines.size() == functions.size() - 1);
  CHECK(lines[0] == "through malloc");
  CHECK(lines[1] == "        operator new");
  CHECK(lines[2] == "from f0");
  CHECK(lines[31] == "     f29");
  CHECK(lines[33] == "     __libc_start_call_main");
}

TEST_CASE("one hidden frame is shown rather than counted", "[stack_names]") {
  const auto lines =
      analyzer::chain_text({}, stack_of({"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"}), 40);
  CHECK(lines.size() == 7);
}

TEST_CASE("where there is little room a name keeps whole brackets and the type it is of",
          "[analyzer]") {
  struct Row {
    const char* name;
    const char* parts;
  };
  const auto row = GENERATE(values<Row>({
      {"main", "main"},
      {"tvm::runtime::NDArray::Empty", "NDArray::Empty"},
      {"std::vector<>::resize", "vector<>::resize"},
      {"burn::load::{closure#0}", "load::{closure#0}"},
      {"<alloc::vec::Vec<> as core::clone::Clone>::clone", "<Vec<> as Clone>::clone"},
      {"<model::_::<impl serde::de::Deserialize for model::Weights>::deserialize::__Visitor as "
       "serde::de::Visitor>::visit_seq",
       "<<impl Deserialize for Weights>::__Visitor as Visitor>::visit_seq"},
      {"core::ops::function::impls::<impl core::ops::function::FnOnce<> for &mut F>::call_once",
       "<impl FnOnce<> for &mut F>::call_once"},
      {"<&dyn core::ops::function::Fn<> + core::marker::Sync as core::ops::function::FnOnce<>>"
       "::call_once",
       "<&dyn Fn<> + Sync as FnOnce<>>::call_once"},
      {"<fn -> core::fmt::Error as core::ops::FnOnce<>>::call_once",
       "<fn -> Error as FnOnce<>>::call_once"},
      {"core::ptr::drop_in_place::<>", "ptr::drop_in_place::<>"},
      {"std::ostream::operator<<", "ostream::operator<<"},
      {"a::Foo::operator->", "Foo::operator->"},
      {"main::{lambda#1}::operator()", "{lambda#1}::operator()"},
      {"<a::B as c::D>::deref::__stability", "<B as D>::deref::__stability"},
  }));
  CAPTURE(row.name);

  CHECK(analyzer::last_parts(row.name) == row.parts);
}

TEST_CASE("scopes give way to the width, outer ones first", "[analyzer]") {
  using analyzer::with_fewer_scopes;
  CHECK(with_fewer_scopes("tvm::runtime::NDArray::Empty", 40) == "tvm::runtime::NDArray::Empty");
  CHECK(with_fewer_scopes("tvm::runtime::NDArray::Empty", 20) == "NDArray::Empty");
  CHECK(with_fewer_scopes("prost::encoding::<impl prost::encoding::BytesAdapter for "
                          "alloc::vec::Vec<>>::replace_with",
                          36) == "<impl BytesAdapter for Vec<>>::replace_with");
}

TEST_CASE("a module of Python is told by its file where no place stands beside it", "[analyzer]") {
  NamedFrame frame;
  frame.function = "<module>";
  frame.file = "/src/train.py";
  frame.line = 12;
  frame.is_python = true;
  CHECK(analyzer::lone_name(frame) == "<module> (train.py:12)");
  frame.function = "load.<locals>.<lambda>";
  CHECK(analyzer::lone_name(frame) == "load.<locals>.<lambda> (train.py:12)");
  frame.file = "/lib/torch/__init__.py";
  frame.function = "<module>";
  CHECK(analyzer::lone_name(frame) == "<module> (torch/__init__.py:12)");
  CHECK(analyzer::lineless_short_name(frame) == "<module> (torch/__init__.py)");
  frame.function = "load";
  CHECK(analyzer::lone_name(frame) == "load");
  CHECK(analyzer::lineless_short_name(frame) == "load");
}
