#include "reference_loaders/complete_file.hpp"

#include <system_error>
#include <utility>

namespace tidemark::loaders {

CompleteFile::CompleteFile(std::filesystem::path file)
    : file_(std::move(file)), incomplete_(file_.string() + ".incomplete") {}

CompleteFile::~CompleteFile() {
  std::error_code ignored;
  std::filesystem::remove(incomplete_, ignored);
}

void CompleteFile::commit() {
  std::filesystem::rename(incomplete_, file_);
}

}  // namespace tidemark::loaders
