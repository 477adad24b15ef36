#include "collector/symbols/lookup/demangle.hpp"

#include "tests/support/catch.hpp"

using tidemark::demangle;

TEST_CASE("C++ names are shown as written", "[demangle]") {
  CHECK(demangle("_ZN6Loader4readEPKcm") == "Loader::read(char const*, unsigned long)");
  CHECK(demangle("_ZN12_GLOBAL__N_13fooEv") == "(anonymous namespace)::foo()");
}

TEST_CASE("types of 16 bits are shown as written, by whatever library", "[demangle]") {
  CHECK(demangle("_ZNSt15__new_allocatorIDF16_E8allocateEmPKv") ==
        "std::__new_allocator<_Float16>::allocate(unsigned long, void const*)");
  CHECK(demangle("_Z4loadPDF16_PKDF16bS1_") ==
        "load(_Float16*, std::bfloat16_t const*, std::bfloat16_t const*)");
  CHECK(demangle("_ZDF16_") == "_ZDF16_");
}

TEST_CASE("marks of compilers and linkers do not split a function in two", "[demangle]") {
  CHECK(demangle("_ZN6Loader4readEv.cold") == "Loader::read()");
  CHECK(demangle("_ZN6Loader4readEv.constprop.0.isra.1") == "Loader::read()");
  CHECK(demangle("load.part.3") == "load");
  CHECK(demangle("malloc@@GLIBC_2.2.5") == "malloc");
}

TEST_CASE("names of other languages stay as they are", "[demangle]") {
  CHECK(demangle("main") == "main");
  CHECK(demangle("runtime.mallocgc") == "runtime.mallocgc");
  CHECK(demangle("_Rest") == "_Rest");
  CHECK(demangle("_Znot_a_name") == "_Znot_a_name");
  CHECK(demangle("").empty());
}

TEST_CASE("Rust's older names lose hash and escapes", "[demangle]") {
  CHECK(demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE") ==
        "core::fmt::Write::write_fmt");
  CHECK(demangle("_ZN60_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$"
                 "4drop17h0123456789abcdefE") == "<alloc::vec::Vec<T> as core::ops::Drop>::drop");
  CHECK(demangle("_ZN4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE") ==
        "main::{{closure}}");
}

TEST_CASE("Rust's newer names lose their crates' numbers", "[demangle]") {
  CHECK(demangle("_RNvCs1234_7mycrate3foo") == "mycrate::foo");
  CHECK(demangle("_RINvNtC3std3mem8align_ofdE") == "std::mem::align_of::<f64>");
  CHECK(demangle("_RNCNvC7mycrate4main0.llvm.1234") == "mycrate::main::{closure#0}");
}
