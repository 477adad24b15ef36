#include "collector/launch/host_environment.hpp"

#include "tests/support/catch.hpp"

using tidemark::host_environment;
using tidemark::SessionVariables;
using Variables = std::vector<std::string>;

namespace {

const SessionVariables kPlain{"/lib/a.so:/lib/b.so", "1:2:3", ""};
const SessionVariables kWithLayer{"/lib/a.so", "1:2:3", "/lib"};

}  // namespace

TEST_CASE("a host's environment is its own, and leads into the session", "[host_environment]") {
  CHECK(host_environment({"HOME=/home/a", "EMPTY=", "odd"}, kPlain) ==
        Variables{"HOME=/home/a", "EMPTY=", "odd", "LD_PRELOAD=/lib/a.so:/lib/b.so",
                  "TIDEMARK_SESSION=1:2:3"});
}

TEST_CASE("the user's own preloaded objects come after ours", "[host_environment]") {
  CHECK(host_environment({"LD_PRELOAD=/usr/lib/jemalloc.so"}, kPlain) ==
        Variables{"LD_PRELOAD=/lib/a.so:/lib/b.so:/usr/lib/jemalloc.so", "TIDEMARK_SESSION=1:2:3"});
  CHECK(host_environment({"LD_PRELOAD="}, kPlain) ==
        Variables{"LD_PRELOAD=/lib/a.so:/lib/b.so", "TIDEMARK_SESSION=1:2:3"});
}

TEST_CASE("a session inside a session is the inner one's", "[host_environment]") {
  CHECK(host_environment({"TIDEMARK_SESSION=9:9:9"}, kPlain) ==
        Variables{"LD_PRELOAD=/lib/a.so:/lib/b.so", "TIDEMARK_SESSION=1:2:3"});
}

TEST_CASE("the Vulkan layer is found beside the user's own", "[host_environment]") {
  CHECK(host_environment({}, kWithLayer) ==
        Variables{"LD_PRELOAD=/lib/a.so", "TIDEMARK_SESSION=1:2:3", "VK_ADD_LAYER_PATH=/lib",
                  "VK_INSTANCE_LAYERS=VK_LAYER_TIDEMARK_memory"});
  CHECK(host_environment(
            {"VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation", "VK_ADD_LAYER_PATH=/mine"},
            kWithLayer) ==
        Variables{"LD_PRELOAD=/lib/a.so", "TIDEMARK_SESSION=1:2:3", "VK_ADD_LAYER_PATH=/lib:/mine",
                  "VK_INSTANCE_LAYERS=VK_LAYER_TIDEMARK_memory:VK_LAYER_KHRONOS_validation"});
}

TEST_CASE("where the user names the only folder of layers, ours joins it", "[host_environment]") {
  CHECK(host_environment({"VK_LAYER_PATH=/sdk"}, kWithLayer) ==
        Variables{"LD_PRELOAD=/lib/a.so", "TIDEMARK_SESSION=1:2:3", "VK_LAYER_PATH=/lib:/sdk",
                  "VK_INSTANCE_LAYERS=VK_LAYER_TIDEMARK_memory"});
}
