#include "reference_loaders/cli/commands.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/cli/page_cache.hpp"
#include "reference_loaders/cli/registry.hpp"
#include "reference_loaders/cli/resources.hpp"
#include "reference_loaders/measured_load.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace tidemark::loaders {
namespace {

std::string checksum_text(std::uint64_t checksum) {
  return fmt::format("{:016x}", checksum);
}

void print_text(const MeasuredLoad& load, const Variant& variant) {
  fmt::print("loaded          {} bytes ({})\n", load.weight_bytes, format_size(load.weight_bytes));
  fmt::print("tensors         {}\n", load.tensors);
  fmt::print("checksum        {} (XXH3-64)\n", checksum_text(load.checksum));
  fmt::print("time            {:.3f} s, {:.2f} GB/s\n", load.seconds, load.gigabytes_per_second());
  fmt::print("predicted peak  {} ({} = {})\n", format_size(load.predicted.footprint_bytes),
             variant.peak_formula, load.predicted.numbers);
  if (load.predicted.mapped_bytes > 0) {
    fmt::print("predicted map   {} of the file\n", format_size(load.predicted.mapped_bytes));
  }
  for (const Note& note : load.notes) {
    fmt::print("{:<15} {}\n", note.name, note.value);
  }
}

void print_json(const MeasuredLoad& load, const RunOptions& options) {
  nlohmann::json notes = nlohmann::json::object();
  for (const Note& note : load.notes) {
    notes[note.name] = note.value;
  }
  const nlohmann::json json = {{"system", options.system},
                               {"variant", options.variant},
                               {"file_bytes", load.file_bytes},
                               {"bytes", load.weight_bytes},
                               {"tensors", load.tensors},
                               {"checksum", checksum_text(load.checksum)},
                               {"seconds", load.seconds},
                               {"gigabytes_per_second", load.gigabytes_per_second()},
                               {"predicted_peak_bytes", load.predicted.footprint_bytes},
                               {"predicted_mapped_bytes", load.predicted.mapped_bytes},
                               {"predicted_numbers", load.predicted.numbers},
                               {"notes", notes}};
  fmt::print("{}\n", json.dump());
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  const auto directory = file.parent_path();
  return directory.empty() ? "." : directory;
}

void require_writable_name(const std::filesystem::path& file) {
  // The link itself is looked at: a rename would take its place.
  const auto there = std::filesystem::symlink_status(file);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    throw UsageError(
        fmt::format("{} is not a regular file and will not be replaced", file.string()));
  }
  if (!std::filesystem::is_directory(directory_of(file))) {
    throw UsageError(fmt::format("there is no directory {} to write {} to",
                                 directory_of(file).string(), file.filename().string()));
  }
}

/// `text` behind `head`, in lines of at most 80 columns; the further ones begin where it did.
void print_wrapped(const std::string& head, std::string_view text) {
  constexpr std::size_t kColumns = 80;
  const std::size_t room = kColumns - head.size();
  std::string margin = head;
  while (text.size() > room && text.rfind(' ', room) != std::string_view::npos) {
    const std::size_t end = text.rfind(' ', room);
    fmt::print("{}{}\n", margin, text.substr(0, end));
    text.remove_prefix(end + 1);
    margin.assign(head.size(), ' ');
  }
  fmt::print("{}{}\n", margin, text);
}

/// What the file is a model of is not known, but only a model of several files knows the others.
void drop_page_cache_of(const System& system,
                        const Variant& variant,
                        const std::filesystem::path& file) {
  for (const Model& model : system.models) {
    for (const auto& one : variant.loads(model.name) ? model.all_files(file) : std::vector{file}) {
      drop_page_cache(one);
    }
  }
}

}  // namespace

void list_systems() {
  for (const System& system : systems()) {
    print_wrapped(fmt::format("{}: ", system.name), system.summary);
    print_wrapped("  ", system.published);
    for (const Model& model : system.models) {
      print_wrapped(fmt::format("  make --model {:19} ", model.name), model.summary);
    }
    for (const Variant& variant : system.variants) {
      print_wrapped(fmt::format("  run {:14} peak ", variant.name),
                    fmt::format("{}: {}", variant.peak_formula, variant.summary));
    }
  }
}

void make_model(const MakeOptions& options) {
  const System& system = find_system(options.system);
  const Model& model =
      options.model.empty() ? system.models.front() : find_model(system, options.model);
  if (model.has_fixed_size && !options.size.empty()) {
    throw UsageError(
        fmt::format("{} {} has its own size; leave --size out, or take another --model",
                    system.name, model.name));
  }
  const std::uint64_t weight_bytes =
      options.size.empty() ? model.default_weight_bytes : parse_size(options.size);
  const std::uint64_t file_bytes = model.file_bytes(weight_bytes);
  require_writable_name(options.file);
  require_free_disk(directory_of(options.file), file_bytes);

  const auto begin = std::chrono::steady_clock::now();
  model.make({.file = options.file, .weight_bytes = weight_bytes, .seed = options.seed});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("wrote {}: {} bytes ({}), {:.2f} s, {:.2f} GB/s\n", options.file.string(), file_bytes,
             format_size(file_bytes), took.count(),
             static_cast<double>(file_bytes) / took.count() / 1e9);
}

void run_variant(const RunOptions& options) {
  const System& system = find_system(options.system);
  const Variant& variant = find_variant(system, options.variant);
  if (options.cold) {
    drop_page_cache_of(system, variant, options.file);
  }
  const MeasuredLoad load =
      measure_load(variant, {.file = options.file, .options = options.options});
  if (options.json) {
    print_json(load, options);
  } else {
    print_text(load, variant);
  }
}

}  // namespace tidemark::loaders
