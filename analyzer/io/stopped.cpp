#include "analyzer/io/stopped.hpp"

#include <filesystem>
#include <new>
#include <system_error>

namespace tidemark::analyzer {

std::string stopped_sentence(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "stopped: there is not enough memory";
  }
  if (const auto* files = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return "stopped: cannot use '" + files->path1().string() + "': " + files->code().message();
  }
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    return "stopped: the system refused something: " + system->code().message();
  }
  return std::string(
             "stopped by a mistake in tidemark itself; please report it, with the words '") +
         error.what() + "'";
}

}  // namespace tidemark::analyzer
