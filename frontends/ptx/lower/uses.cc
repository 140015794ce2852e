#include "frontends/ptx/lower/uses.h"

#include <algorithm>

#include "frontends/ptx/form.h"

namespace heddle::ptx::lower {
namespace {

bool is_logic(Opcode o) {
  return o == Opcode::kAnd || o == Opcode::kOr || o == Opcode::kXor || o == Opcode::kNot;
}
bool number(const Operand& o) { return o.kind == OperandKind::kImmediate; }
bool is_float(Type t) { return t == Type::kF32 || t == Type::kF64; }

constexpr int64_t kMostOffset = 1 << 23;  // an address has 24 bits for it

}  // namespace

bool is_destination(const Op& op, size_t place) {
  if (place >= op.form->operands.size()) {
    return false;
  }
  const OperandRole r = op.form->operands[place].role;
  return r == OperandRole::kDestination || r == OperandRole::kDestinationOrSink;
}

Uses::Uses(const Module& module, const Lowered& f) : module_(module), lowered_(f), f_(*f.function) {
  const size_t registers = f_.register_types.size();
  writers_.assign(registers, kNone);
  reads_.assign(registers, 0);
  writes_.assign(registers, 0);
  readers_.resize(registers);
  uniform_.assign(registers, false);
  copies_.assign(f_.instrs.size(), false);
  absorbed_ = absorbs_something_ = copies_;
  count();
  forget_circles();
  find_copies();
  find_uniform();
  find_absorbed();
}

void Uses::count() {
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    const Op& o = op(i);
    const bool call = o.opcode == Opcode::kCall;
    for (uint32_t k = 0; k < operands(i).size(); ++k) {
      const Operand& x = operands(i)[k];
      const bool writes = call ? k == 0 : is_destination(o, k);
      const auto note = [&](const Operand& e) {
        const bool address = e.kind == OperandKind::kAddress && e.base == Base::kRegister;
        if (e.kind != OperandKind::kRegister && !address) {
          return;
        }
        if (writes && !address) {
          ++writes_[e.id];
          writers_[e.id] = writes_[e.id] == 1 && f_.instrs[i].guard == kNone ? i : kNone;
        } else {
          ++reads_[e.id];
          readers_[e.id].push_back({i, k});
        }
      };
      if (x.kind == OperandKind::kVector) {
        for (const Operand& e : f_.elements(x)) {
          note(e);
        }
      } else {
        note(x);
      }
    }
    if (f_.instrs[i].guard != kNone) {
      ++reads_[f_.instrs[i].guard];
      readers_[f_.instrs[i].guard].push_back({i, kNone});
    }
  }
}

// Registers whose only writer reads what follows from it alone: they have no value before it, so it says
// nothing of what they hold, and whoever goes back from writer to writer would never come to an end. They
// count as if they were written several times.
void Uses::forget_circles() {
  const size_t n = writers_.size();
  std::vector<std::vector<uint32_t>> from(n),
      to(n);  // by register: what its writer reads, and the other way round
  for (uint32_t r = 0; r < n; ++r) {
    if (writers_[r] == kNone) {
      continue;
    }
    const auto note = [&](const Operand& e) {
      const bool address = e.kind == OperandKind::kAddress && e.base == Base::kRegister;
      if ((e.kind == OperandKind::kRegister || address) && writers_[e.id] != kNone) {
        from[r].push_back(e.id);
        to[e.id].push_back(r);
      }
    };
    const uint32_t i = writers_[r];
    const bool call = op(i).opcode == Opcode::kCall;
    for (uint32_t k = 0; k < operands(i).size(); ++k) {
      const Operand& x = operands(i)[k];
      if ((call ? k == 0 : is_destination(op(i), k)) && x.kind != OperandKind::kAddress) {
        continue;
      }
      if (x.kind == OperandKind::kVector) {
        std::for_each(f_.elements(x).begin(), f_.elements(x).end(), note);
      } else {
        note(x);
      }
    }
  }
  // What is left when whoever has nothing before it, or nothing behind it, has been taken away, again and
  // again.
  std::vector<bool> left(n);
  for (uint32_t r = 0; r < n; ++r) {
    left[r] = writers_[r] != kNone;
  }
  for (const bool forward : {true, false}) {
    const auto& needs = forward ? from : to;
    const auto& tells = forward ? to : from;
    std::vector<uint32_t> open(n), work;
    for (uint32_t r = 0; r < n; ++r) {
      open[r] = static_cast<uint32_t>(
          std::count_if(needs[r].begin(), needs[r].end(), [&](uint32_t x) { return left[x]; }));
      if (left[r] && open[r] == 0) {
        work.push_back(r);
      }
    }
    while (!work.empty()) {
      const uint32_t r = work.back();
      work.pop_back();
      left[r] = false;
      for (const uint32_t x : tells[r]) {
        if (left[x] && --open[x] == 0) {
          work.push_back(x);
        }
      }
    }
  }
  for (uint32_t r = 0; r < n; ++r) {
    writers_[r] = left[r] ? kNone : writers_[r];
  }
}

