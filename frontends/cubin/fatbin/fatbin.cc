#include "frontends/cubin/fatbin/fatbin.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "frontends/cubin/fatbin/decompress.h"
#include "frontends/cubin/object/elf.h"
#include "frontends/input/limits.h"
#include "sim/base/error.h"

namespace heddle::cubin {
namespace {

constexpr uint32_t kMagic = 0xba55ed50;
constexpr uint64_t kHeaderBytes = 16, kEntryBytes = 64;  // of a fat binary; of an image, at least
constexpr uint16_t kPtxEntry = 1, kElfEntry = 2;
constexpr uint16_t kRelocatable = 1;  // type of an ELF file
// Flags of an entry, found by what nvcc's options change; those of debugging and of the host's system do not
// matter here.
constexpr uint64_t kLz4Flag = 0x2000, kZstdFlag = 0x8000;
constexpr uint64_t kThisGpuFlag = 0x100000, kFamilyFlag = 0x200000;

using Use = std::function<void(Image&&)>;

template <class T>
T read(std::span<const uint8_t> bytes, uint64_t at) {
  T out;
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

bool relocatable(std::span<const uint8_t> elf) {
  constexpr uint64_t kType = 16;
  return elf.size() >= kType + 2 && read<uint16_t>(elf, kType) == kRelocatable;
}

void without_zeros_at_end(std::vector<uint8_t>& text) {
  while (!text.empty() && text.back() == 0) {
    text.pop_back();
  }
}

// Fat binaries behind one another, from a byte of the file to another.
class Reader {
 public:
  Reader(const std::string& file, std::span<const uint8_t> bytes, uint64_t first, uint64_t end,
         const Use& use)
      : file_(file), bytes_(bytes), at_(first), end_(end), use_(use) {}

  // Whether there was an image.
  bool read_all();

 private:
  [[noreturn]] void fail(uint64_t at, const std::string& what) const {
    throw Error(fmt::format("{}: byte {}: {}", file_, at, what));
  }
  void need(uint64_t at, uint64_t n, uint64_t end, const char* what) const {
    if (n > end - at) {
      fail(at, fmt::format("{} of {} bytes, {} are left", what, n, end - at));
    }
  }
  // Returns where it ends.
  uint64_t entry(uint64_t at, uint64_t end);
  std::string name(uint64_t at, uint64_t header) const;
  void contents(Image& image, uint64_t entry, std::span<const uint8_t> stored, uint64_t flags) const;

  const std::string& file_;
  std::span<const uint8_t> bytes_;
  uint64_t at_, end_;
  const Use& use_;
  bool any_ = false;
};

bool Reader::read_all() {
  while (at_ < end_) {
    if (bytes_[at_] == 0) {  // between fat binaries, for alignment
      ++at_;
      continue;
    }
    need(at_, kHeaderBytes, end_, "the header of a fat binary");
    if (const auto magic = read<uint32_t>(bytes_, at_); magic != kMagic) {
      fail(at_, fmt::format("{:#x} begins a fat binary (legal: {:#x})", magic, kMagic));
    }
    if (const auto version = read<uint16_t>(bytes_, at_ + 4); version != 1) {
      fail(at_ + 4, fmt::format("a fat binary of version {} (legal: 1)", version));
    }
    const auto header = read<uint16_t>(bytes_, at_ + 6);
    if (header < kHeaderBytes) {
      fail(at_ + 6,
           fmt::format("the header of a fat binary of {} bytes (legal: from {} on)", header, kHeaderBytes));
    }
    need(at_, header, end_, "the header of a fat binary");
    const auto bytes = read<uint64_t>(bytes_, at_ + 8);
    at_ += header;
    need(at_, bytes, end_, "a fat binary");
    for (const uint64_t end = at_ + bytes; at_ < end;) {
      at_ = entry(at_, end);
    }
  }
  return any_;
}

std::string Reader::name(uint64_t at, uint64_t header) const {
  const uint64_t from = read<uint32_t>(bytes_, at + 32), length = read<uint32_t>(bytes_, at + 36);
  if (from == 0 || length == 0) {
    return "";
  }
  if (from > header || length > header - from) {
    fail(at + 32,
         fmt::format("an identifier in bytes {} to {} of a header of {}", from, from + length, header));
  }
  if (length > input::limits().name_bytes.value) {
    fail(at + 36,
         fmt::format("an identifier of {} bytes (legal: {})", length, input::limits().name_bytes.legal()));
  }
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(at + from);
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  return {begin, std::find(begin, end, 0)};
}

// Bytes of the entry: 0 kind, 2 version, 4 bytes of the header, 8 of what is behind it, 16 of that without
// padding if it is compressed, 20 offset of options, 24 version of the code, 28 capability, 32 offset and 36
// bytes of the identifier, 40 flags, 56 bytes decompressed.
uint64_t Reader::entry(uint64_t at, uint64_t end) {
  need(at, kEntryBytes, end, "the header of an image");
  const uint64_t header = read<uint32_t>(bytes_, at + 4);
  if (header < kEntryBytes) {
    fail(at + 4, fmt::format("the header of an image of {} bytes (legal: from {} on)", header, kEntryBytes));
  }
  need(at, header, end, "the header of an image");
  const auto stored = read<uint64_t>(bytes_, at + 8);
  need(at + header, stored, end, "an image");
  const auto flags = read<uint64_t>(bytes_, at + 40);
  Image image;
  image.number = read<uint16_t>(bytes_, at);
  image.kind = image.number == kElfEntry   ? Image::Kind::kCubin
               : image.number == kPtxEntry ? Image::Kind::kPtx
                                           : Image::Kind::kOther;
  image.capability = read<uint32_t>(bytes_, at + 28);
  image.variant = (flags & kThisGpuFlag) != 0 ? "a" : (flags & kFamilyFlag) != 0 ? "f" : "";
  image.name = name(at, header);
  image.at = at + header;
  image.file_bytes = stored;
  contents(image, at, bytes_.subspan(image.at, stored), flags);
  any_ = true;
  use_(std::move(image));
  return at + header + stored;
}

void Reader::contents(Image& image, uint64_t entry, std::span<const uint8_t> stored, uint64_t flags) const {
  if ((flags & kLz4Flag) != 0 && (flags & kZstdFlag) != 0) {
    fail(entry + 40, fmt::format("flags {:#x} say two kinds of compression (legal: one of {:#x}, {:#x})",
                                 flags, kLz4Flag, kZstdFlag));
  }
  const Compression how = (flags & kLz4Flag) != 0    ? Compression::kLz4
                          : (flags & kZstdFlag) != 0 ? Compression::kZstd
                                                     : Compression::kNone;
  image.compressed = how != Compression::kNone;
  if (image.kind == Image::Kind::kOther) {
    return;
  }
  const auto packed = read<uint32_t>(bytes_, entry + 16);
  if (image.compressed && packed > stored.size()) {
    fail(entry + 16, fmt::format("{} compressed bytes in an image of {}", packed, stored.size()));
  }
  image.bytes = decompressed(how, image.compressed ? stored.first(packed) : stored,
                             read<uint64_t>(bytes_, entry + 56), fmt::format("{}: byte {}", file_, image.at));
  if (image.kind == Image::Kind::kPtx) {
    without_zeros_at_end(image.bytes);
  } else if (!Elf::is_elf(image.bytes)) {
    fail(image.at, "an image of machine code that is not an ELF file");
  } else {
    image.relocatable = relocatable(image.bytes);
  }
}

// The number behind ".target sm_", the letter behind it.
void target_of(std::string_view ptx, Image& image) {
  constexpr std::string_view kTarget = ".target";
  const size_t directive = ptx.find(kTarget);
  const size_t at = directive == std::string_view::npos ? directive : ptx.find("sm_", directive);
  if (at == std::string_view::npos) {
    return;
  }
  const char* const end = ptx.data() + ptx.size();
  const auto [next, error] = std::from_chars(ptx.data() + at + 3, end, image.capability);
  if (error == std::errc{} && next != end && (*next == 'a' || *next == 'f')) {
    image.variant = *next;
  }
}

// Whether ".version" is the first that is no blank and no comment.
bool is_ptx(std::string_view text) {
  while (!text.empty()) {
    const bool line = text.starts_with("//");
    if (line || text.starts_with("/*")) {
      const size_t end = line ? text.find('\n') : text.find("*/", 2);
      if (end == std::string_view::npos) {
        return false;
      }
      text.remove_prefix(end + (line ? 1 : 2));
    } else if (std::string_view(" \t\r\n\v\f").find(text.front()) != std::string_view::npos) {
      text.remove_prefix(1);
    } else {
      break;
    }
  }
  return text.starts_with(".version");
}

void whole_file(const std::string& file, std::span<const uint8_t> bytes, Image image, const Use& use) {
  if (bytes.size() > input::limits().section_bytes.value) {
    throw Error(fmt::format("{}: byte 0: an image of {} bytes (legal: {})", file, bytes.size(),
                            input::limits().section_bytes.legal()));
  }
  image.file_bytes = bytes.size();
  image.bytes.assign(bytes.begin(), bytes.end());
  use(std::move(image));
}

void elf_file(const std::string& file, std::span<const uint8_t> bytes, const Use& use) {
  const Elf elf(file, bytes);
  if (elf.machine() == Elf::kCuda) {
    Image image;
    image.capability = elf.capability();
    image.relocatable = elf.relocatable();
    whole_file(file, bytes, std::move(image), use);
    return;
  }
  bool any = false;
  for (const std::string_view name : {".nv_fatbin", "__nv_relfatbin"}) {
    for (const Section& s : elf.sections()) {
      if (s.name == name && !s.data.empty()) {
        any = Reader(file, bytes, s.at, s.at + s.data.size(), use).read_all() || any;
      }
    }
    if (any) {
      return;
    }
  }
  throw Error(
      fmt::format("{}: byte 0: a program for machine {} without code for a GPU (legal: section "
                  ".nv_fatbin or __nv_relfatbin with an image, or machine {}, NVIDIA CUDA)",
                  file, elf.machine(), Elf::kCuda));
}

}  // namespace

std::string Image::target() const {
  return fmt::format("{}_{}{}", kind == Kind::kCubin ? "sm" : "compute", capability, variant);
}

void for_images(const std::string& file, std::span<const uint8_t> bytes, const Use& use) {
  if (Elf::is_elf(bytes)) {
    elf_file(file, bytes, use);
    return;
  }
  if (bytes.size() >= sizeof kMagic && read<uint32_t>(bytes, 0) == kMagic) {
    if (!Reader(file, bytes, 0, bytes.size(), use).read_all()) {
      throw Error(file + ": byte 0: a fat binary without images (legal: at least one)");
    }
    return;
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (is_ptx(text)) {
    Image image;
    image.kind = Image::Kind::kPtx;
    target_of(text, image);
    whole_file(file, bytes, std::move(image), use);
    return;
  }
  throw Error(file +
              ": byte 0: no code for a GPU (legal: a cubin, a fat binary, PTX, or an executable, shared "
              "library or object file with a fat binary in it)");
}

std::vector<Image> images_of(const std::string& file, std::span<const uint8_t> bytes) {
  std::vector<Image> out;
  uint64_t sum = 0;
  for_images(file, bytes, [&](Image&& image) {
    sum += image.bytes.size();
    if (sum > input::limits().section_bytes.value) {
      throw Error(fmt::format("{}: byte {}: images of {} bytes up to here (legal: {})", file, image.at, sum,
                              input::limits().section_bytes.legal()));
    }
    out.push_back(std::move(image));
  });
  return out;
}

Object object_of(const std::string& file, const Image& image) {
  if (image.number == 0) {
    return read_object(file, image.bytes);
  }
  return read_object(fmt::format("{}: image at byte {}", file, image.at), image.bytes);
}

}  // namespace heddle::cubin
