#include "reference_loaders/tvm/loaded_models.hpp"

#include "reference_loaders/size.hpp"
#include "reference_loaders/tvm/loaders.hpp"
#include "reference_loaders/tvm/made_model.hpp"

#include <fmt/format.h>

#include <variant>

namespace tidemark::loaders::tvm {
namespace {

std::vector<NamedTensor> tensors_of(const Params& params) {
  std::vector<NamedTensor> tensors;
  tensors.reserve(params.size());
  for (const auto& [name, tensor] : params) {
    tensors.push_back({name, tensor});
  }
  return tensors;
}

std::vector<NamedTensor> tensors_of(const Executable& executable) {
  std::vector<NamedTensor> tensors;
  for (std::uint64_t index = 0; index < executable.constants.size(); ++index) {
    if (const auto& tensor = executable.constants[index].tensor) {
      tensors.push_back({constant_name(index), *tensor});
    }
  }
  return tensors;
}

std::vector<NamedTensor> tensors_of(const RelaxExecutable& executable) {
  std::vector<NamedTensor> tensors;
  for (std::uint64_t index = 0; index < executable.constants.size(); ++index) {
    if (const auto* tensor = std::get_if<NDArray>(&executable.constants[index])) {
      tensors.push_back({constant_name(index), *tensor});
    }
  }
  return tensors;
}

class ExecutableModel final : public TvmModel {
 public:
  explicit ExecutableModel(std::unique_ptr<Executable> executable)
      : TvmModel(tensors_of(*executable)), executable_(std::move(executable)) {}

  [[nodiscard]] std::vector<Note> notes() const override {
    return {{"code kept", fmt::format("{} beside the tensors, for the executable's life",
                                      format_size(executable_->code.size()))}};
  }

 private:
  std::unique_ptr<Executable> executable_;
};

class RelaxModel final : public TvmModel {
 public:
  explicit RelaxModel(std::unique_ptr<RelaxExecutable> executable)
      : TvmModel(tensors_of(*executable)), executable_(std::move(executable)) {}

 private:
  std::unique_ptr<RelaxExecutable> executable_;
};

class CacheModel final : public TvmModel {
 public:
  explicit CacheModel(const LoadedCache& cache)
      : TvmModel(tensors_of(cache.params)),
        bytes_beside_tensors_(cache.bytes_beside_tensors),
        largest_shard_bytes_(cache.largest_shard_bytes) {}

  [[nodiscard]] std::uint64_t work_bytes() const override { return bytes_beside_tensors_; }

  [[nodiscard]] std::vector<Note> notes() const override {
    if (bytes_beside_tensors_ == largest_shard_bytes_) {
      return {};
    }
    return {{"one string",
             fmt::format("of {} for shards of {} at most, since a string that grows doubles",
                         format_size(bytes_beside_tensors_), format_size(largest_shard_bytes_))}};
  }

 private:
  std::uint64_t bytes_beside_tensors_;
  std::uint64_t largest_shard_bytes_;
};

}  // namespace

std::vector<TensorView> TvmModel::tensors() const {
  std::vector<TensorView> views;
  views.reserve(tensors_.size());
  for (const NamedTensor& one : tensors_) {
    views.push_back({one.name, one.tensor.dtype().name(), one.tensor.shape(), one.tensor.data()});
  }
  return views;
}

std::unique_ptr<LoadedModel> blob_model(const LoadRequest& request) {
  return std::make_unique<TvmModel>(tensors_of(load_blob(request.file)));
}

std::unique_ptr<LoadedModel> stream_model(const LoadRequest& request) {
  return std::make_unique<TvmModel>(tensors_of(load_stream(request.file)));
}

std::unique_ptr<LoadedModel> exec_blob_model(const LoadRequest& request) {
  return std::make_unique<ExecutableModel>(load_exec_blob(request.file));
}

std::unique_ptr<LoadedModel> exec_stream_model(const LoadRequest& request) {
  return std::make_unique<ExecutableModel>(load_exec_stream(request.file));
}

std::unique_ptr<LoadedModel> relax_model(const LoadRequest& request) {
  return std::make_unique<RelaxModel>(load_relax(request.file));
}

std::unique_ptr<LoadedModel> shards_model(const LoadRequest& request) {
  return std::make_unique<CacheModel>(load_shards(request.file));
}

}  // namespace tidemark::loaders::tvm
