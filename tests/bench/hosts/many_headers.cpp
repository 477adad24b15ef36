// Not part of any program: what the g++ row of the table compiles.

#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <charconv>
#include <chrono>
#include <complex>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <shared_mutex>
#include <span>
#include <sstream>
#include <stack>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>
#include <vector>

namespace {

using Value = std::variant<int, double, std::string, std::vector<int>>;

std::map<std::string, Value> parse(std::istream& in) {
  std::map<std::string, Value> values;
  for (std::string name, text; in >> name >> text;) {
    if (std::ranges::all_of(text, [](unsigned char c) { return c >= '0' && c <= '9'; }))
      values[name] = std::stoi(text);
    else
      values[name] = text;
  }
  return values;
}

std::string text_of(const Value& value) {
  std::ostringstream out;
  std::visit(
      [&](const auto& held) {
        if constexpr (requires { out << held; })
          out << held;
      },
      value);
  return out.str();
}

}  // namespace

int main() {
  std::istringstream in("a 1 b text");
  std::unordered_map<std::string, std::size_t> lengths;
  for (const auto& [name, value] : parse(in))
    lengths[name] = text_of(value).size();
  for (const auto& [name, length] : lengths)
    std::cout << std::setw(8) << name << length << '\n';
}
