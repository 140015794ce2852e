// Whose names tell that a CUDA runtime is within a file, and files that are damaged in any way.
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tools/runtime/redirect/symbols.h"

namespace heddle::redirect {
namespace {

constexpr const char* kNames[] = {
#define HEDDLE_STUB(name) #name,
#include "tools/runtime/names.inc"  // NOLINT(bugprone-reserved-identifier): CUDA's names
#undef HEDDLE_STUB
};

struct Symbol {
  std::string name;
  uint8_t info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
  uint8_t other = STV_DEFAULT;
  uint16_t section = 1;
};

std::vector<Symbol> runtime(const std::string& one_more = "") {
  std::vector<Symbol> symbols = {{""}, {one_more}};
  for (const char* n : kNames) {
    if (like_runtime_name(n) && symbols.size() < 100) {
      symbols.push_back({n});
    }
  }
  return symbols;
}

constexpr uint64_t kAddress = 0x1000, kCode = 16;

// A program with these symbols, kCode bytes of code each.
std::vector<uint8_t> file_of(const std::vector<Symbol>& symbols) {
  std::string names(1, '\0');
  std::vector<Elf64_Sym> table;
  for (const Symbol& s : symbols) {
    table.push_back({static_cast<uint32_t>(names.size()), s.info, s.other, s.section,
                     kAddress + kCode * table.size(), kCode});
    names += s.name + '\0';
  }
  const std::string sections("\0.nv_fatbin\0", 12);
  Elf64_Ehdr h{};
  const Elf64_Phdr segments[] = {
      {PT_LOAD, PF_R | PF_X, 0, kAddress, kAddress, kCode * table.size(), kCode * table.size(), 4096},
      {PT_INTERP, PF_R, 0, 0, 0, 0, 0, 1}};
  Elf64_Shdr headers[5]{};
  const size_t headers_at = sizeof h + sizeof segments, table_at = headers_at + sizeof headers;
  const size_t table_bytes = table.size() * sizeof table[0];
  const size_t sections_at = table_at + table_bytes, names_at = sections_at + sections.size();
  headers[1] = {1, SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, 0, 1, 0};
  headers[2] = {0, SHT_SYMTAB, 0, 0, table_at, table_bytes, 3, 0, 8, sizeof table[0]};
  headers[3] = {0, SHT_STRTAB, 0, 0, names_at, names.size(), 0, 0, 1, 0};
  headers[4] = {0, SHT_STRTAB, 0, 0, sections_at, sections.size(), 0, 0, 1, 0};
  std::memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  h.e_ident[EI_DATA] = ELFDATA2LSB;
  h.e_type = ET_DYN;
  h.e_machine = EM_X86_64;
  h.e_phoff = sizeof h;
  h.e_phentsize = sizeof segments[0];
  h.e_phnum = std::size(segments);
  h.e_shoff = headers_at;
  h.e_shentsize = sizeof headers[0];
  h.e_shnum = std::size(headers);
  h.e_shstrndx = 4;
  std::vector<uint8_t> out;
  const auto add = [&](const void* p, size_t bytes) {
    const auto* const b = static_cast<const uint8_t*>(p);
    out.insert(out.end(), b, b + bytes);
  };
  add(&h, sizeof h);
  add(segments, sizeof segments);
  add(headers, sizeof headers);
  add(table.data(), table_bytes);
  add(sections.data(), sections.size());
  add(names.data(), names.size());
  return out;
}

Runtime in(const std::vector<Symbol>& symbols) {
  const std::vector<uint8_t> bytes = file_of(symbols);
  return find_runtime(ElfFile(bytes.data(), bytes.size())).runtime;
}

TEST_CASE("a runtime within a file is known by its functions' names") {
  CHECK(in(runtime()) == Runtime::kWithin);
  CHECK(in(runtime("cudaOfALaterRuntime")) == Runtime::kWithin);
  CHECK(in(runtime("cudaGetDeviceProperties_v2")) == Runtime::kOlder);
  CHECK(in({{""}, {"cudaMalloc"}, {"cudaFree"}}) == Runtime::kNone);  // stands in for some

  const auto all_with = [](auto&& change) {
    std::vector<Symbol> symbols = runtime();
    for (Symbol& s : symbols) {
      change(s);
    }
    return in(symbols);
  };
  const uint8_t global = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  CHECK(all_with([&](Symbol& s) { s.info = global; }) == Runtime::kNone);  // a runtime's own library
  CHECK(all_with([&](Symbol& s) {
          s.info = global;
          s.other = STV_HIDDEN;
        }) == Runtime::kWithin);
  CHECK(all_with([](Symbol& s) { s.info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT); }) == Runtime::kNone);
  CHECK(all_with([](Symbol& s) { s.section = SHN_UNDEF; }) == Runtime::kNone);
  CHECK(all_with([](Symbol& s) { s.section = SHN_ABS; }) == Runtime::kNone);
}

TEST_CASE("each name of the runtime's is found, and no other") {
  size_t found = 0;
  for (const char* n : kNames) {
    const bool runtime = std::string(n).find("cuda") != std::string::npos;
    CHECK((runtime_name(n) != nullptr) == runtime);
    CHECK((runtime_name(n) == nullptr || runtime_name(n) == std::string(n)));
    found += runtime ? 1 : 0;
  }
  CHECK(found > 400);
  for (const char* n :
       {"", "_", "__", "cuda", "__cuda", "cudaa", "cudaMallo", "cudaMallocs", "cuInit", "zz"}) {
    CHECK(runtime_name(n) == nullptr);
  }
}

TEST_CASE("what a file says of itself") {
  const std::vector<uint8_t> bytes = file_of(runtime());
  const ElfFile file(bytes.data(), bytes.size());
  const FoundRuntime found = find_runtime(file);
  CHECK(found.first == kAddress + kCode * 2);
  CHECK(found.last == kAddress + kCode * 99);
  CHECK(file.has_loader());
  CHECK(file.has_section(".nv_fatbin"));
  CHECK_FALSE(file.has_section(".nv"));
  Elf64_Phdr headers[2];
  std::memcpy(headers, bytes.data() + sizeof(Elf64_Ehdr), sizeof headers);
  CHECK(file.has_headers(headers, 2));
  CHECK_FALSE(file.has_headers(headers, 1));
  headers[0].p_vaddr = 0;
  CHECK_FALSE(file.has_headers(headers, 2));
  CHECK(file.code(kAddress, 5) == bytes.data());
  CHECK(file.code(kAddress + kCode * 100 - 5, 5) != nullptr);
  CHECK(file.code(kAddress + kCode * 100 - 4, 5) == nullptr);
  CHECK(file.code(kAddress - 1, 5) == nullptr);
  CHECK(file.code(UINT64_MAX, 5) == nullptr);
  CHECK(file.code(kAddress, SIZE_MAX) == nullptr);
  // A segment that ends beyond the file.
  std::vector<uint8_t> cut = bytes;
  cut[sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_filesz) + 2] = 0xff;
  const ElfFile cut_file(cut.data(), cut.size());
  CHECK(cut_file.code(kAddress + cut.size() - 5, 5) == cut.data() + cut.size() - 5);
  CHECK(cut_file.code(kAddress + cut.size() - 4, 5) == nullptr);
}

