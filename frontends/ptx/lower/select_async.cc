// Barrier objects, bulk and tensor copies, clusters: what their SASS looks like is from `test/forms.cu` of
// the tracer (tools/tracer/OPERANDS.md) and the suite's bulk_copy and cluster_dsm.
#include "frontends/ptx/form.h"
#include "frontends/ptx/lower/select.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kAddressOfMap = 2;  // words

}  // namespace

bool Select::asynchronous() {
  switch (op().opcode) {
    case Opcode::kMbarrierInit:
    case Opcode::kMbarrierInval:
    case Opcode::kMbarrierArrive:
    case Opcode::kMbarrierArriveDrop:
    case Opcode::kMbarrierExpectTx:
    case Opcode::kMbarrierCompleteTx:
    case Opcode::kMbarrierTestWait:
    case Opcode::kMbarrierTryWait:
    case Opcode::kCpAsyncMbarrierArrive:
      barrier_object();
      return true;
    case Opcode::kCpAsyncBulk:
    case Opcode::kCpReduceAsyncBulk:
    case Opcode::kCpAsyncBulkPrefetch:
      bulk_copy();
      return true;
    case Opcode::kCpAsyncBulkTensor:
    case Opcode::kCpReduceAsyncBulkTensor:
    case Opcode::kCpAsyncBulkPrefetchTensor:
      tensor_copy();
      return true;
    case Opcode::kStAsync:
    case Opcode::kRedAsync:
      asynchronous_store();
      return true;
    case Opcode::kCpAsyncBulkCommitGroup:
      emit("UTMACMDFLUSH", {}, {}).ordered = true;
      return true;
    case Opcode::kCpAsyncBulkWaitGroup:
      emit("DEPBAR.LE", {}, {kSB0, immediate(at(0).value)}).ordered = true;
      if (!op().has(Flag::kRead)) {
        emit("CCTL.IVALL", {}, {}).ordered = true;
      }
      return true;
    case Opcode::kFenceProxy:
    case Opcode::kMembarProxy:
      emit("MEMBAR.ALL.CTA", {}, {}).ordered = true;
      emit("FENCE.VIEW.ASYNC.S", {}, {}).ordered = true;
      return true;
    case Opcode::kFenceMbarrierInit:
      emit("NOP", {}, {}).ordered = true;
      return true;
    default:
      return false;
  }
}

bool Select::clusters() {
  const Op& o = op();
  const bool relaxed = o.semantics == Semantics::kRelaxed;
  switch (o.opcode) {
    case Opcode::kBarrierClusterArrive:
      if (!relaxed) {
        emit("MEMBAR.ALL.GPU", {}, {}).ordered = true;
        emit("ERRBAR", {}, {}).ordered = true;
        emit("CGAERRBAR", {}, {}).ordered = true;
      }
      emit("UCGABAR_ARV", {}, {}).ordered = true;
      return true;
    case Opcode::kBarrierClusterWait:
      emit("UCGABAR_WAIT", {}, {}).ordered = true;
      emit("CCTL.IVALL", {}, {}).ordered = true;
      return true;
    case Opcode::kMapa: {
      const Value to = result();
      const Operand& from = at(1);
      const Field base = from.kind == OperandKind::kAddress ? Field(address(from).base) : in(1);
      emit("PRMT", {low(to)},
           {in(2), 0x654, base.kind == Field::Kind::kValue ? Field(low(base.value)) : base});
      if (to.count == 2) {
        emit("MOV", {high(to)}, {base.kind == Field::Kind::kValue ? in(1, true) : Field()});
      }
      return true;
    }
    case Opcode::kGetctarank:
      emit("SHF.R.U32.HI", {result()}, {Field(), 0x18, vector(at(1))});
      return true;
    case Opcode::kElect: {
      const Value all = temporary(1, File::kUniform);
      emit("ELECT", {value(at(1).id), all}, {kPT}).ordered = true;
      if (at(0).kind == OperandKind::kRegister && uses_.reads(at(0).id) != 0) {
        emit("IMAD.U32", {value(at(0).id)}, {Field(), Field(), all});
      }
      return true;
    }
    case Opcode::kSetmaxnreg:
      emit(o.mode == Mode::kIncrease ? "USETMAXREG.TRY_ALLOC.CTAPOOL"_op : "USETMAXREG.DEALLOC.CTAPOOL"_op,
           {}, {immediate(at(0).value)})
          .ordered = true;
      return true;
    default:
      return false;
  }
}

