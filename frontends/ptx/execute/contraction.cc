#include "frontends/ptx/execute/contraction.h"

#include <span>
#include <vector>

#include "frontends/ptx/form.h"

namespace heddle::ptx {
namespace {

struct Value {
  uint32_t appearances = 0;  // of the register in the whole function, as result and as operand
  uint32_t changed = 0;      // 1 + the instruction that wrote it last, so far
  uint32_t product = kNone;  // in products_: what it holds now
};

struct Product {
  uint32_t instr = 0;
  uint32_t block = 0;
  uint32_t result = 0;         // register
  uint32_t uses = 0;           // until another value replaces it, in its block
  bool replaced = false;       // by an instruction of its block
  std::vector<uint32_t> sums;  // in sums_
};

struct Sum {
  uint32_t instr = 0;
  uint32_t products[2] = {kNone, kNone};  // in products_, by operand
  bool contracted = false;
};

bool is_float(Type t) {
  return t == Type::kF32 || t == Type::kF64 || t == Type::kF16 || t == Type::kF16x2 || t == Type::kBf16 ||
         t == Type::kBf16x2;
}

bool ends_block(Opcode o) {
  return o == Opcode::kBra || o == Opcode::kBrxIdx || o == Opcode::kCall || o == Opcode::kRet ||
         o == Opcode::kExit;
}

bool is_result(OperandRole role) {
  return role == OperandRole::kDestination || role == OperandRole::kDestinationOrSink;
}

class Finder {
 public:
  Finder(const Module& module, const Function& function) : module_(module), f_(function) {}

  std::unordered_map<uint32_t, Contraction> run() {
    values_.resize(f_.register_types.size());
    for (const Operand& o : f_.operands) {
      if (o.kind == OperandKind::kRegister ||
          (o.kind == OperandKind::kAddress && o.base == Base::kRegister)) {
        ++values_[o.id].appearances;
      }
    }
    look();
    choose();
    return std::move(out_);
  }

 private:
  const Op& op(uint32_t instr) const { return module_.ops[f_.instrs[instr].op]; }

  bool may_contract(uint32_t instr) const {
    const Op& o = op(instr);
    return is_float(o.type()) && o.rounding == Rounding::kNone && f_.instrs[instr].guard == kNone;
  }

  void look() {
    std::vector<bool> labelled(f_.instrs.size() + 1);
    for (const Label& l : f_.labels) {
      labelled[l.instr] = true;
    }
    uint32_t block = 0;
    for (uint32_t i = 0; i < f_.instrs.size(); ++i) {
      block += labelled[i] || (i > 0 && ends_block(op(i - 1).opcode)) ? 1 : 0;
      const Opcode opcode = op(i).opcode;
      if ((opcode == Opcode::kAdd || opcode == Opcode::kSub) && may_contract(i)) {
        sum(i, block);
      }
      follow(i, block);
      if (opcode == Opcode::kMul && may_contract(i) && !op(i).has(Flag::kSat)) {
        product(i, block);
      }
    }
  }

  // What the instruction reads, then what it writes.
  void follow(uint32_t i, uint32_t block) {
    const Instr& in = f_.instrs[i];
    const std::span<const Operand> operands = f_.operands_of(in);
    const Form& form = *op(i).form;
    for (const bool writes : {false, true}) {
      for (size_t k = 0; k < operands.size(); ++k) {
        const Operand& o = operands[k];
        const bool result = k < form.operands.size() && is_result(form.operands[k].role);
        const auto touch = [&](const Operand& r, bool reads) {
          if (writes && result) {
            write(r.id, i, block);
          } else if (!writes && reads) {
            read(r.id, block);
          }
        };
        if (o.kind == OperandKind::kRegister ||
            (o.kind == OperandKind::kAddress && o.base == Base::kRegister)) {
          touch(o, !result || in.guard != kNone);  // a guarded result may leave what was there
        } else if (o.kind == OperandKind::kVector) {
          for (const Operand& e : f_.elements(o)) {
            if (e.kind == OperandKind::kRegister) {
              touch(e, true);  // sums of matrices are read, too
            }
          }
        }
      }
    }
  }

