#include "frontends/sass/decode.h"

#include <algorithm>
#include <bit>
#include <string>

#include "frontends/sass/async_op.h"
#include "frontends/sass/control.h"
#include "frontends/sass/operand_counts.h"
#include "frontends/sass/operands.h"
#include "frontends/sass/slots.h"
#include "frontends/sass/widths.h"
#include "sim/base/error.h"

namespace heddle::sass {
namespace {

using isa::OpClass;
using isa::RegFile;
using Kind = TextOperand::Kind;

// Number of leading operands that are destinations.
size_t count_destinations(const TextInstruction& t, Form form) {
  const auto& ops = t.operands;
  size_t n = 0;
  switch (form) {
    case Form::kSources:
      return 0;
    case Form::kFirst:
      return std::min<size_t>(ops.size(), 1);
    case Form::kAllButLast:
      return ops.empty() ? 0 : ops.size() - 1;
    case Form::kPredicates:
      while (n < ops.size() && n < 2 && is_predicate(ops[n])) {
        ++n;
      }
      return n;
    case Form::kBeforeAddress:
      while (n < ops.size() && ops[n].kind != Kind::kAddress) {
        ++n;
      }
      return n == ops.size() ? 0 : n;
    case Form::kTexture:
      while (n < ops.size() && n < 2 && is_register(ops[n])) {
        ++n;
      }
      return n;
    case Form::kDest:
      while (n < ops.size() && is_predicate(ops[n])) {
        ++n;
      }
      if (n < ops.size() && is_register(ops[n])) {
        ++n;
        while (n < ops.size() && is_predicate(ops[n])) {
          ++n;
        }
      }
      return n;
  }
  return 0;
}

// Appends one operand; RZ, PT and their uniform forms never are.
void add(isa::Instr& in, bool dest, const RegisterName& r, uint8_t count, uint8_t slot) {
  if (r.zero || r.file == RegFile::kNone) {
    return;
  }
  isa::Operand o;
  o.file = r.file;
  o.index = r.all ? 0 : r.index;
  o.count = clamp_count(o.file, o.index, r.all ? 7 : count);
  o.slot = slot;
  uint8_t& n = dest ? in.n_dst : in.n_src;
  if (n == (dest ? isa::kMaxDst : isa::kMaxSrc)) {
    throw Error(std::string("too many register ") + (dest ? "destinations" : "sources") +
                " (legal: at most " + std::to_string(dest ? isa::kMaxDst : isa::kMaxSrc) + ")");
  }
  (dest ? in.dst[n] : in.src[n]) = o;
  ++n;
}

// One-source arithmetic encodes its operand as Rb.
bool single_source(const TextInstruction& t, size_t n_dest, OpClass op) {
  switch (op) {
    case OpClass::kAlu:
    case OpClass::kMufu:
    case OpClass::kMufuExp:
    case OpClass::kConvert:
    case OpClass::kConvert64:
    case OpClass::kBitCount:
      return std::count_if(t.operands.begin() + static_cast<ptrdiff_t>(n_dest), t.operands.end(),
                           [](const TextOperand& o) { return !is_predicate(o); }) == 1;
    default:
      return false;
  }
}

class Decoder {
 public:
  Decoder(isa::Instr& in, const TextInstruction& text, const PooledOpcode& opcode)
      : in_(in), text_(text), info_(opcode.info), widths_(opcode.widths) {
    fill_from_opcode(info_, widths_, in);
  }

  // Whether the encoding's Ra, Rb and Rc fields hold the sources in the order of the text.
  bool has_slot_fields() const { return !single_source_ && info_.op != OpClass::kLdgsts; }

  void run() {
    if (text_.guard.file != RegFile::kNone && (!text_.guard.zero || text_.guard_never)) {
      in_.flags |= isa::kFlagPredicated;
      add(in_, false, text_.guard, 1, 0);
    }
    const size_t n_dest = count_destinations(text_, info_.form);
    single_source_ = single_source(text_, n_dest, info_.op);
    if (info_.form == Form::kTexture) {
      texture_ = texture_counts(text_);
      in_.width = texture_.bytes;
    }
    for (size_t i = 0; i < n_dest; ++i) {
      destination(text_.operands[i], i);
    }
    int position = 0;
    for (size_t i = n_dest; i < text_.operands.size(); ++i) {
      source(text_.operands[i], position);
      position += !is_predicate(text_.operands[i]);
    }
    if (info_.op == OpClass::kBarrier) {
      barrier();
    } else if (info_.op == OpClass::kDepbar || info_.op == OpClass::kWarpgroupDepbar) {
      depbar();
    } else if (info_.op == OpClass::kBranch || info_.op == OpClass::kCall || info_.op == OpClass::kConverge) {
      target();
    } else if (info_.op == OpClass::kS2RThread) {
      special_register();
    } else if (info_.op == OpClass::kBulkCopy && info_.known) {
      in_.async = async_op(text_.opcode);
    } else if (info_.op == OpClass::kMbarrier) {
      in_.syncs = syncs_form(text_.opcode);
    } else if (info_.op == OpClass::kGmma) {
      const bool ends = std::any_of(text_.operands.begin(), text_.operands.end(),
                                    [](const TextOperand& o) { return o.name == "gsb0"; });
      if (!ends) {
        in_.flags |= isa::kFlagGroupGoesOn;
      }
    }
  }

