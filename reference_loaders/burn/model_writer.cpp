#include "reference_loaders/burn/model_writer.hpp"

#include "reference_loaders/burn/pickle_writer.hpp"
#include "reference_loaders/burn/random_tensor.hpp"
#include "reference_loaders/burn/record_writer.hpp"
#include "reference_loaders/burn/zip_writer.hpp"
#include "reference_loaders/complete_file.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::burn {
namespace {

void write_pytorch(Sink& sink, const ModelSpec& spec, const WriteTensor& write_tensor) {
  ZipWriter zip(sink);
  zip.add("archive/data.pkl", state_dict_pickle(state_dict_of(spec), spec.modules));
  zip.add("archive/byteorder", "little");
  for (std::size_t index = 0; index < spec.tensors.size(); ++index) {
    zip.add(fmt::format("archive/data/{}", index), spec.tensors[index].bytes(),
            [&](Sink& payload) { write_tensor(payload, spec.tensors[index], index); });
  }
  zip.add("archive/version", "3\n");
  zip.finish();
}

void write_form(Sink& sink, FileForm form, const ModelSpec& spec, const WriteTensor& write_tensor) {
  if (form == FileForm::kPytorch) {
    write_pytorch(sink, spec, write_tensor);
  } else {
    write_record(sink, spec, form == FileForm::kMpkBytes, write_tensor);
  }
}

}  // namespace

void write_model(Sink& sink, FileForm form, const ModelSpec& spec, std::uint64_t seed) {
  write_form(sink, form, spec, [&](Sink& payload, const TensorSpec& tensor, std::uint64_t number) {
    const bool transposed =
        form != FileForm::kPytorch && is_linear_weight(tensor.name, tensor.shape);
    write_random_tensor(payload, tensor, seed, number, transposed);
  });
}

void write_model_file(const std::filesystem::path& file,
                      FileForm form,
                      const ModelSpec& spec,
                      std::uint64_t seed) {
  CompleteFile target(file);
  OutputFile output(target.incomplete());
  write_model(output, form, spec, seed);
  output.close();
  target.commit();
}

std::uint64_t model_file_size(FileForm form, const ModelSpec& spec) {
  if (form != FileForm::kPytorch) {
    return record_file_size(spec, form == FileForm::kMpkBytes);
  }
  // Weights count, but need not be written for it.
  std::string rest;
  StringSink sink(&rest);
  write_pytorch(sink, spec, [](Sink&, const TensorSpec&, std::uint64_t) {});
  return rest.size() + spec.bytes();
}

}  // namespace tidemark::loaders::burn
