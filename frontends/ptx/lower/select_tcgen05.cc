// Tensor memory: tcgen05, as ptxas 13.0 writes it for sm_100a. Left out: the bits of shared memory in which
// it keeps what is allocated, and where an allocation stores its address.
#include <bit>

#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

// Of LDTM and STTM; 32 lanes of 32 bits are not named.
sass::Suffix cells(Cells c) {
  switch (c) {
    case Cells::k16x64b:
      return ".16dp64bit"_mod;
    case Cells::k16x128b:
      return ".16dp128bit"_mod;
    case Cells::k16x256b:
      return ".16dp256bit"_mod;
    case Cells::k16x32bx2:
      return ".16dp32bit_t0_t15"_mod;
    default:
      return ""_mod;
  }
}

sass::Suffix copied(const Op& o) {
  switch (o.cells) {
    case Cells::k4x256b:
      return ".4dp256bit"_mod;
    case Cells::k128x128b:
      return ".128dp128bit"_mod;
    case Cells::k64x128b:
      return o.quarters == Quarters::k0213 ? ".2x64dp128bit_lw02_lw13"_mod : ".2x64dp128bit_lw01_lw23"_mod;
    case Cells::k32x128b:
      return ".4x32dp128bit"_mod;
    default:
      return ""_mod;
  }
}

sass::Opcode product_opcode(TensorKind p) {
  switch (p) {
    case TensorKind::kI8:
      return "UTCIMMA";
    case TensorKind::kF8f6f4:
    case TensorKind::kMxf8f6f4:
      return "UTCQMMA";
    case TensorKind::kMxf4:
    case TensorKind::kMxf4nvf4:
      return "UTCOMMA";
    default:
      return "UTCHMMA";
  }
}

}  // namespace

bool Select::tensor_memory() {
  const Op& o = op();
  const sass::Suffix pair = o.group == 2 ? ".2CTA"_mod : ""_mod;
  const auto ordered = [&](const sass::Opcode& opcode, std::vector<Field> d,
                           std::vector<Field> s) -> Machine& {
    Machine& m = emit(opcode, std::move(d), std::move(s));
    m.ordered = true;
    return m;
  };
  switch (o.opcode) {
    case Opcode::kTcgen05Alloc: {
      const Value columns = tensor_columns(at(1)), found = temporary(1, File::kUniform);
      ordered("UTCATOMSWS"_op + pair + ".FIND_AND_SET.ALIGN", {kUP0, found}, {columns});
      const Value first = temporary();
      ordered("IMAD.SHL.U32", {first}, {found, 0x20, Field()});
      return true;
    }
    case Opcode::kTcgen05Dealloc: {
      const Value columns = tensor_columns(at(0));
      ordered("UTCATOMSWS"_op + pair + ".AND", {kURZ}, {columns});
      return true;
    }
    case Opcode::kTcgen05RelinquishAllocPermit:
      ordered("UVIRTCOUNT.DEALLOC.SMPOOL", {}, {0x80});
      return true;
    case Opcode::kTcgen05FenceAfter:
    case Opcode::kTcgen05FenceBefore:
      ordered("NOP", {}, {});
      return true;
    case Opcode::kTcgen05WaitLd:
      ordered("NOP", {}, {}).settles = std::exchange(tensor_loads_, {});
      return true;
    case Opcode::kTcgen05WaitSt:
      ordered("FENCE.VIEW.ASYNC.T", {}, {});
      return true;
    case Opcode::kTcgen05Ld:
    case Opcode::kTcgen05St:
      move_cells();
      return true;
    case Opcode::kTcgen05Mma:
    case Opcode::kTcgen05MmaWs:
    case Opcode::kTcgen05MmaSp:
    case Opcode::kTcgen05MmaWsSp:
      tensor_product(pair);
      return true;
    case Opcode::kTcgen05Cp:
      copy_once("UTCCP.T.S"_op + pair + copied(o), {tensor_place(at(0)), tensor_descriptor(at(1))});
      return true;
    case Opcode::kTcgen05Shift:
      copy_once("UTCSHIFT"_op + pair + ".DOWN", {tensor_place(at(0))});
      return true;
    case Opcode::kTcgen05Commit: {
      const Value object = temporary(1, File::kUniform), blocks = temporary(1, File::kUniform);
      into_uniform(object, at(0));
      const bool several = o.has(Flag::kMulticast);
      if (several) {
        into_uniform(blocks, at(1));
      }
      copy_once("UTCBAR"_op + pair + (several ? ".MULTICAST"_mod : ""_mod),
                {Field::place(object), several ? Field(blocks) : Field(kURZ)});
      return true;
    }
    default:
      return false;
  }
}

// The number of columns in units of 32, or the first of them.
Value Select::tensor_columns(const Operand& o) {
  const Value v = temporary(1, File::kUniform);
  const Operand from = uses_.origin(o);
  if (from.kind == OperandKind::kImmediate) {
    emit("UMOV", {v}, {immediate(from.value / 32)});
  } else {
    into_uniform(v, o);
    emit("USHF.R.U32.HI", {v}, {Field(), 0x5, v});
  }
  return v;
}

