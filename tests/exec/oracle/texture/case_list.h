// The cases. Their order is that of the recording, and a case's number makes its elements and coordinates:
// new ones come last.
#pragma once

#include <string>
#include <vector>

#include "tests/exec/oracle/texture/cases.h"

namespace texture_cases {

class CaseList {
 public:
  void elements();
  void addressing();
  void fractions_and_weights();
  void borders_and_forms();
  void levels();
  void gathers();
  void surfaces();
  void queries();
  void sizes_and_leftovers();

  std::vector<Case> out;

 private:
  static const char* name(Geometry g) {
    constexpr const char* kNames[] = {"1d", "a1d", "2d", "a2d", "3d", "cube", "acube", "1d", "2d"};
    return kNames[g];
  }
  static Case sized(Geometry g) {
    Case c;
    c.geometry = g;
    const bool flat = g == k1d || g == kA1d || g == kBuffer;
    c.width = flat ? 37 : c.cube() ? 9 : 13;
    c.height = flat ? 1 : c.cube() ? 9 : 11;
    c.depth = g == kA1d || g == kA2d ? 3 : g == k3d ? 7 : g == kCube ? 6 : g == kAcube ? 12 : 1;
    return c;
  }
  static std::string kernel(const char* what, const Case& c) {
    return std::string(what) + "_" + name(c.geometry) +
           (c.type == kF32 || c.type == kF16 || c.as_float ? "_f" : "_u");
  }
  void add(Case c, const std::string& kernel) {
    c.kernel = kernel;
    out.push_back(c);
  }
};

inline void CaseList::elements() {
  for (int t = kU8; t <= kF32; ++t) {  // elements as they are
    for (const int channels : {1, 2, 4}) {
      Case c = sized(k2d);
      c.type = static_cast<Type>(t);
      c.channels = channels;
      add(c, kernel("tex", c));
      add(c, kernel("texi", c));
      c = sized(kBuffer);
      c.type = static_cast<Type>(t);
      c.channels = channels;
      add(c, kernel("texi", c));
    }
  }
}

inline void CaseList::addressing() {
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
        add(c, kernel("tex", c));
      }
    }
  }
  for (const Geometry g : {k1d, k3d, kA1d, kA2d}) {  // whole coordinates
    Case c = sized(g);
    add(c, kernel("texi", c));
  }
}

inline void CaseList::fractions_and_weights() {
  for (const Type t : {kU8, kS8, kU16, kS16}) {  // integers as fractions of one
    for (int bits = 0; bits < 4; ++bits) {
      Case c = sized(k2d);
      c.type = t;
      c.as_float = true;
      c.channels = (bits & 1) != 0 ? 4 : 1;
      c.linear = (bits & 2) != 0;
      add(c, kernel("tex", c));
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
        add(c, kernel("tex", c));
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
}

inline void CaseList::borders_and_forms() {
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
      add(c, kernel("tex", c));
      if (c.as_float || t == kF16) {
        c.linear = true;
        add(c, kernel("tex", c));
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
}

inline void CaseList::levels() {
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
      add(c, (std::string("texl_") + name(g) + "_f"));
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
        add(c, (std::string("texg_") + name(g) + "_f"));
      }
    }
  }
}

inline void CaseList::gathers() {
  for (const char* k : {"tld4r_2d", "tld4g_2d", "tld4b_2d", "tld4a_2d"}) {
    Case c = sized(k2d);
    c.channels = 4;
    add(c, (std::string(k) + "_f"));
    c.type = kU8;
    add(c, (std::string(k) + "_u"));
    c.as_float = true;
    c.normalized = true;
    c.address = kWrap;
    add(c, (std::string(k) + "_f"));
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
}

inline void CaseList::surfaces() {
  for (const char* mode : {"zero", "clamp"}) {  // surfaces
    for (const char* what : {"suld", "sust"}) {
      const std::string head = std::string(what) + "_";
      const auto surface = [&](Geometry g, Type t, int channels, const char* width) {
        Case c = sized(g);
        c.type = t;
        c.channels = channels;
        add(c, (head + name(g) + "_" + width + "_" + mode));
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
      add(c, (std::string(k) + "_" + mode));
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
}

inline void CaseList::queries() {
  for (const Geometry g : {k1d, k2d, k3d, kA1d, kA2d, kCube, kAcube, kBuffer, kPitch}) {
    Case c = sized(g);
    c.type = g == k2d ? kU8 : kF32;
    c.channels = g == k2d ? 4 : 1;
    c.normalized = g == k3d || c.cube();
    c.linear = g == k3d;
    c.as_float = g == k2d;
    for (const char* what :
         {"size", "layers", "type", "normalized_coords", "num_mipmap_levels", "num_samples"}) {
      add(c, (std::string("txq_") + what));
    }
    if (g != kBuffer && g != kPitch && !c.cube()) {
      c.normalized = c.linear = c.as_float = false;
      for (const char* what : {"size", "layers", "type"}) {
        add(c, (std::string("suq_") + what));
      }
    }
  }
}

inline void CaseList::sizes_and_leftovers() {
  for (const Type t : {kF16, kF32}) {
    for (const Geometry g : {k1d, k2d}) {
      Case c = sized(g);
      c.type = t;
      c.channels = 2;
      for (c.wide = 1; c.wide < 3; ++c.wide) {
        c.linear = true;
        add(c, kernel("tex", c));
        c.linear = false;
        add(c, kernel("tex", c));
      }
    }
  }
  for (const Address a : {kWrap, kMirror}) {  // that unnormalised coordinates cannot have
    Case c = sized(k2d);
    c.address = a;
    add(c, "tex_2d_f");
    add(c, "texi_2d_f");
  }
}

inline std::vector<Case> all_cases() {
  CaseList list;
  list.elements();
  list.addressing();
  list.fractions_and_weights();
  list.borders_and_forms();
  list.levels();
  list.gathers();
  list.surfaces();
  list.queries();
  list.sizes_and_leftovers();
  return list.out;
}

}  // namespace texture_cases
