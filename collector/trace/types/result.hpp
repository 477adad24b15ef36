/// A value or the one sentence that says why there is none.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tidemark {

enum class ErrorCode {
  kIo,           ///< The system refused: the message carries strerror.
  kNotATrace,    ///< The bytes do not start like a trace.
  kUnsupported,  ///< A trace of a newer major version.
  kCorrupt,      ///< A trace, but damaged where it must not be.
  kUsage,        ///< The caller asked for something that cannot be.
};

struct Error {
  ErrorCode code = ErrorCode::kIo;
  std::string
      message;  ///< One sentence for a person: what, where, what to do. No trailing newline.
};

/// Either a `T` or an `Error`. Reading the wrong one throws std::bad_variant_access.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error{...};` are the two ways out of a
  // function.
  Result(T value) : body_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : body_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(body_); }
  [[nodiscard]] T& value() { return std::get<T>(body_); }
  [[nodiscard]] const T& value() const { return std::get<T>(body_); }
  [[nodiscard]] const Error& error() const { return std::get<Error>(body_); }

 private:
  std::variant<T, Error> body_;
};

/// The result of an operation that yields nothing but success.
using Status = Result<std::monostate>;

inline Status success() {
  return Status(std::monostate{});
}

}  // namespace tidemark
