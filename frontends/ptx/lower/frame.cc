#include "frontends/ptx/lower/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "frontends/ptx/lower/convention.h"
#include "frontends/ptx/lower/schedule.h"
#include "sim/base/align.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kStackPointer = 1;
constexpr uint32_t kWord = 4, kFrameAlign = 8;  // bytes
constexpr uint32_t kMostNumbers = 256;

using Parts = std::vector<uint64_t>;  // by fixed register: which words of it

uint64_t mask(const Value& v) { return ((uint64_t{1} << v.count) - 1) << v.part; }

// Words of fixed registers that are read, or will be, before the instruction: one step back over it.
void step_back(const Lowered& f, const Machine& m, Parts& alive) {
  if (!m.guard.there()) {
    for (const Value& v : writes(m)) {
      if (f.registers[v.reg].fixed) {
        alive[v.reg] &= ~mask(v);
      }
    }
  }
  for (const Value& v : reads(m)) {
    if (f.registers[v.reg].fixed) {
      alive[v.reg] |= mask(v);
    }
  }
}

// By block, at its end.
std::vector<Parts> alive_at_end(const Lowered& f) {
  std::vector<Parts> in(f.blocks.size(), Parts(f.registers.size())), out = in;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = f.blocks.size(); b-- > 0;) {
      for (const uint32_t next : f.blocks[b].next) {
        for (size_t r = 0; r < f.registers.size(); ++r) {
          out[b][r] |= in[next][r];
        }
      }
      Parts now = out[b];
      for (size_t i = f.blocks[b].code.size(); i-- > 0;) {
        step_back(f, f.blocks[b].code[i], now);
      }
      changed = changed || now != in[b];
      in[b] = std::move(now);
    }
  }
  return out;
}

Machine made(Lowered& f, const sass::Opcode& opcode, uint32_t origin) {
  Machine m = machine(opcode, origin, f.opcodes);
  m.lanes = Machine::Lanes::kAll;
  return m;
}

Machine stack_step(Lowered& f, Value r1, int64_t bytes, uint32_t origin) {
  Machine m = made(f, "IADD3", origin);
  m.d = {r1};
  m.s = {r1, bytes, Field()};
  m.stack_step = static_cast<int32_t>(bytes);
  return m;
}

Machine stack_access(Lowered& f, bool store, Value r1, Value v, uint32_t byte, uint32_t origin) {
  Machine m = made(f, store ? sass::Opcode("STL") : sass::Opcode("LDL"), origin);
  (store ? m.s : m.d) = {v};
  m.address = Address{r1, byte, false, kWord};
  m.stack = Machine::Stack::kOwn;
  m.stores = store;
  m.loads = !store;
  return m;
}

bool is_return(const Machine& m) { return m.opcode.name == sass::Mnemonic::kRET; }

}  // namespace

Refused refused_numbers(const Lowered& f) {
  Refused out;
  out.fill(std::vector<std::vector<Span>>(kMostNumbers));
  if (!f.calls && std::ranges::none_of(f.registers, &Register::fixed)) {
    return out;
  }
  const std::vector<Parts> ends = alive_at_end(f);
  uint32_t begin = 1;
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const std::vector<Machine>& code = f.blocks[b].code;
    Parts now = ends[b];
    const auto note = [&](uint32_t first, uint32_t last) {
      for (size_t r = 0; r < now.size(); ++r) {
        const Register& reg = f.registers[r];
        for (uint64_t m = now[r]; m != 0; m &= m - 1) {
          out[static_cast<size_t>(reg.file)][static_cast<size_t>(reg.number) + std::countr_zero(m)].push_back(
              {first, last});
        }
      }
    };
    for (size_t i = code.size(); i-- > 0;) {
      const auto at = static_cast<uint32_t>(2 * (begin + i));
      note(at + 1, at + 2);  // between it and the next one
      step_back(f, code[i], now);
      if (code[i].clobbers != kNone) {
        const Clobbered& c = f.clobbered[code[i].clobbers];
        const auto add = [&](File file, const auto& numbers) {
          for (size_t n = 0; n < numbers.size(); ++n) {
            if (numbers[n]) {
              out[static_cast<size_t>(file)][n].push_back({at + 1, at + 1});
            }
          }
        };
        add(File::kVector, c.vectors);
        add(File::kUniform, c.uniforms);
        add(File::kPredicate, c.predicates);
      }
    }
    note(2 * begin - 1, 2 * begin);
    begin += static_cast<uint32_t>(code.size());
  }
  return out;
}

