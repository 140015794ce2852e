#include <algorithm>

#include "frontends/ptx/lower/schedule.h"

namespace heddle::ptx::lower {

using isa::OpClass;

executed::TileLanes tile_lanes(const Tiles& t) {
  executed::TileLanes out;
  for (uint32_t lane = 0; lane < out.row.size(); ++lane) {
    const bool rows = t.kind == Tiles::Kind::kRows;
    const size_t tile = rows ? lane / 8 : 0;
    uint32_t row = t.row[tile], col = t.col[tile];
    if (rows) {
      row += lane % 8;
    } else {
      const uint32_t eighth = lane / 4, pair = lane % 4 * t.per;
      row += t.kind == Tiles::Kind::kPairs ? eighth : pair;
      col += t.kind == Tiles::Kind::kPairs ? pair : eighth;
    }
    out.row[lane] = row;
    out.bytes[lane] = col * t.bytes;
  }
  return out;
}

Machine machine(const sass::Opcode& opcode, uint32_t origin, sass::OpcodePool& known) {
  const sass::OpcodeInfo& info = known.at(known.intern(opcode)).info;
  Machine m;
  m.opcode = opcode;
  m.origin = origin;
  m.op = info.op;
  m.space = info.space;
  return m;
}

std::vector<Value> reads(const Machine& m) {
  std::vector<Value> out;
  for (const Field& f : m.s) {
    if (f.reads()) {
      out.push_back(f.value);
    }
  }
  out.insert(out.end(), m.settles.begin(), m.settles.end());
  out.insert(out.end(), m.takes.begin(), m.takes.end());
  for (const auto* a : {&m.address, &m.copied_to}) {
    if (*a && (*a)->base.there()) {
      out.push_back((*a)->base);
    }
  }
  if (m.guard.there()) {
    out.push_back(m.guard);
  }
  return out;
}

std::vector<Value> writes(const Machine& m) {
  std::vector<Value> out;
  for (const Field& f : m.d) {
    if (f.kind == Field::Kind::kValue) {
      out.push_back(f.value);
    }
  }
  out.insert(out.end(), m.settles.begin(), m.settles.end());
  out.insert(out.end(), m.gives.begin(), m.gives.end());
  return out;
}

bool is_variable(const Machine& m) {
  switch (m.op) {
    case OpClass::kMufu:
    case OpClass::kMufuExp:
    case OpClass::kConvert:
    case OpClass::kConvert64:
    case OpClass::kBitCount:
    case OpClass::kMatch:
    case OpClass::kRedux:
    case OpClass::kShuffle:
    case OpClass::kS2R:
    case OpClass::kS2RThread:
    case OpClass::kS2ur:
    case OpClass::kLdc:
    case OpClass::kMovm:
    case OpClass::kAtomGlobal:
    case OpClass::kAtomShared:
    case OpClass::kAtomGeneric:
    case OpClass::kMbarrier:
    case OpClass::kTensorAlloc:
      return true;
    default:
      return m.loads;
  }
}

uint32_t distance(const Machine& from, const Machine& to, bool guard) {
  // Units behind queues read their operands later (MIO), memory a cycle later still.
  const bool queued = is_variable(to) || to.stores;
  if (to.op == OpClass::kCall && from.op != OpClass::kFp64) {  // the address: 7 of a call, 5 of a return
    return to.gives.empty() && to.callee == kNone ? 5 : 7;
  }
  switch (from.op) {
    case OpClass::kAluPredicate:
      return guard || to.op == OpClass::kBranch || to.op == OpClass::kExit ? 13 : 5;
    case OpClass::kImadWide:
      return queued ? 6 : 5;
    case OpClass::kFp64:
      return to.op == OpClass::kFp64 ? 8 : 10;
    case OpClass::kHalf:
    case OpClass::kHalfMma:
      return 6;
    case OpClass::kHmma:
    case OpClass::kImma:
    case OpClass::kDmma:
      return to.op == from.op ? 24 : 28;
    case OpClass::kUniform:
    case OpClass::kUniformMove:
      return to.op == OpClass::kUniform ? 4 : 6;
    case OpClass::kUldc:
      return 4;
    case OpClass::kR2ur:
    case OpClass::kCs2r:
      return 9;
    default:
      return queued ? 5 : 4;
  }
}

uint32_t usual(const Machine& m) {
  if (!is_variable(m)) {
    return 0;
  }
  switch (m.op) {
    case OpClass::kLdGlobal:
    case OpClass::kLdGeneric:
    case OpClass::kLdLocal:
    case OpClass::kAtomGlobal:
      return 200;
    case OpClass::kLdgsts:
      return 1;
    default:
      return 28;
  }
}

void remove_dead(Lowered& f) {
  std::vector<std::vector<const Machine*>> makers(f.registers.size());
  std::vector<bool> wanted(f.registers.size(), false);
  std::vector<uint32_t> work;
  const auto want = [&](const Machine& m) {
    for (const Value& v : reads(m)) {
      if (!wanted[v.reg]) {
        wanted[v.reg] = true;
        work.push_back(v.reg);
      }
    }
  };
  for (const Block& b : f.blocks) {
    for (const Machine& m : b.code) {
      for (const Value& v : writes(m)) {
        makers[v.reg].push_back(&m);
      }
      if (m.has_effect()) {
        want(m);
      }
    }
  }
  while (!work.empty()) {
    const uint32_t r = work.back();
    work.pop_back();
    for (const Machine* m : makers[r]) {
      want(*m);
    }
  }
  for (Block& b : f.blocks) {
    std::erase_if(b.code, [&](const Machine& m) {
      const std::vector<Value> w = writes(m);
      return !m.has_effect() && m.op != OpClass::kNop &&
             std::none_of(w.begin(), w.end(), [&](const Value& v) { return wanted[v.reg]; });
    });
  }
}

}  // namespace heddle::ptx::lower
