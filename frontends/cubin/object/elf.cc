#include "frontends/cubin/object/elf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "frontends/input/limits.h"
#include "frontends/input/printable.h"

namespace heddle::cubin {
namespace {

constexpr std::array<uint8_t, 4> kMagic = {0x7f, 'E', 'L', 'F'};
constexpr size_t kSectionBytes = 64, kSymbolBytes = 24;
constexpr uint32_t kSymbolTable = 2, kDynamicSymbols = 11;
constexpr uint8_t kAbiOfCuda13 = 8;  // the capability is in other bits of the flags

}  // namespace

bool Elf::is_elf(std::span<const uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

void Elf::fail(uint64_t at, const std::string& what) const {
  throw Error(fmt::format("{}: byte {}: {}", file_, at, input::printable(what)));  // names may hold anything
}

template <class T>
T Elf::read(uint64_t at) const {
  if (at > bytes_.size() || sizeof(T) > bytes_.size() - at) {
    fail(at, fmt::format("the file ends here (legal: {} bytes more)", sizeof(T)));
  }
  T out;
  std::memcpy(&out, bytes_.data() + at, sizeof out);
  return out;
}

std::string Elf::text(const Section& table, uint64_t offset) {
  if (offset >= table.data.size()) {
    fail(table.at, fmt::format("a name at byte {} of a table of {}", offset, table.data.size()));
  }
  const auto from = table.data.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto to = std::find(from, table.data.end(), 0);
  if (to == table.data.end()) {
    fail(table.at + offset, "a name without an end");
  }
  const auto length = static_cast<uint64_t>(to - from);
  if (length > input::limits().name_bytes.value) {
    fail(table.at + offset,
         fmt::format("a name of {} bytes (legal: {})", length, input::limits().name_bytes.legal()));
  }
  names_bytes_ += length;
  if (names_bytes_ > input::limits().section_bytes.value) {
    fail(table.at + offset, fmt::format("names of {} bytes up to this one (legal: {})", names_bytes_,
                                        input::limits().section_bytes.legal()));
  }
  return {from, to};
}

Elf::Elf(std::string file, std::span<const uint8_t> bytes) : file_(std::move(file)), bytes_(bytes) {
  if (!is_elf(bytes)) {
    fail(0, "not an ELF file (legal: 0x7f 'E' 'L' 'F')");
  }
  if (read<uint8_t>(4) != 2 || read<uint8_t>(5) != 1) {
    fail(4, "an ELF file of another kind (legal: 64 bits, little endian)");
  }
  abi_ = read<uint8_t>(8);
  type_ = read<uint16_t>(16);
  machine_ = read<uint16_t>(18);
  flags_ = read<uint32_t>(48);
  check_segments();
  read_sections();
  read_symbols();
}

uint32_t Elf::capability() const { return abi_ >= kAbiOfCuda13 ? flags_ >> 8 & 0xffff : flags_ & 0xff; }

// Nothing here reads segments, but a file that ends within their table is incomplete.
void Elf::check_segments() const {
  const auto table = read<uint64_t>(32);
  const uint64_t bytes = uint64_t{read<uint16_t>(54)} * read<uint16_t>(56);
  if (bytes > 0 && (table > bytes_.size() || bytes > bytes_.size() - table)) {
    fail(32, fmt::format("the table of segments has {} bytes from {} on, the file has {}", bytes, table,
                         bytes_.size()));
  }
}

void Elf::read_sections() {
  const auto table = read<uint64_t>(40);
  const auto count = read<uint16_t>(60), names = read<uint16_t>(62);
  if (count == 0) {
    return;
  }
  if (const auto size = read<uint16_t>(58); size != kSectionBytes) {
    fail(58, fmt::format("headers of sections of {} bytes (legal: {})", size, kSectionBytes));
  }
  if (table > bytes_.size() || count * kSectionBytes > bytes_.size() - table) {
    fail(40, fmt::format("the table of sections has {} bytes from {} on, the file has {}",
                         count * kSectionBytes, table, bytes_.size()));
  }
  if (names >= count) {
    fail(62, fmt::format("the names of sections are in section {} of {}", names, count));
  }
  std::vector<uint32_t> name_offsets;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = table + i * kSectionBytes;
    Section s;
    name_offsets.push_back(read<uint32_t>(at));
    s.type = read<uint32_t>(at + 4);
    s.flags = read<uint64_t>(at + 8);
    s.address = read<uint64_t>(at + 16);
    s.at = read<uint64_t>(at + 24);
    s.bytes = read<uint64_t>(at + 32);
    s.link = read<uint32_t>(at + 40);
    s.info = read<uint32_t>(at + 44);
    s.align = std::max<uint64_t>(1, read<uint64_t>(at + 48));
    if (s.type != kNoBits && s.type != 0) {
      if (s.at > bytes_.size() || s.bytes > bytes_.size() - s.at) {
        fail(at, fmt::format("section {} has bytes {} to {} of a file of {}", i, s.at, s.at + s.bytes,
                             bytes_.size()));
      }
      s.data = bytes_.subspan(s.at, s.bytes);
      sum += s.bytes;
      if (sum / 2 > bytes_.size()) {  // else a small file might ask for much memory
        fail(at, fmt::format("sections of {} bytes up to this one (legal: twice the file's {})", sum,
                             bytes_.size()));
      }
    }
    sections_.push_back(std::move(s));
  }
  for (size_t i = 0; i < sections_.size(); ++i) {
    sections_[i].name = i == 0 ? "" : text(sections_[names], name_offsets[i]);
    by_name_.emplace(sections_[i].name, i);
  }
}

void Elf::read_symbols() {
  const auto of_type = [&](uint32_t type) {
    return std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.type == type; });
  };
  auto table = of_type(kSymbolTable);
  if (table == sections_.end()) {
    table = of_type(kDynamicSymbols);
  }
  if (table == sections_.end()) {
    return;
  }
  if (table->link >= sections_.size()) {
    fail(table->at, fmt::format("names of symbols in section {} of {}", table->link, sections_.size()));
  }
  const Section& names = sections_[table->link];
  for (uint64_t at = table->at; at + kSymbolBytes <= table->at + table->data.size(); at += kSymbolBytes) {
    Symbol s;
    s.name = text(names, read<uint32_t>(at));
    s.type = read<uint8_t>(at + 4) & 15;
    s.other = read<uint8_t>(at + 5);
    s.section = read<uint16_t>(at + 6);
    s.value = read<uint64_t>(at + 8);
    s.bytes = read<uint64_t>(at + 16);
    symbols_.push_back(std::move(s));
  }
}

const Section* Elf::section(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &sections_[it->second];
}

std::vector<Relocation> Elf::relocations(const Section& s) const {
  std::vector<Relocation> out;
  const bool addends = s.type == kRela;
  const uint64_t each = addends ? 24 : 16;
  for (uint64_t at = s.at; at + each <= s.at + s.data.size(); at += each) {
    const auto info = read<uint64_t>(at + 8);
    Relocation r;
    r.at = read<uint64_t>(at);
    r.type = static_cast<uint32_t>(info);
    r.symbol = static_cast<uint32_t>(info >> 32);
    r.addend = addends ? read<int64_t>(at + 16) : 0;
    if (r.symbol >= symbols_.size()) {
      fail(at, fmt::format("a relocation of symbol {} of {}", r.symbol, symbols_.size()));
    }
    out.push_back(r);
  }
  return out;
}

}  // namespace heddle::cubin
