#include "collector/symbols/lookup/symbols.hpp"

#include "collector/os/build_id.hpp"
#include "collector/os/file_descriptor.hpp"
#include "collector/symbols/lookup/debug_file.hpp"
#include "collector/symbols/lookup/debug_info.hpp"
#include "collector/symbols/lookup/demangle.hpp"
#include "collector/symbols/lookup/symbol_table.hpp"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

#include <optional>
#include <utility>

namespace tidemark {
namespace {

using Locations = std::vector<trace::Location>;
using DwflHandle = std::unique_ptr<Dwfl, decltype(&dwfl_end)>;

DwflHandle begin_dwfl() {
  static const Dwfl_Callbacks callbacks = {.find_elf = nullptr,  // Modules come with their file.
                                           .find_debuginfo = find_debug_file,
                                           .section_address = dwfl_offline_section_address,
                                           .debuginfo_path = nullptr};
  return {dwfl_begin(&callbacks), dwfl_end};
}

/// The call ends where it returns to; its last byte still belongs to the line that made it.
std::vector<std::uint64_t> calls_before(std::span<const std::uint64_t> offsets) {
  std::vector<std::uint64_t> addresses;
  addresses.reserve(offsets.size());
  for (const std::uint64_t offset : offsets) {
    addresses.push_back(offset == 0 ? 0 : offset - 1);
  }
  return addresses;
}

/// The name of last resort: the symbol, where debug information has none.
void add_symbol(Locations& locations, const char* symbol) {
  if (symbol == nullptr) {
    return;
  }
  if (locations.empty()) {
    locations.emplace_back();
  }
  if (locations.back().function.empty()) {
    locations.back().function = demangle(symbol);
  }
}

}  // namespace

/// One file, in a Dwfl of its own: there it has its own addresses, from bias 0.
class Symbolizer::Module {
 public:
  Module(const std::string& path, FileDescriptor file);

  std::vector<Locations> locate(std::span<const std::uint64_t> addresses);
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  [[nodiscard]] std::string debug_link() const;

 private:
  std::optional<DebugInfo> debug_info(std::vector<std::uint64_t>& addresses);

  DwflHandle dwfl_{nullptr, dwfl_end};
  Dwfl_Module* module_ = nullptr;  ///< Null for what is not a readable ELF file.
  bool is_complete_ = true;
};

Symbolizer::Module::Module(const std::string& path, FileDescriptor file) {
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

std::string Symbolizer::Module::debug_link() const {
  GElf_Addr bias = 0;
  GElf_Word checksum = 0;
  Elf* elf = module_ != nullptr ? dwfl_module_getelf(module_, &bias) : nullptr;
  const char* link = elf != nullptr ? dwelf_elf_gnu_debuglink(elf, &checksum) : nullptr;
  return link != nullptr ? link : "";
}

/// @param addresses of the module; shifted to what the debug information counts from.
std::optional<DebugInfo> Symbolizer::Module::debug_info(std::vector<std::uint64_t>& addresses) {
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = dwfl_module_getdwarf(module_, &bias);
  if (dwarf == nullptr) {
    return std::nullopt;
  }
  for (std::uint64_t& address : addresses) {
    address -= bias;
  }
  return DebugInfo(dwarf, addresses);
}

std::vector<Locations> Symbolizer::Module::locate(std::span<const std::uint64_t> addresses) {
  std::vector<Locations> found(addresses.size());
  if (module_ == nullptr) {
    return found;
  }
  std::vector<std::uint64_t> shifted(addresses.begin(), addresses.end());
  std::optional<DebugInfo> debug = debug_info(shifted);
  const SymbolTable symbols(module_, addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const char* symbol = symbols.find(addresses[i]);
    if (debug) {
      found[i] = debug->locate(shifted[i], symbol);
    }
    add_symbol(found[i], symbol);
  }
  is_complete_ = is_complete_ && (!debug || debug->is_complete());
  return found;
}

Symbolizer::Symbolizer(const std::string& path, const std::string& build_id) {
  FileDescriptor file = open_regular_file(path);
  if (file.is_open() && (build_id.empty() || build_id == read_build_id(file.number()))) {
    module_ = std::make_unique<Module>(path, std::move(file));
    is_complete_ = true;
  }
}

Symbolizer::~Symbolizer() = default;

std::vector<Locations> Symbolizer::locate(std::span<const std::uint64_t> offsets) {
  if (module_ == nullptr) {
    return std::vector<Locations>(offsets.size());
  }
  std::vector<Locations> found = module_->locate(calls_before(offsets));
  is_complete_ = module_->is_complete();
  // Nothing returns to the file's very beginning.
  if (!offsets.empty() && offsets.front() == 0) {
    found.front().clear();
  }
  return found;
}

Locations Symbolizer::locate(std::uint64_t offset) {
  return std::move(locate(std::span(&offset, 1)).front());
}

std::string Symbolizer::debug_link() const {
  return module_ != nullptr ? module_->debug_link() : std::string();
}

std::string Symbolizer::build_id(const std::string& path) {
  const FileDescriptor file = open_regular_file(path);
  return file.is_open() ? read_build_id(file.number()) : std::string();
}

}  // namespace tidemark
