#include "frontends/ptx/words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "sim/base/text.h"

namespace heddle::ptx {
namespace {

constexpr struct {
  std::string_view name;
  Field field;
} kFields[] = {
    {"t", Field::kType},        {"rnd", Field::kRounding},
    {"cmp", Field::kCompare},   {"bool", Field::kBool},
    {"ss", Field::kSpace},      {"ss2", Field::kSourceSpace},
    {"scope", Field::kScope},   {"sem", Field::kSemantics},
    {"cop", Field::kCache},     {"l1", Field::kL1},
    {"l2", Field::kL2},         {"l2b", Field::kL2Secondary},
    {"pf", Field::kPrefetch},   {"vec", Field::kVector},
    {"op", Field::kCombine},    {"part", Field::kPart},
    {"mode", Field::kMode},     {"mode2", Field::kMode2},
    {"shape", Field::kShape},   {"la", Field::kLayoutA},
    {"lb", Field::kLayoutB},    {"num", Field::kNumber},
    {"geom", Field::kGeometry}, {"chan", Field::kChannel},
    {"group", Field::kGroup},   {"kind", Field::kProduct},
    {"cells", Field::kCells},   {"quarters", Field::kQuarters},
    {"hint", Field::kHint},
};

// Sets that rows name by @NAME, and those of fields without a list.
constexpr struct {
  std::string_view name;
  std::string_view words;
} kSets[] = {
    {"int", "u16,u32,u64,s16,s32,s64"},
    {"r4", "rn,rz,rm,rp"},
    {"fcmp", "eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan"},
    {"ucmp", "eq,ne,lt,le,gt,ge,lo,ls,hi,hs"},
    {"cvt", "u8,u16,u32,u64,s8,s16,s32,s64,f16,f32,f64"},
    {"mem", "b8,b16,b32,b64,b128,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64"},
    {"ldss", "shared,shared::cta,shared::cluster,local,const,param,param::entry,param::func"},
    {"stss", "shared,shared::cta,shared::cluster,local,param,param::func"},
    {"strongss", "shared,shared::cta,shared::cluster"},
    {"ldcop", "ca,cg,cs,lu,cv"},
    {"stcop", "wb,cg,cs,wt"},
    {"cvtass", "global,shared,shared::cta,shared::cluster,local,const,param,param::entry"},
    {"atomss", "global,shared,shared::cta,shared::cluster"},
    {"wmmass", "global,shared,shared::cta"},
    {"atomsem", "relaxed,acquire,release,acq_rel"},
    {"wmma16", "m16n16k16,m8n32k16,m32n8k16"},
    {"texgeom", "1d,2d,3d,a1d,a2d,cube,acube,2dms,a2dms"},
    {"scope", "cta,cluster,gpu,sys"},
    {"l1", "L1::evict_normal,L1::evict_unchanged,L1::evict_first,L1::evict_last,L1::no_allocate"},
    {"l2", "L2::evict_last,L2::evict_normal,L2::evict_first,L2::evict_unchanged"},
    {"l2b", "L2::evict_first,L2::evict_unchanged"},
    {"pf", "L2::64B,L2::128B,L2::256B"},
    {"vec", "v2,v4"},
    {"bool", "and,or,xor"},
    {"num", "x1,x2,x4"},
    {"la", "row,col"},
    {"lb", "row,col"},
    {"chan", "r,g,b,a"},
    {"group", "cta_group::1,cta_group::2"},
    {"dense", "kind::f16,kind::tf32,kind::f8f6f4,kind::i8"},
    {"scaled", "kind::mxf8f6f4,kind::mxf4,kind::mxf4nvf4"},
    {"cellnum", "x1,x2,x4,x8,x16,x32,x64,x128"},
    {"scalevec", "scale_vec::1X,scale_vec::2X,scale_vec::4X,block16,block32"},
    {"collect_a", "collector::a::fill,collector::a::use,collector::a::lastuse,collector::a::discard"},
    {"collect_b",
     "collector::b0::fill,collector::b0::use,collector::b0::lastuse,collector::b0::discard,collector::b1::"
     "fill,"
     "collector::b1::use,collector::b1::lastuse,collector::b1::discard,collector::b2::fill,collector::b2::"
     "use,"
     "collector::b2::lastuse,collector::b2::discard,collector::b3::fill,collector::b3::use,"
     "collector::b3::lastuse,collector::b3::discard"},
};

// Fields whose words are a list in the order of the enumeration, from its second.
constexpr struct {
  Field field;
  std::string_view words;
} kInOrder[] = {
    {Field::kRounding, "rn,rz,rm,rp,rna,rni,rzi,rmi,rpi,rs"},
    {Field::kCompare, "eq,ne,lt,le,gt,ge,lo,ls,hi,hs,equ,neu,ltu,leu,gtu,geu,num,nan"},
    {Field::kBool, "and,or,xor"},
    {Field::kSpace, ",global,shared,shared::cluster,local,const,param,param::entry,param::func,tex"},
    {Field::kScope, "cta,cluster,gpu,sys"},
    {Field::kSemantics, "weak,relaxed,acquire,release,acq_rel,sc,volatile"},
    {Field::kCache, "ca,cg,cs,lu,cv,wb,wt"},
    {Field::kL1, "L1::evict_normal,L1::evict_unchanged,L1::evict_first,L1::evict_last,L1::no_allocate"},
    {Field::kL2, "L2::evict_normal,L2::evict_unchanged,L2::evict_first,L2::evict_last"},
    {Field::kCombine, "and,or,xor,cas,exch,add,inc,dec,min,max,popc"},
    {Field::kPart, "lo,hi,wide"},
    {Field::kMode,
     "clamp,wrap,l,r,f4e,b4e,rc8,ecl,ecr,rc16,up,down,bfly,idx,all,any,uni,ballot,finite,infinite,number,"
     "notanumber,normal,subnormal,L1,L2,tile,im2col,im2col_no_offs,trap,zero,base,level,grad,b,p,inc,dec,"
     "launch_dependents,wait,shr7,shr15,alias,async,global_address,rank,box_dim,global_dim,global_stride,"
     "element_stride,elemtype,interleave_layout,swizzle_mode,fill_mode,width,height,depth,channel_data_type,"
     "channel_order,normalized_coords,force_unnormalized_coords,filter_mode,addr_mode_0,addr_mode_1,addr_"
     "mode_2,"
     "array_size,num_mipmap_levels,num_samples,memory_layout"},
    {Field::kGeometry, "1d,2d,3d,4d,5d,a1d,a2d,cube,acube,2dms,a2dms"},
    {Field::kLayoutA, "row,col"},
    {Field::kChannel, "r,g,b,a"},
    {Field::kGroup, "cta_group::1,cta_group::2"},
    {Field::kProduct, "kind::f16,kind::tf32,kind::i8,kind::f8f6f4,kind::mxf8f6f4,kind::mxf4,kind::mxf4nvf4"},
    {Field::kCells, "32x32b,16x64b,16x128b,16x256b,16x32bx2,128x256b,4x256b,128x128b,64x128b,32x128b"},
    {Field::kQuarters, "warpx2::02_13,warpx2::01_23,warpx4"},
};

constexpr struct {
  Field field;
  std::string_view word;
  Since since;
} kSince[] = {
    {Field::kScope, "cluster", {78, 90}},         {Field::kSpace, "shared::cta", {78, 30}},
    {Field::kSpace, "shared::cluster", {78, 90}}, {Field::kSpace, "param::entry", {83, 0}},
    {Field::kSpace, "param::func", {83, 0}},      {Field::kType, "b128", {83, 70}},
    {Field::kFlag, "L2::cache_hint", {74, 80}},   {Field::kSemantics, "weak", {60, 30}},
};

// The place of `word` in a list with commas; nothing when it is not in there.
std::optional<uint8_t> place_in(std::string_view list, std::string_view word) {
  uint8_t at = 0;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (list.substr(0, comma) == word && !word.empty()) {
      return at;
    }
    if (comma == std::string_view::npos) {
      break;
    }
    list.remove_prefix(comma + 1);
    ++at;
  }
  return std::nullopt;
}

std::optional<uint8_t> value_of(Field field, std::string_view word) {
  if (field == Field::kSourceSpace) {
    field = Field::kSpace;
  } else if (field == Field::kL2Secondary) {
    field = Field::kL2;
  } else if (field == Field::kMode2) {
    field = Field::kMode;
  } else if (field == Field::kLayoutB) {
    field = Field::kLayoutA;
  }
  if (field == Field::kScope && word == "gl") {
    return static_cast<uint8_t>(Scope::kGpu);  // membar.gl
  }
  if (field == Field::kSpace && word == "shared::cta") {
    return static_cast<uint8_t>(Space::kShared);
  }
  for (const auto& f : kInOrder) {
    if (f.field == field) {
      const auto at = place_in(f.words, word);
      return at ? std::optional<uint8_t>(static_cast<uint8_t>(*at + 1)) : std::nullopt;
    }
  }
  return std::nullopt;
}

// What value_of() has found.
void put(Op& op, Field field, uint8_t value) {
  const auto to = [&]<typename E>(E& member) { member = static_cast<E>(value); };
  switch (field) {
    case Field::kRounding:
      return to(op.rounding);
    case Field::kCompare:
      return to(op.compare);
    case Field::kBool:
      return to(op.bool_op);
    case Field::kSpace:
      return to(op.space);
    case Field::kSourceSpace:
      return to(op.source_space);
    case Field::kScope:
      return to(op.scope);
    case Field::kSemantics:
      return to(op.semantics);
    case Field::kCache:
      return to(op.cache);
    case Field::kL1:
      return to(op.l1);
    case Field::kL2:
      return to(op.l2);
    case Field::kL2Secondary:
      return to(op.l2_secondary);
    case Field::kCombine:
      return to(op.combine);
    case Field::kPart:
      return to(op.part);
    case Field::kMode:
      return to(op.mode);
    case Field::kMode2:
      return to(op.mode2);
    case Field::kLayoutA:
      return to(op.layout_a);
    case Field::kLayoutB:
      return to(op.layout_b);
    case Field::kGeometry:
      return to(op.geometry);
    case Field::kChannel:
      return to(op.channel);
    case Field::kGroup:
      return to(op.group);
    case Field::kProduct:
      return to(op.product);
    case Field::kCells:
      return to(op.cells);
    case Field::kQuarters:
      return to(op.quarters);
    default:
      return;  // the fields that are no enumerations
  }
}

bool set_flag(Op& op, std::string_view word) {
  static constexpr std::string_view kWords[] = {
#define HEDDLE_PTX_X(name, word) word,
      HEDDLE_PTX_FLAGS(HEDDLE_PTX_X)
#undef HEDDLE_PTX_X
  };
  static_assert(std::size(kWords) <= 64);
  for (size_t i = 0; i < std::size(kWords); ++i) {
    if (kWords[i] == word) {
      op.flags |= uint64_t{1} << i;
      return true;
    }
  }
  return false;
}

// "m16n8k16", "m8n8".
bool set_shape(Op& op, std::string_view word) {
  const size_t n = word.find('n');
  const size_t k = word.find('k');
  if (!word.starts_with('m') || n == std::string_view::npos) {
    return false;
  }
  const auto part = [&](size_t from, size_t to) {
    return parse_number<uint16_t>(word.substr(from, to - from));
  };
  const size_t end = std::min(k, word.size());
  const auto m = part(1, n);
  const auto columns = part(n + 1, end);
  const auto depth = k == std::string_view::npos ? std::optional<uint16_t>(0) : part(k + 1, word.size());
  if (!m || !columns || !depth) {
    return false;
  }
  op.shape = {*m, *columns, *depth};
  return true;
}

bool set_type(Op& op, std::string_view word) {
  const auto type = type_named(word);
  if (!type || op.type_count == op.types.size()) {
    return false;
  }
  op.types[op.type_count++] = *type;
  return true;
}

// v4, x4, L2::128B: the number in it.
std::optional<uint16_t> number_in(std::string_view word, std::string_view before) {
  if (!word.starts_with(before)) {
    return std::nullopt;
  }
  word.remove_prefix(before.size());
  if (word.ends_with('B')) {
    word.remove_suffix(1);
  }
  return parse_number<uint16_t>(word);
}

}  // namespace