void Uses::find_copies() {
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    const Op& o = op(i);
    const auto x = operands(i);
    if (x.size() < 2 || x[0].kind != OperandKind::kRegister || writers_[x[0].id] != i) {
      continue;
    }
    // From 32 bits to 64 without a sign: the upper word is nowhere.
    if (o.opcode == Opcode::kCvt && o.type_count == 2 && bits(o.types[0]) == 64 && o.types[1] == Type::kU32 &&
        is_integer(o.types[0]) && x[1].kind == OperandKind::kRegister && writers_[x[1].id] != kNone &&
        bits(f_.register_types[x[1].id]) == 32) {
      copies_[i] = true;
      continue;
    }
    const bool moves =
        o.opcode == Opcode::kMov || o.opcode == Opcode::kCvta ||
        (o.opcode == Opcode::kCvt && o.type_count == 2 && is_integer(o.types[0]) && is_integer(o.types[1]) &&
         bits(o.types[0]) <= bits(o.types[1]) && bits(o.types[0]) >= 32);
    if (!moves || x[1].kind == OperandKind::kVector) {
      continue;
    }
    if (x[1].kind == OperandKind::kRegister) {
      // A register that changes is copied where its copy is read behind the change.
      if (writers_[x[1].id] == kNone) {
        const auto& readers = readers_[x[0].id];
        const auto change = [&](uint32_t until) {
          for (uint32_t k = i + 1; k < until; ++k) {
            for (size_t p = 0; p < operands(k).size(); ++p) {
              if (is_destination(op(k), p) && operands(k)[p].kind == OperandKind::kRegister &&
                  operands(k)[p].id == x[1].id) {
                return true;
              }
            }
          }
          return false;
        };
        if (!std::all_of(readers.begin(), readers.end(), [&](const Place& r) {
              return r.instr > i && same_block(r.instr, i) && !change(r.instr);
            })) {
          continue;
        }
      }
      copies_[i] = true;
    } else if (number(x[1]) || x[1].kind == OperandKind::kVariable) {
      copies_[i] = true;
    }
  }
}

Operand Uses::origin(Operand o) const {
  while (o.kind == OperandKind::kRegister && writers_[o.id] != kNone && copies_[writers_[o.id]]) {
    const bool negated = o.negated;
    o = operands(writers_[o.id])[1];
    o.negated = o.negated != negated;
  }
  return o;
}

uint32_t Uses::origin_register(const Operand& o) const {
  const Operand x = origin(o);
  return x.kind == OperandKind::kRegister ? x.id : kNone;
}

uint32_t Uses::maker(const Operand& o) const {
  const uint32_t r = origin_register(o);
  return r == kNone ? kNone : writers_[r];
}

bool Uses::uniform(const Operand& o) const {
  const Operand x = origin(o);
  return x.kind != OperandKind::kRegister || uniform_[x.id];
}

