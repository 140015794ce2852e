#include "sim/exec/printf.h"

#include <array>
#include <bit>
#include <cstdio>
#include <string_view>

namespace heddle::exec {
namespace {

constexpr size_t kMostSpec = 32;  // bytes of a conversion

template <class T>
std::string one(const std::string& spec, T value) {
  std::array<char, 512> out;
  const int n = std::snprintf(out.data(), out.size(), spec.c_str(), value);
  return n < 0 ? std::string()
               : std::string(out.data(), std::min<size_t>(static_cast<size_t>(n), out.size() - 1));
}

bool is_in(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

}  // namespace

std::string formatted(const std::string& format, const std::function<uint64_t(uint32_t bytes)>& take,
                      const std::function<std::string(uint64_t address)>& text) {
  std::string out;
  for (size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      out += format[i++];
      continue;
    }
    const size_t start = i++;
    bool precision = false;
    std::string spec = "%";
    while (i < format.size() && is_in(format[i], "-+ #0123456789.*")) {
      if (format[i] == '*' && spec.back() == '.') {
        precision = true;  // from an argument: CUDA shows such a conversion as it is written
        spec += format[i++];
      } else if (format[i] == '*') {
        spec += std::to_string(static_cast<int32_t>(take(4)));
        ++i;
      } else {
        spec += format[i++];
      }
    }
    bool wide = false;
    while (i < format.size() && is_in(format[i], "hljztL")) {
      wide |= format[i] != 'h' && format[i] != 'L';
      ++i;
    }
    char kind = i < format.size() ? format[i++] : '\0';
    if (spec.size() > kMostSpec || precision) {
      kind = '\0';  // no conversion
    }
    if (kind == '%') {
      out += '%';
    } else if (is_in(kind, "di") && kind != '\0') {
      const uint64_t v = take(wide ? 8 : 4);
      out += one(spec + "lld",
                 static_cast<long long>(wide ? static_cast<int64_t>(v) : int64_t{static_cast<int32_t>(v)}));
    } else if (is_in(kind, "uoxX") && kind != '\0') {
      out += one(spec + "ll" + kind, static_cast<unsigned long long>(take(wide ? 8 : 4)));
    } else if (is_in(kind, "eEfFgGaA") && kind != '\0') {
      out += one(spec + kind, std::bit_cast<double>(take(8)));
    } else if (kind == 'c') {
      out += one(spec + "c", static_cast<int>(take(4) & 0xff));
    } else if (kind == 'p') {
      out += one("%#llx", static_cast<unsigned long long>(take(8)));
    } else if (kind == 's') {
      const std::string value = text(take(8));
      out += spec == "%" ? value : one(spec + "s", value.c_str());
    } else {
      out += format.substr(start, i - start);
    }
  }
  return out;
}

}  // namespace heddle::exec