  Product* held(uint32_t id, uint32_t block) {
    const uint32_t p = values_[id].product;
    return p != kNone && products_[p].block == block ? &products_[p] : nullptr;
  }

  void read(uint32_t id, uint32_t block) {
    if (Product* p = held(id, block)) {
      ++p->uses;
    }
  }

  void write(uint32_t id, uint32_t i, uint32_t block) {
    if (Product* p = held(id, block)) {
      p->replaced = true;
    }
    values_[id].product = kNone;
    values_[id].changed = i + 1;
  }

  void product(uint32_t i, uint32_t block) {
    const Operand& d = f_.operands_of(f_.instrs[i])[0];
    if (d.kind == OperandKind::kRegister) {
      values_[d.id].product = static_cast<uint32_t>(products_.size());
      products_.push_back({i, block, d.id, 0, false, {}});
    }
  }

  // The product that an operand of the sum is, while the product's own operands are as they were.
  uint32_t product_of(const Operand& o, uint32_t sum, uint32_t block) const {
    const uint32_t p = o.kind == OperandKind::kRegister ? values_[o.id].product : kNone;
    if (p == kNone || products_[p].block != block) {
      return kNone;
    }
    const uint32_t instr = products_[p].instr;
    if (op(instr).type() != op(sum).type() || op(instr).has(Flag::kFtz) != op(sum).has(Flag::kFtz)) {
      return kNone;
    }
    for (const Operand& factor : f_.operands_of(f_.instrs[instr]).subspan(1, 2)) {
      if (factor.kind == OperandKind::kRegister && values_[factor.id].changed > instr) {
        return kNone;
      }
    }
    return p;
  }

  void sum(uint32_t i, uint32_t block) {
    const std::span<const Operand> operands = f_.operands_of(f_.instrs[i]);
    Sum s{i};
    for (size_t k = 0; k < 2; ++k) {
      s.products[k] = product_of(operands[k + 1], i, block);
    }
    if (s.products[0] == s.products[1]) {  // none, or twice the same
      return;
    }
    for (const uint32_t p : s.products) {
      if (p != kNone) {
        products_[p].sums.push_back(static_cast<uint32_t>(sums_.size()));
      }
    }
    sums_.push_back(s);
  }

  // All that uses it are sums.
  bool is_whole(const Product& p) const {
    return p.uses == p.sums.size() && (p.replaced || values_[p.result].appearances == p.uses + 1);
  }

  void contract(Sum& s, uint32_t product) {
    s.contracted = true;
    out_[s.instr] = {products_[product].instr, static_cast<uint8_t>(s.products[0] == product ? 1 : 2)};
  }

  void choose() {
    for (Sum& s : sums_) {
      for (const uint32_t p : s.products) {
        if (!s.contracted && p != kNone && products_[p].sums.size() == 1 && is_whole(products_[p])) {
          contract(s, p);
        }
      }
    }
    for (uint32_t i = 0; i < products_.size(); ++i) {
      const Product& p = products_[i];
      bool free = p.sums.size() > 1 && is_whole(p);
      for (const uint32_t s : p.sums) {
        free = free && !sums_[s].contracted;
      }
      if (free) {
        for (const uint32_t s : p.sums) {
          contract(sums_[s], i);
        }
      }
    }
  }

  const Module& module_;
  const Function& f_;
  std::vector<Value> values_;  // by register
  std::vector<Product> products_;
  std::vector<Sum> sums_;
  std::unordered_map<uint32_t, Contraction> out_;
};

}  // namespace

std::unordered_map<uint32_t, Contraction> contractions(const Module& module, const Function& function) {
  return Finder(module, function).run();
}

}  // namespace heddle::ptx
