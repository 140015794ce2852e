#include "frontends/modules/arguments.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>

#include "frontends/input/printable.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::modules {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // of a buffer

// A whole number of `bits` bits, signed or not, decimal or 0x...; nothing when it does not fit.
std::optional<uint64_t> whole(std::string_view text, uint32_t bits) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  const bool is_hex = digits.starts_with("0x");
  const auto n = parse_number<uint64_t>(is_hex ? digits.substr(2) : digits, is_hex ? 16 : 10);
  const uint64_t ones = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (!n || *n > (negative ? uint64_t{1} << (bits - 1) : ones)) {
    return std::nullopt;
  }
  return (negative ? ~*n + 1 : *n) & ones;
}

std::optional<uint64_t> number(std::string_view text, const Parameter& p) {
  const uint32_t width = 8 * p.bytes;
  if (p.kind == Parameter::Kind::kBytes || width > 64) {
    return std::nullopt;
  }
  if (p.kind != Parameter::Kind::kFloat) {
    if (const auto n = whole(text, width)) {
      return n;
    }
  }
  // Compilers also declare floating-point parameters as plain bits.
  const auto f = parse_number<double>(text);
  if (!f || p.kind == Parameter::Kind::kWhole || width < 32) {
    return std::nullopt;
  }
  return width == 64 ? std::bit_cast<uint64_t>(*f) : std::bit_cast<uint32_t>(static_cast<float>(*f));
}

template <class T>
void fill(std::vector<uint8_t>& bytes, bool counts) {
  for (size_t i = 0; i * sizeof(T) < bytes.size(); ++i) {
    const T value = counts ? static_cast<T>(i) : T{1};
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof value);
  }
}

// ones, arange. False: not of this type.
bool fill(npy::Array& a, bool counts) {
  const char kind = a.type[1];
  const uint32_t size = npy::element_bytes(a.type);
  if (kind == 'f' && size >= 4) {
    size == 4 ? fill<float>(a.bytes, counts) : fill<double>(a.bytes, counts);
  } else if (kind == 'i' || kind == 'u') {
    size == 1   ? fill<uint8_t>(a.bytes, counts)
    : size == 2 ? fill<uint16_t>(a.bytes, counts)
    : size == 4 ? fill<uint32_t>(a.bytes, counts)
                : fill<uint64_t>(a.bytes, counts);
  } else {
    return false;
  }
  return true;
}

// A count, or several: 4x6.
std::optional<std::vector<uint64_t>> shape_of(std::string_view text, uint64_t most) {
  std::vector<uint64_t> out;
  uint64_t all = 1;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('x', at), text.size());
    const auto n = parse_number<uint64_t>(text.substr(at, end - at));
    if (!n || *n == 0 || *n > most / all) {
      return std::nullopt;
    }
    all *= *n;
    out.push_back(*n);
    at = end + 1;
  }
  return out;
}

// buffer:BYTES, zeros:TYPE:COUNT and so on; nothing when it is none of them.
std::optional<npy::Array> pattern(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  npy::Array a;
  a.type = "|u1";
  if (name == "zeros" || name == "ones" || name == "arange") {
    const size_t second = rest.find(':');
    a.type = npy::type_named(rest.substr(0, second));
    rest = second == std::string::npos ? "" : rest.substr(second + 1);
  } else if (name != "buffer") {
    return std::nullopt;
  }
  const uint32_t size = npy::element_bytes(a.type);
  const auto shape = shape_of(rest, size == 0 ? 0 : kMostBytes / size);
  if (size == 0 || !shape) {
    return std::nullopt;
  }
  a.shape = *shape;
  if (name == "ones" || name == "arange") {
    a.bytes.resize(a.elements() * size);
    if (!fill(a, name == "arange")) {
      return std::nullopt;
    }
  }
  return a;
}

// texture:ARRAY,OPTION=VALUE... and surface:...; nothing when it is neither.
std::optional<Argument> texture(const std::string& text, exec::Memory& memory) {
  const bool surface = text.starts_with("surface:");
  if (!surface && !text.starts_with("texture:")) {
    return std::nullopt;
  }
  std::vector<std::string> parts;
  for (size_t at = text.find(':') + 1; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::optional<npy::Array> array = array_of(parts[0]);
  if (!array) {
    throw Error(fmt::format("argument '{}': no array (legal: {})", input::printable(text), kTextureForms));
  }
  array->bytes.resize(array->elements() * npy::element_bytes(array->type));
  parts.erase(parts.begin());
  Argument out;
  try {
    out.texture = make_texture(texture_request(surface, parts), *array, memory);
  } catch (const Error& e) {
    throw Error(fmt::format("argument '{}': {}", input::printable(text), e.what()));
  }
  out.bits = out.texture->handle;
  array->bytes = {};
  out.buffer = std::move(array);
  return out;
}

}  // namespace

std::optional<npy::Array> array_of(const std::string& text) {
  return text.ends_with(".npy") ? npy::read(text) : pattern(text);
}

Argument argument(const std::string& text, const Parameter& parameter, exec::Memory& memory) {
  Argument out;
  if (const auto n = number(text, parameter)) {
    out.bits = *n;
    return out;
  }
  const bool pointer = parameter.bytes == 8 && parameter.kind != Parameter::Kind::kBytes;
  if (pointer) {
    if (auto made = texture(text, memory)) {
      return *std::move(made);
    }
  }
  std::optional<npy::Array> array = array_of(text);
  if (!array) {
    throw Error(fmt::format("argument '{}' for parameter {} of type {} (legal: {})", input::printable(text),
                            parameter.name, parameter.type, kArgumentForms));
  }
  if (!pointer) {
    throw Error(fmt::format("argument '{}' for parameter {} of type {} (legal: for a pointer, of 64 bits)",
                            input::printable(text), parameter.name, parameter.type));
  }
  out.bits = memory.allocate(array->elements() * npy::element_bytes(array->type));
  if (!array->bytes.empty()) {
    memory.write(out.bits, array->bytes);
    array->bytes = {};
  } else if (text.starts_with("zeros:")) {
    memory.mark_written(out.bits, array->elements() * npy::element_bytes(array->type));
  }
  out.buffer = std::move(array);
  return out;
}

npy::Array contents(const Argument& argument, const exec::Memory& memory) {
  npy::Array out = argument.buffer.value_or(npy::Array{});
  if (argument.texture) {
    return contents(*argument.texture, out, memory);
  }
  out.bytes.resize(out.elements() * npy::element_bytes(out.type));
  memory.read(argument.bits, out.bytes);
  return out;
}

}  // namespace heddle::modules
