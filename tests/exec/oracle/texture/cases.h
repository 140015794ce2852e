// What is asked of a GPU's texture unit, and of ours: textures, surfaces, their elements, coordinates. The
// same on every machine; record.cu and compare.cc include it.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace texture_cases {

enum Geometry { k1d, kA1d, k2d, kA2d, k3d, kCube, kAcube, kBuffer, kPitch };
enum Type { kU8, kS8, kU16, kS16, kU32, kS32, kF16, kF32 };
enum Address { kWrap, kClamp, kMirror, kBorder };  // as cudaTextureAddressMode

constexpr int kThreads = 128;  // of a case: the first half was looked at when the rules were written

struct Case {
  std::string kernel;  // of kernels.cu; "sust..." and "sured..." leave the array as result
  Geometry geometry = k2d;
  Type type = kF32;
  int channels = 1;
  uint32_t width = 13, height = 1, depth = 1;  // depth: also layers; of cubes six for each
  Address address = kClamp;
  bool linear = false, normalized = false, as_float = false;  // as_float: integers as [0, 1] or [-1, 1]
  bool srgb = false;
  int levels = 1;
  bool linear_levels = false;
  float bias = 0, least = 0, most = 0;  // of levels
  float border[4] = {0, 0, 0, 0};
  bool probe = false;  // elements 0 and 1 in turns: a filtered value is a weight
  int wide = 0;        // 1: of very different sizes; 2: any bits

  bool surface() const { return kernel[0] == 's'; }
  bool stores() const { return surface() && kernel[2] != 'l' && kernel[2] != 'q'; }
  bool layered() const { return geometry == kA1d || geometry == kA2d || geometry == kAcube; }
  bool cube() const { return geometry == kCube || geometry == kAcube; }
};

inline int bytes_of(Type t) { return t < kU16 ? 1 : t < kU32 || t == kF16 ? 2 : 4; }
inline uint32_t at_level(uint32_t n, int level) { return n >> level == 0 ? 1 : n >> level; }
inline uint32_t depth_at(const Case& c, int level) {
  return c.layered() || c.cube() ? c.depth : at_level(c.depth, level);
}

inline uint64_t hash(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t z = a * 0x9e3779b97f4a7c15ULL + b * 0xbf58476d1ce4e5b9ULL + c * 0x94d049bb133111ebULL + 0x1234567;
  for (int i = 0; i < 2; ++i) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
  }
  return z;
}

// The elements of a level, x fastest, then y, then z or the layer.
inline std::vector<uint8_t> elements(const Case& c, size_t number, int level) {
  const size_t count = size_t{at_level(c.width, level)} * at_level(c.height, level) * depth_at(c, level);
  std::vector<uint8_t> out;
  for (size_t i = 0; i < count * static_cast<size_t>(c.channels); ++i) {
    const uint64_t h = hash(number, i, static_cast<uint64_t>(level) + 77);
    uint32_t bits = static_cast<uint32_t>(h);
    if (c.wide != 0) {
      bits = c.wide == 2      ? bits
             : c.type == kF16 ? bits & 0xffff & ~0x4000U
                              : (bits & 0x807fffff) | (110 + (h >> 32) % 36) << 23;
    } else if (c.type == kF16) {
      bits = c.probe ? (i % 2 != 0 ? 0x3c00 : 0) : (bits & 0x83ff) | (10 + (bits >> 16) % 8) << 10;
    } else if (c.type == kF32) {
      const float f = c.probe ? static_cast<float>(i % 2)
                              : static_cast<float>(static_cast<int32_t>(bits) >> 7) / 8388608.0F;
      std::memcpy(&bits, &f, 4);
    } else if (c.probe) {
      bits = i % 2 != 0 ? 0x7fffffff : 0;
      bits >>= 32 - 8 * bytes_of(c.type);
    }
    for (int b = 0; b < bytes_of(c.type); ++b) {
      out.push_back(static_cast<uint8_t>(bits >> 8 * b));
    }
  }
  return out;
}

struct Coordinates {
  float f[4];    // x, y, z; the level, or the step of .grad
  int32_t n[4];  // x, y, z, layer
};

