#include "collector/drain/books/file_book.hpp"

#include "collector/drain/books/contents.hpp"
#include "collector/session/record_text.hpp"

#include <cstring>

namespace tidemark {

using trace::Event;
using trace::EventKind;

trace::FileId FileBook::file(const std::string& path, std::uint64_t size) {
  const auto [place, is_new] = files_.try_emplace(path);
  if (is_new) {
    place->second = sink_.writer().add_file({path, size, false});
    facts_.push_back({path, size, false});
    return place->second;
  }
  trace::File& facts = facts_[trace::index(place->second)];
  if (size > facts.size) {
    facts.size = size;
    sink_.writer().update_file(place->second, facts);
  }
  return place->second;
}

trace::FileId FileBook::mapped_file(const Host& host, std::uint32_t descriptor) {
  const auto known = host.descriptors.find(descriptor);
  return known != host.descriptors.end() ? known->second : file("(not a regular file)", 0);
}

void FileBook::note_executable(trace::FileId file) {
  trace::File& facts = facts_[trace::index(file)];
  if (facts.executable)
    return;
  facts.executable = true;
  sink_.writer().update_file(file, facts);
}

void FileBook::see(Source& source, const wire::Open& open, const Behind& behind) {
  wire::FileIdentity identity{};
  if (behind.payload.size() < sizeof identity)
    return;
  std::memcpy(&identity, behind.payload.data(), sizeof identity);
  const std::string path = text_of(identity.path_bytes, behind.payload, sizeof identity);
  shared_.close(source, open.descriptor);  // whatever it was
  shared_.open(source, open, identity, path);
  const trace::FileId id = file(path, open.file_bytes);
  source.host->descriptors[open.descriptor] = id;
  sink_.emit_simple(source, EventKind::kOpen, 0, trace::index(id), open.stack);
}

void FileBook::see(Source& source, const wire::Close& close, const Behind&) {
  shared_.close(source, close.descriptor);
  auto& descriptors = source.host->descriptors;
  const auto known = descriptors.find(close.descriptor);
  if (known == descriptors.end())
    return;
  sink_.emit_simple(source, EventKind::kClose, 0, trace::index(known->second));
  descriptors.erase(known);
}

void FileBook::see(Source& source, const wire::Duplicate& duplicate, const Behind&) {
  shared_.duplicate(source, duplicate.from, duplicate.to);
  auto& descriptors = source.host->descriptors;
  if (const auto known = descriptors.find(duplicate.from); known != descriptors.end())
    descriptors[duplicate.to] = trace::FileId{known->second};
}

void FileBook::see(Source& source, const wire::Read& read, const Behind&) {
  pages_.touch(source, read.destination, read.bytes);
  const auto known = source.host->descriptors.find(read.descriptor);
  if (known == source.host->descriptors.end())
    return;
  sink_.emit_simple(source, EventKind::kRead, read.bytes, trace::index(known->second), read.stack);
  Event event;
  event.kind = EventKind::kReadInto;
  event.size = read.bytes;
  event.allocation = allocation_at(*source.host, read.destination);
  if (event.allocation == trace::kNoAllocation)
    return;
  event.extra = read.resident_share;
  event.stack = source.host->stacks.stack(read.stack);
  sink_.emit(source, event);
}

void FileBook::see(Source& source, const wire::FileAdvise& advice, const Behind&) {
  sink_.emit_simple(source, EventKind::kAdvise, advice.bytes, advice.advice);
}

}  // namespace tidemark
