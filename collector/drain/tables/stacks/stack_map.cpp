#include "collector/drain/tables/stacks/stack_map.hpp"

#include "collector/drain/tables/stacks/python_lines.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tidemark {

using trace::FrameId;
using trace::ModuleId;
using trace::StackId;

namespace {

/// Takes a descriptor each, out of at least 1,024 in all.
constexpr std::size_t kMaxHeldFiles = 512;

}  // namespace

StackStore::StackStore(trace::TraceWriter& writer) : writer_(writer) {
  module_facts_.emplace_back();  // kNoModule
}

ModuleId StackStore::module(const MappedModule& module, std::uint64_t bias) {
  const auto [place, is_new] = modules_.try_emplace(module.path + '\0' + module.build_id);
  if (is_new) {
    ModuleFile file = find_module_file(module, held_files_.size() < kMaxHeldFiles);
    module_facts_.push_back({module.path, std::move(file.build_id), bias});
    place->second = writer_.add_module(module_facts_.back());
    if (file.held.is_open())
      held_files_.emplace(trace::index(place->second), std::move(file.held));
  }
  return place->second;
}

std::vector<trace::Module> StackStore::readable_modules() const {
  std::vector<trace::Module> readable = module_facts_;
  for (const auto& [module, file] : held_files_)
    readable.at(module).path = "/proc/self/fd/" + std::to_string(file.number());
  return readable;
}

FrameId StackStore::frame(ModuleId module, std::uint64_t offset) {
  std::uint32_t& number = frame_numbers_.find_or_add(offset, trace::index(module));
  if (number == NumberIndex::kNone) {
    number = trace::index(writer_.add_frame({module, offset})) + 1;
    frames_.push_back({module, offset});
  }
  return FrameId{number - 1};
}

std::uint32_t StackStore::python_function(const std::string& name, const std::string& file) {
  const auto number = static_cast<std::uint32_t>(python_places_.size());
  const auto [place, is_new] = python_functions_.try_emplace(file + '\0' + name, number);
  if (is_new)
    python_places_.push_back({name, file, 0});
  return place->second;
}

FrameId StackStore::python_frame(std::uint32_t function, std::uint32_t line) {
  std::uint32_t& number = python_numbers_.find_or_add(line, function);
  if (number == NumberIndex::kNone) {
    const trace::Frame frame{trace::kNoModule, std::uint64_t{function} << 32 | line,
                             trace::FrameLanguage::kPython};
    number = trace::index(writer_.add_frame(frame)) + 1;
    frames_.push_back(frame);
    trace::Location location = python_places_[function];
    location.line = line;
    writer_.set_locations(FrameId{number - 1}, {location});
  }
  return FrameId{number - 1};
}

StackId StackStore::stack(StackId parent, FrameId frame) {
  const std::uint32_t last = stack_numbers_.last();
  const std::uint32_t number =
      stack_numbers_.find_or_add(trace::index(parent), trace::index(frame));
  // The writer, too, numbers stacks one by one, from 1.
  if (number > last)
    writer_.add_stack({parent, frame});
  return StackId{number};
}

FrameId StackStore::cut_frame() {
  const std::size_t before = frames_.size();
  const FrameId id = frame(trace::kNoModule, std::numeric_limits<std::uint64_t>::max());
  if (frames_.size() != before)
    writer_.set_locations(id, {{"(outer frames not known)", {}, 0}});
  return id;
}

void StackStore::sample_stacks() {
  are_stacks_sampled_ = named_stack(trace::kUnsampledStackName) == trace::kUnsampledStack;
}

StackId StackStore::named_stack(const std::string& name) {
  const auto [place, is_new] = named_stacks_.try_emplace(name);
  if (is_new) {
    // Addresses without code; the very last one is cut_frame's.
    const FrameId id =
        frame(trace::kNoModule, std::numeric_limits<std::uint64_t>::max() - named_stacks_.size());
    writer_.set_locations(id, {{name, {}, 0}});
    place->second = stack(trace::kNoStack, id);
  }
  return place->second;
}

StackMap::StackMap(const wire::SessionMap& session, std::uint32_t process, StackStore& store)
    : table_(session.stack_table(process)), store_(store) {}

void StackMap::add_module(const LoadedModule& module) {
  recent_frames_.clear();
  modules_[module.epoch][module.begin] = {module.end, module.bias,
                                          store_.module(module.file, module.bias)};
}