inline float coordinate(uint64_t h, uint32_t n, bool normalized) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const double size = n;
  const uint64_t kind = h % 8, r = h >> 3;
  double x = 0;
  if (kind < 3) {
    x = (static_cast<double>(r % 1048573) / 1048573.0 * 2 - 0.5) * size;
  } else if (kind < 6) {
    x = static_cast<double>(r % (n + 4)) - 2 +
        (kind == 3   ? 0
         : kind == 4 ? 0.5
                     : static_cast<double>((r >> 20) % 512) / 512);
  } else if (kind == 6) {
    x = static_cast<double>(r % (n + 1)) - 0 + static_cast<double>((r >> 20) % 512) / 512;
    const float f = static_cast<float>(normalized ? x / size : x);
    return std::nextafterf(f, (r >> 40) % 2 != 0 ? kInf : -kInf);
  } else {
    const float special[16] = {0.0F,
                               -0.0F,
                               std::numeric_limits<float>::quiet_NaN(),
                               kInf,
                               -kInf,
                               1e10F,
                               -1e10F,
                               static_cast<float>(n),
                               std::nextafterf(static_cast<float>(n), 0.0F),
                               static_cast<float>(n) - 0.5F,
                               3 * static_cast<float>(n) + 0.25F,
                               -3 * static_cast<float>(n) - 0.25F,
                               1e-30F,
                               16777218.0F,
                               2147483648.0F,
                               -2147483648.0F};
    const float f = special[r % 16];
    return normalized ? f / static_cast<float>(n) : f;
  }
  return static_cast<float>(normalized ? x / size : x);
}

inline Coordinates coordinates(const Case& c, size_t number, int thread) {
  Coordinates out{};
  const uint32_t size[3] = {c.width, c.height, c.layered() ? 1 : c.depth};
  const auto t = static_cast<uint64_t>(thread);
  for (uint64_t d = 0; d < 3; ++d) {
    const uint64_t h = hash(number, t, d + 1000);
    if (c.cube()) {
      const float corner[4] = {1, -1, 0.5, 0};
      out.f[d] = h % 4 != 0 ? static_cast<float>(static_cast<double>((h >> 2) % 2000003) / 1000001.0 - 1.0)
                            : corner[(h >> 2) % 4];
    } else {
      out.f[d] = coordinate(h, size[d], c.normalized);
    }
    const int32_t n = static_cast<int32_t>((h >> 8) % (size[d] + 6)) - 3;
    const int32_t inside = static_cast<int32_t>((h >> 8) % size[d]);
    const int32_t special[4] = {-2147483647 - 1, 2147483647, 1 << 20, -(1 << 20)};
    out.n[d] = h % 16 == 0 ? special[(h >> 4) % 4] : h % 16 < 8 ? inside : n;
  }
  const uint64_t h = hash(number, t, 2000);
  const int layers = c.layered() ? static_cast<int>(c.cube() ? c.depth / 6 : c.depth) : 1;
  out.n[3] = h % 4 == 0 ? static_cast<int>((h >> 2) % static_cast<uint64_t>(layers + 4)) - 2
                        : static_cast<int>((h >> 2) % static_cast<uint64_t>(layers));
  const double level = static_cast<double>((h >> 20) % 1000003) / 1000003.0 * (c.levels + 2) - 1;
  out.f[3] = static_cast<float>((h >> 4) % 4 == 0 ? std::floor(level * 2) / 2 : level);
  if (c.kernel.rfind("texg", 0) == 0) {  // a step that makes such a level
    out.f[3] = static_cast<float>(std::exp2(level) / (c.normalized ? c.width : 1));
  }
  return out;
}

// Places that stores go to, each once; of those outside that are moved to the edge all store the same there.
inline Coordinates store_coordinates(const Case& c, int thread) {
  Coordinates out{};
  const bool flat = c.geometry == k1d || c.geometry == kA1d;
  const int row = static_cast<int>(c.width) + 4;
  out.n[0] = flat ? thread - 10 : thread % row - 2;
  out.n[1] = flat ? 0 : thread / row - 2;
  out.n[2] = c.geometry == k3d ? thread % 9 - 1 : 0;
  out.n[3] = c.layered() ? thread % 5 - 1 : 0;
  return out;
}

struct Values {
  uint32_t v[4];
};

