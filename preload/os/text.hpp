/// Builds text in place, without allocating and independent of the locale.
#pragma once

#include <cstdint>

namespace tidemark::preload {

/// Copies `text` to `out`, which must have room for it and a zero. @return where the zero is.
inline char* append(char* out, const char* text) {
  while (*text != '\0')
    *out++ = *text++;
  *out = '\0';
  return out;
}

/// The same for a number, in decimal: 20 digits at most.
inline char* append(char* out, std::uint64_t number) {
  char digits[20];
  unsigned count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count != 0)
    *out++ = digits[--count];
  *out = '\0';
  return out;
}

/// The same in hexadecimal: 8 digits.
inline char* append_hexadecimal(char* out, std::uint32_t number) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (int shift = 28; shift >= 0; shift -= 4)
    *out++ = kDigits[number >> shift & 0xf];
  *out = '\0';
  return out;
}

}  // namespace tidemark::preload
