// Executes the cases of cases.h and compares what they leave with an H200's results.
//
// usage: compare KERNELS RESULTS.bin   (PTX of kernels.py, or what ptxas made of it; h200/texture.bin.xz,
// decompressed)
//
// Prints for each group of cases how many results are equal, of those that were looked at when the rules were
// written and of the others. A result is a fetch of four words, or a byte of a surface after stores.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/modules/program.h"
#include "sim/base/error.h"
#include "sim/exec/execute.h"
#include "sim/exec/texture/descriptor.h"
#include "sim/exec/texture/layout.h"
#include "tests/exec/oracle/texture/case_list.h"

namespace {

using namespace texture_cases;
namespace exec = heddle::exec;
namespace texture = heddle::exec::texture;
namespace modules = heddle::modules;

std::string text_of(const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw heddle::Error(std::string(path) + ": cannot be read");
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the H200's driver did not answer, and stores to layers outside: two threads store different values to
// one place.
bool left_out(const Case& c) {
  const auto has = [&](const char* what) { return c.kernel.find(what) != std::string::npos; };
  const bool query = c.kernel.rfind("txq", 0) == 0 || c.kernel.rfind("suq", 0) == 0;
  return (query && !has("size")) || (has("sust_a") && has("clamp"));
}

std::string group_of(const Case& c) {
  constexpr const char* kTypes[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
  if (c.kernel[0] == 's') {
    return "surfaces";
  }
  if (c.kernel.rfind("txq", 0) == 0) {
    return "queries";
  }
  if (c.srgb) {
    return c.linear ? "sRGB, linear" : "sRGB, nearest";
  }
  if (c.kernel.rfind("texg", 0) == 0) {
    return c.linear_levels ? "gradients, linear levels" : "gradients, nearest level";
  }
  if (c.kernel.rfind("tld4", 0) == 0) {
    return "gather";
  }
  if (c.linear_levels) {
    return c.linear ? "linear levels, linear" : "linear levels, nearest";
  }
  return c.linear ? fmt::format("linear {}", kTypes[c.type]) : "nearest";
}

texture::Image image_of(const Case& c, exec::Memory& memory) {
  texture::Image i;
  const bool flat = c.geometry == k1d || c.geometry == kA1d || c.geometry == kBuffer;
  i.geometry = flat                ? texture::Geometry::k1d
               : c.geometry == k3d ? texture::Geometry::k3d
               : c.cube()          ? texture::Geometry::kCube
                                   : texture::Geometry::k2d;
  i.storage = c.geometry == kBuffer  ? texture::Storage::kBuffer
              : c.geometry == kPitch ? texture::Storage::kPitch
                                     : texture::Storage::kBlocks;
  i.element = static_cast<texture::Element>(c.type);
  i.channels = static_cast<uint8_t>(c.channels);
  i.layered = c.layered();
  i.levels = static_cast<uint8_t>(c.levels);
  i.width = c.width;
  i.height = c.height;
  i.depth = c.geometry == k3d ? c.depth : 1;
  i.layers = c.layered() ? c.depth / i.faces() : 1;
  i.pitch = c.geometry == kPitch ? 512 : 0;
  i.data = memory.allocate(texture::bytes_of(i));
  return i;
}

texture::Sampler sampler_of(const Case& c) {
  texture::Sampler s;
  s.address.fill(static_cast<texture::AddressMode>(c.address));
  s.linear = c.linear;
  s.normalized = c.normalized;
  s.as_float = c.as_float;
  s.srgb = c.srgb;
  s.linear_levels = c.linear_levels;
  s.bias = c.bias;
  s.least_level = c.least;
  s.most_level = c.most;
  std::copy(std::begin(c.border), std::end(c.border), s.border.begin());
  return s;
}

template <class T>
uint64_t put(exec::Memory& memory, const std::vector<T>& values) {
  const uint64_t at = memory.allocate(values.size() * sizeof(T));
  memory.write(at, {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)});
  return at;
}

bool is_ptx(const std::string& kernels) { return kernels.starts_with(".version"); }

// PTX gets the object's address, machine code its number.
uint64_t handle(exec::Memory& memory, const texture::Descriptor& d, bool by_address) {
  constexpr uint64_t kNumber = 3;
  if (by_address) {
    return texture::make(memory, d);
  }
  memory.objects_at(memory.allocate((kNumber + 1) * texture::kDescriptorBytes));
  texture::write(memory, memory.objects() + kNumber * texture::kDescriptorBytes, d);
  return kNumber;
}

// What the case leaves.
std::vector<uint8_t> results(const std::string& kernels, const Case& c, size_t number) {
  exec::Memory memory;
  const std::unique_ptr<modules::Program> program =
      is_ptx(kernels)
          ? modules::ptx_program("kernels.ptx", kernels, memory)
          : modules::code_program("kernels.cubin",
                                  {reinterpret_cast<const uint8_t*>(kernels.data()), kernels.size()}, memory);
  texture::Descriptor d;
  d.kind = c.surface() ? texture::Kind::kSurface : texture::Kind::kTexture;
  d.image = image_of(c, memory);
  d.sampler = sampler_of(c);
  for (int level = 0; level < c.levels; ++level) {
    texture::fill(memory, d.image, static_cast<uint32_t>(level), elements(c, number, level));
  }
  std::vector<Coordinates> at;
  std::vector<float> f;
  std::vector<int32_t> n;
  std::vector<Values> v;
  for (int thread = 0; thread < kThreads; ++thread) {
    const Coordinates x = launch_coordinates(c, number, thread);
    f.insert(f.end(), std::begin(x.f), std::end(x.f));
    n.insert(n.end(), std::begin(x.n), std::end(x.n));
    v.push_back(values(c, number, c.stores() ? store_coordinates(c, thread) : x));
  }
  const uint64_t out = put(memory, std::vector<uint8_t>(size_t{16} * kThreads));
  const modules::Kernel& kernel = program->kernel(c.kernel);
  exec::Launch launch = program->launch(kernel);
  launch.grid = {1, 1, 1};
  launch.block = {kThreads, 1, 1};
  size_t place = 0;
  for (const uint64_t bits :
       {handle(memory, d, is_ptx(kernels)), put(memory, f), put(memory, n), put(memory, v), out}) {
    modules::set_parameter(kernel, place++, bits, launch);
  }
  exec::execute(launch, {});
  if (c.stores()) {
    return texture::contents(memory, d.image, 0);
  }
  std::vector<uint8_t> back(size_t{16} * kThreads);
  memory.read(out, back);
  return back;
}

struct Count {
  size_t same[2] = {}, all[2] = {};  // seen, only scored
};

// A module of that kernel alone.
std::string module_of(const std::string& text, const std::string& kernel) {
  const size_t head = text.find("\n.visible");
  const size_t from = text.find("\n.visible .entry " + kernel + "(");
  if (from == std::string::npos) {
    throw heddle::Error("no kernel " + kernel);
  }
  return text.substr(0, head) + text.substr(from, text.find("\n.visible", from + 1) - from) + "\n";
}

void run(const char* kernels, const char* recorded) {
  const std::string text = text_of(kernels), theirs = text_of(recorded);
  const std::vector<Case> cases = all_cases();
  std::map<std::string, Count> groups;
  std::map<std::string, size_t> refused;  // machine code that is not executed, by kernel: cases
  size_t at = 0;
  for (size_t number = 0; number < cases.size(); ++number) {
    const Case& c = cases[number];
    const size_t bytes = c.stores() ? elements(c, number, 0).size() : size_t{16} * kThreads;
    if (at + bytes > theirs.size()) {
      throw heddle::Error(std::string(recorded) + ": ends before case " + std::to_string(number));
    }
    const std::string_view want(theirs.data() + at, bytes);
    at += bytes;
    if (left_out(c)) {
      continue;
    }
    std::vector<uint8_t> got;
    try {
      got = results(is_ptx(text) ? module_of(text, c.kernel) : text, c, number);
    } catch (const heddle::Error&) {
      if (is_ptx(text)) {
        throw;
      }
      ++refused[c.kernel];
      continue;
    }
    const size_t unit = c.stores() ? 1 : 16;
    Count& count = groups[group_of(c)];
    for (size_t i = 0; i < bytes; i += unit) {
      const size_t half = i * 2 < bytes ? 0 : 1;
      ++count.all[half];
      count.same[half] += std::equal(got.begin() + static_cast<std::ptrdiff_t>(i),
                                     got.begin() + static_cast<std::ptrdiff_t>(i + unit),
                                     reinterpret_cast<const uint8_t*>(want.data()) + i);
    }
  }
  for (const auto& [kernel, cases_of_it] : refused) {
    std::cout << fmt::format("refused: {}, {} cases\n", kernel, cases_of_it);
  }
  for (const auto& [name, c] : groups) {
    std::cout << fmt::format("{}: {} of {}, {} of {}\n", name, c.same[0], c.all[0], c.same[1], c.all[1]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: compare KERNELS.ptx RESULTS.bin\n";
    return 2;
  }
  try {
    run(argv[1], argv[2]);
  } catch (const heddle::Error& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
  return 0;
}