// What a thread stores or combines with what is there.
inline Values values(const Case& c, size_t number, const Coordinates& at) {
  const auto edge = [](int n, uint32_t size) {
    return static_cast<uint64_t>(n < 0 ? 0 : n >= static_cast<int>(size) ? static_cast<int>(size) - 1 : n);
  };
  const uint64_t place = edge(at.n[0], c.width) + 100 * edge(at.n[1], c.height) +
                         10000 * edge(c.layered() ? at.n[3] : at.n[2], c.depth);
  Values out{};
  for (uint64_t i = 0; i < 4; ++i) {
    const uint64_t h = hash(number, place, i + 3000);
    out.v[i] = static_cast<uint32_t>(h);
    if (c.type >= kF16 && c.kernel[3] == 't' && c.kernel[4] == 'p') {
      const float scale[4] = {1.0F, 300.0F, 70000.0F, 1e-7F};
      const float f = static_cast<float>(static_cast<int32_t>(static_cast<uint32_t>(h))) / 2147483648.0F *
                      scale[(h >> 40) % 4];
      std::memcpy(&out.v[i], &f, 4);
    } else if ((h >> 40) % 2 != 0) {
      out.v[i] = (h >> 41) % 2 != 0 ? 0U - (out.v[i] & 0xff) : out.v[i] & 0x3ff;
    }
  }
  return out;
}

// Coordinates of a launch's threads. In `byte` forms x counts bytes.
inline Coordinates launch_coordinates(const Case& c, size_t number, int thread) {
  Coordinates out = c.stores() ? store_coordinates(c, thread) : coordinates(c, number, thread);
  const bool formatted = c.kernel.rfind("sustp", 0) == 0 || c.kernel.find("_p_") != std::string::npos;
  if (c.surface() && !formatted) {
    out.n[0] = static_cast<int32_t>(static_cast<uint32_t>(out.n[0]) *
                                    static_cast<uint32_t>(c.channels * bytes_of(c.type)));
  }
  return out;
}

