#include "collector/weights/searches/alike_blocks.hpp"

#include "collector/weights/searches/word_places.hpp"
#include "collector/weights/value_forms.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace tidemark::weights {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kMaxSeen = 16'384;
/// Bytes in front of the values: none, or the header of Java's arrays, Python's bytes, R's vectors.
constexpr std::array<std::uint64_t, 4> kHeaders{0, 16, 32, 48};
constexpr std::size_t kElementsAtBegin = 16;
constexpr std::size_t kMinBytesInside = 16;
/// Most contents compared that begin alike and go on differently.
constexpr std::size_t kMaxAtHash = 64;

/// A conversion: of float to a narrower float, or to the whole numbers that it was made of; or
/// none.
struct Form {
  std::string_view wide_type{};  ///< Empty: words, as they are.
  std::string_view type{};

  [[nodiscard]] bool is_whole() const { return trace::whole_bytes(type) != 0; }
  [[nodiscard]] bool is_rounded() const { return !wide_type.empty() && !is_whole(); }
  [[nodiscard]] std::size_t wide_bytes() const {
    return wide_type.empty() ? WordPlaces::kWordBytes : trace::float_bytes(wide_type);
  }
  [[nodiscard]] std::size_t bytes() const {
    if (is_whole())
      return trace::whole_bytes(type);
    return is_rounded() ? trace::float_bytes(type) : WordPlaces::kWordBytes;
  }
  /// None where the elements are no whole numbers of that type.
  [[nodiscard]] std::optional<std::vector<std::byte>> narrowed(Bytes wide) const {
    if (is_whole())
      return as_whole_numbers(wide_type, wide, type);
    return is_rounded() ? convert(wide_type, wide, rounded_form(type))
                        : std::vector<std::byte>(wide.begin(), wide.end());
  }
  /// What distinguishes it from others with the same bytes. The signedness of whole numbers does
  /// not, as elements do not show it.
  [[nodiscard]] std::string_view family() const {
    constexpr std::array<std::string_view, 5> kOfBytes{"", "whole 1", "whole 2", "", "whole 4"};
    return is_whole() ? kOfBytes.at(bytes()) : type;
  }
};
constexpr std::array<Form, 4> kForms{Form{}, {"f64", "f32"}, {"f32", "f16"}, {"f32", "bf16"}};
/// Tried only for blocks that begin with a whole number, which are few.
constexpr std::array<Form, 12> kWholeForms{{{"f32", "u8"},
                                            {"f32", "i8"},
                                            {"f32", "u16"},
                                            {"f32", "i16"},
                                            {"f32", "u32"},
                                            {"f32", "i32"},
                                            {"f64", "u8"},
                                            {"f64", "i8"},
                                            {"f64", "u16"},
                                            {"f64", "i16"},
                                            {"f64", "u32"},
                                            {"f64", "i32"}}};
constexpr std::array<std::size_t, 3> kNarrowWholes{0, 2, 4};  ///< One of each size.

/// What was seen of a block's elements at a place, from the one numbered `begin` on.
struct Elements {
  std::uint64_t begin = 0;
  Bytes bytes;
};

/// A block's content: what is behind a header that it may have.
struct Content {
  const SeenBlock* seen = nullptr;
  std::uint64_t header = 0;

  [[nodiscard]] Elements at_begin() const {
    return {0, Bytes(seen->sample->first).subspan(header)};
  }
  [[nodiscard]] Elements inside(std::size_t each) const {
    return {(seen->sample->inner_at - header) / each, seen->sample->inner};
  }
};

/// Whether the elements that were seen of both are the same, and enough.
bool agree(const Elements& wide,
           const Elements& narrow,
           const Form& form,
           std::uint64_t least_elements) {
  const std::uint64_t begin = std::max(wide.begin, narrow.begin);
  const std::uint64_t end = std::min(wide.begin + wide.bytes.size() / form.wide_bytes(),
                                     narrow.begin + narrow.bytes.size() / form.bytes());
  if (end < begin + least_elements)
    return false;
  const auto part = [&](const Elements& elements, std::size_t each) {
    return elements.bytes.subspan((begin - elements.begin) * each, (end - begin) * each);
  };
  const auto narrowed = form.narrowed(part(wide, form.wide_bytes()));
  return narrowed && std::ranges::equal(*narrowed, part(narrow, form.bytes()));
}

