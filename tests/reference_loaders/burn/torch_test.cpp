// Files of PyTorch in our loaders, and ours in PyTorch and in Python's zipfile. Where the two are
// not installed, that is said.
#include "reference_loaders/burn/model_writer.hpp"
#include "reference_loaders/burn/zip_writer.hpp"
#include "tests/reference_loaders/burn/checkpoints.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <optional>
#include <string>

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;

namespace {

bool runs(const std::string& command) {
  return std::system((command + " >&2").c_str()) == 0;
}

/// A Python that has PyTorch: the first in PATH, or Debian's.
std::optional<std::string> python_with_torch() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    if (runs(std::string(python) + " -c 'import torch' 2>/dev/null")) {
      return python;
    }
  }
  SKIP_TEST("no python3 here can import torch");
  return std::nullopt;
}

bool runs_script(const std::string& python,
                 const test::TemporaryFolder& directory,
                 const std::string& script) {
  const auto file = directory.file("script.py");
  test::write_file(file, "import sys\nfolder = sys.argv[1]\n" + script);
  return runs(python + " " + file + " " + directory.path());
}

Module load_with(test::LoadCheckpoint load, const std::filesystem::path& file) {
  Checkpoint checkpoint([file] { return open_file(file); }, false);
  return load(checkpoint);
}

}  // namespace

