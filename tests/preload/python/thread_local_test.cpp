#include "preload/python/thread_local.hpp"

#include "tests/support/catch.hpp"

#include <cstring>
#include <thread>

#include <dlfcn.h>

using namespace tidemark;

extern "C" {
void set_values_in_program(void* value);
void* first_value_in_program();
void* second_value_in_program();
void* other_value_in_program();
void set_values_relaxed(void* value);
void* first_value_relaxed();
void* second_value_relaxed();
void* other_value_relaxed();
void set_values_relaxed_initial(void* value);
void* first_value_relaxed_initial();
void* second_value_relaxed_initial();
void set_values_in_library(void* value);
void* first_value_in_library();
void* second_value_in_library();
void* other_value_in_library();
void set_values_local(void* value);
void* first_value_local();
void* second_value_local();
void set_values_relaxed_local(void* value);
void* first_value_relaxed_local();
void* second_value_relaxed_local();
void set_values_initial(void* value);
void* first_value_initial();
void* second_value_initial();
void* first_value_described();
}

namespace {

std::int64_t distance_of(void* (*function)()) {
  const void* code = reinterpret_cast<const void*>(function);
  return python::find_thread_local({static_cast<const std::byte*>(code), 48});
}

/// What is at that distance from the calling thread's pointer.
void* value_at(std::int64_t distance) {
  void* value = nullptr;
  std::memcpy(&value, static_cast<char*>(__builtin_thread_pointer()) + distance, sizeof value);
  return value;
}

struct Functions {
  void (*set)(void*);
  void* (*first)();
  void* (*second)();
};

void check_here(const Functions& functions, std::int64_t first, std::int64_t second) {
  int here = 0;
  functions.set(&here);
  CHECK(value_at(first) == &here);
  CHECK(value_at(second) == &here);
  functions.set(nullptr);
  CHECK(value_at(first) == nullptr);
  CHECK(value_at(second) == nullptr);
}

}  // namespace

TEST_CASE("a thread-local variable is where the function that gives its value has it", "[python]") {
  const Functions functions = GENERATE(
      Functions{set_values_in_program, first_value_in_program, second_value_in_program},
      Functions{set_values_relaxed, first_value_relaxed, second_value_relaxed},
      Functions{set_values_relaxed_initial, first_value_relaxed_initial,
                second_value_relaxed_initial},
      Functions{set_values_in_library, first_value_in_library, second_value_in_library},
      Functions{set_values_local, first_value_local, second_value_local},
      Functions{set_values_relaxed_local, first_value_relaxed_local, second_value_relaxed_local},
      Functions{set_values_initial, first_value_initial, second_value_initial});
  const std::int64_t first = distance_of(functions.first);
  const std::int64_t second = distance_of(functions.second);
  REQUIRE(first != python::kNoDistance);
  REQUIRE(second != python::kNoDistance);
  CHECK(first != second);
  check_here(functions, first, second);
  std::thread([&] { check_here(functions, first, second); }).join();
}

TEST_CASE("a function that does more than give a variable's value says nothing", "[python]") {
  CHECK(distance_of(other_value_in_program) == python::kNoDistance);
  CHECK(distance_of(other_value_relaxed) == python::kNoDistance);
  CHECK(distance_of(other_value_in_library) == python::kNoDistance);
  CHECK(distance_of(first_value_described) == python::kNoDistance);
}

TEST_CASE("code that ends too early says nothing", "[python]") {
  const auto* const code = reinterpret_cast<const std::byte*>(&first_value_in_library);
  std::size_t whole = 0;
  while (whole < 48 && python::find_thread_local({code, whole}) == python::kNoDistance)
    ++whole;
  CHECK(whole > 8);
  CHECK(whole < 48);
}

TEST_CASE("a thread-local variable of a library that is loaded later is not found", "[python]") {
  void* library = dlopen(TIDEMARK_LATE_VALUES, RTLD_NOW);
  REQUIRE(library != nullptr);
  const auto function = reinterpret_cast<void* (*)()>(dlsym(library, "first_value_late"));
  REQUIRE(function != nullptr);
  CHECK(distance_of(function) == python::kNoDistance);  // this thread has none of its variables
  CHECK(function() == nullptr);
  CHECK(distance_of(function) == python::kNoDistance);
  dlclose(library);
}
