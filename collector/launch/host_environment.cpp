#include "collector/launch/host_environment.hpp"

#include "preload/wire/session.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tidemark {
namespace {

constexpr std::string_view kLayerName = "VK_LAYER_TIDEMARK_memory";
// Vulkan-Loader, docs/LoaderInterfaceArchitecture.md. The second is looked at only without the
// first.
constexpr std::string_view kLayerPath = "VK_LAYER_PATH";
constexpr std::string_view kAddedLayerPath = "VK_ADD_LAYER_PATH";
constexpr std::string_view kInstanceLayers = "VK_INSTANCE_LAYERS";

/// The variables of a program, by name.
class Variables {
 public:
  explicit Variables(std::vector<std::string> variables) : variables_(std::move(variables)) {}

  [[nodiscard]] std::optional<std::string> get(std::string_view name) const {
    const auto found = find(name);
    if (found == variables_.end())
      return std::nullopt;
    return found->substr(name.size() + 1);
  }
  void set(std::string_view name, const std::string& value) {
    std::erase_if(variables_, [&](const std::string& text) { return is(text, name); });
    variables_.push_back(std::string(name) + "=" + value);
  }
  /// Puts `value` before what is there, with a colon between them.
  void put_before(std::string_view name, const std::string& value) {
    const std::string others = get(name).value_or("");
    set(name, others.empty() ? value : value + ":" + others);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(variables_); }

 private:
  static bool is(std::string_view text, std::string_view name) {
    return text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=';
  }
  [[nodiscard]] std::vector<std::string>::const_iterator find(std::string_view name) const {
    return std::ranges::find_if(variables_,
                                [&](const std::string& text) { return is(text, name); });
  }

  std::vector<std::string> variables_;
};

}  // namespace

std::vector<std::string> host_environment(const std::vector<std::string>& variables,
                                          const SessionVariables& session) {
  Variables host(variables);
  // The user's own objects come after ours, and ours finds the real functions in them.
  host.put_before(wire::kPreloadVariable, session.preload_objects);
  host.set(wire::kSessionVariable, session.session_address);
  if (!session.vulkan_layers.empty()) {
    host.put_before(host.get(kLayerPath) ? kLayerPath : kAddedLayerPath, session.vulkan_layers);
    host.put_before(kInstanceLayers, std::string(kLayerName));
  }
  return host.take();
}

}  // namespace tidemark
