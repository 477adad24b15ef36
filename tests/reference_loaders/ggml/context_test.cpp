#include "reference_loaders/ggml/context.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <cstring>

using namespace tidemark::loaders::ggml;

namespace {

constexpr std::array<std::int64_t, 1> kFive = {5};

}  // namespace

TEST_CASE("a pool is filled from the front, header by header", "[context]") {
  Context context(2 * (304 + 32), Context::Data::kInPool);
  const Tensor* first = context.new_tensor(Type::kF32, kFive);
  const Tensor* second = context.new_tensor(Type::kF32, kFive);

  CHECK(context.used() == 2 * (304 + 32));
  CHECK(first->address == reinterpret_cast<std::uintptr_t>(first) + 272);
  CHECK(second->address - first->address == 304 + 32);
}

TEST_CASE("a full pool says what was needed and what there was", "[context]") {
  Context context(304 + 31, Context::Data::kInPool);

  CHECK_THROWS_WITH(
      context.new_tensor(Type::kF32, kFive),
      "ggml_new_tensor_impl: not enough space in the context's memory pool (needed 336, available "
      "335)");
}

TEST_CASE("a pool of headers takes no space for data, nor does a view", "[context]") {
  Context headers(2 * 304, Context::Data::kElsewhere);
  headers.new_tensor(Type::kF32, kFive);
  headers.new_tensor(Type::kF32, kFive);
  Context pool(336 + 304, Context::Data::kInPool);
  const Tensor* whole = pool.new_tensor(Type::kF32, kFive);
  const Tensor* view = pool.new_view(*whole, kFive);

  CHECK(headers.used() == 2 * 304);
  CHECK(view->address == whole->address);
  CHECK(linear_bytes(pool) == pool.used());
  CHECK(linear_bytes(headers) == 2 * 336);
}
