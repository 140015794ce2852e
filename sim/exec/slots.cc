#include "sim/exec/slots.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/exec/arith/words.h"

namespace heddle::exec {
namespace {

// Calls visit(slot, whether it is written).
template <class Visit>
class Visitor {
 public:
  Visitor(Code& code, Inst& in, Visit visit) : code_(code), in_(in), visit_(visit) {}

  // Of the instruction alone, without what its kind has in a table.
  void own() {
    predicates();
    read(in_.guard);
    read(in_.s);
    write(in_.d);
  }

  void run() {
    own();
    switch (in_.kind) {
      case Kind::kMemory:
        memory(code_.memory[in_.target]);
        break;
      case Kind::kMatrix:
        matrix(code_.matrix[in_.target]);
        break;
      case Kind::kCall:
        call(code_.calls[in_.target]);
        break;
      case Kind::kTransfer:
        transfer(code_.transfers[in_.target]);
        break;
      case Kind::kMapField:
        read(code_.map_fields[in_.target].map.base);
        read(code_.map_fields[in_.target].value);
        break;
      case Kind::kTexture:
        texture(code_.textures[in_.target]);
        break;
      case Kind::kTensorMemory:
        tensor_memory(code_.tensor_memory[in_.target]);
        break;
      default:
        break;
    }
  }

 private:
  void each(Slot& s, bool written) {
    if (s != kNoSlot && s >> 30 == static_cast<uint32_t>(Bank::kFrame)) {
      visit_(s, written);
    }
  }
  void read(Slot& s) { each(s, false); }
  void write(Slot& s) { each(s, true); }
  template <class List>
  void read(List& list) {
    for (Slot& s : list) {
      read(s);
    }
  }
  template <class List>
  void write(List& list) {
    for (Slot& s : list) {
      write(s);
    }
  }

  // P1 to P6 beside P0, which alone is an operand.
  void predicates() {
    if (in_.kind != Kind::kCompute) {
      return;
    }
    const bool gathers = in_.fn == arith::word_fn(arith::WordOp::kGather);
    if (!gathers && in_.fn != arith::word_fn(arith::WordOp::kScatter)) {
      return;
    }
    const Slot first = gathers ? in_.s[0] : in_.d[0];
    for (uint32_t i = 1; i < arith::kGathered; ++i) {
      Slot s = first + i;
      each(s, !gathers);
    }
  }

  void memory(MemoryOp& op) {
    if (op.pair_base) {
      Slot high = in_.s[0] + 1;  // beside s0 whatever the place of that is
      read(high);
    }
    read(op.addend);
    read(op.operands);
    read(op.compare);
    if (op.kind == MemoryOp::Kind::kStore) {
      read(op.values);
    } else {
      write(op.values);
    }
  }

  void matrix(MatrixOp& op) {
    read(op.a.slots);
    read(op.b.slots);
    read(op.c.slots);
    read(op.memory.addend);
    read(op.uses_c);
    read(op.metadata);
    write(op.d.slots);
  }

  void call(CallOp& op) {
    read(op.pointer);
    for (ValuePlace& p : op.arguments) {
      read(p.slot);
    }
    for (ValuePlace& p : op.returns) {
      write(p.slot);
    }
  }

  void transfer(TransferOp& op) {
    for (Slot* s :
         {&op.to.base, &op.from.base, &op.barrier.base, &op.bytes, &op.ignore, &op.blocks, &op.map}) {
      read(*s);
    }
    read(op.coordinates);
    read(op.offsets);
    read(op.values);
  }

  void texture(TextureOp& op) {
    for (Slot* s : {&op.object, &op.sampler, &op.layer, &op.level_at}) {
      read(*s);
    }
    read(op.coordinates);
    read(op.dx);
    read(op.dy);
    read(op.offsets);
    if (op.kind == TextureOp::Kind::kStore || op.kind == TextureOp::Kind::kReduce) {
      read(op.data);
    } else {
      write(op.data);
    }
    write(op.resident);
  }

  void tensor_memory(TensorMemoryOp& op) {
    for (Slot* s : {&op.place.base, &op.columns, &op.address, &op.blocks, &op.a, &op.b, &op.instruction,
                    &op.adds, &op.scale_a, &op.scale_b}) {
      read(*s);
    }
    read(op.disabled);
    if (op.kind == TensorMemoryOp::Kind::kLoad) {
      write(op.values);
    } else {
      read(op.values);
    }
  }

  Code& code_;
  Inst& in_;
  Visit visit_;
};

template <class Visit>
void visit(Code& code, Inst& in, Visit visit) {
  Visitor<Visit>(code, in, visit).run();
}

}  // namespace

Slots slots_of(const Code& code, const Inst& in) {
  Slots out;
  Inst same = in;
  // Nothing is changed.
  visit(const_cast<Code&>(code), same,
        [&](Slot& s, bool written) { (written ? out.written : out.read).push_back(s); });
  return out;
}

void change_slots(Code& code, Inst& in, const std::function<Slot(Slot, bool written)>& to) {
  visit(code, in, [&](Slot& s, bool written) { s = to(s, written); });
}

uint32_t pack_frame(Code& code) {
  std::vector<uint32_t> place(kFirstSlot, 1);
  for (Inst& in : code.insts) {
    visit(code, in, [&](const Slot& s, bool) {
      const uint32_t at = s & kSlotIndex;
      place.resize(std::max<size_t>(place.size(), at + 1));
      place[at] = 1;
    });
  }
  uint32_t left = 0;
  for (uint32_t& p : place) {
    p = p != 0 ? left++ : 0;
  }
  // What an instruction has in a table may be another one's, too.
  std::set<std::pair<Kind, uint32_t>> changed;
  for (Inst& in : code.insts) {
    const auto to = [&](Slot& s, bool) { s = slot(Bank::kFrame, place[s & kSlotIndex]); };
    const bool first = changed.insert({in.kind, in.target}).second;
    first ? Visitor(code, in, to).run() : Visitor(code, in, to).own();
  }
  return left;
}

}  // namespace heddle::exec