// One word or two; from a register of each thread, a uniform one, a number or an address in shared memory.
void Select::into_uniform(Value to, const Operand& from) {
  const bool place = from.kind == OperandKind::kAddress;
  const Address a = place ? address(from) : Address{};
  const Operand source = uses_.origin(from);
  for (uint32_t k = 0; k < to.count; ++k) {
    Field f;
    if (!place) {
      f = source.kind == OperandKind::kVariable && k == 0 ? Field(int64_t{0x400}) : field(source, k == 1);
      if (k == 0 && f.kind == Field::Kind::kValue) {
        f.value = low(f.value);
      }
    } else if (a.base.there()) {
      f = k < a.base.count ? Field(part(a.base, k)) : Field();
    }
    const int64_t offset = place && k == 0 ? a.offset : 0;
    const bool one = f.kind == Field::Kind::kValue;
    const bool uniform = one && out_.registers[f.value.reg].file == File::kUniform;
    if (!one) {
      emit("UMOV", {part(to, k)}, {offset != 0 ? Field(offset) : f});
    } else if (uniform) {
      emit("UIADD3", {part(to, k)}, {f, offset != 0 ? Field(offset) : Field(), Field()});
    } else if (offset != 0) {
      const Value sum = temporary();
      emit("VIADD", {sum}, {f, Field(offset)});
      emit("R2UR", {part(to, k)}, {sum});
    } else {
      emit("R2UR", {part(to, k)}, {f});
    }
  }
}

void Select::barrier_object() {
  const Op& o = op();
  size_t where = 0;
  while (at(where).kind != OperandKind::kAddress && where + 1 < uses_.operands(now_).size()) {
    ++where;
  }
  const Address object = address(at(where));
  const auto syncs = [&](const sass::Opcode& opcode, std::vector<Field> d, std::vector<Field> s) -> Machine& {
    Machine& m = emit(opcode, std::move(d), std::move(s));
    m.address = object;
    m.ordered = true;
    return m;
  };
  const bool counted = where + 1 < uses_.operands(now_).size() && at(where + 1).kind != OperandKind::kNone;
  const bool wanted = where > 0 && at(0).kind == OperandKind::kRegister && uses_.reads(at(0).id) != 0;
  const Field d = wanted ? Field(result()) : Field();
  const sass::Suffix remote = o.space == Space::kSharedCluster ? ".RED"_mod : ""_mod;
  switch (o.opcode) {
    case Opcode::kMbarrierInit: {
      // 2^20 less the arrivals, twice.
      const Value u = temporary(2, File::kUniform);
      emit("UMOV", {part(u, 0)}, {0xffffe});
      emit("UMOV", {part(u, 1)}, {0x7ffff800});
      syncs("SYNCS.EXCH.64", {kURZ}, {u});
      return;
    }
    case Opcode::kMbarrierInval:
      syncs("SYNCS.CCTL.IV", {}, {});
      return;
    case Opcode::kCpAsyncMbarrierArrive:
      syncs("ARRIVES.LDGSTSBAR.64", {}, {});
      return;
    case Opcode::kMbarrierTestWait:
    case Opcode::kMbarrierTryWait: {
      const Value phase = temporary();
      const Field of = field(at(where + 1));
      emit("SHF.L.U32", {phase}, {of.kind == Field::Kind::kValue ? Field(low(of.value)) : of, 0x1f, Field()});
      syncs(o.opcode == Opcode::kMbarrierTryWait ? "SYNCS.PHASECHK.TRANS64.TRYWAIT"_op
                                                 : "SYNCS.PHASECHK.TRANS64"_op,
            {wanted ? d : Field(kPT)}, {phase});
      return;
    }
    case Opcode::kMbarrierExpectTx:
      syncs("SYNCS.ARRIVE.TRANS64"_op + remote + ".A0TR", {d}, {vector(at(where + 1))});
      return;
    case Opcode::kMbarrierCompleteTx:
      syncs("SYNCS.ARRIVE.TRANS64"_op + remote + ".A0TX", {d}, {vector(at(where + 1))});
      return;
    default: {
      const sass::Suffix how = o.has(Flag::kExpectTx) ? ""_mod : counted ? ".ART0"_mod : ".A1T0"_mod;
      syncs("SYNCS.ARRIVE.TRANS64"_op + remote + how, {d},
            {counted ? Field(vector(at(where + 1))) : Field()});
    }
  }
}