inline std::vector<Case> all_cases() {
  std::vector<Case> out;
  const auto add = [&](Case c, const char* kernel) -> Case& {
    c.kernel = kernel;
    out.push_back(c);
    return out.back();
  };
  const char* const kGeometry[] = {"1d", "a1d", "2d", "a2d", "3d", "cube", "acube", "1d", "2d"};
  const auto sized = [](Geometry g) {
    Case c;
    c.geometry = g;
    const bool flat = g == k1d || g == kA1d || g == kBuffer;
    c.width = flat ? 37 : c.cube() ? 9 : 13;
    c.height = flat ? 1 : c.cube() ? 9 : 11;
    c.depth = g == kA1d || g == kA2d ? 3 : g == k3d ? 7 : g == kCube ? 6 : g == kAcube ? 12 : 1;
    return c;
  };
  const auto kernel = [&](const char* what, const Case& c) {
    return std::string(what) + "_" + kGeometry[c.geometry] +
           (c.type == kF32 || c.type == kF16 || c.as_float ? "_f" : "_u");
  };
  for (int t = kU8; t <= kF32; ++t) {  // elements as they are
    for (const int channels : {1, 2, 4}) {
      Case c = sized(k2d);
      c.type = static_cast<Type>(t);
      c.channels = channels;
      add(c, kernel("tex", c).c_str());
      add(c, kernel("texi", c).c_str());
      c = sized(kBuffer);
      c.type = static_cast<Type>(t);
      c.channels = channels;
      add(c, kernel("texi", c).c_str());
    }
  }
  for (const Geometry g : {k1d, k2d, k3d, kA1d, kA2d, kCube, kAcube, kPitch}) {
    for (int a = kWrap; a <= kBorder; ++a) {
      for (int bits = 0; bits < 4; ++bits) {
        Case c = sized(g);
        c.address = static_cast<Address>(a);
        c.linear = (bits & 1) != 0;
        c.normalized = (bits & 2) != 0;
        const bool few = g == kA1d || g == kA2d || g == kPitch;
        if (((c.address == kWrap || c.address == kMirror) && !c.normalized) ||
            (few && a > kClamp && !c.normalized) || (c.cube() && (!c.normalized || a != kClamp))) {
          continue;
        }
        if (a == kBorder) {
          c.border[0] = 0.625F;
          c.border[1] = -3;
          c.border[2] = 2;
          c.border[3] = 0.1F;
        }
        add(c, kernel("tex", c).c_str());
      }
    }
  }
  for (const Geometry g : {k1d, k3d, kA1d, kA2d}) {  // whole coordinates
    Case c = sized(g);
    add(c, kernel("texi", c).c_str());
  }
  for (const Type t : {kU8, kS8, kU16, kS16}) {  // integers as fractions of one
    for (int bits = 0; bits < 4; ++bits) {
      Case c = sized(k2d);
      c.type = t;
      c.as_float = true;
      c.channels = (bits & 1) != 0 ? 4 : 1;
      c.linear = (bits & 2) != 0;
      add(c, kernel("tex", c).c_str());
    }
  }
  for (const Type t : {kU8, kS8, kU16, kS16, kF16, kF32}) {  // weights; products of them; sums
    for (const Geometry g : {k1d, k3d}) {
      for (const bool probe : {true, false}) {
        Case c = sized(g);
        c.type = t;
        c.as_float = t < kF16;
        c.linear = true;
        c.probe = probe;
        c.channels = probe || g == k3d ? 1 : 2;
        add(c, kernel("tex", c).c_str());
      }
    }
  }
  for (const uint32_t width : {64U, 1000U, 4099U}) {
    for (const bool normalized : {false, true}) {
      Case c = sized(k1d);
      c.width = width;
      c.linear = c.probe = true;
      c.normalized = normalized;
      c.address = normalized ? kWrap : kClamp;
      add(c, "tex_1d_f");
      c.probe = c.linear = false;
      add(c, "tex_1d_f");
    }
  }
  for (const Type t : {kU8, kF16}) {
    for (const bool linear : {false, true}) {
      Case c = sized(kCube);
      c.type = t;
      c.as_float = t == kU8;
      c.channels = 4;
      c.linear = linear;
      c.normalized = true;
      add(c, "tex_cube_f");
    }
  }
  for (const Type t : {kU8, kS16, kU32, kF16}) {  // borders of other types
    for (const bool as_float : {false, true}) {
      Case c = sized(k2d);
      c.type = t;
      c.as_float = as_float && t < kU32;
      if (as_float != c.as_float) {
        continue;
      }
      c.address = kBorder;
      c.channels = 2;
      c.border[0] = 0.7F;
      c.border[1] = -0.3F;
      c.border[2] = 1.5F;
      c.border[3] = 0.25F;
      add(c, kernel("tex", c).c_str());
      if (c.as_float || t == kF16) {
        c.linear = true;
        add(c, kernel("tex", c).c_str());
      }
    }
  }
  for (const bool linear : {false, true}) {
    Case c = sized(k2d);
    c.type = kU8;
    c.as_float = c.srgb = true;
    c.channels = 4;
    c.linear = linear;
    add(c, "tex_2d_f");
    c.srgb = false;
    add(c, "texh_2d");
    add(c, "texo_2d_f");
    c.type = kF32;
    c.channels = 1;
    c.as_float = false;
    add(c, "texh_2d");
    add(c, "texo_2d_f");
    c.normalized = true;
    c.address = kWrap;
    add(c, "texo_2d_f");
  }
  for (const Geometry g : {k1d, k2d, k3d, kA2d, kCube}) {  // levels
    for (int bits = 0; bits < 4; ++bits) {
      Case c = sized(g);
      c.width = g == k1d ? 37 : c.cube() ? 16 : 19;
      c.height = g == k1d ? 1 : c.cube() ? 16 : 12;
      c.levels = 4;
      c.normalized = true;
      c.linear = (bits & 1) != 0;
      c.linear_levels = (bits & 2) != 0;
      c.most = 3;
      add(c, (std::string("texl_") + kGeometry[g] + "_f").c_str());
      if (g == k2d) {
        add(c, "texg_2d_f");
        add(c, "tex_2d_f");
        c.bias = 0.75F;
        c.least = 0.5F;
        c.most = 2.25F;
        add(c, "texl_2d_f");
        add(c, "tex_2d_f");
        c.probe = true;
        add(c, "texl_2d_f");
      } else if (g == k1d || g == k3d) {
        add(c, (std::string("texg_") + kGeometry[g] + "_f").c_str());
      }
    }
  }
  for (const char* k : {"tld4r_2d", "tld4g_2d", "tld4b_2d", "tld4a_2d"}) {
    Case c = sized(k2d);
    c.channels = 4;
    add(c, (std::string(k) + "_f").c_str());
    c.type = kU8;
    add(c, (std::string(k) + "_u").c_str());
    c.as_float = true;
    c.normalized = true;
    c.address = kWrap;
    add(c, (std::string(k) + "_f").c_str());
  }
  for (const Address a : {kMirror, kBorder}) {
    Case c = sized(k2d);
    c.normalized = true;
    c.address = a;
    c.border[0] = 5;
    add(c, "tld4r_2d_f");
    c.linear = true;
    add(c, "tld4r_2d_f");
  }
  Case layered = sized(kA2d);
  add(layered, "tld4r_a2d_f");
  Case cube = sized(kCube);
  cube.normalized = true;
  add(cube, "tld4r_cube_f");
  for (const char* mode : {"zero", "clamp"}) {  // surfaces
    for (const char* what : {"suld", "sust"}) {
      const std::string head = std::string(what) + "_";
      const auto surface = [&](Geometry g, Type t, int channels, const char* width) {
        Case c = sized(g);
        c.type = t;
        c.channels = channels;
        add(c, (head + kGeometry[g] + "_" + width + "_" + mode).c_str());
      };
      surface(k2d, kU8, 1, "b8");
      surface(k2d, kS16, 1, "b16");
      surface(k2d, kF32, 1, "b32");
      surface(k2d, kU8, 4, "b32");
      surface(k2d, kU16, 4, "b64");
      surface(k2d, kF32, 2, "v2b32");
      surface(k2d, kF32, 4, "v4b32");
      surface(k2d, kU8, 2, "v2b8");
      surface(k2d, kF16, 4, "v4b16");
      surface(k1d, kU32, 1, "b32");
      surface(k3d, kF32, 1, "b32");
      surface(kA1d, kF32, 1, "b32");
      surface(kA2d, kF32, 1, "b32");
    }
    const auto stores = [&](const char* k, Type t, int channels) {
      Case c = sized(k2d);
      c.type = t;
      c.channels = channels;
      add(c, (std::string(k) + "_" + mode).c_str());
    };
    stores("sustp_2d_v4b32", kF32, 4);
    stores("sustp_2d_v4b32", kF16, 4);
    stores("sustp_2d_v4b32", kF32, 1);
    stores("sustp_2d_v4b32", kU32, 4);
    stores("sustp_2d_v4b32", kU8, 4);
    stores("sustp_2d_v4b32", kS16, 2);
    stores("sustp_2d_v4b32", kS8, 4);
    stores("sured_2d_b_add_u32", kU32, 1);
    stores("sured_2d_b_add_u64", kU32, 2);
    stores("sured_2d_b_min_s32", kS32, 1);
    stores("sured_2d_b_max_u32", kU32, 1);
    stores("sured_2d_b_and_b32", kU32, 1);
    stores("sured_2d_b_or_b32", kU32, 1);
    stores("sured_2d_p_add_b32", kU32, 1);
    stores("sured_2d_p_min_b32", kS32, 1);
    stores("sured_2d_p_and_b32", kU32, 1);
  }
  for (const Geometry g : {k1d, k2d, k3d, kA1d, kA2d, kCube, kAcube, kBuffer, kPitch}) {
    Case c = sized(g);
    c.type = g == k2d ? kU8 : kF32;
    c.channels = g == k2d ? 4 : 1;
    c.normalized = g == k3d || c.cube();
    c.linear = g == k3d;
    c.as_float = g == k2d;
    for (const char* what :
         {"size", "layers", "type", "normalized_coords", "num_mipmap_levels", "num_samples"}) {
      add(c, (std::string("txq_") + what).c_str());
    }
    if (g != kBuffer && g != kPitch && !c.cube()) {
      c.normalized = c.linear = c.as_float = false;
      for (const char* what : {"size", "layers", "type"}) {
        add(c, (std::string("suq_") + what).c_str());
      }
    }
  }
  for (const Type t : {kF16, kF32}) {
    for (const Geometry g : {k1d, k2d}) {
      Case c = sized(g);
      c.type = t;
      c.channels = 2;
      for (c.wide = 1; c.wide < 3; ++c.wide) {
        c.linear = true;
        add(c, kernel("tex", c).c_str());
        c.linear = false;
        add(c, kernel("tex", c).c_str());
      }
    }
  }
  for (const Address a : {kWrap, kMirror}) {  // that unnormalised coordinates cannot have
    Case c = sized(k2d);
    c.address = a;
    add(c, "tex_2d_f");
    add(c, "texi_2d_f");
  }
  return out;
}

}  // namespace texture_cases
