#include "collector/weights/formats/pickle.hpp"

#include "collector/weights/formats/field_reader.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::weights {
namespace {

/// Limit for values together with references to them.
constexpr std::size_t kMaxValues = std::size_t{2} << 20U;
/// Longer texts are cut: they are no names.
constexpr std::size_t kMaxTextBytes = 512;

/// The stack machine whose program a pickle is.
class Machine {
 public:
  Machine(std::string_view bytes, Pickle& out) : in_(bytes), out_(out) {}

  void run() {
    while (!in_.has_failed() && !is_bad_ && !out_.is_whole && size() < kMaxValues) {
      const auto code = static_cast<char>(in_.number(1));
      if (!push_constant(code) && !build(code) && !remember(code)) {
        return;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t size() const {
    return out_.values.size() + stack_.size() + marks_.size() + memo_.size() + items_;
  }

  // ---- the stack ----

  std::uint32_t push(PickleValue value) {
    items_ += value.items.size();
    out_.values.push_back(std::move(value));
    stack_.push_back(static_cast<std::uint32_t>(out_.values.size() - 1));
    return stack_.back();
  }
  void push_number(std::int64_t number) {
    push({.kind = PickleValue::Kind::kNumber, .number = number});
  }
  void push_text(std::string_view text) {
    push({.kind = PickleValue::Kind::kText, .text = std::string(text.substr(0, kMaxTextBytes))});
  }
  void push_list(std::vector<std::uint32_t> items) {
    push({.kind = PickleValue::Kind::kList, .items = std::move(items)});
  }
  /// 0 and `is_bad_` where there is none.
  std::uint32_t pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) {
      is_bad_ = true;
      return 0;
    }
    const std::uint32_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  std::vector<std::uint32_t> pop_last(std::size_t count) {
    std::vector<std::uint32_t> items(count);
    for (std::size_t i = count; i-- > 0;) {
      items[i] = pop();
    }
    return items;
  }
  std::vector<std::uint32_t> pop_to_mark() {
    if (marks_.empty()) {
      is_bad_ = true;
      return {};
    }
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::uint32_t> items(from, stack_.end());
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return items;
  }
  /// Adds to the container on top of the stack.
  void append(const std::vector<std::uint32_t>& items) {
    if (stack_.empty()) {
      is_bad_ = true;
      return;
    }
    auto& all = out_.values[stack_.back()].items;
    items_ += items.size();
    all.insert(all.end(), items.begin(), items.end());
  }

  // ---- what the codes do; false for one that is not known here ----

  bool push_constant(char code) {
    switch (code) {
      case 'J':
        push_number(static_cast<std::int32_t>(in_.number(4)));
        return true;
      case 'K':
        push_number(static_cast<std::int64_t>(in_.number(1)));
        return true;
      case 'M':
        push_number(static_cast<std::int64_t>(in_.number(2)));
        return true;
      case '\x8a':
        push_long(in_.text(in_.number(1)));
        return true;
      case '\x8b':
        push_long(in_.text(in_.number(4)));
        return true;
      case 'X':
      case 'T':
        push_text(in_.text(in_.number(4)));
        return true;
      case '\x8c':
      case 'U':
        push_text(in_.text(in_.number(1)));
        return true;
      case '\x8d':
        push_text(in_.text(in_.number(8)));
        return true;
      case 'B':
        in_.text(in_.number(4));
        push({});
        return true;
      case 'C':
        in_.text(in_.number(1));
        push({});
        return true;
      case '\x8e':
      case '\x96':
        in_.text(in_.number(8));
        push({});
        return true;
      case 'G':
        in_.text(8);
        push({});
        return true;
      case 'N':
        push({});
        return true;
      case '\x88':
      case '\x89':
        push_number(code == '\x88' ? 1 : 0);
        return true;
      case ')':
      case ']':
      case '\x8f':
        push_list({});
        return true;
      case '}':
        push({.kind = PickleValue::Kind::kDict});
        return true;
      default:
        return false;
    }
  }

  /// Two's complement, little-endian.
  void push_long(std::string_view bytes) {
    std::uint64_t number = number_at(bytes, 0, std::min<std::size_t>(bytes.size(), 8));
    const bool is_negative =
        !bytes.empty() && (static_cast<std::uint8_t>(bytes.back()) & 0x80U) != 0;
    if (is_negative && bytes.size() < 8) {
      number |= ~std::uint64_t{0} << (8 * bytes.size());
    }
    push_number(static_cast<std::int64_t>(number));
  }

  bool build(char code) {
    switch (code) {
      case 'c': {
        const std::string_view module = in_.line('\n');
        push_global(module, in_.line('\n'));
        return true;
      }
      case '\x93': {
        const auto names = pop_last(2);
        push_global(text_of(names[0]), text_of(names[1]));
        return true;
      }
      case 't':
      case '\x91':
        push_list(pop_to_mark());
        return true;
      case '\x85':
      case '\x86':
      case '\x87':
        push_list(pop_last(static_cast<std::size_t>(static_cast<std::uint8_t>(code)) - 0x84));
        return true;
      case 'a':
        append(pop_last(1));
        return true;
      case 's':
        append(pop_last(2));
        return true;
      case 'e':
      case 'u':
      case '\x90':
        append(pop_to_mark());
        return true;
      case 'Q':
        push({.kind = PickleValue::Kind::kPersistent, .items = pop_last(1)});
        return true;
      case 'R':
      case '\x81':
        push({.kind = PickleValue::Kind::kCall, .items = pop_last(2)});
        return true;
      case '\x92': {
        std::vector<std::uint32_t> call = pop_last(3);
        push({.kind = PickleValue::Kind::kCall, .items = std::move(call)});
        return true;
      }
      case 'b':
        append(pop_last(1));
        return true;
      default:
        return false;
    }
  }

  bool remember(char code) {
    switch (code) {
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case 'q':
        keep(in_.number(1));
        return true;
      case 'r':
        keep(in_.number(4));
        return true;
      case '\x94':
        keep(memo_.size());
        return true;
      case 'h':
        fetch(in_.number(1));
        return true;
      case 'j':
        fetch(in_.number(4));
        return true;
      case '0':
        pop();
        return true;
      case '2':
        is_bad_ = is_bad_ || stack_.empty();
        if (!is_bad_) {
          stack_.push_back(stack_.back());
        }
        return true;
      case '\x80':
        in_.text(1);
        return true;
      case '\x95':
        in_.text(8);
        return true;
      case '.':
        out_.result = pop();
        out_.is_whole = !is_bad_;
        return true;
      default:
        return false;
    }
  }

  void keep(std::uint64_t place) {
    is_bad_ = is_bad_ || stack_.empty();
    if (!is_bad_) {
      memo_[place] = stack_.back();
    }
  }
  void fetch(std::uint64_t place) {
    const auto kept = memo_.find(place);
    is_bad_ = is_bad_ || kept == memo_.end();
    if (!is_bad_) {
      stack_.push_back(kept->second);
    }
  }
  /// Empty for what is no text.
  [[nodiscard]] std::string text_of(std::uint32_t value) const {
    const bool is_text =
        value < out_.values.size() && out_.values[value].kind == PickleValue::Kind::kText;
    return is_text ? out_.values[value].text : std::string();
  }
  void push_global(std::string_view module, std::string_view name) {
    push({.kind = PickleValue::Kind::kGlobal,
          .text = std::string(module.substr(0, kMaxTextBytes)) + ' ' +
                  std::string(name.substr(0, kMaxTextBytes))});
  }

  FieldReader in_;
  Pickle& out_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, std::uint32_t> memo_;
  std::size_t items_ = 0;  ///< Items of all values so far.
  bool is_bad_ = false;
};

}  // namespace

Pickle read_pickle(std::string_view bytes) {
  Pickle pickle;
  Machine(bytes, pickle).run();
  return pickle;
}

}  // namespace tidemark::weights