TEST_CASE("a state_dict that PyTorch saved is loaded", "[burn][torch]") {
  const auto python = python_with_torch();
  if (!python) {
    SUCCEED();
    return;
  }
  const test::TemporaryFolder directory;
  REQUIRE(runs_script(*python, directory, R"(
import torch, collections
base = torch.arange(12, dtype=torch.float32)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 2, 1, bias=False)
        self.blocks = torch.nn.Sequential(torch.nn.BatchNorm2d(2), torch.nn.ReLU(), torch.nn.Linear(3, 2))
        self.tied = torch.nn.Linear(3, 2)
        self.tied.weight = self.blocks[2].weight
net = Net()
with torch.no_grad():
    net.conv.weight.copy_(torch.tensor([5., -6.]).reshape(2, 1, 1, 1))
    net.blocks[2].weight.copy_(torch.tensor([[1., 2., 3.], [4., 5., 6.]]))
state = net.state_dict()
assert isinstance(state, collections.OrderedDict) and len(state._metadata) > 3
state['strided'] = base.reshape(3, 4).t()
state['offset'] = base[5:8]
state['every_other'] = base[1::2]
state['half'] = torch.tensor([1., -2., .5]).half()
state['bfloat16'] = torch.tensor([1., -2., .5]).bfloat16()
state['double'] = torch.tensor([1e300])
state['double'] = torch.tensor([1e300], dtype=torch.float64)
state['int64'] = torch.tensor([-1, 1 << 40])
state['int32'] = torch.tensor([-7], dtype=torch.int32)
state['int16'] = torch.tensor([-300], dtype=torch.int16)
state['int8'] = torch.tensor([-8], dtype=torch.int8)
state['uint8'] = torch.tensor([200], dtype=torch.uint8)
state['bool'] = torch.tensor([True, False, True])
state['scalar'] = torch.tensor(3.25)
state['empty'] = torch.empty(0, 4)
torch.save(state, folder + '/model.pt')
)"));

  for (const test::LoadCheckpoint load : test::all_loaders()) {
    const Module module = load_with(load, directory.file("model.pt"));
    const auto floats = [&](const char* name) { return test::values_of<float>(module, name); };
    using Floats = std::vector<float>;

    CHECK(module.size() == 24);
    CHECK(floats("conv.weight") == Floats{5, -6});
    CHECK(floats("blocks.2.weight") == Floats{1, 4, 2, 5, 3, 6});  // linear: transposed
    CHECK(floats("tied.weight") == Floats{1, 4, 2, 5, 3, 6});
    CHECK(floats("blocks.0.running_var") == Floats{1, 1});
    CHECK(test::values_of<std::int64_t>(module, "blocks.0.num_batches_tracked") ==
          std::vector<std::int64_t>{0});
    CHECK(floats("strided") == Floats{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    CHECK(test::tensor_of(module, "strided").shape == std::vector<std::int64_t>{4, 3});
    CHECK(floats("offset") == Floats{5, 6, 7});
    CHECK(floats("every_other") == Floats{1, 3, 5, 7, 9, 11});
    CHECK(test::values_of<std::uint16_t>(module, "half") ==
          std::vector<std::uint16_t>{0x3c00, 0xc000, 0x3800});
    CHECK(test::values_of<std::uint16_t>(module, "bfloat16") ==
          std::vector<std::uint16_t>{0x3f80, 0xc000, 0x3f00});
    CHECK(test::tensor_of(module, "bfloat16").dtype == Dtype::kBfloat16);
    CHECK(test::values_of<double>(module, "double") == std::vector<double>{1e300});
    CHECK(test::values_of<std::int64_t>(module, "int64") ==
          std::vector<std::int64_t>{-1, std::int64_t{1} << 40});
    CHECK(test::values_of<std::int32_t>(module, "int32") == std::vector<std::int32_t>{-7});
    CHECK(test::values_of<std::int16_t>(module, "int16") == std::vector<std::int16_t>{-300});
    CHECK(test::values_of<std::int8_t>(module, "int8") == std::vector<std::int8_t>{-8});
    CHECK(test::values_of<std::uint8_t>(module, "uint8") == std::vector<std::uint8_t>{200});
    CHECK(test::values_of<std::uint8_t>(module, "bool") == std::vector<std::uint8_t>{1, 0, 1});
    CHECK(floats("scalar") == Floats{3.25});
    CHECK(test::tensor_of(module, "empty").shape == std::vector<std::int64_t>{0, 4});
  }
}

TEST_CASE("PyTorch loads our file, and saves the same pickle again", "[burn][torch]") {
  const auto python = python_with_torch();
  if (!python) {
    SUCCEED();
    return;
  }
  const test::TemporaryFolder directory;
  write_model_file(directory.file("model.pt"), FileForm::kPytorch, resnet18(), 5);
  const Module module = load_with(test::all_loaders().back(), directory.file("model.pt"));
  test::write_file(directory.file("first"),
                   test::bytes_of(test::values_of<float>(module, "conv1.weight")));
  test::write_file(directory.file("linear"),
                   test::bytes_of(test::values_of<float>(module, "fc.weight")));

  CHECK(runs_script(*python, directory, R"(
import torch, io, zipfile
state = torch.load(folder + '/model.pt')
assert len(state) == 122 and sum(t.numel() for t in state.values()) == 11699132
assert state._metadata['bn1'] == {'version': 2}
assert state['bn1.num_batches_tracked'].item() == 1005
def same(tensor, name):
    return tensor.contiguous().numpy().tobytes() == open(folder + '/' + name, 'rb').read()
assert same(state['conv1.weight'], 'first')
assert same(state['fc.weight'].t(), 'linear')
again = io.BytesIO()
torch.save(state, again)
pickles = [zipfile.ZipFile(f).read('archive/data.pkl') for f in (folder + '/model.pt', again)]
assert pickles[0] == pickles[1]
)"));
}

TEST_CASE("PyTorch saves the tiny file byte for byte as we do", "[burn][torch]") {
  const auto python = python_with_torch();
  if (!python) {
    SUCCEED();
    return;
  }
  const test::TemporaryFolder directory;
  test::write_file(directory.file("model.pt"), test::a_tiny_file());

  CHECK(runs_script(*python, directory, R"(
import torch, io
again = io.BytesIO()
torch.save(torch.load(folder + '/model.pt'), again)
ours = open(folder + '/model.pt', 'rb').read()
# Versions from 2.1 on add entries of their own: then only ours is a part of theirs.
version = tuple(int(part) for part in torch.__version__.split('.')[:2])
assert again.getvalue() == ours or version >= (2, 1)
)"));
}

TEST_CASE("Python's zipfile reads entries with sizes of 64 bits", "[burn][zip]") {
  const test::TemporaryFolder directory;
  std::string file;
  StringSink sink(&file);
  ZipWriter zip(sink, 0);
  zip.add("archive/data.pkl", "some bytes");
  zip.add("archive/data/0", std::string(1000, 'x'));
  zip.finish();
  test::write_file(directory.file("model.pt"), file);

  CHECK(runs("python3 -m zipfile -t " + directory.file("model.pt")));
}
