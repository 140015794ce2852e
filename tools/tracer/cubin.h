// What a kernel's module says of it: the encodings of its instructions, and where its parameters lie.
#pragma once

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace heddle::capture {

class Cubin {
 public:
  struct Parameter {
    uint32_t offset = 0, bytes = 0;
  };

  Cubin(const std::string& file, const std::string& function) {
    std::ifstream in(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    code_ = section(".text." + function);
    info_ = section(".nv.info." + function);
    read_info();
  }

  // False: the module has none there.
  bool encoding(uint32_t offset, uint64_t& low, uint64_t& high) const {
    if (uint64_t{offset} + 16 > code_.size) {
      return false;
    }
    memcpy(&low, code_.at + offset, 8);
    memcpy(&high, code_.at + offset + 8, 8);
    return true;
  }
  // Of the parameters in constant bank 0; 0: not known.
  uint32_t parameter_base() const { return parameter_base_; }
  const std::map<uint32_t, Parameter>& parameters() const { return parameters_; }

 private:
  struct Section {
    const char* at = nullptr;
    uint64_t size = 0;
  };

  Section section(const std::string& name) const {
    Elf64_Ehdr e;
    if (bytes_.size() < sizeof e) {
      return {};
    }
    memcpy(&e, bytes_.data(), sizeof e);
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_shstrndx >= e.e_shnum ||
        e.e_shoff + uint64_t{e.e_shnum} * sizeof(Elf64_Shdr) > bytes_.size()) {
      return {};
    }
    const auto header = [&](uint32_t n) {
      Elf64_Shdr s;
      memcpy(&s, bytes_.data() + e.e_shoff + n * sizeof s, sizeof s);
      return s;
    };
    const Elf64_Shdr names = header(e.e_shstrndx);
    for (uint32_t i = 0; i < e.e_shnum; ++i) {
      const Elf64_Shdr s = header(i);
      const uint64_t at = names.sh_offset + s.sh_name;
      if (s.sh_type != SHT_NOBITS && at + name.size() < bytes_.size() && s.sh_offset <= bytes_.size() &&
          s.sh_size <= bytes_.size() - s.sh_offset &&
          memcmp(bytes_.data() + at, name.c_str(), name.size() + 1) == 0) {
        return {bytes_.data() + s.sh_offset, s.sh_size};
      }
    }
    return {};
  }

  // Attributes: how the value comes (1 byte), which (1), the value or its length (2), the value.
  void read_info() {
    constexpr uint8_t kSized = 4, kParameterBank = 0x0a, kParameter = 0x17;
    for (uint64_t at = 0; at + 4 <= info_.size;) {
      const uint8_t how = static_cast<uint8_t>(info_.at[at]), which = static_cast<uint8_t>(info_.at[at + 1]);
      uint16_t length = 0;
      memcpy(&length, info_.at + at + 2, 2);
      at += 4;
      if (how != kSized) {
        continue;
      }
      if (at + length > info_.size) {
        return;
      }
      uint32_t words[3] = {};
      memcpy(words, info_.at + at, length < sizeof words ? length : sizeof words);
      if (which == kParameterBank && length >= 8) {
        parameter_base_ = words[1] & 0xffff;
      } else if (which == kParameter && length >= 12) {
        parameters_[words[1] & 0xffff] = {words[1] >> 16, words[2] >> 18};
      }
      at += length;
    }
  }

  std::vector<char> bytes_;
  Section code_, info_;
  uint32_t parameter_base_ = 0;
  std::map<uint32_t, Parameter> parameters_;  // by their place in the list
};

}  // namespace heddle::capture
