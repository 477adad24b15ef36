#include "gui/view/files/growing_file.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace tidemark::gui {
namespace {

using std::filesystem::file_time_type;

std::uintmax_t size_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

file_time_type time_of(const std::string& path) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(path, error);
  return error ? file_time_type::min() : time;
}

/// By wall clock. The clock of another machine may be ahead.
std::chrono::nanoseconds age_of(file_time_type time) {
  using std::chrono::nanoseconds;
  if (time == file_time_type::min()) {
    return {};
  }
  return std::max<nanoseconds>(file_time_type::clock::now() - time, nanoseconds(0));
}

}  // namespace

GrowingFile::GrowingFile(std::string path, Clock::time_point now)
    : path_(std::move(path)),
      read_(now),
      read_bytes_(size_of(path_)),
      time_(time_of(path_)),
      age_(age_of(time_)) {
  touched_ = now - age_;
}

void GrowingFile::look(Clock::time_point now) {
  const file_time_type time = time_of(path_);
  if (std::exchange(time_, time) != time) {
    touched_ = now;
  }
  age_ = now - (has_changed() ? read_ : touched_);
}

bool GrowingFile::has_changed() const {
  return size_of(path_) != read_bytes_;
}

}  // namespace tidemark::gui
