#include "analyzer/flow/model_files.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

std::vector<FileUse> read_whole(const trace::Definitions& definitions) {
  const LibraryFolders libraries(definitions);
  std::vector<FileUse> uses;
  for (const trace::File& file : definitions.files) {
    FileUse& use = uses.emplace_back(unused(file));
    use.is_beside_libraries = libraries.hold(file.path);
    use.bytes_read = file.size;
  }
  return uses;
}

}  // namespace

ModelFiles::ModelFiles(const LoadFacts& load, const trace::Definitions& definitions) {
  take(load.model, load.files, definitions);
}

ModelFiles ModelFiles::expected(const trace::Definitions& definitions, const std::string& given) {
  const std::vector<FileUse> uses = read_whole(definitions);
  const std::string& wanted = given.empty() ? definitions.session.model : given;
  ModelBytes model = find_model_bytes(uses);
  if (!wanted.empty()) {
    if (auto found = given_model_bytes(wanted, uses); found.ok()) {
      model = std::move(found.value());
    }
  }
  ModelFiles files;
  files.take(model, uses, definitions);
  files.files_.clear();
  return files;
}

void ModelFiles::take(const ModelBytes& model,
                      const std::vector<FileUse>& uses,
                      const trace::Definitions& definitions) {
  files_ = model.files;
  if (files_.empty() && model.is_known()) {
    files_ = find_model_bytes(uses).files;
  }
  for (const std::size_t i : files_) {
    paths_.insert(uses[i].path);
  }
  for (const trace::File& file : definitions.files) {
    by_id_.push_back(paths_.contains(file.path));
  }
}

bool ModelFiles::agrees_with(const ModelFiles& other, const std::vector<FileUse>& used) const {
  return std::ranges::all_of(used, [&](const FileUse& file) {
    return paths_.contains(file.path) == other.paths_.contains(file.path);
  });
}

}  // namespace tidemark::analyzer