// What comes from parameters, numbers and the block's place alone, by instructions that the uniform datapath
// has.
void Uses::find_uniform() {
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    const Op& o = op(i);
    const auto x = operands(i);
    if (x.empty() || x[0].kind != OperandKind::kRegister || writers_[x[0].id] != i ||
        o.type() == Type::kPred || f_.register_types[x[0].id] == Type::kPred) {
      continue;
    }
    bool same = false;
    switch (o.opcode) {
      case Opcode::kMov:
        same = x[1].kind != OperandKind::kSpecial && x[1].kind != OperandKind::kVector && uniform(x[1]);
        if (x[1].kind == OperandKind::kSpecial) {
          const SpecialKind k = Special::unpack(x[1].id).kind;
          same = k == SpecialKind::kCtaid || k == SpecialKind::kNtid || k == SpecialKind::kNctaid;
        }
        break;
      case Opcode::kLd:
        // Pointers are added to what differs from lane to lane, so they are loaded into vector registers.
        same = kernel_parameter(i) && bits(o.type()) <= 32;
        break;
      case Opcode::kAdd:
      case Opcode::kSub:
      case Opcode::kMul:
      case Opcode::kMad:
      case Opcode::kShl:
      case Opcode::kShr:
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kXor:
      case Opcode::kCvta:
      case Opcode::kCvt:
        same = info(o.type()).kind != TypeKind::kFloat && info(o.type()).kind != TypeKind::kPacked &&
               (o.type_count < 2 || info(o.types[1]).kind != TypeKind::kFloat);
        for (size_t k = 1; same && k < x.size(); ++k) {
          same = uniform(x[k]) && x[k].kind != OperandKind::kSpecial;
        }
        break;
      default:
        break;
    }
    uniform_[x[0].id] = same;
  }
}

// Whether a load's value is the same for the whole grid.
bool Uses::kernel_parameter(uint32_t i) const {
  const Space space = op(i).space;
  const Operand& from = operands(i)[1];
  return (space == Space::kParam || space == Space::kParamEntry) && f_.entry &&
         from.base == Base::kVariable && from.kind == OperandKind::kAddress &&
         module_.variables[from.id].parameter != kNone;
}

bool Uses::is_wide_product(uint32_t i) const {
  if (i == kNone) {
    return false;
  }
  const Op& o = op(i);
  if (o.opcode == Opcode::kMul && o.part == Part::kWide && bits(o.type()) == 32) {
    return true;
  }
  if ((o.opcode == Opcode::kShl || (o.opcode == Opcode::kMul && o.part == Part::kLo)) &&
      bits(o.type()) == 64 && number(origin(operands(i)[2]))) {
    const uint32_t m = maker(operands(i)[1]);
    return m != kNone && op(m).opcode == Opcode::kCvt && op(m).type_count == 2 &&
           bits(op(m).types[0]) == 64 && bits(op(m).types[1]) == 32 && is_integer(op(m).types[1]);
  }
  return false;
}

bool Uses::same_for_lanes(const Operand& address) const {
  if (address.base != Base::kRegister) {
    return true;
  }
  Operand o;
  o.kind = OperandKind::kRegister;
  o.id = address.id;
  for (uint32_t m = maker(o); m != kNone; m = maker(o)) {
    if (op(m).opcode == Opcode::kLd) {
      return kernel_parameter(m);
    }
    if (!is_offset(m)) {
      break;
    }
    o = operands(m)[1];
  }
  return uniform(o);
}

int64_t Uses::step(uint32_t i) const {
  const int64_t n = origin(operands(i)[2]).value;
  return bits(op(i).type()) == 32 ? static_cast<int32_t>(n) : n;
}

bool Uses::is_offset(uint32_t i) const {
  if (i == kNone || op(i).opcode != Opcode::kAdd || !is_integer(op(i).type())) {
    return false;
  }
  return number(origin(operands(i)[2])) && step(i) < kMostOffset && step(i) >= -kMostOffset;
}

