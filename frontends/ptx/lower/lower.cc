#include "frontends/ptx/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/ptx/lower/flow.h"
#include "frontends/ptx/lower/schedule.h"
#include "frontends/ptx/lower/select.h"
#include "frontends/sass/decode.h"

namespace heddle::ptx::lower {
namespace {

constexpr uint32_t kBytes = 16;            // of an instruction
constexpr uint32_t kCodeAlign = 128;       // of the code, filled with NOP
constexpr uint32_t kFewestRegisters = 16;  // of a thread, as the suites' kernels have

class Writer {
 public:
  Writer(const Lowered& f) : f_(f) {}

  std::string text(const Machine& m) const {
    std::string out;
    if (m.guard.there()) {
      out += fmt::format("@{}{} ", m.guard_negated ? "!" : "", name(m.guard));
    }
    out += m.opcode;
    const char* gap = " ";
    const auto add = [&](const std::string& s) {
      out += gap + s;
      gap = ", ";
    };
    const std::string zero = m.opcode[0] == 'U' ? "URZ" : "RZ";
    for (const Field& f : m.d) {
      add(field(f, zero));
    }
    if (m.copied_to) {
      add(place(*m.copied_to, false));
    }
    if (m.address) {
      add(place(*m.address, global(m)));
    }
    for (const Field& f : m.s) {
      add(field(f, zero));
    }
    if (m.target != kNone) {
      add(fmt::format("{:#x}", f_.blocks[m.target].first * kBytes));
    }
    return out;
  }

 private:
  static bool global(const Machine& m) {
    return m.space == isa::MemSpace::kGlobal || m.space == isa::MemSpace::kGeneric;
  }

  std::string name(const Value& v) const {
    const Register& r = f_.registers[v.reg];
    const int n = r.number + v.part;
    return r.file == File::kVector    ? fmt::format("R{}", n)
           : r.file == File::kUniform ? fmt::format("UR{}", n)
                                      : fmt::format("P{}", n);
  }

  std::string field(const Field& f, const std::string& zero) const {
    switch (f.kind) {
      case Field::Kind::kValue: {
        const bool predicate = f_.registers[f.value.reg].file == File::kPredicate;
        return fmt::format("{}{}", !f.negated ? "" : predicate ? "!" : "-", name(f.value));
      }
      case Field::Kind::kNumber:
        return fmt::format("{}{:#x}", f.number < 0 ? "-" : "",
                           f.number < 0 ? -static_cast<uint64_t>(f.number) : static_cast<uint64_t>(f.number));
      case Field::Kind::kPlace:
        return fmt::format("{}[{}]", f.text, name(f.value));
      case Field::Kind::kText:
        return f.text;
      case Field::Kind::kZero:
        break;
    }
    return zero;
  }

  std::string place(const Address& a, bool global) const {
    std::string in = a.base.there() ? name(a.base) : "";
    if (a.base.there() && a.wide && global) {
      in += ".64";
    }
    if (a.uniform.there()) {
      in += (in.empty() ? "" : "+") + name(a.uniform);
    }
    if (a.offset != 0 || in.empty()) {
      in += fmt::format("{}{}{:#x}", a.offset < 0 ? "-" : "", in.empty() || a.offset < 0 ? "" : "+",
                        a.offset < 0 ? -a.offset : a.offset);
    }
    return fmt::format("[{}]", in);
  }

  const Lowered& f_;
};

bool reads_ports(const isa::Instr& i) {
  switch (i.op) {
    case isa::OpClass::kAlu:
    case isa::OpClass::kAluPredicate:
    case isa::OpClass::kFp32:
    case isa::OpClass::kImad:
    case isa::OpClass::kImadWide:
    case isa::OpClass::kFp64:
    case isa::OpClass::kHalf:
    case isa::OpClass::kHmma:
    case isa::OpClass::kImma:
      return true;
    default:
      return false;
  }
}

// An operand that the next instruction reads in the same place is kept for it.
void set_reuse(Kernel& k) {
  std::vector<isa::Instr>& code = k.image.code;
  for (size_t i = 0; i + 1 < code.size(); ++i) {
    if (!reads_ports(code[i]) || !reads_ports(code[i + 1])) {
      continue;
    }
    for (uint8_t a = 0; a < code[i].n_src; ++a) {
      const isa::Operand& x = code[i].src[a];
      for (uint8_t b = 0; b < code[i + 1].n_src; ++b) {
        const isa::Operand& y = code[i + 1].src[b];
        if (x.file == isa::RegFile::kGpr && y.file == x.file && x.index == y.index && x.slot == y.slot) {
          code[i].ctl.reuse |= static_cast<uint8_t>(1U << x.slot);
        }
      }
    }
  }
}

void write(Kernel& k) {
  uint32_t at = 0;
  for (Block& b : k.code.blocks) {
    b.first = at;
    at += static_cast<uint32_t>(b.code.size());
  }
  sass::OpcodePool pool;
  const Writer writer(k.code);
  const auto add = [&](const std::string& text, const isa::Control& control, uint32_t target) {
    const auto pc = static_cast<uint32_t>(k.image.code.size()) * kBytes;
    isa::Instr in = sass::decode_text(pc, text, pool);
    in.ctl = control;
    in.flags |= isa::kFlagHasControl;
    in.target = target;
    k.image.code.push_back(in);
    k.image.text.push_back(text);
  };
  for (const Block& b : k.code.blocks) {
    for (const Machine& m : b.code) {
      add(writer.text(m), m.control, m.target == kNone ? 0 : k.code.blocks[m.target].first * kBytes);
    }
  }
  set_reuse(k);
  // Behind the end: a branch to itself, and what fills a line.
  add(fmt::format("BRA {:#x}", k.image.code.size() * kBytes), {}, 0);
  while (k.image.code.size() * kBytes % kCodeAlign != 0) {
    add("NOP", {}, 0);
  }
  k.image.opcodes = pool.opcodes();
  k.image.unknown_opcodes = pool.unknown();
}

}  // namespace

std::unique_ptr<const Kernel> lower(const Module& module, const Function& kernel) {
  auto made = std::make_unique<Kernel>();
  Kernel& out = *made;
  Lowered& f = out.code;
  out.source = unroll(module, kernel);
  f.function = &out.source.function;
  find_blocks(module, f);
  Select(module, f).run();
  if (!f.missing.empty()) {
    throw NotLowered(
        fmt::format("kernel {} has {} instructions that have no time yet", kernel.name, f.missing.size()),
        f.missing);
  }
  remove_dead(f);
  split_by_block(f);
  choose_order(f);
  isa::KernelImage& image = out.image;
  image.name = kernel.name;
  image.compute_capability = 90;
  image.has_control = true;
  image.shape.registers_per_thread = std::max(kFewestRegisters, f.vector_registers);
  write(out);
  return made;
}

}  // namespace heddle::ptx::lower
