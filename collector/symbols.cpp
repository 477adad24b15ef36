#include "collector/symbols.hpp"

#include "collector/build_id.hpp"
#include "collector/debug_file.hpp"
#include "collector/debug_info.hpp"
#include "collector/demangle.hpp"
#include "collector/file_descriptor.hpp"
#include "collector/symbol_table.hpp"

#include <elfutils/libdwfl.h>

#include <optional>
#include <utility>

namespace tidemark {
namespace {

/// A module keeps up to two descriptors open, and a process usually may have 1024.
constexpr std::size_t kOpenModules = 400;

using DwflHandle = std::unique_ptr<Dwfl, decltype(&dwfl_end)>;

DwflHandle begin_dwfl() {
  static const Dwfl_Callbacks callbacks = {.find_elf = nullptr,  // Modules come with their file.
                                            .find_debuginfo = find_debug_file,
                                            .section_address = dwfl_offline_section_address,
                                            .debuginfo_path = nullptr};
  return {dwfl_begin(&callbacks), dwfl_end};
}

}  // namespace

/// One file, in a Dwfl of its own: there each has its own addresses, from bias 0.
class Symbolizer::Module {
 public:
  explicit Module(const std::string& path);

  [[nodiscard]] const std::string& build_id() const { return build_id_; }
  std::vector<trace::Location> locate(std::uint64_t address);

 private:
  void open(const std::string& path, FileDescriptor file);
  void read_tables();

  DwflHandle dwfl_{nullptr, dwfl_end};
  Dwfl_Module* module_ = nullptr;  ///< Null for what is not a readable ELF file.
  std::string build_id_;
  Dwarf_Addr debug_bias_ = 0;
  std::optional<DebugInfo> debug_info_;
  std::optional<SymbolTable> symbols_;
};

Symbolizer::Module::Module(const std::string& path) {
  FileDescriptor file = open_regular_file(path);
  if (file.is_open()) {
    build_id_ = read_build_id(file.number());
    open(path, std::move(file));
  }
}

void Symbolizer::Module::open(const std::string& path, FileDescriptor file) {
  dwfl_ = begin_dwfl();
  if (dwfl_ == nullptr) {
    return;
  }
  dwfl_report_begin(dwfl_.get());
  module_ = dwfl_report_elf(dwfl_.get(), path.c_str(), path.c_str(), file.number(), 0, true);
  if (module_ != nullptr) {
    file.release();
  }
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
}

void Symbolizer::Module::read_tables() {
  if (symbols_ || module_ == nullptr) {
    return;
  }
  if (Dwarf* dwarf = dwfl_module_getdwarf(module_, &debug_bias_)) {
    debug_info_.emplace(dwarf);
  }
  symbols_.emplace(module_);
}

std::vector<trace::Location> Symbolizer::Module::locate(std::uint64_t address) {
  std::vector<trace::Location> locations;
  read_tables();
  const char* symbol = symbols_ ? symbols_->find(address) : nullptr;
  if (debug_info_) {
    locations = debug_info_->locate(address - debug_bias_, symbol);
  }
  if (symbol == nullptr) {
    return locations;
  }
  if (locations.empty()) {
    locations.emplace_back();
  }
  if (locations.back().function.empty()) {
    locations.back().function = demangle(symbol);
  }
  return locations;
}

Symbolizer::Symbolizer() = default;
Symbolizer::~Symbolizer() = default;

Symbolizer::Module& Symbolizer::module(const std::string& path) {
  if (modules_.size() >= kOpenModules && !modules_.contains(path)) {
    modules_.clear();
  }
  auto& module = modules_[path];
  if (module == nullptr) {
    module = std::make_unique<Module>(path);
  }
  return *module;
}

std::vector<trace::Location> Symbolizer::locate(const std::string& path,
                                                std::uint64_t offset,
                                                const std::string& build_id) {
  Module& found = module(path);
  if (offset == 0 || (!build_id.empty() && build_id != found.build_id())) {
    return {};
  }
  // The call ends where it returns to; its last byte still belongs to the line that made it.
  return found.locate(offset - 1);
}

std::string Symbolizer::build_id(const std::string& path) {
  const FileDescriptor file = open_regular_file(path);
  return file.is_open() ? read_build_id(file.number()) : std::string();
}

}  // namespace tidemark