bool Uses::absorbs(uint32_t user, size_t place, uint32_t made) const {
  const Op& u = op(user);
  const Op& d = op(made);
  const auto x = operands(user);
  if (place == kNone) {
    return false;
  }
  if (x[place].kind == OperandKind::kAddress) {
    return is_offset(made) && bits(d.type()) == (u.space == Space::kShared ? 32U : bits(d.type()));
  }
  if (d.opcode == Opcode::kLd) {  // of a constant: an operand of its own kind, of which there is one
    const bool first = place != 2 || maker(x[1]) == kNone || !absorbed_[maker(x[1])];
    return info(u.type()).kind == TypeKind::kFloat && bits(u.type()) == 32 && (place == 1 || place == 2) &&
           first && (u.opcode == Opcode::kAdd || u.opcode == Opcode::kMul || u.opcode == Opcode::kFma);
  }
  if (u.opcode == Opcode::kAdd && is_integer(u.type())) {
    const uint32_t other = maker(x[place == 1 ? 2 : 1]);
    if (is_offset(user) && is_offset(made) && place == 1 && bits(u.type()) == bits(d.type())) {
      return true;
    }
    const bool single =
        reads_[operands(made)[0].id] == 1 && same_block(user, made) && !absorbs_something_[user];
    if (bits(u.type()) == 64) {
      const bool product = d.opcode == Opcode::kMul && d.part == Part::kLo && bits(d.type()) == 64;
      if (product && single && !is_wide_product(made) && !(other != kNone && is_wide_product(other))) {
        return true;
      }
      return (is_wide_product(made) || (d.opcode == Opcode::kShl && number(origin(operands(made)[2])))) &&
             !(place == 2 && other != kNone && is_wide_product(other));
    }
    return (d.opcode == Opcode::kMul && d.part == Part::kLo && single) ||
           (d.opcode == Opcode::kShl && number(origin(operands(made)[2])) && !absorbs_something_[user]) ||
           (d.opcode == Opcode::kAdd && single && !absorbs_something_[made]);
  }
  if ((u.opcode == Opcode::kShl || u.opcode == Opcode::kMul) && place == 1 && is_wide_product(user)) {
    return d.opcode == Opcode::kCvt;
  }
  if (is_logic(u.opcode) && is_logic(d.opcode) && u.type() != Type::kPred && bits(u.type()) <= 32) {
    return reads_[operands(made)[0].id] == 1 && same_block(user, made) && !absorbs_something_[user] &&
           !absorbs_something_[made];
  }
  if ((u.opcode == Opcode::kAnd || u.opcode == Opcode::kOr) && u.type() == Type::kPred) {
    return d.opcode == Opcode::kSetp && reads_[operands(made)[0].id] == 1 && same_block(user, made) &&
           !absorbs_something_[user];
  }
  if (d.opcode == Opcode::kNeg || d.opcode == Opcode::kAbs) {
    return is_float(d.type()) &&
           (u.opcode == Opcode::kAdd || u.opcode == Opcode::kMul || u.opcode == Opcode::kFma ||
            u.opcode == Opcode::kSub || u.opcode == Opcode::kSetp);
  }
  return d.opcode == Opcode::kNot && d.type() == Type::kPred;
}

void Uses::find_absorbed() {
  for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
    const auto x = operands(i);
    if (copies_[i] || x.empty() || x[0].kind != OperandKind::kRegister || writers_[x[0].id] != i ||
        (op(i).opcode == Opcode::kLd && (op(i).space != Space::kConst || x[1].base == Base::kRegister ||
                                         x[1].kind != OperandKind::kAddress))) {
      continue;
    }
    // Those who read it, and its copies.
    std::vector<Place> readers = readers_[x[0].id];
    bool all = !readers.empty();
    for (size_t k = 0; all && k < readers.size(); ++k) {
      const Place r = readers[k];
      if (copies_[r.instr]) {
        const auto& more = readers_[operands(r.instr)[0].id];
        readers.insert(readers.end(), more.begin(), more.end());
      } else {
        all = absorbs(r.instr, r.place, i);
      }
    }
    if (all) {
      absorbed_[i] = true;
      for (const Place& r : readers) {
        absorbs_something_[r.instr] = true;
      }
    }
  }
}

}  // namespace heddle::ptx::lower