// The place and its barrier object stand in a pair of registers.
void Select::asynchronous_store() {
  const Op& o = op();
  const bool reduces = o.opcode == Opcode::kRedAsync;
  const Value pair = temporary(2);
  for (const uint32_t k : {0U, 1U}) {
    const Address a = address(at(k == 0 ? 0 : 2));
    const Field base = a.base.there() ? Field(low(a.base)) : Field();
    if (a.offset == 0 || !a.base.there()) {
      emit("MOV", {part(pair, k)}, {a.base.there() ? base : Field(a.offset)});
    } else {
      emit("IADD3", {part(pair, k)}, {base, Field(a.offset), Field()});
    }
  }
  const Value v = group(at(1), false);
  const uint32_t all = v.count;
  const sass::Suffix size = all == 4 ? ".128"_mod : all == 2 ? ".64"_mod : ""_mod;
  const bool chooses = o.combine == Combine::kMin || o.combine == Combine::kMax;
  const sass::Suffix sign = chooses && info(o.type()).kind == TypeKind::kSigned ? ".S32"_mod : ""_mod;
  Machine& m = emit(reduces ? "REDAS"_op + reduction_name(o) + sign + size : "STAS"_op + size, {}, {v});
  m.address = Address{pair, 0, true, 4};
  m.stores = m.ordered = true;
}

// By one lane after the other: ptxas makes a loop of it, which is one turn long where one lane copies.
void Select::copy_once(const sass::Opcode& opcode, std::vector<Field> s) {
  const Value left = predicate(), mine = predicate();
  emit("PLOP3.LUT", {left, kPT}, {kPT, kPT, kPT, 0x80, immediate(0)}).ordered = true;
  emit("ELECT", {mine, kURZ}, {kPT}).ordered = true;
  emit(opcode, {}, std::move(s)).ordered = true;
  emit("PLOP3.LUT", {left, kPT}, {mine, kPT, kPT, 0x8, immediate(0)}).ordered = true;
}