// Bytes whose end is the end of what can be read.
class AtEdge final {
 public:
  AtEdge()
      : pages_(static_cast<uint8_t*>(
            mmap(nullptr, kBytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(pages_ != MAP_FAILED);
    REQUIRE(mprotect(pages_ + kBytes, kPage, PROT_NONE) == 0);
  }
  ~AtEdge() { munmap(pages_, kBytes + kPage); }
  AtEdge(const AtEdge&) = delete;
  AtEdge& operator=(const AtEdge&) = delete;

  const uint8_t* hold(const std::vector<uint8_t>& bytes, size_t count) {
    REQUIRE(count <= kBytes);
    return std::copy(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count), pages_ + kBytes - count) -
           count;
  }

 private:
  static constexpr size_t kPage = 4096, kBytes = 8 * kPage;
  uint8_t* pages_;
};

void read_all(const uint8_t* bytes, size_t size) {
  const ElfFile file(bytes, size);
  const FoundRuntime found = find_runtime(file);
  volatile uint8_t last = 0;
  const auto read_code = [&](uint64_t address, size_t count) {
    const uint8_t* const code = file.code(address, count);
    if (code != nullptr && count != 0) {
      last = code[count - 1];
    }
  };
  file.each_function([&](const Function& f) { read_code(f.address, f.size); });
  read_code(found.first, 5);
  file.has_loader();
  file.has_section(".nv_fatbin");
  const Elf64_Phdr headers[2]{};
  file.has_headers(headers, 2);
}

TEST_CASE("damaged files are read within their bounds") {
  const std::vector<uint8_t> good = file_of(runtime());
  AtEdge edge;
  read_all(edge.hold(good, good.size()), good.size());
  for (size_t size = 0; size < good.size(); ++size) {
    read_all(edge.hold(good, size), size);
  }
  // The last name, with which others begin, does not end.
  std::vector<Symbol> endless = runtime();
  endless.push_back({"cudaMalloc"});
  std::vector<uint8_t> bad = file_of(endless);
  bad.pop_back();
  const size_t names_size =
      sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + 3 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size);
  --bad[names_size];
  REQUIRE(bad[names_size] != 0xff);
  read_all(edge.hold(bad, bad.size()), bad.size());
  // Each byte of the headers, and the last of the names.
  const size_t headers = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + 5 * sizeof(Elf64_Shdr);
  for (size_t i = 0; i < good.size(); i = i + 1 == headers ? good.size() - 1 : i + 1) {
    for (const uint8_t v : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      bad = good;
      bad[i] = v;
      read_all(edge.hold(bad, bad.size()), bad.size());
    }
  }
  std::mt19937 random(48);
  for (int n = 0; n < 3000; ++n) {
    bad = good;
    for (uint32_t k = 0; k <= random() % 8; ++k) {
      // Half of them in the headers.
      const size_t range = random() % 2 == 0 ? headers : bad.size();
      bad[random() % range] = static_cast<uint8_t>(random());
    }
    const size_t size = random() % 4 == 0 ? random() % bad.size() : bad.size();
    read_all(edge.hold(bad, size), size);
  }
}

}  // namespace
}  // namespace heddle::redirect
