#include "gui/app/settings.hpp"

#include "analyzer/io/whole_file.hpp"
#include "collector/trace/types/unfinished.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tidemark::gui {
namespace {

constexpr std::size_t kMaxRecentFiles = 10;

/// Empty when there is no home.
std::filesystem::path settings_file() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  // By the XDG specification, relative paths in the variable are ignored.
  if (config != nullptr && *config == '/') {
    return std::filesystem::path(config) / "tidemark" / "gui.json";
  }
  return home != nullptr && *home == '/'
             ? std::filesystem::path(home) / ".config" / "tidemark" / "gui.json"
             : std::filesystem::path();
}

}  // namespace

void Settings::remember(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const std::string text = error ? path : absolute.lexically_normal().string();
  std::erase(recent, text);
  std::erase(recent, trace::unfinished_name(text));
  recent.insert(recent.begin(), text);
  recent.resize(std::min(recent.size(), kMaxRecentFiles));
}

Settings load_settings() {
  Settings settings;
  const auto text = analyzer::read_whole_file(settings_file().string());
  if (!text.ok()) {
    return settings;
  }
  const auto json = nlohmann::json::parse(text.value(), nullptr, false);
  if (!json.is_object()) {
    return settings;
  }
  if (const auto dark = json.find("dark"); dark != json.end() && dark->is_boolean()) {
    settings.dark = dark->get<bool>();
  }
  if (const auto recent = json.find("recent"); recent != json.end() && recent->is_array()) {
    for (const auto& path : *recent) {
      if (path.is_string() && settings.recent.size() < kMaxRecentFiles) {
        settings.recent.push_back(path.get<std::string>());
      }
    }
  }
  return settings;
}

void save_settings(const Settings& settings) {
  const auto file = settings_file();
  if (file.empty()) {
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const nlohmann::json json{{"dark", settings.dark}, {"recent", settings.recent}};
  // Paths may be any bytes, perhaps not UTF-8.
  const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  static_cast<void>(analyzer::write_whole_file(file.string(), text + '\n').ok());
}

}  // namespace tidemark::gui
