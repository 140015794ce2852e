// An ELF file of 64 bits, little endian: what cubins and programs of the host are made of. All that it names
// is checked to lie in the file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.h"

namespace heddle::cubin {

struct Section {
  std::string name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;  // in memory; data is empty where the file has none of them
  uint32_t link = 0, info = 0;
  uint64_t align = 1;
  uint64_t at = 0;  // of data, in the file
  std::span<const uint8_t> data;
};

struct Symbol {
  std::string name;
  uint8_t type = 0;  // kObject, kFunction, ...
  uint8_t other = 0;
  uint16_t section = 0;  // 0: none
  uint64_t value = 0, bytes = 0;
};

struct Relocation {
  uint64_t at = 0;  // in the section
  uint32_t type = 0;
  uint32_t symbol = 0;
  int64_t addend = 0;
};

class Elf {
 public:
  static constexpr uint16_t kCuda = 190;                                  // machine
  static constexpr uint32_t kNoBits = 8, kRel = 9, kRela = 4;             // Section::type
  static constexpr uint8_t kObject = 1, kFunction = 2, kSectionType = 3;  // Symbol::type

  // The bytes outlive this. `file`: for messages. Throws Error, "FILE: byte N: what".
  Elf(std::string file, std::span<const uint8_t> bytes);

  // Whether a file begins like one.
  static bool is_elf(std::span<const uint8_t> bytes);

  uint16_t machine() const { return machine_; }
  uint8_t abi() const { return abi_; }
  uint32_t flags() const { return flags_; }
  // Still to be linked.
  bool relocatable() const { return type_ == 1; }
  // Of a cubin: 90, compute capability 9.0.
  uint32_t capability() const;
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  // Null when there is none of this name.
  const Section* section(std::string_view name) const;
  // Of a section of type kRel or kRela.
  std::vector<Relocation> relocations(const Section& s) const;

  [[noreturn]] void fail(uint64_t at, const std::string& what) const;

 private:
  template <class T>
  T read(uint64_t at) const;
  // Counts what it returns: many names may be one in the file.
  std::string text(const Section& table, uint64_t offset);
  void check_segments() const;
  void read_sections();
  void read_symbols();

  std::string file_;
  std::span<const uint8_t> bytes_;
  uint16_t type_ = 0, machine_ = 0;
  uint8_t abi_ = 0;
  uint32_t flags_ = 0;
  uint64_t names_bytes_ = 0;
  std::vector<Section> sections_;
  std::map<std::string, size_t, std::less<>> by_name_;  // the first of each name
  std::vector<Symbol> symbols_;
};

}  // namespace heddle::cubin
