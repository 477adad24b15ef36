#include "collector/trace/coding/samples_coding.hpp"

#include <array>

namespace tidemark::trace {
namespace {

using Row = std::array<std::uint64_t, 7>;

Row row_of(const Sample& sample) {
  return {sample.at_ns,           index(sample.process),  sample.rss_anon_bytes,
          sample.rss_file_bytes,  sample.rss_shmem_bytes, sample.own_bytes,
          sample.high_water_bytes};
}

Sample sample_of(const Row& row) {
  return {.at_ns = row[0],
          .process = ProcessId{static_cast<std::uint32_t>(row[1])},
          .rss_anon_bytes = row[2],
          .rss_file_bytes = row[3],
          .rss_shmem_bytes = row[4],
          .own_bytes = row[5],
          .high_water_bytes = row[6]};
}

}  // namespace

void SamplesEncoder::add(const Sample& sample) {
  const auto row = row_of(sample);
  const auto previous = row_of(previous_);
  ByteWriter out(rows_);
  for (std::size_t i = 0; i < row.size(); ++i)
    out.varint(zigzag(row[i] - previous[i]));
  previous_ = sample;
}

void SamplesEncoder::clear() {
  rows_.clear();
  previous_ = {};
}

bool decode_samples(ByteView rows, std::vector<Sample>& samples) {
  ByteReader reader(rows);
  Row row{};
  while (!reader.at_end()) {
    for (auto& value : row)
      value += unzigzag(reader.varint());
    if (reader.failed())
      return false;
    samples.push_back(sample_of(row));
  }
  return true;
}

}  // namespace tidemark::trace