bool are_alike(const Content& wide, const Content& narrow, const Form& form) {
  return agree(wide.inside(form.wide_bytes()), narrow.inside(form.bytes()), form,
               kMinBytesInside / form.wide_bytes()) &&
         agree(wide.at_begin(), narrow.at_begin(), form, kElementsAtBegin);
}

/// Whether rounding loses something: then the narrow elements were made of the wide ones.
bool loses(const Content& wide, const Form& form) {
  const Bytes begin = wide.at_begin().bytes.first(kElementsAtBegin * form.wide_bytes());
  return form.is_rounded() && !narrowed(form.wide_type, begin, form.type);
}

std::size_t hash_of(Bytes bytes, const Form& form) {
  const std::hash<std::string_view> hash;
  return hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) ^ hash(form.family());
}

/// None where it cannot be such elements.
std::optional<std::size_t> hash_as_wide(const Content& content, const Form& form) {
  const Bytes begin = content.at_begin().bytes.first(kElementsAtBegin * form.wide_bytes());
  const auto narrowed = form.narrowed(begin);
  return narrowed ? std::optional(hash_of(*narrowed, form)) : std::nullopt;
}

std::size_t hash_as_narrow(const Content& content, const Form& form) {
  return hash_of(content.at_begin().bytes.first(kElementsAtBegin * form.bytes()), form);
}

bool tells_apart(const BlockSample& block) {
  const Bytes behind_header = Bytes(block.first).subspan(kHeaders.back());
  return block.first_count == BlockSample::kFirstBytes &&
         WordPlaces::tell_apart(behind_header.first(BlockSample::kInnerBytes)) &&
         WordPlaces::tell_apart(block.inner);
}

/// Takes blocks in the order of their allocation.
class Groups {
 public:
  void add(const SeenBlock& seen) {
    const auto is_added = [&](const Form& form) { return add_as(seen, form); };
    if (std::ranges::any_of(kForms, is_added) || std::ranges::any_of(kWholeForms, is_added))
      return;
    begin_group(seen);
  }

  [[nodiscard]] std::vector<trace::Alike> take() {
    std::vector<trace::Alike> found;
    for (const auto& [oldest, group] : groups_) {
      if (group.members.size() > 1)
        found.insert(found.end(), group.members.begin(), group.members.end());
    }
    std::ranges::stable_sort(found, {}, &trace::Alike::allocation);
    return found;
  }

 private:
  using Contents = std::unordered_map<std::size_t, std::vector<Content>>;
  enum class Known : std::uint8_t { kIsWide, kIsNarrow };
  struct Group {
    const BlockSample* first = nullptr;  ///< The oldest one's; it may hold other values later.
    std::vector<trace::Alike> members;
  };
  struct Pair {
    Content known;
    Content added;
  };
  /// Whether it is one of a group that is known.
  bool add_as(const SeenBlock& seen, const Form& form) {
    if (const auto wide = find(seen, form, Known::kIsWide)) {
      add_member(seen, *wide->known.seen, form.type, form.wide_type, loses(wide->known, form));
      return true;
    }
    if (const auto narrow = find(seen, form, Known::kIsNarrow)) {
      add_member(seen, *narrow->known.seen, form.wide_type, form.type, loses(narrow->added, form));
      return true;
    }
    return false;
  }

  [[nodiscard]] std::optional<Pair> find(const SeenBlock& seen,
                                         const Form& form,
                                         Known known) const {
    const bool is_wide = known == Known::kIsWide;
    const Contents& contents = is_wide ? wides_of(form) : as_narrow_;
    if (contents.empty())
      return std::nullopt;
    for (const std::uint64_t header : kHeaders) {
      const Content added{&seen, header};
      const auto hash =
          is_wide ? std::optional(hash_as_narrow(added, form)) : hash_as_wide(added, form);
      const auto at = hash ? contents.find(*hash) : contents.end();
      if (at == contents.end())
        continue;
      for (const Content& older : at->second) {
        if (is_wide ? are_alike(older, added, form) : are_alike(added, older, form))
          return Pair{older, added};
      }
    }
    return std::nullopt;
  }

