// Arrays of numbers in .npy files (numpy.lib.format, versions 1 to 3): the header, then the elements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/output/file_kind.h"
#include "frontends/output/place.h"

namespace heddle::npy {

struct Array {
  std::string type = "<f4";  // as numpy writes it: byte order, kind, bytes of an element
  bool fortran = false;      // the first index is the fastest
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes;

  uint64_t elements() const;
};

// Bytes of an element; 0 where the type is none of |b1, <i1 to <i8, <u1 to <u8, <f2, <f4, <f8, <c8, <c16.
uint32_t element_bytes(std::string_view type);
// numpy's type of "f32", "s32", "i32", "u8" ...; empty when it has none.
std::string type_named(std::string_view name);

// Throws Error "FILE: what (legal: ...)". Files in the other byte order, of objects and of records are
// errors; more elements than the file has are, too.
Array read(const std::filesystem::path& file);
void write(const std::filesystem::path& file, output::Replace replace, const Array& array);

output::FileKind file_kind();

}  // namespace heddle::npy