void StackMap::add_code(const wire::Code& code, const std::string& name, const std::string& file) {
  python_codes_.insert_or_assign(
      code.number, PythonCode{store_.python_function(name, file), {code.format, code.first_line}});
}

void StackMap::add_code_lines(const wire::CodeLines& lines, std::span<const std::byte> part) {
  const auto code = python_codes_.find(lines.number);
  if (code == python_codes_.end() || code->second.lines.table_bytes() != lines.begin)
    return;  // the part before it is missing
  code->second.lines.append(part);
}

FrameId StackMap::find_python_frame(std::uint64_t address) {
  const auto found = python_codes_.find(wire::code_of_python_frame(address));
  if (found == python_codes_.end())
    return store_.python_frame(store_.python_function("(unknown Python function)", {}), 0);
  PythonCode& code = found->second;
  return store_.python_frame(code.function,
                             code.lines.line_at(wire::unit_of_python_frame(address)));
}

FrameId StackMap::frame_at(std::uint64_t address, std::uint32_t epoch) {
  recent_frames_.resize(kRecentFrames);
  RecentFrame& recent = recent_frames_[(address * 0x9E3779B97F4A7C15U) >> 32 & (kRecentFrames - 1)];
  if (!recent.is_set || recent.address != address || recent.epoch != epoch)
    recent = {address, epoch, true, find_frame(address, epoch)};
  return recent.frame;
}

FrameId StackMap::find_frame(std::uint64_t address, std::uint32_t epoch) {
  if (wire::is_python_frame(address))
    return find_python_frame(address);
  const auto& ranges = modules_[epoch];
  auto after = ranges.upper_bound(address);
  if (after != ranges.begin()) {
    const Range& range = (--after)->second;
    if (address < range.end)
      return store_.frame(range.module, address - range.bias);
  }
  return store_.frame(trace::kNoModule, address);
}

void StackMap::learn(std::uint32_t node) {
  constexpr std::uint64_t kMarkMask = std::uint64_t{0xff} << 56;
  const std::uint64_t address = table_.nodes()[node].address;
  const std::uint32_t parent_node = table_.nodes()[node].parent();
  // Parents come first, so the parent of a good node is known by now.
  const Known parent = known_[parent_node < node ? parent_node : wire::kNoNode];
  Known& known = known_[node];
  known.is_known = true;
  known.epoch = parent.epoch;
  if ((address & kMarkMask) == wire::kRootMark) {
    known.epoch = static_cast<std::uint32_t>(address);
    known.stack = trace::kNoStack;
  } else if ((address & kMarkMask) == wire::kTruncatedMark) {
    known.stack = store_.stack(parent.stack, store_.cut_frame());
  } else {
    known.stack = store_.stack(parent.stack, frame_at(address, known.epoch));
  }
}

void StackMap::change_generation(std::uint32_t to, std::uint32_t node_count) {
  const std::uint32_t end = std::min(node_count, wire::kMaxStackNodes - 1) + 1;
  for (std::uint32_t node = 1; node < end; ++node) {
    if (!known_[node].is_known)
      learn(node);
  }
  previous_ = std::exchange(known_, KnownNodes());
  previous_tag_ = std::exchange(tag_, wire::tag_of_generation(to));
}

StackId StackMap::find_stack(std::uint32_t stack) {
  if (stack == wire::kUnsampledStack)
    return store_.are_stacks_sampled() ? trace::kUnsampledStack : trace::kNoStack;
  const std::uint32_t node = wire::node_of_stack(stack);
  if (node == wire::kNoNode || table_.base == nullptr)
    return trace::kNoStack;
  if (wire::tag_of_stack(stack) != tag_) {
    const bool is_previous = previous_ && wire::tag_of_stack(stack) == previous_tag_;
    return is_previous ? (*previous_)[node].stack : trace::kNoStack;
  }
  chain_.clear();
  for (std::uint32_t at = node; at != wire::kNoNode && !known_[at].is_known;) {
    chain_.push_back(at);
    const std::uint32_t parent = table_.nodes()[at].parent();
    if (parent >= at)
      break;
    at = parent;
  }
  for (std::size_t i = chain_.size(); i-- > 0;)
    learn(chain_[i]);
  return known_[node].stack;
}

}  // namespace tidemark
