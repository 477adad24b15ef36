#include "reference_loaders/burn/nested_tree.hpp"

#include "reference_loaders/bad_input.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;

namespace {

const std::string kSource = "model.pt";

bool is_leaf(NestedMap& map) {
  return map.find("leaf") != nullptr;
}

NestedValue a_leaf() {
  NestedMap map;
  map.insert("leaf", {std::uint8_t{1}});
  return {std::move(map)};
}

/// The names that come out of a tree, in their order, after these went in.
std::vector<std::string> names_after(const std::vector<std::string>& inserted) {
  NestedTree tree(kSource, is_leaf, inserted.size());
  for (const std::string& name : inserted) {
    tree.insert(name, a_leaf());
  }
  std::vector<std::string> names;
  tree.take_leaves([&](const std::string& name, NestedValue) { names.push_back(name); });
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("names come out of the tree as they went in", "[burn][nested]") {
  const auto names = GENERATE(values<Names>({
      {"a"},
      {"conv1.weight", "layer1.0.conv1.weight", "layer1.0.bn.bias", "layer1.1.weight", "fc.bias"},
      {"0.weight", "10.weight"},
      {"list.0", "list.1"},
      {"features.0.weight", "features.3.weight"},
      {"a.00.b", "a.0x.c"},
      {""},
      {".a", "a..b", "a.."},
      {"id", "param.id"},
  }));

  CHECK(names_after(names) == names);
}

TEST_CASE("a map of thousands of names finds each of them", "[burn][nested]") {
  Names names;
  for (int number = 0; number < 5000; ++number) {
    names.push_back("m" + std::to_string(number));
  }

  CHECK(names_after(names) == names);
  names.push_back("m4321");
  CHECK_THROWS_AS(names_after(names), BadInput);
}

TEST_CASE("names that cannot be in one tree are refused", "[burn][nested][robustness]") {
  struct Wrong {
    Names names;
    const char* says;
  };
  std::string deep = "a";
  for (int level = 0; level < 64; ++level) {
    deep += ".a";
  }
  const auto wrong = GENERATE_COPY(values<Wrong>({
      {{"a", "a"}, "'a' is where something else is"},
      {{"a", "a.b"}, "'a.b' is where something else is"},
      {{"a", "a.b.c"}, "'a.b.c' goes through another tensor"},
      {{"a", "a.leaf.c"}, "'a.leaf.c' goes through another tensor"},
      {{"a.b", "a"}, "'a' is where something else is"},
      {{"a.0", "a.b"}, "'a.b' has 'b' where others have an index"},
      {{"a.0", "a.0"}, "'a.0' is where something else is"},
      {{"a.4000000000"}, "'a.4000000000' has the index 4000000000, far beyond the others"},
      {{"a.1000", "b.1000"}, "'b.1000' has the index 1000"},
      {{deep}, "nests 65 levels deep"},
  }));

  CHECK_THROWS_WITH(names_after(wrong.names), Catch::Contains(wrong.says));
}

TEST_CASE("vectors grow as Rust's do", "[burn][nested]") {
  GrowingVec<int> vec;
  std::vector<std::size_t> capacities;
  for (int number = 0; number < 100; ++number) {
    vec.push(number);
    if (capacities.empty() || capacities.back() != vec.capacity()) {
      capacities.push_back(vec.capacity());
    }
  }

  CHECK(capacities == std::vector<std::size_t>{1, 4, 8, 16, 32, 64, 128});
  CHECK(vec[99] == 99);
  CHECK(GrowingVec<int>::with_capacity(7).capacity() == 7);
}