Field field_named(std::string_view name) {
  for (const auto& f : kFields) {
    if (f.name == name) {
      return f.field;
    }
  }
  return Field::kFlag;
}

std::string_view word_set(std::string_view name) {
  for (const auto& set : kSets) {
    if (set.name == name) {
      return set.words;
    }
  }
  return {};
}

bool set_field(Op& op, Field field, std::string_view word) {
  if (field == Field::kFlag) {
    return set_flag(op, word);
  }
  if (field == Field::kType) {
    return set_type(op, word);
  }
  if (field == Field::kHint) {  // changes no value
    return true;
  }
  if (field == Field::kShape) {
    return set_shape(op, word);
  }
  if (field == Field::kVector || field == Field::kNumber || field == Field::kPrefetch) {
    const auto n = number_in(word, field == Field::kVector ? "v" : field == Field::kNumber ? "x" : "L2::");
    if (!n) {
      return false;
    }
    if (field == Field::kPrefetch) {
      op.l2_prefetch = *n;
    } else {
      (field == Field::kVector ? op.vector : op.number) = static_cast<uint8_t>(*n);
    }
    return true;
  }
  const auto value = value_of(field, word);
  if (!value) {
    return false;
  }
  put(op, field, *value);
  return true;
}

Since word_since(Field field, std::string_view word) {
  for (const auto& s : kSince) {
    if (s.word == word && (s.field == field || (s.field == Field::kSpace && field == Field::kSourceSpace))) {
      return s.since;
    }
  }
  if (field == Field::kL1) {
    return {74, 70};
  }
  if (field == Field::kPrefetch) {
    return {74, 75};
  }
  if (field == Field::kL2) {
    return {74, 80};
  }
  return {};
}

std::string_view name(Space space) {
  static constexpr std::string_view kNames[] = {"generic",         "reg",         "global", "shared",
                                                "shared::cluster", "local",       "const",  "param",
                                                "param::entry",    "param::func", "tex"};
  return kNames[static_cast<size_t>(space)];
}

std::optional<Space> space_named(std::string_view name) {
  const auto value = name == "reg" ? std::optional<uint8_t>(static_cast<uint8_t>(Space::kReg))
                                   : value_of(Field::kSpace, name);
  return value ? std::optional<Space>(static_cast<Space>(*value)) : std::nullopt;
}

}  // namespace heddle::ptx
