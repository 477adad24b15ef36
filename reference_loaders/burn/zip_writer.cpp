#include "reference_loaders/burn/zip_writer.hpp"

#include "reference_loaders/burn/zip_format.hpp"

#include <algorithm>

#include <zlib.h>

namespace tidemark::loaders::burn {
namespace {

/// Version of the format that zip64 needs, and "made by" as PyTorch's writer says it.
constexpr std::uint16_t kVersion64 = 45;
constexpr std::uint16_t kMadeBy = 0x031e;

template <typename... T>
std::string record(T... fields) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&fields), sizeof fields), ...);
  return bytes;
}

/// Passes payload on, and keeps what the data descriptor has to say.
class CountingSink final : public Sink {
 public:
  explicit CountingSink(Sink& sink) : sink_(sink) {}
  void write(const void* data, std::size_t size) override {
    sink_.write(data, size);
    crc_ = crc32_z(crc_, static_cast<const Bytef*>(data), size);
  }
  [[nodiscard]] std::uint32_t crc() const { return static_cast<std::uint32_t>(crc_); }

 private:
  Sink& sink_;
  uLong crc_ = 0;
};

}  // namespace

void ZipWriter::add(const std::string& name, const std::string& payload) {
  add(name, payload.size(), [&](Sink& sink) { sink.write(payload.data(), payload.size()); });
}

void ZipWriter::add(const std::string& name,
                    std::uint64_t bytes,
                    const std::function<void(Sink&)>& fill) {
  Entry entry{.name = name, .offset = written_, .bytes = bytes};
  write(local_header(entry));
  CountingSink payload(sink_);
  fill(payload);
  written_ += bytes;
  entry.crc = payload.crc();
  write(data_descriptor(entry));
  entries_.push_back(entry);
}

void ZipWriter::finish() {
  const std::uint64_t offset = written_;
  for (const Entry& entry : entries_) {
    write(central_header(entry));
  }
  const std::uint64_t bytes = written_ - offset;
  const std::uint64_t count = entries_.size();
  const std::uint64_t end_64 = written_;
  const auto in_32 = [&](std::uint64_t number) {
    return needs_64(number) ? zip::kIn64 : static_cast<std::uint32_t>(number);
  };
  const auto in_16 = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xffff));
  write(record(zip::kEndOfDirectory64, zip::kEndOfDirectory64Bytes - 12, kMadeBy, kVersion64,
               std::uint32_t{0}, std::uint32_t{0}, count, count, bytes, offset));
  write(record(zip::kLocator64, std::uint32_t{0}, end_64, std::uint32_t{1}));
  write(record(zip::kEndOfDirectory, std::uint16_t{0}, std::uint16_t{0}, in_16, in_16, in_32(bytes),
               in_32(offset), std::uint16_t{0}));
}

void ZipWriter::write(const std::string& record) {
  sink_.write(record.data(), record.size());
  written_ += record.size();
}

std::string ZipWriter::local_header(const Entry& entry) const {
  constexpr std::uint64_t kExtraHeadBytes = 4;
  const std::string extra = extra_64(entry);
  const std::uint64_t begin =
      entry.offset + zip::kLocalHeaderBytes + entry.name.size() + extra.size() + kExtraHeadBytes;
  const std::uint64_t padding = (zip::kAlignment - begin % zip::kAlignment) % zip::kAlignment;
  const auto extra_bytes = static_cast<std::uint16_t>(extra.size() + kExtraHeadBytes + padding);
  return record(zip::kLocalHeader, std::uint16_t{0}, zip::kFlags, zip::kStored, std::uint32_t{0},
                std::uint32_t{0}, std::uint32_t{0}, std::uint32_t{0},
                static_cast<std::uint16_t>(entry.name.size()), extra_bytes) +
         entry.name + extra + record(zip::kExtraPadding, static_cast<std::uint16_t>(padding)) +
         std::string(padding, 'Z');
}

std::string ZipWriter::data_descriptor(const Entry& entry) const {
  const std::string head = record(zip::kDataDescriptor, entry.crc);
  if (!extra_64(entry).empty()) {
    return head + record(entry.bytes, entry.bytes);
  }
  const auto bytes = static_cast<std::uint32_t>(entry.bytes);
  return head + record(bytes, bytes);
}

std::string ZipWriter::central_header(const Entry& entry) const {
  const std::string extra = extra_64(entry);
  const std::uint32_t bytes =
      needs_64(entry.bytes) ? zip::kIn64 : static_cast<std::uint32_t>(entry.bytes);
  const std::uint32_t offset =
      needs_64(entry.offset) ? zip::kIn64 : static_cast<std::uint32_t>(entry.offset);
  return record(zip::kCentralHeader, std::uint16_t{0}, std::uint16_t{0}, zip::kFlags, zip::kStored,
                std::uint32_t{0}, entry.crc, bytes, bytes,
                static_cast<std::uint16_t>(entry.name.size()),
                static_cast<std::uint16_t>(extra.size()), std::uint16_t{0}, std::uint16_t{0},
                std::uint16_t{0}, std::uint32_t{0}, offset) +
         entry.name + extra;
}

std::string ZipWriter::extra_64(const Entry& entry) const {
  std::string numbers;
  if (needs_64(entry.bytes)) {
    numbers += record(entry.bytes, entry.bytes);
  }
  if (needs_64(entry.offset)) {
    numbers += record(entry.offset);
  }
  return numbers.empty()
             ? numbers
             : record(zip::kExtra64, static_cast<std::uint16_t>(numbers.size())) + numbers;
}

}  // namespace tidemark::loaders::burn
