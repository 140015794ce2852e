// Compares the approximations with an H200's, as tables.cu recorded them.
//
// usage: special_unit FOLDER STEP    (FOLDER: digests.txt, halves.bin, tanh.bin, rcp64h.bin, rsqrt64h.bin,
// decompressed)
//
// The tables whole; of each function's 4096 sums over 2^20 inputs every STEPth, beginning with another one
// for each. STEP 1 is all 2^32 inputs of 15 functions: about 20 minutes of a core. Prints a line for each;
// the exit status is 1 when anything differs.
#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/ptx/decode.h"
#include "frontends/ptx/execute/arith_handler.h"

namespace {

using namespace heddle;

constexpr uint32_t kSlices = 4096, kBits = 20;

class Function {
 public:
  explicit Function(const std::string& text) {
    const auto decoded = ptx::decode(text, {90, 90, 'a'});
    ptx::ArithOperands operands;
    operands.register_bits = text.find("64") != std::string::npos ? 64 : 32;
    fn_ = ptx::arith_handler(decoded.candidates.at(0), operands).fn;
    arguments_.d[0] = &out_;
    arguments_.s[0] = &in_;
  }

  // f(i, result) of in(i) for the numbers below `count`, a multiple of 32.
  void each(uint32_t count, const std::function<uint64_t(uint32_t)>& in,
            const std::function<void(uint32_t, uint64_t)>& f) {
    for (uint32_t i = 0; i < count; i += exec::kLanes) {
      for (uint32_t l = 0; l < exec::kLanes; ++l) {
        in_[l] = in(i + l);
      }
      fn_(arguments_, ~0U);
      for (uint32_t l = 0; l < exec::kLanes; ++l) {
        f(i + l, out_[l]);
      }
    }
  }

 private:
  exec::WarpFn fn_ = nullptr;
  exec::Arguments arguments_;
  exec::Register in_{}, out_{};
};

// As in tables.cu.
uint64_t mixed(uint64_t x, uint64_t y) {
  uint64_t h = (x << 32 | y) * 0x9e3779b97f4a7c15;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9;
  return h ^ h >> 32;
}

bool says(const std::string& what, uint32_t count, const char* of,
          const std::vector<std::string>& different) {
  std::cout << fmt::format("{}: {} {}, {} differ{}\n", what, count, of, different.size(),
                           different.empty() ? "" : ", first " + different[0]);
  return different.empty();
}

bool digest(const std::string& line, uint32_t first, uint32_t step) {
  std::istringstream s(line);
  std::string name;
  s >> name >> std::hex;
  const std::vector<uint64_t> sums{std::istream_iterator<uint64_t>(s), {}};
  if (sums.size() != kSlices) {
    return says(name, 0, "slices", {fmt::format("{} sums, {} expected", sums.size(), kSlices)});
  }
  Function function(name);
  std::vector<std::string> different;
  uint32_t count = 0;
  for (uint32_t slice = first; slice < kSlices; slice += step, ++count) {
    uint64_t sum = 0;
    function.each(
        1U << kBits, [&](uint32_t i) { return slice << kBits | i; },
        [&](uint32_t i, uint64_t y) { sum += mixed(slice << kBits | i, y); });
    if (sum != sums[slice]) {
      different.push_back(fmt::format("inputs from 0x{:08x} on", slice << kBits));
    }
  }
  return says(name, count, "slices", different);
}

// `shift`: results and operands are the words from that bit on.
template <class T>
bool table(const std::string& path, size_t at, uint32_t count, const std::string& name, uint32_t shift,
           const std::function<uint64_t(uint32_t)>& in) {
  std::vector<T> theirs(count);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at * sizeof(T)));
  if (!file.read(reinterpret_cast<char*>(theirs.data()), static_cast<std::streamsize>(count * sizeof(T)))) {
    return says(name, 0, "inputs", {path + " ends too soon"});
  }
  Function function(name);
  std::vector<std::string> different;
  function.each(
      count, [&](uint32_t i) { return in(i) << shift; },
      [&](uint32_t i, uint64_t y) {
        if (y >> shift != theirs[i]) {
          different.push_back(fmt::format("0x{:x}: 0x{:x}, H200 0x{:x}", in(i), y >> shift, theirs[i]));
        }
      });
  return says(name, count, "inputs", different);
}

bool tables(const std::string& folder) {
  const auto same = [](uint32_t i) -> uint64_t { return i; };
  const auto upper = [](uint32_t i) -> uint64_t { return (1023U << 20) + i; };
  bool equal = true;
  size_t at = 0;
  for (const char* name : {"ex2.approx.f16", "tanh.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.bf16"}) {
    equal &= table<uint16_t>(folder + "/halves.bin", at, 1U << 16, name, 0, same);
    at += 1U << 16;
  }
  equal &= table<uint32_t>(folder + "/tanh.bin", 0, 19U << 16, "tanh.approx.f32", 0,
                           [](uint32_t i) -> uint64_t { return ((127U - 14) << 23) + 128 * i; });
  equal &= table<uint32_t>(folder + "/rcp64h.bin", 0, 1U << 20, "rcp.approx.ftz.f64", 32, upper);
  equal &= table<uint32_t>(folder + "/rsqrt64h.bin", 0, 2U << 20, "rsqrt.approx.ftz.f64", 32, upper);
  return equal;
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t step = argc == 3 ? static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 0;
  if (step == 0 || step > kSlices) {
    std::cerr << "usage: special_unit FOLDER STEP    (STEP: 1 to 4096)\n";
    return 2;
  }
  bool equal = tables(argv[1]);
  std::ifstream in(std::string(argv[1]) + "/digests.txt");
  uint32_t functions = 0;
  for (std::string line; std::getline(in, line); ++functions) {
    equal &= digest(line, 4 * functions % step, step);
  }
  std::cout << fmt::format("{} functions with sums\n", functions);
  return equal && functions != 0 ? 0 : 1;
}
