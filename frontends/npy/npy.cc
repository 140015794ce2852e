#include "frontends/npy/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "frontends/input/limits.h"
#include "frontends/input/printable.h"
#include "frontends/input/regular_file.h"
#include "frontends/output/output_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::npy {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlign = 64;  // of the elements in the file
constexpr size_t kMostDimensions = 32;

struct Named {
  std::string_view type, name;
  uint32_t bytes;
};
constexpr auto kTypes = std::to_array<Named>({
    {"|b1", "bool", 1},
    {"|i1", "s8", 1},
    {"|u1", "u8", 1},
    {"<i2", "s16", 2},
    {"<u2", "u16", 2},
    {"<i4", "s32", 4},
    {"<u4", "u32", 4},
    {"<i8", "s64", 8},
    {"<u8", "u64", 8},
    {"<f2", "f16", 2},
    {"<f4", "f32", 4},
    {"<f8", "f64", 8},
    {"<c8", "c64", 8},
    {"<c16", "c128", 16},
});

// The header is a Python dict of three entries, written by numpy in a fixed way; what stands behind a key.
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view rest = header.substr(at + key.size() + 2);
  rest = trim(rest);
  return rest.starts_with(':') ? trim(rest.substr(1)) : std::string_view();
}

std::optional<std::vector<uint64_t>> shape_of(std::string_view text) {
  if (!text.starts_with('(') || text.find(')') == std::string_view::npos) {
    return std::nullopt;
  }
  text = text.substr(1, text.find(')') - 1);
  std::vector<uint64_t> out;
  while (!trim(text).empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto n = parse_number<uint64_t>(trim(text.substr(0, comma)));
    if (!n || out.size() == kMostDimensions) {
      return std::nullopt;
    }
    out.push_back(*n);
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return out;
}

uint64_t product(const std::vector<uint64_t>& shape) {
  uint64_t n = 1;
  for (const uint64_t s : shape) {
    if (s != 0 && n > std::numeric_limits<uint64_t>::max() / s) {
      return std::numeric_limits<uint64_t>::max();
    }
    n *= s;
  }
  return n;
}

}  // namespace

uint64_t Array::elements() const { return product(shape); }

uint32_t element_bytes(std::string_view type) {
  for (const Named& t : kTypes) {
    if (t.type == type || (t.bytes == 1 && type == "<" + std::string(t.type.substr(1)))) {
      return t.bytes;
    }
  }
  return 0;
}

std::string type_named(std::string_view name) {
  const std::string as_signed = name.starts_with('i') ? "s" + std::string(name.substr(1)) : std::string(name);
  for (const Named& t : kTypes) {
    if (t.name == as_signed) {
      return std::string(t.type);
    }
  }
  return "";
}

Array read(const std::filesystem::path& file) {
  const std::string data = input::read_regular_file(file, input::limits().block_bytes);
  const auto fail = [&](const std::string& what) -> Error {
    return Error(fmt::format("{}: {}", input::printable(file.string()), what));
  };
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(data[i]); };
  if (!data.starts_with(kMagic) || data.size() < 12 || byte(6) < 1 || byte(6) > 3) {
    throw fail("is no .npy file (legal: format 1 to 3 of numpy.save)");
  }
  const size_t wide = byte(6) == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < wide; ++i) {
    length |= static_cast<size_t>(byte(8 + i)) << 8 * i;
  }
  const size_t begin = 8 + wide;
  if (length > data.size() - begin) {
    throw fail("its header is cut off");
  }
  const std::string_view header(data.data() + begin, length);
  Array out;
  const std::string_view descr = value_of(header, "descr");
  const size_t end = descr.empty() ? 0 : descr.find('\'', 1);
  out.type = descr.starts_with('\'') && end != std::string_view::npos ? descr.substr(1, end - 1)
                                                                      : descr.substr(0, 20);
  const auto shape = shape_of(value_of(header, "shape"));
  const uint32_t each = element_bytes(out.type);
  if (each == 0 || !shape) {
    throw fail(
        fmt::format("elements of type {} (legal: bool, int8 to int64, uint8 to uint64, float16 to float64, "
                    "complex64, complex128, little end first) or a bad shape",
                    input::printable(out.type)));
  }
  out.fortran = value_of(header, "fortran_order").starts_with("True");
  out.shape = *shape;
  const uint64_t have = data.size() - begin - length;
  if (out.elements() > have / each) {
    throw fail(
        fmt::format("has {} bytes of elements (legal: {} elements of {} bytes)", have, out.elements(), each));
  }
  const auto first = data.begin() + static_cast<std::ptrdiff_t>(begin + length);
  out.bytes.assign(first, first + static_cast<std::ptrdiff_t>(out.elements() * each));
  return out;
}

output::FileKind file_kind() {
  return {"an .npy file", [](std::string_view head) { return head.starts_with(kMagic); }};
}

void write(const std::filesystem::path& file, output::Replace replace, const Array& array) {
  std::string shape;
  for (const uint64_t n : array.shape) {
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", n);
  }
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", array.type,
                  array.fortran ? "True" : "False", shape, array.shape.size() == 1 ? "," : "");
  const size_t before = kMagic.size() + 4;
  header.append(kAlign - 1 - (before + header.size()) % kAlign, ' ');
  header += '\n';
  std::string out(kMagic);
  out += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  out += header;
  out.append(array.bytes.begin(), array.bytes.end());
  output::write_file(file, file_kind(), replace, out);
}

}  // namespace heddle::npy