void Select::bulk_copy() {
  const Op& o = op();
  const bool prefetches = o.opcode == Opcode::kCpAsyncBulkPrefetch;
  const bool reduces = o.opcode == Opcode::kCpReduceAsyncBulk;
  const bool loads = o.space != Space::kGlobal;
  const bool within = loads && o.source_space != Space::kGlobal;
  const Value first = temporary(2, File::kUniform), second = temporary(2, File::kUniform),
              units = temporary(1, File::kUniform);
  const Operand size = uses_.origin(at(prefetches ? 1 : 2));
  if (size.kind == OperandKind::kImmediate) {
    emit("UMOV", {units}, {immediate(size.value / 16)});
  } else {
    into_uniform(units, size);
    emit("USHF.R.U32.HI", {units}, {Field(), 0x4, units});
  }
  if (prefetches) {
    into_uniform(first, at(0));
    copy_once("UBLKPF.L2", {Field::place(first), units});
    return;
  }
  if (loads) {
    into_uniform(part(first, 0), at(0));
    into_uniform(part(first, 1), at(3));
  } else {
    into_uniform(first, at(0));
  }
  into_uniform(within || !loads ? part(second, 0) : second, at(1));
  if (o.has(Flag::kMulticast)) {
    const Value mask = temporary(1, File::kUniform);
    into_uniform(mask, at(4));
    emit("UPRMT", {units}, {units, 0x5410, mask});
  }
  copy_once((reduces ? "UBLKRED"_op : "UBLKCP"_op) +
                (within  ? ".S.S"_mod
                 : loads ? ".S.G"_mod
                         : ".G.S"_mod) +
                (reduces                   ? ".ADD"_mod
                 : o.has(Flag::kMulticast) ? ".MULTICAST"_mod
                                           : ""_mod),
            {Field::place(first), Field::place(second), units});
}

void Select::tensor_copy() {
  const Op& o = op();
  const bool prefetches = o.opcode == Opcode::kCpAsyncBulkPrefetchTensor;
  const bool reduces = o.opcode == Opcode::kCpReduceAsyncBulkTensor;
  const bool loads = !prefetches && o.space != Space::kGlobal;
  const bool im2col = o.mode == Mode::kIm2col || o.mode == Mode::kIm2colNoOffs;
  const size_t map = loads ? 1 : 0;
  const auto coordinates = listed(at(map + 1));
  const auto dimensions = static_cast<uint32_t>(coordinates.size());
  const uint32_t places = prefetches ? 0 : loads ? 2 : 1;
  const Value tile = temporary(static_cast<uint8_t>(places + dimensions), File::kUniform);
  const Value of = temporary(kAddressOfMap, File::kUniform);
  size_t next = map + 2;
  if (loads) {
    into_uniform(part(tile, 0), at(0));
    into_uniform(part(tile, 1), at(next++));
  } else if (!prefetches) {
    into_uniform(part(tile, 0), at(next++));
  }
  for (uint32_t k = 0; k < dimensions; ++k) {
    into_uniform(part(tile, places + k), coordinates[k]);
  }
  into_uniform(of, at(map));
  std::vector<Field> s{Field::place(Value{tile.reg, 0, tile.count}), Field::place(of)};
  const bool offsets = o.mode == Mode::kIm2col;
  if (offsets || o.has(Flag::kMulticast)) {
    const Value more = temporary(1, File::kUniform);
    if (offsets) {
      const auto offsets_of = listed(at(next));
      into_uniform(more, offsets_of[0]);
      for (uint32_t k = 1; k < offsets_of.size(); ++k) {
        const Value further = temporary(1, File::kUniform);
        into_uniform(further, offsets_of[k]);
        emit("ULEA", {more}, {further, more, 0x8});
      }
      ++next;
    }
    if (o.has(Flag::kMulticast)) {
      const Value mask = offsets ? temporary(1, File::kUniform) : more;
      into_uniform(mask, at(next));
      if (offsets) {
        emit("UPRMT", {more}, {more, 0x5410, mask});
      }
    }
    s.emplace_back(more);
  }
  static constexpr Mod kDimensions[] = {Mod::k1D, Mod::k2D, Mod::k3D, Mod::k4D, Mod::k5D};
  copy_once((prefetches ? "UTMAPF.L2"_op
             : reduces  ? "UTMAREDG"_op
             : loads    ? "UTMALDG"_op
                        : "UTMASTG"_op) +
                kDimensions[dimensions - 1] +
                (im2col    ? ".IM2COL"_mod
                 : reduces ? ".ADD"_mod
                           : ""_mod) +
                (o.has(Flag::kMulticast) ? ".MULTICAST"_mod : ""_mod),
            std::move(s));
}

}  // namespace heddle::ptx::lower
