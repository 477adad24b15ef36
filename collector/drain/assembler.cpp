#include "collector/drain/assembler.hpp"

#include "collector/drain/books/bare_memory.hpp"
#include "preload/wire/kinds.hpp"

#include <type_traits>

namespace tidemark {

template <typename Kind>
void Assembler::see(Source& source, const Kind& said, const Behind& behind) {
  static_assert(kSees<HeapBook, Kind> + kSees<MappingBook, Kind> + kSees<FileBook, Kind> +
                        kSees<ContentBook, Kind> + kSees<DeviceBook, Kind> +
                        kSees<ProcessBook, Kind> + kSees<LookBook, Kind> + kSees<ValueBook, Kind> ==
                    1,
                "each kind of record is one book's");
  if constexpr (requires { said.destination, said.bytes; }) {
    if (said.bytes >= kWorthABareMapping && said.destination < kAddressEnd) [[unlikely]]
      open_bare_at(*source.host, {said.destination, said.destination + said.bytes});
  }
  if constexpr (std::is_same_v<Kind, wire::Allocate> || std::is_same_v<Kind, wire::ReallocEnd>) {
    if (HeapBook::may_be_in_bare(*source.host, said.bytes)) [[unlikely]]
      mappings_.end_bare_under(source, said.address, said.bytes);
  }
  if constexpr (kSees<HeapBook, Kind>)
    heap_.see(source, said, behind);
  else if constexpr (kSees<MappingBook, Kind>)
    mappings_.see(source, said, behind);
  else if constexpr (kSees<FileBook, Kind>)
    files_.see(source, said, behind);
  else if constexpr (kSees<ContentBook, Kind>)
    contents_.see(source, said, behind);
  else if constexpr (kSees<DeviceBook, Kind>)
    device_.see(source, said, behind);
  else if constexpr (kSees<LookBook, Kind>)
    looks_.see(source, said, behind);
  else if constexpr (kSees<ValueBook, Kind>)
    values_.see(source, said, behind);
  else
    processes_.see(source, said, behind);
}

namespace {

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace

void Assembler::add(std::uint32_t ring,
                    const RawRecord& record,
                    std::span<const std::byte> payload,
                    std::uint64_t at_ns,
                    std::span<const RawRecord> following) {
  sink_.set_now(at_ns);
  const Behind behind{payload, following};
  Source* const source = processes_.source_of(ring);
  wire::visit_record(record.kind, record.words(),
                     Overloaded{[&](const wire::ThreadBegin& begin) {
                                  processes_.begin_thread(ring, begin, behind);
                                },
                                [&](const auto& said) {
                                  if (source != nullptr)
                                    see(*source, said, behind);
                                }});
}

std::size_t Assembler::add_heap_run(std::uint32_t ring,
                                    std::span<const RawRecord> records,
                                    const TickClock& clock,
                                    std::uint64_t until) {
  Source* const source = processes_.source_of(ring);
  return source != nullptr ? heap_.see_run(*source, records, clock, until) : 0;
}

void Assembler::look_at_pages(Host& host, std::uint64_t at_ns) {
  sink_.move_on_to(at_ns);
  if (host.execs())
    return;  // the process's memory may be the next image's already
  pages_.look(host);
  file_data_.look(host);
  looks_.look(host);
  origins_.look(host);
  unseen_reads_.look(host, at_ns);
  const AreaBook::Found found = areas_.look(host, hosts_.size());
  for (const PageRange& range : found.gone)
    areas_.note_missing(mappings_.release_missing(host, range));
  for (const PageRange& range : found.bare)
    mappings_.open_bare(host, range);
}

void Assembler::look_at_new_mappings(Host& host, std::uint64_t at_ns) {
  sink_.move_on_to(at_ns);
  if (!host.execs())
    pages_.look_at_new(host);
}

void Assembler::open_bare_at(Host& host, const PageRange& written) {
  const Mapping* const mapping = host.tables.mappings.find(written.begin);
  const bool is_known = host.tables.large.find(written.begin).has_value() ||
                        (mapping != nullptr && mapping->kind != Mapping::Kind::kReserved);
  if (is_known)
    return;
  for (const PageRange& range : areas_.search_bare(host, written))
    mappings_.open_bare(host, range);
}

bool Assembler::are_values_due(const Host& host, std::uint64_t at_ns) {
  sink_.move_on_to(at_ns);
  return values_.is_due(host);
}

void Assembler::look_at_values(Host& host, std::uint64_t now_ns) {
  values_.look(host, now_ns);
}

bool Assembler::are_parts_due(const Host& host) const {
  return values_.are_parts_due(host);
}

void Assembler::look_at_parts(Host& host) {
  values_.look_at_parts(host);
}

void Assembler::tell_rest() {
  for (const auto& host : hosts_) {
    origins_.end(*host);
    looks_.end(*host);
    values_.end(*host);
    areas_.stop_watching(*host);
    pages_.end(*host);
  }
  forks_.end_recording();
}

void Assembler::look_at_shared(std::uint64_t at_ns) {
  sink_.move_on_to(at_ns);
  shared_.look();
}

}  // namespace tidemark
