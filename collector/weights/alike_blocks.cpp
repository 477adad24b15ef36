#include "collector/weights/alike_blocks.hpp"

#include "collector/weights/value_forms.hpp"
#include "collector/weights/word_places.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tidemark::weights {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kMaxSeen = 16'384;
/// Of objects that have their values behind it: none, Java's arrays, Python's bytes, R's vectors.
constexpr std::array<std::uint64_t, 4> kHeaders{0, 16, 32, 48};
constexpr std::size_t kElementsAtBegin = 16;
constexpr std::size_t kLeastBytesInside = 16;
/// With the same values nearly everywhere the same hash comes again and again.
constexpr std::size_t kMaxTries = 64;

/// By which the elements of one block become those of another.
struct Form {
  std::string_view wide_type{};  ///< Empty: words, as they are.
  ValueForm rounded = ValueForm::kAsInFile;

  [[nodiscard]] bool is_rounded() const { return !wide_type.empty(); }
  [[nodiscard]] std::string_view type() const { return form_type(rounded); }
  [[nodiscard]] std::size_t wide_bytes() const {
    return is_rounded() ? trace::float_bytes(wide_type) : WordPlaces::kWordBytes;
  }
  [[nodiscard]] std::size_t bytes() const {
    return is_rounded() ? trace::float_bytes(type()) : WordPlaces::kWordBytes;
  }
  [[nodiscard]] std::vector<std::byte> narrowed(Bytes wide) const {
    return is_rounded() ? convert(wide_type, wide, rounded)
                        : std::vector<std::byte>(wide.begin(), wide.end());
  }
};
constexpr std::array<Form, 4> kForms{
    Form{}, {"f64", ValueForm::kF32}, {"f32", ValueForm::kF16}, {"f32", ValueForm::kBf16}};

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
  return std::ranges::equal(form.narrowed(part(wide, form.wide_bytes())),
                            part(narrow, form.bytes()));
}

bool are_alike(const Content& wide, const Content& narrow, const Form& form) {
  return agree(wide.at_begin(), narrow.at_begin(), form, kElementsAtBegin) &&
         agree(wide.inside(form.wide_bytes()), narrow.inside(form.bytes()), form,
               kLeastBytesInside / form.wide_bytes());
}

std::size_t hash_of(Bytes bytes, const Form& form) {
  const std::hash<std::string_view> hash;
  return hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) ^ hash(form.type());
}

std::size_t hash_as_wide(const Content& content, const Form& form) {
  const Bytes begin = content.at_begin().bytes.first(kElementsAtBegin * form.wide_bytes());
  return hash_of(form.narrowed(begin), form);
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

/// Blocks in the order of their allocation.
class OlderBlocks {
 public:
  void add(const SeenBlock& seen) {
    for (const std::uint64_t header : kHeaders) {
      const Content content{&seen, header};
      for (const Form& form : kForms) {
        as_wide_.emplace(hash_as_wide(content, form), content);
        if (form.is_rounded())
          as_narrow_.emplace(hash_as_narrow(content, form), content);
      }
    }
  }

  [[nodiscard]] std::optional<trace::Alike> like(const SeenBlock& seen) const {
    for (const Form& form : kForms) {
      if (const SeenBlock* wide = oldest(seen, form, Older::kIsWide))
        return alike(seen, *wide, form.type(), form.wide_type);
      if (const SeenBlock* narrow = oldest(seen, form, Older::kIsNarrow))
        return alike(seen, *narrow, form.wide_type, form.type());
    }
    return std::nullopt;
  }

 private:
  using Contents = std::unordered_multimap<std::size_t, Content>;
  enum class Older : std::uint8_t { kIsWide, kIsNarrow };

  [[nodiscard]] const SeenBlock* oldest(const SeenBlock& seen,
                                        const Form& form,
                                        Older older) const {
    const bool is_wide = older == Older::kIsWide;
    const SeenBlock* oldest = nullptr;
    for (const std::uint64_t header : kHeaders) {
      const Content content{&seen, header};
      const auto [begin, end] = is_wide ? as_wide_.equal_range(hash_as_narrow(content, form))
                                        : as_narrow_.equal_range(hash_as_wide(content, form));
      std::size_t tries = 0;
      for (auto at = begin; at != end && tries < kMaxTries; ++at, ++tries) {
        const Content& other = at->second;
        const bool is_older =
            oldest == nullptr ? were_at_once(*other.seen, seen)
                              : is_before(*other.seen, *oldest) && were_at_once(*other.seen, seen);
        if (is_older &&
            (is_wide ? are_alike(other, content, form) : are_alike(content, other, form)))
          oldest = other.seen;
      }
    }
    return oldest;
  }

  static bool is_before(const SeenBlock& one, const SeenBlock& other) {
    return one.sample->allocation < other.sample->allocation;
  }
  static bool were_at_once(const SeenBlock& older, const SeenBlock& seen) {
    return is_before(older, seen) && std::max(older.sample->at_ns, seen.sample->at_ns) <=
                                         std::min(older.until_ns, seen.until_ns);
  }
  static trace::Alike alike(const SeenBlock& seen,
                            const SeenBlock& older,
                            std::string_view type,
                            std::string_view of_type) {
    return {.allocation = seen.sample->allocation,
            .of = older.sample->allocation,
            .at_ns = std::max(older.sample->at_ns, seen.sample->at_ns),
            .from_ns = std::max(older.from_ns, seen.from_ns),
            .until_ns = std::min(older.until_ns, seen.until_ns),
            .type = std::string(type),
            .of_type = std::string(of_type)};
  }

  Contents as_wide_;    ///< By a hash of what its beginning is in a narrower type, or as it is.
  Contents as_narrow_;  ///< By a hash of its beginning.
};

}  // namespace

std::vector<trace::Alike> find_alike(std::vector<SeenBlock> seen) {
  std::erase_if(seen, [](const SeenBlock& one) { return !tells_apart(*one.sample); });
  std::ranges::stable_sort(seen, std::ranges::greater{},
                           [](const SeenBlock& one) { return one.sample->size; });
  seen.resize(std::min(seen.size(), kMaxSeen));
  std::ranges::stable_sort(seen, {}, [](const SeenBlock& one) { return one.sample->allocation; });
  OlderBlocks older;
  std::vector<trace::Alike> found;
  for (const SeenBlock& one : seen) {
    if (auto alike = older.like(one))
      found.push_back(std::move(*alike));
    older.add(one);
  }
  return found;
}

}  // namespace tidemark::weights
