// What Khronos' validation layers say of a load.
#include "reference_loaders/executorch/model_files.hpp"
#include "reference_loaders/executorch/vulkan_device.hpp"
#include "tests/reference_loaders/executorch/loaded_graph.hpp"
#include "tests/reference_loaders/executorch/tiny_model.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <sys/wait.h>

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;

namespace {

constexpr const char* kLayer = "VK_LAYER_KHRONOS_validation";

bool is_skipped_without_validation() {
  std::uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  const bool is_there = std::ranges::any_of(layers, [](const VkLayerProperties& layer) {
    return std::string_view(static_cast<const char*>(layer.layerName)) == kLayer;
  });
  if (!is_there) {
    SKIP_TEST(kLayer << " is not installed (vulkan-validationlayers)");
  }
  return !is_there || test::is_skipped_without_vulkan();
}

/// All that a load prints with the layer in it, and with Vulkan's loader telling which layers it
/// takes.
std::string said_of(const std::string& variant, const std::filesystem::path& file) {
  const std::string out = file.string() + ".said";
  const std::string command = std::string("VK_LOADER_DEBUG=layer VK_INSTANCE_LAYERS=") + kLayer +
                              " VK_LAYER_ENABLES="
                              "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT " +
                              TIDEMARK_LOADERS_COMMAND + " run executorch " + variant + " " +
                              file.string() + " --commit >" + out + " 2>&1";
  const int status = std::system(command.c_str());
  CAPTURE(command);
  CHECK(WEXITSTATUS(status) == 0);
  return test::read_file(out);
}

}  // namespace

TEST_CASE("the validation layers have nothing to say of any variant", "[executorch][vulkan]") {
  if (is_skipped_without_validation()) {
    return;
  }
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  const std::string variant =
      GENERATE("eager", "half-applied", "lazy", "lazy-10mb", "tied", "tied-cached");
  const bool is_tied = variant.starts_with("tied");
  write_random_model(file, {.heads = 2, .tokens = 4, .is_tied = is_tied}, 1);

  const std::string said = said_of(variant, file);

  CAPTURE(variant, said);
  CHECK(said.find("checksum") != std::string::npos);
  CHECK(said.find(kLayer) != std::string::npos);  // it was there to say something
  CHECK(said.find("VUID") == std::string::npos);
  CHECK(said.find("SYNC-HAZARD") == std::string::npos);
  CHECK(said.find("Validation Error") == std::string::npos);
}
