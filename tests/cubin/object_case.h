// Files of tests/cubin/data, and what reading them says.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/base/error.h"

namespace heddle::cubin::test {

using Bytes = std::vector<uint8_t>;

inline Bytes contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline Bytes data(const std::string& name) { return contents("tests/cubin/data/" + name); }

template <class T>
void put(Bytes& bytes, uint64_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// The message of what `f` throws; empty when it throws nothing.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace heddle::cubin::test
