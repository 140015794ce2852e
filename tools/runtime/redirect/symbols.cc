#include "tools/runtime/redirect/symbols.h"

#include <algorithm>
#include <iterator>

namespace heddle::redirect {
namespace {

#define HEDDLE_STUB(name) #name,
constexpr const char* kNames[] = {
#include "tools/runtime/names.inc"
};
#undef HEDDLE_STUB

// Names that CUDA 12 had and CUDA 13 has no more, and those before.
constexpr const char* kOlderNames[] = {"cudaGetDeviceProperties_v2", "cudaBindTexture"};

// A runtime is linked as a whole; who stands in for some of its functions has fewer.
constexpr size_t kLeast = 64;

bool is_any_of(const char* name, const char* const* first, const char* const* last) {
  return std::any_of(first, last, [&](const char* n) { return std::strcmp(n, name) == 0; });
}

}  // namespace

ElfFile::ElfFile(const void* bytes, size_t size) : bytes_(static_cast<const uint8_t*>(bytes)), size_(size) {
  Elf64_Ehdr h{};
  if (!read(0, h) || std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
      h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_X86_64 || h.e_phentsize != sizeof(Elf64_Phdr)) {
    return;
  }
  header_ = h;
  for (size_t i = 0; i < header_.e_shnum; ++i) {
    Elf64_Shdr s{};
    if (section(i, s) && s.sh_type == SHT_SYMTAB && s.sh_entsize == sizeof(Elf64_Sym) &&
        names(s.sh_link, names_, names_size_)) {
      symbols_ = s.sh_size / sizeof(Elf64_Sym);
      symbols_at_ = s.sh_offset;
      return;
    }
  }
}

bool ElfFile::section(size_t i, Elf64_Shdr& to) const {
  return i < header_.e_shnum && header_.e_shentsize == sizeof to && header_.e_shoff <= size_ &&
         read(header_.e_shoff + i * sizeof to, to) && to.sh_type != SHT_NOBITS && to.sh_offset <= size_ &&
         to.sh_size <= size_ - to.sh_offset;
}

// The last byte ends the last name, so each name ends.
bool ElfFile::names(size_t i, const char*& names, size_t& size) const {
  Elf64_Shdr s{};
  if (!section(i, s) || s.sh_type != SHT_STRTAB || s.sh_size == 0 ||
      bytes_[s.sh_offset + s.sh_size - 1] != 0) {
    return false;
  }
  names = reinterpret_cast<const char*>(bytes_) + s.sh_offset;
  size = s.sh_size;
  return true;
}

bool ElfFile::function_at(size_t i, Function& to) const {
  Elf64_Sym s{};
  if (!read(symbols_at_ + i * sizeof s, s) || ELF64_ST_TYPE(s.st_info) != STT_FUNC ||
      s.st_shndx == SHN_UNDEF || s.st_shndx >= SHN_LORESERVE || s.st_name >= names_size_) {
    return false;
  }
  to = {names_ + s.st_name, s.st_value, s.st_size,
        ELF64_ST_BIND(s.st_info) == STB_LOCAL || ELF64_ST_VISIBILITY(s.st_other) != STV_DEFAULT};
  return true;
}

bool ElfFile::segment(size_t i, Elf64_Phdr& to) const {
  return i < header_.e_phnum && header_.e_phoff <= size_ && read(header_.e_phoff + i * sizeof to, to);
}

bool ElfFile::has_loader() const {
  Elf64_Phdr p{};
  for (size_t i = 0; segment(i, p); ++i) {
    if (p.p_type == PT_INTERP) {
      return true;
    }
  }
  return false;
}

bool ElfFile::has_headers(const Elf64_Phdr* headers, size_t count) const {
  const size_t bytes = count * sizeof *headers;
  return count == header_.e_phnum && header_.e_phoff <= size_ && bytes <= size_ - header_.e_phoff &&
         std::memcmp(bytes_ + header_.e_phoff, headers, bytes) == 0;
}

bool ElfFile::has_section(const char* name) const {
  const char* all = nullptr;
  size_t size = 0;
  if (!names(header_.e_shstrndx, all, size)) {
    return false;
  }
  for (size_t i = 0; i < header_.e_shnum; ++i) {
    Elf64_Shdr s{};
    if (section(i, s) && s.sh_name < size && std::strcmp(all + s.sh_name, name) == 0) {
      return true;
    }
  }
  return false;
}

const uint8_t* ElfFile::code(uint64_t address, size_t count) const {
  Elf64_Phdr p{};
  for (size_t i = 0; segment(i, p); ++i) {
    if (p.p_type != PT_LOAD || (p.p_flags & PF_X) == 0 || address < p.p_vaddr) {
      continue;
    }
    const uint64_t in = address - p.p_vaddr;
    if (in <= p.p_filesz && count <= p.p_filesz - in && p.p_offset <= size_ && in <= size_ - p.p_offset &&
        count <= size_ - p.p_offset - in) {
      return bytes_ + p.p_offset + in;
    }
  }
  return nullptr;
}

FoundRuntime find_runtime(const ElfFile& file) {
  FoundRuntime found{Runtime::kNone, UINT64_MAX, 0};
  size_t functions = 0;
  bool older = false;
  file.each_function([&](const Function& f) {
    if (!f.hidden || !like_runtime_name(f.name)) {
      return;
    }
    older = older || is_any_of(f.name, std::begin(kOlderNames), std::end(kOlderNames));
    if (runtime_name(f.name) != nullptr) {
      ++functions;
      found.first = std::min(found.first, f.address);
      found.last = std::max(found.last, f.address);
    }
  });
  if (functions >= kLeast) {
    found.runtime = older ? Runtime::kOlder : Runtime::kWithin;
  }
  return found;
}

const char* runtime_name(const char* name) {
  const auto less = [](const char* a, const char* b) { return std::strcmp(a, b) < 0; };
  const auto* const n = std::lower_bound(std::begin(kNames), std::end(kNames), name, less);
  return like_runtime_name(name) && n != std::end(kNames) && std::strcmp(*n, name) == 0 ? *n : nullptr;
}

bool like_runtime_name(const char* name) {
  const char* const plain = std::strncmp(name, "__", 2) == 0 ? name + 2 : name;
  return std::strncmp(plain, "cuda", 4) == 0 && plain[4] >= 'A' && plain[4] <= 'Z';
}

}  // namespace heddle::redirect
