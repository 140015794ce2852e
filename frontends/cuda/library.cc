#include "frontends/cuda/library.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "frontends/cuda/readable.h"
#include "frontends/cuda/status.h"
#include "sim/base/error.h"

namespace heddle::cuda {
namespace {

constexpr uint32_t kWrapperMagic = 0x466243b1;
constexpr char kFatbinMagic[] = "\x50\xed\x55\xba";

// As nvcc writes it into section .nvFatBinSegment.
struct Wrapper {
  uint32_t magic, version;
  const uint8_t* data;
  void* other;
};

struct FatbinHeader {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes;  // behind the header
};

template <class T>
T at(const uint8_t* p) {
  T out;
  std::memcpy(&out, p, sizeof out);
  return out;
}

// An image says its own length. Throws CallFailed when there is no memory for what it says.
void require_image(const uint8_t* p, uint64_t bytes) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  require(bytes <= kMost && readable(p, bytes), Status::kInvalidKernelImage, "an image that is cut off");
}

// How many bytes an ELF file in memory has.
uint64_t elf_bytes(const uint8_t* p) {
  require_image(p, sizeof(Elf64_Ehdr));
  const auto h = at<Elf64_Ehdr>(p);
  require(h.e_ident[EI_CLASS] == ELFCLASS64 && (h.e_shnum == 0 || h.e_shentsize == sizeof(Elf64_Shdr)) &&
              (h.e_phnum == 0 || h.e_phentsize == sizeof(Elf64_Phdr)),
          Status::kInvalidKernelImage, "no ELF file of 64 bits");
  const uint64_t sections = uint64_t{h.e_shnum} * sizeof(Elf64_Shdr);
  require_image(p, h.e_shoff);
  require_image(p + h.e_shoff, sections);
  uint64_t end = std::max(h.e_shoff + sections, h.e_phoff + uint64_t{h.e_phnum} * h.e_phentsize);
  for (uint32_t i = 0; i < h.e_shnum; ++i) {
    const auto s = at<Elf64_Shdr>(p + h.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    require_image(p, s.sh_type == SHT_NOBITS ? 0 : s.sh_offset);
    require_image(p, s.sh_type == SHT_NOBITS ? 0 : s.sh_size);
    end = std::max(end, s.sh_type == SHT_NOBITS ? 0 : s.sh_offset + s.sh_size);
  }
  require_image(p, end);
  return end;
}

// Of an image, which may be a text of less than 4 characters.
bool begins_with(const uint8_t* p, const char* magic) {
  return std::strncmp(reinterpret_cast<const char*>(p), magic, std::strlen(magic)) == 0;
}

uint64_t image_bytes(const uint8_t* p) {
  if (begins_with(p, kFatbinMagic)) {
    require_image(p, sizeof(FatbinHeader));
    const auto h = at<FatbinHeader>(p);
    require_image(p, h.bytes);
    require_image(p, h.header_bytes + h.bytes);
    return h.header_bytes + h.bytes;
  }
  return begins_with(p, ELFMAG) ? elf_bytes(p) : std::strlen(reinterpret_cast<const char*>(p));
}

}  // namespace

void** Library::add_binary(const void* wrapper) {
  require(wrapper != nullptr, Status::kInvalidValue, "no fat binary");
  const auto w = at<Wrapper>(static_cast<const uint8_t*>(wrapper));
  if (w.magic != kWrapperMagic) {
    throw Error(
        fmt::format("a fat binary's wrapper begins with 0x{:x} (legal: 0x{:x})", w.magic, kWrapperMagic));
  }
  binaries_.push_back({w.data, {}, nullptr});
  return static_cast<void**>(pointer(binaries_.size()));
}

void Library::add_function(void** binary, const void* host, const char* name) {
  require(name != nullptr, Status::kInvalidValue, "no name");
  function_names_[host] = {reinterpret_cast<size_t>(binary) - 1, name};
}

void Library::add_variable(void** binary, const void* host, const char* name) {
  require(name != nullptr, Status::kInvalidValue, "no name");
  variable_names_[host] = {reinterpret_cast<size_t>(binary) - 1, name};
}

void Library::add_managed(void** binary, void** pointer, const char* name) {
  const size_t n = reinterpret_cast<size_t>(binary) - 1;
  require(name != nullptr && pointer != nullptr, Status::kInvalidValue, "no name");
  binaries_.at(n).managed.emplace_back(pointer, name);
  variable_names_[pointer] = {n, name};
}

void Library::complete(void** binary) {
  const size_t n = reinterpret_cast<size_t>(binary) - 1;
  if (!binaries_.at(n).managed.empty()) {
    loaded(n);
  }
}

void Library::load_managed() {
  for (size_t i = 0; i < binaries_.size(); ++i) {
    complete(static_cast<void**>(cuda::pointer(i + 1)));
  }
}

const std::shared_ptr<modules::Program>& Library::loaded(size_t n) {
  Binary& b = binaries_.at(n);
  if (!b.program) {
    space_.visible_to_host(!b.managed.empty());
    try {
      b.program = load(b.data);
    } catch (...) {
      space_.visible_to_host(false);
      throw;
    }
    space_.visible_to_host(false);
    for (const auto& [pointer, name] : b.managed) {
      const LoadedVariable v = variable(b.program, name);
      *pointer = cuda::pointer(v.address);
      variables_[pointer] = v;
      variables_[*pointer] = v;  // as which the program names it
    }
  }
  return b.program;
}

std::shared_ptr<modules::Program> Library::load(const void* image) {
  const auto* p = static_cast<const uint8_t*>(image);
  require(p != nullptr, Status::kInvalidValue, "no image");
  if (std::memcmp(p, "\xb1", 1) == 0 && readable(p, sizeof(Wrapper)) && at<uint32_t>(p) == kWrapperMagic) {
    p = at<Wrapper>(p).data;
    require(p != nullptr, Status::kInvalidKernelImage, "a wrapper without an image");
  }
  try {
    return modules::image_program(program_invocation_short_name, {p, image_bytes(p)}, space_.memory(),
                                  capability_);
  } catch (const Error& e) {
    // What is none of these at all is another mistake than code for other devices.
    const bool known = begins_with(p, kFatbinMagic) || begins_with(p, ELFMAG);
    throw CallFailed(known ? Status::kNoKernelImageForDevice : Status::kInvalidKernelImage, e.what());
  }
}

std::shared_ptr<modules::Program> Library::load_file(const std::string& file) {
  require(access(file.c_str(), R_OK) == 0, Status::kFileNotFound, "no such file");
  try {
    return modules::load(file, space_.memory());
  } catch (const Error& e) {
    throw CallFailed(Status::kInvalidKernelImage, e.what());
  }
}

LoadedFunction& Library::function(const std::shared_ptr<modules::Program>& program, std::string_view name) {
  const auto key = std::make_pair(static_cast<const modules::Program*>(program.get()), std::string(name));
  const auto known = functions_.find(key);
  if (known != functions_.end()) {
    return known->second;
  }
  const auto& all = program->kernels();
  const auto k =
      std::find_if(all.begin(), all.end(), [&](const modules::Kernel& k) { return k.name == name; });
  require(k != all.end(), Status::kSymbolNotFound, "no kernel of this name");
  LoadedFunction f;
  f.program = program;
  f.kernel = &*k;
  LoadedFunction& out = functions_.emplace(key, std::move(f)).first->second;
  by_host_[&out] = &out;
  return out;
}

void Library::unload(const void* module) {
  unloaded_.push_back(modules_.owner(module));
  modules_.drop(module);
}

void Library::unload() {
  by_host_.clear();
  functions_.clear();
  variables_.clear();
  constants_.clear();
  modules_.clear();
  unloaded_.clear();
  for (Binary& b : binaries_) {
    b.program = nullptr;
  }
}

LoadedFunction& Library::function(const void* host) {
  if (const auto known = by_host_.find(host); known != by_host_.end()) {
    return *known->second;
  }
  const auto it = function_names_.find(host);
  // As CUDA 13 says it, whose functions are handles.
  require(it != function_names_.end(), Status::kInvalidResourceHandle, "no kernel stands at this address");
  LoadedFunction& f = function(loaded(it->second.binary), it->second.name);
  by_host_[host] = &f;
  return f;
}

const LoadedVariable& Library::variable(const void* host) {
  if (const auto known = variables_.find(host); known != variables_.end()) {
    return known->second;
  }
  const auto it = variable_names_.find(host);
  require(it != variable_names_.end(), Status::kInvalidSymbol, "no variable stands at this address");
  const auto& program = loaded(it->second.binary);
  return variables_[host] = variable(program, it->second.name);
}

LoadedVariable Library::variable(const std::shared_ptr<modules::Program>& program, std::string_view name) {
  const auto v = program->variable(name);
  if (!v) {
    throw CallFailed(Status::kSymbolNotFound, "the module has no such variable");
  }
  if (!v->constant) {
    return {v->address, v->bytes};
  }
  const auto key = std::make_pair(static_cast<const modules::Program*>(program.get()), v->address);
  auto known = constants_.find(key);
  if (known == constants_.end()) {
    const uint64_t at = space_.memory().allocate(v->bytes);
    program->read_constants(v->address, {space_.bytes(at, v->bytes), v->bytes});
    known = constants_.emplace(key, Constant{program.get(), *v, at}).first;
  }
  return {known->second.address, v->bytes};
}

void Library::update_constants(const modules::Program& program) {
  for (auto it = constants_.lower_bound({&program, 0}); it != constants_.end() && it->first.first == &program;
       ++it) {
    const Constant& c = it->second;
    c.program->write_constants(c.variable.address,
                               {space_.bytes(c.address, c.variable.bytes), c.variable.bytes});
  }
}

}  // namespace heddle::cuda
