#include "preload/hooks/python_code.hpp"

#include "preload/python/code_table.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"
#include "preload/wire/kinds.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

using python::load;
using python::load_as;

constexpr std::size_t kMaxNameBytes = 1000;
constexpr std::uint64_t kMaxTableBytes = std::uint64_t{4} << 20;

/// Builds a text; ignores what no longer fits.
class TextBuffer {
 public:
  TextBuffer(char* memory, std::size_t capacity) : begin_(memory), capacity_(capacity) {}

  void add_byte(std::uint32_t byte) {
    if (used_ < capacity_)
      begin_[used_++] = static_cast<char>(byte);
  }
  /// Appends as UTF-8. A surrogate for an undecodable byte (PEP 383) becomes that byte.
  void add(std::uint32_t character) {
    if (character < 0x80) {
      add_byte(character);
    } else if (character >= 0xDC80 && character <= 0xDCFF) {
      add_byte(character - 0xDC00);
    } else if (character < 0x800) {
      add_byte(0xC0 | character >> 6);
      add_byte(0x80 | (character & 0x3F));
    } else if (character < 0x10000) {
      add_byte(0xE0 | character >> 12);
      add_byte(0x80 | (character >> 6 & 0x3F));
      add_byte(0x80 | (character & 0x3F));
    } else {
      add_byte(0xF0 | (character >> 18 & 7));
      add_byte(0x80 | (character >> 12 & 0x3F));
      add_byte(0x80 | (character >> 6 & 0x3F));
      add_byte(0x80 | (character & 0x3F));
    }
  }
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::span<const char> text() const { return {begin_, used_}; }

 private:
  char* begin_;
  std::size_t capacity_;
  std::size_t used_ = 0;
};

/// PyASCIIObject::state, from its lowest bit: interned 2, kind 3, compact 1, ascii 1.
struct StringState {
  std::uint32_t bits;
  [[nodiscard]] std::uint32_t kind() const { return bits >> 2 & 7; }  ///< Bytes of a character.
  [[nodiscard]] bool is_compact() const { return (bits >> 5 & 1) != 0; }
  [[nodiscard]] bool is_ascii() const { return (bits >> 6 & 1) != 0; }
};

std::uint32_t character_at(std::uint64_t text, std::uint32_t kind, std::uint64_t i) {
  switch (kind) {
    case 1:
      return load_as<std::uint8_t>(text + i);
    case 2:
      return load_as<std::uint16_t>(text + 2 * i);
    default:
      return load_as<std::uint32_t>(text + 4 * i);
  }
}

void add_string(std::uint64_t string,
                const python::Layout& layout,
                std::size_t most,
                TextBuffer& out) {
  if (string == 0)
    return;
  const StringState state{load_as<std::uint32_t>(string + python::kUnicodeState)};
  const std::uint32_t kind = state.kind();
  if (!state.is_compact() || (kind != 1 && kind != 2 && kind != 4))
    return;
  const std::uint64_t length = load(string + python::kUnicodeLength);
  const std::uint64_t text = string + (state.is_ascii() ? layout.ascii_text : layout.other_text);
  const std::size_t end = out.used() + most;
  for (std::uint64_t i = 0; i < length && out.used() < end; ++i)
    out.add(character_at(text, kind, i));
}

void write_lines(ThreadState& thread,
                 std::uint32_t number,
                 std::uint64_t table,
                 std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += kMaxTextBytes) {
    const std::uint64_t part = bytes - at < kMaxTextBytes ? bytes - at : kMaxTextBytes;
    write_text(thread, wire::CodeLines{.number = number, .begin = at},
               {reinterpret_cast<const char*>(table + at), part});
  }
}

}  // namespace

std::uint32_t tell_code(std::uint64_t code, const python::Runtime& runtime) {
  ThreadState* thread = current_thread();
  if (thread == nullptr)
    return wire::kUnknownCode;
  const std::uint32_t number = python::take_code_number();
  if (number == wire::kUnknownCode)
    return number;
  const python::Layout& layout = runtime.layout;
  const std::uint64_t lines = load(code + layout.code_lines);
  std::uint64_t bytes = lines != 0 ? load(lines + python::kObjectSize) : 0;
  bytes = bytes < kMaxTableBytes ? bytes : 0;
  with_text(*thread, [&] {
    TextBuffer text(thread->text, sizeof thread->text);  // the stack may be a tiny one
    add_string(load(code + layout.code_name), layout, kMaxNameBytes, text);
    text.add_byte(0);
    add_string(load(code + layout.code_file), layout, kMaxTextBytes, text);
    write_text(*thread,
               wire::Code{.number = number,
                          .first_line = load_as<std::uint32_t>(code + layout.code_first_line),
                          .table_bytes = static_cast<std::uint32_t>(bytes),
                          .format = bytes != 0 ? layout.line_format : wire::LineFormat::kNone},
               text.text());
  });
  write_lines(*thread, number, lines + python::kBytesText, bytes);
  // Kept last: another thread that finds the number relies on the records being in a ring.
  python::keep_code_number(code, number);
  return number;
}

}  // namespace tidemark::preload