 private:
  void destination(const TextOperand& o, size_t i) {
    if (o.kind != Kind::kRegister) {
      return;  // BMOV's or B2R's named special registers
    }
    const RegisterName& r = o.reg[0];
    uint8_t count = 1;
    if (info_.form == Form::kTexture) {
      count = texture_.dest[i];
    } else if (r.file == RegFile::kGpr || r.file == RegFile::kUniform) {
      count = r.wide ? std::max<uint8_t>(2, widths_.dest()) : widths_.dest();
    }
    if (r.all && text_.operands.back().integer) {  // R2P PR, R0, mask
      mask_destination(r, static_cast<uint64_t>(text_.operands.back().value) & 0x7f);
      return;
    }
    add(in_, true, r, count, 0);
  }

  // The span of predicates from the mask's lowest to its highest bit.
  void mask_destination(RegisterName r, uint64_t mask) {
    if (mask == 0) {
      return;
    }
    r.all = false;
    r.index = static_cast<uint8_t>(std::countr_zero(mask));
    add(in_, true, r, static_cast<uint8_t>(std::bit_width(mask) - r.index), 0);
  }

  void source(const TextOperand& o, int position) {
    switch (o.kind) {
      case Kind::kAddress:
        address(o, position);
        break;
      case Kind::kDescriptor:  // two 64-bit matrix descriptors, or one when A comes from registers
        add(in_, false, o.reg[0], descriptor_count(o, position), slot(position));
        break;
      case Kind::kConstant:
        constant(o, position);
        break;
      case Kind::kRegister:
        add(in_, false, o.reg[0], register_count(o.reg[0], position), is_predicate(o) ? 0 : slot(position));
        break;
      case Kind::kCounters:
        in_.depbar_mask |= o.counters;
        break;
      default:
        break;
    }
  }

  uint8_t descriptor_count(const TextOperand& o, int position) const {
    if (isa::uses_tensor_memory(info_.op)) {
      return o.name == "gdesc" ? 2 : 1;
    }
    return position == 0 ? 4 : 2;
  }

  void address(const TextOperand& o, int position) {
    bool vector = false, uniform = false;
    for (int i = 0; i < o.n_reg; ++i) {
      const RegisterName& r = o.reg[i];
      uint8_t count = r.wide ? 2 : r.narrow ? 1 : widths_.address();
      if (r.descriptor) {
        count = 2;
      } else if (info_.op == OpClass::kBulkCopy) {
        count = bulk_count(text_.opcode, position, true);
      } else if (info_.op == OpClass::kLdgsts && !has_global_address(o)) {
        count = 1;
      }
      if (!r.descriptor) {
        vector |= r.file == RegFile::kGpr && !r.zero;
        uniform |= r.file == RegFile::kUniform && !r.zero;
      }
      add(in_, false, r, count, slot(position));
    }
    if (uniform && !vector) {
      in_.flags |= isa::kFlagUniformAddress;
    }
    if (info_.op == OpClass::kCctl) {
      in_.mem_refs = 1;
    }
  }

  // LDGSTS [shared], [global]: the shared address comes first.
  bool has_global_address(const TextOperand& o) const { return &o != &text_.operands.front(); }

  void constant(const TextOperand& o, int position) {
    if (info_.op != OpClass::kLdc && info_.op != OpClass::kUldc) {
      in_.flags |= isa::kFlagConstOperand;
    }
    in_.const_bank = o.bank;
    in_.const_offset = o.offset;
    for (int i = 0; i < o.n_reg; ++i) {
      add(in_, false, o.reg[i], 1, slot(position));
    }
  }

  uint8_t register_count(const RegisterName& r, int position) const {
    if (r.file != RegFile::kGpr && r.file != RegFile::kUniform) {
      return 1;
    }
    if (r.wide) {
      return 2;
    }
    if (info_.op == OpClass::kGmma) {  // [A registers,] gdesc, accumulator
      return position == 0 ? widths_.source(0) : widths_.source(2);
    }
    if (info_.op == OpClass::kBulkCopy) {
      return bulk_count(text_.opcode, position, false);
    }
    if (info_.op == OpClass::kMbarrier) {
      return has_modifier(text_.opcode, "EXCH") || has_modifier(text_.opcode, "CAS") ? 2 : 1;
    }
    if (info_.form == Form::kTexture && position == 0) {
      return texture_.coordinates;
    }
    return widths_.source(position);
  }