// What does not change is put there once.
Value Select::tensor_operand(const Operand& o, uint8_t count) {
  const bool address = o.kind == OperandKind::kAddress;
  const bool once = (o.kind == OperandKind::kRegister || (address && o.base == Base::kRegister)) &&
                    uses_.writer(o.id) != kNone;
  Value made;
  Value& v = once ? tensor_operands_[{o.id, address ? o.value : 0, count}] : made;
  if (!v.there()) {
    v = temporary(count, File::kUniform);
    into_uniform(v, o);
  }
  return v;
}

Field Select::tensor_place(const Operand& o) {
  return Field::place(tensor_operand(o, 1), SassKind::kTensorMemory);
}
Field Select::tensor_descriptor(const Operand& o) {
  return Field::place(tensor_operand(o, 2), SassKind::kMatrix);
}

void Select::move_cells() {
  const Op& o = op();
  const bool loads = o.opcode == Opcode::kTcgen05Ld;
  const bool split = o.cells == Cells::k16x32bx2;
  const Field place = tensor_place(at(loads ? 1 : 0));
  const Value v = group(at(loads ? 0 : split ? 2 : 1), loads);
  static constexpr sass::Suffix kTimes[] = {"", ".x2", ".x4", ".x8", ".x16", ".x32", ".x64", ".x128"};
  const sass::Opcode how = (loads ? "LDTM"_op : "STTM"_op) + cells(o.cells) +
                           kTimes[std::bit_width(o.number | 1U) - 1] +
                           (o.has(Flag::kPack)     ? ".PACK16BIT"_mod
                            : o.has(Flag::kUnpack) ? ".UNPACK16BIT"_mod
                                                   : ""_mod);
  if (loads) {
    Machine& m = emit(how, std::vector<Field>{v}, std::vector<Field>{place});
    m.loads = m.ordered = true;
    tensor_loads_.push_back(v);
  } else {
    Machine& m = emit(how, std::vector<Field>{}, std::vector<Field>{place, v});
    m.stores = m.ordered = true;
  }
}

// A, B, D, where the metadata of a sparse A is (or nowhere), the descriptor, scale factors or lanes that are
// left out, whether D is added to.
void Select::tensor_product(const sass::Suffix& pair) {
  const Op& o = op();
  const bool sparse = o.opcode == Opcode::kTcgen05MmaSp || o.opcode == Opcode::kTcgen05MmaWsSp;
  const bool stationary = o.opcode == Opcode::kTcgen05MmaWs || o.opcode == Opcode::kTcgen05MmaWsSp;
  // Side by side: metadata, descriptor.
  constexpr int64_t kNoMetadata = -1;
  const Operand& descriptor = at(sparse ? 4 : 3);
  const bool once =
      !sparse && descriptor.kind == OperandKind::kRegister && uses_.writer(descriptor.id) != kNone;
  Value made;
  Value& more = once ? tensor_operands_[{descriptor.id, kNoMetadata, 2}] : made;
  if (!more.there()) {
    more = temporary(2, File::kUniform);
    if (sparse) {
      into_uniform(part(more, 0), at(3));
    } else {
      emit("UMOV", {part(more, 0)}, {kURZ});
    }
    into_uniform(part(more, 1), descriptor);
  }
  size_t next = sparse ? 5 : 4;
  const Field a = at(1).kind == OperandKind::kAddress ? tensor_place(at(1)) : tensor_descriptor(at(1));
  std::vector<Field> s{a, tensor_descriptor(at(2)), tensor_place(at(0)),
                       Field::place(part(more, 0), SassKind::kTensorMemory),
                       Field::place(part(more, 1), SassKind::kTensorShape)};
  if (at(next).kind == OperandKind::kAddress) {  // of scale factors
    const Value scales = temporary(2, File::kUniform);
    into_uniform(part(scales, 0), at(next++));
    into_uniform(part(scales, 1), at(next++));
    s.push_back(Field::place(scales, SassKind::kTensorMemory));
  } else if (at(next).kind == OperandKind::kVector) {
    const auto lanes = f_.elements(at(next++));
    const Value left_out = temporary(static_cast<uint8_t>(lanes.size()), File::kUniform);
    for (uint32_t k = 0; k < lanes.size(); ++k) {
      into_uniform(part(left_out, k), lanes[k]);
    }
    s.emplace_back(left_out);
  }
  const Field adds = in(next);
  if (adds.kind == Field::Kind::kValue) {
    emit("VOTEU.ALL", std::vector<Field>{kUP0}, std::vector<Field>{adds});
    s.emplace_back(kUP0);
  } else {
    s.emplace_back(kUPT);
  }
  copy_once(product_opcode(o.product) + pair + (stationary ? ".WS"_mod : ""_mod), std::move(s));
}

}  // namespace heddle::ptx::lower