  /// Only the oldest of a group is compared with what comes.
  void begin_group(const SeenBlock& seen) {
    for (const std::uint64_t header : kHeaders) {
      const Content content{&seen, header};
      for (const Form& form : kForms) {
        note_as_wide(content, form);
        if (form.is_rounded())
          note(as_narrow_[hash_as_narrow(content, form)], content);
      }
      for (const Form& form : kWholeForms)
        note_as_wide(content, form);
      for (const std::size_t one : kNarrowWholes) {
        const Form& form = kWholeForms.at(one);
        note(as_narrow_[hash_as_narrow(content, form)], content);
      }
    }
    add_member(seen, seen, {}, {}, false);
  }

  void note_as_wide(const Content& content, const Form& form) {
    if (const auto hash = hash_as_wide(content, form))
      note((form.is_whole() ? as_whole_ : as_wide_)[*hash], content);
  }
  [[nodiscard]] const Contents& wides_of(const Form& form) const {
    return form.is_whole() ? as_whole_ : as_wide_;
  }
  static void note(std::vector<Content>& contents, const Content& content) {
    if (contents.size() < kMaxAtHash)
      contents.push_back(content);
  }

  /// Leaves out a block at the address of an older one with the same bytes: malloc may have reused
  /// that memory, and it is not written to yet.
  void add_member(const SeenBlock& seen,
                  const SeenBlock& oldest,
                  std::string_view type,
                  std::string_view of_type,
                  bool is_rounded) {
    const trace::AllocationNumber allocation = seen.sample->allocation;
    const trace::AllocationNumber of = oldest.sample->allocation;
    const auto [place, is_new] = places_.try_emplace(
        {trace::index(seen.process), seen.address, of, std::string(type)}, allocation);
    Group& group = groups_.try_emplace(of, Group{oldest.sample, {}}).first->second;
    std::vector<trace::Alike>& members = group.members;
    // Periods of one block come one behind the other.
    const bool is_known = !members.empty() && members.back().allocation == allocation;
    // Only the header has changed, which may be a reference count: the same values go on.
    if (is_known && members.back().type == type && oldest.sample == group.first &&
        seen.from_ns <= members.back().until_ns)
      members.back().until_ns = std::max(members.back().until_ns, seen.until_ns);
    if ((!is_new && place->second != allocation) || is_known)
      return;
    members.push_back({.allocation = allocation,
                       .of = of,
                       .at_ns = seen.sample->at_ns,
                       .from_ns = seen.from_ns,
                       .until_ns = seen.until_ns,
                       .type = std::string(type),
                       .of_type = std::string(of_type),
                       .is_rounded = is_rounded});
  }

  Contents as_wide_;    ///< By a hash of the beginning, in a narrower type or as it is.
  Contents as_whole_;   ///< The same of the few whose beginning is whole numbers.
  Contents as_narrow_;  ///< By a hash of its beginning.
  std::map<trace::AllocationNumber, Group> groups_;  ///< By the oldest.
  /// By process, address, group and type: which block was there first.
  std::map<std::tuple<std::uint32_t, std::uint64_t, trace::AllocationNumber, std::string>,
           trace::AllocationNumber>
      places_;
};

}  // namespace

std::vector<trace::Alike> find_alike(std::vector<SeenBlock> seen) {
  std::erase_if(seen, [](const SeenBlock& one) { return !tells_apart(*one.sample); });
  std::ranges::stable_sort(seen, std::ranges::greater{},
                           [](const SeenBlock& one) { return one.sample->size; });
  seen.resize(std::min(seen.size(), kMaxSeen));
  std::ranges::stable_sort(seen, {}, [](const SeenBlock& one) { return one.sample->allocation; });
  Groups groups;
  for (const SeenBlock& one : seen)
    groups.add(one);
  return groups.take();
}

}  // namespace tidemark::weights