uint32_t fixed_registers(const Lowered& f) {
  uint32_t out = 0;
  for (const Block& b : f.blocks) {
    for (const Machine& m : b.code) {
      for (const std::vector<Value>& all : {reads(m), writes(m)}) {
        for (const Value& v : all) {
          const Register& r = f.registers[v.reg];
          out = r.fixed ? std::max(out, static_cast<uint32_t>(r.number) + v.part + v.count) : out;
        }
      }
    }
  }
  return out;
}

void add_frame(Lowered& f) {
  std::vector<uint32_t> kept;
  if (f.standard) {
    const Clobbered c = clobbered(f);
    for (uint32_t n = 0; n < kMostNumbers; ++n) {
      const bool address =
          f.calls && (n == kFirstArgument + kAbiReturn || n == kFirstArgument + kAbiReturn + 1);
      if (c.vectors[n] && (kept_by_abi(n) || address)) {
        kept.push_back(n);
      }
    }
  }
  const auto bytes = round_up(f.outgoing_bytes + static_cast<uint32_t>(kept.size()) * kWord, kFrameAlign);
  if (bytes == 0) {
    return;
  }
  const auto numbered = [&](uint32_t number) {
    const Value v = f.make(File::kVector, 1);
    f.registers[v.reg].number = static_cast<int>(number);
    f.registers[v.reg].fixed = true;
    return v;
  };
  const Value r1 = numbered(kStackPointer);
  std::vector<Value> values;
  values.reserve(kept.size());
  for (const uint32_t n : kept) {
    values.push_back(numbered(n));
  }
  for (Block& b : f.blocks) {
    std::vector<Machine> code;
    for (Machine& m : b.code) {
      if (m.stack == Machine::Stack::kCaller && m.address) {
        m.address->offset += bytes;
      }
      if (is_return(m)) {
        const size_t first = code.size();
        for (size_t k = 0; k < values.size(); ++k) {
          code.push_back(stack_access(f, false, r1, values[k],
                                      f.outgoing_bytes + static_cast<uint32_t>(k) * kWord, m.origin));
        }
        code.push_back(stack_step(f, r1, bytes, m.origin));
        for (size_t k = first; k < code.size(); ++k) {
          code[k].guard = m.guard;
          code[k].guard_negated = m.guard_negated;
          code[k].lanes = m.lanes;
        }
      }
      code.push_back(std::move(m));
    }
    b.code = std::move(code);
  }
  Block& first = f.blocks.front();
  const uint32_t origin = first.stretches.front().first;
  std::vector<Machine> head{stack_step(f, r1, -int64_t{bytes}, origin)};
  for (size_t k = values.size(); k-- > 0;) {
    head.push_back(
        stack_access(f, true, r1, values[k], f.outgoing_bytes + static_cast<uint32_t>(k) * kWord, origin));
  }
  // A kernel gets its R1 first.
  const auto r1_made = std::ranges::find_if(first.code, [](const Machine& m) {
    return m.opcode.name == sass::Mnemonic::kLDC && m.d[0].kind == Field::Kind::kOperand;
  });
  first.code.insert(r1_made == first.code.end() ? first.code.begin() : r1_made + 1, head.begin(), head.end());
}

}  // namespace heddle::ptx::lower