  uint8_t slot(int position) const {
    if (single_source_) {
      return 1;
    }
    if (base_of(text_.opcode) == "FADD") {
      return position == 0 ? 0 : 2;  // FADD is a*1+c: its second source sits in slot c
    }
    if (info_.op == OpClass::kLdgsts) {
      return position == 0 ? 1 : 0;  // the global address is encoded as Ra, though it stands second
    }
    return static_cast<uint8_t>(std::min(position, 2));
  }

  void barrier() {
    int n = 0;
    in_.flags |= isa::kFlagBarrierAllThreads;
    for (const TextOperand& o : text_.operands) {
      if (is_predicate(o) || (o.kind != Kind::kImmediate && o.kind != Kind::kRegister)) {
        continue;
      }
      if (n == 0) {
        in_.barrier_id =
            o.kind == Kind::kRegister ? isa::kBarrierInRegister : static_cast<uint8_t>(o.value & 0xf);
      } else if (n == 1) {
        in_.flags &= ~uint32_t{isa::kFlagBarrierAllThreads};
        in_.barrier_threads = o.kind == Kind::kRegister ? 0 : static_cast<uint16_t>(o.value & 0xfff);
      }
      ++n;
    }
  }

  // What belongs to a thread or its warp comes from the LSU, everything else from the ADU.
  void special_register() {
    for (const TextOperand& o : text_.operands) {
      const bool of_thread = o.name.starts_with("SR_TID") || o.name == "SR_LANEID" || o.name == "SR_VIRTID" ||
                             (o.name.starts_with("SR_") && o.name.ends_with("MASK"));
      if (o.kind == Kind::kName && !of_thread) {
        in_.op = OpClass::kS2R;
      }
    }
  }

  void depbar() {
    for (const TextOperand& o : text_.operands) {
      if (o.kind == Kind::kRegister && o.reg[0].file == RegFile::kScoreboard) {
        in_.depbar_sb = o.reg[0].index;
      } else if (o.kind == Kind::kImmediate) {
        in_.depbar_count = static_cast<uint8_t>(o.value & 0x3f);
      }
    }
  }

  // Indirect branches name a register and an offset; only direct ones have a target.
  void target() {
    const std::string_view base = base_of(text_.opcode);
    if (base == "RET" || base == "BMOV" ||
        (base == "WARPSYNC" && !has_modifier(text_.opcode, "COLLECTIVE"))) {
      return;
    }
    for (const TextOperand& o : text_.operands) {
      if (o.kind == Kind::kRegister && o.reg[0].file == RegFile::kGpr) {
        return;
      }
      if (o.kind == Kind::kImmediate && o.integer) {
        in_.target = static_cast<uint32_t>(o.value);
      }
    }
  }

  isa::Instr& in_;
  const TextInstruction& text_;
  const OpcodeInfo& info_;
  const Widths& widths_;
  bool single_source_ = false;
  TextureCounts texture_;
};

}  // namespace

isa::Instr decode_operands(uint32_t pc, const TextInstruction& t, uint16_t opcode, const Encoding* e,
                           OpcodePool& pool) {
  const PooledOpcode& o = pool.at(opcode);
  isa::Instr in;
  in.pc = pc;
  in.opcode = opcode;
  Decoder decoder(in, t, o);
  decoder.run();
  if (o.odd) {
    pool.count_unknown(t.opcode);
  }
  if (e) {
    in.ctl = decode_control(e->lo, e->hi);
    in.flags |= isa::kFlagHasControl;
    if (decoder.has_slot_fields()) {
      assign_slots(e->lo, e->hi, base_of(t.opcode), in);
    }
  }
  return in;
}

isa::Instr decode_text(uint32_t pc, std::string_view text, OpcodePool& pool) {
  const TextInstruction t = parse_instruction(text);
  return decode_operands(pc, t, pool.intern(t.opcode), nullptr, pool);
}

isa::Instr decode_text(uint32_t pc, std::string_view text, uint64_t lo, uint64_t hi, OpcodePool& pool) {
  const TextInstruction t = parse_instruction(text);
  const Encoding e{lo, hi};
  return decode_operands(pc, t, pool.intern(t.opcode), &e, pool);
}

std::string_view target_label(std::string_view text) {
  const TextInstruction t = parse_instruction(text);
  const OpcodeInfo info = classify(t.opcode);
  if (info.op != OpClass::kBranch && info.op != OpClass::kCall && info.op != OpClass::kConverge) {
    return {};
  }
  for (const TextOperand& o : t.operands) {
    if (o.kind == Kind::kName && !o.name.empty()) {
      return o.name;
    }
  }
  return {};
}

}  // namespace heddle::sass
