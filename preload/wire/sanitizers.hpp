/// Sanitizers' shared libraries, which must be the first of a process: they end a program in which
/// another object comes first.
#pragma once

#include <array>
#include <string_view>

namespace tidemark::wire {

struct Sanitizer {
  std::string_view library;  ///< How the file's name begins.
  std::string_view name;
};

constexpr std::array kSanitizers{Sanitizer{"libasan.so", "AddressSanitizer"},
                                 Sanitizer{"libtsan.so", "ThreadSanitizer"},
                                 Sanitizer{"liblsan.so", "LeakSanitizer"},
                                 Sanitizer{"libhwasan.so", "HWAddressSanitizer"},
                                 Sanitizer{"libclang_rt.asan", "AddressSanitizer"},
                                 Sanitizer{"libclang_rt.tsan", "ThreadSanitizer"},
                                 Sanitizer{"libclang_rt.hwasan", "HWAddressSanitizer"}};

}  // namespace tidemark::wire
