// Any bytes as PTX: either a module whose indices are all in range, or a heddle::Error of one line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "frontends/ptx/load.h"
#include "sim/base/error.h"

namespace {

using namespace heddle;
using namespace heddle::ptx;

void require(bool good) {
  if (!good) {
    std::abort();
  }
}

void check(const Module& m, const Function& f, const Operand& o) {
  switch (o.kind) {
    case OperandKind::kRegister:
      require(o.id < f.register_types.size() && !f.register_name(o.id).empty());
      break;
    case OperandKind::kVariable:
      require(o.id < m.variables.size());
      break;
    case OperandKind::kFunction:
      require(o.id < m.functions.size());
      break;
    case OperandKind::kLabel:
      require(o.id < f.labels.size() && static_cast<uint64_t>(o.value) <= f.instrs.size());
      break;
    case OperandKind::kAddress:
      require(o.base != Base::kRegister || o.id < f.register_types.size());
      require(o.base != Base::kVariable || o.id < m.variables.size());
      break;
    case OperandKind::kVector:
      require(o.id + static_cast<uint64_t>(o.value) <= f.operands.size());
      break;
    default:
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto m = parse("f", std::string(reinterpret_cast<const char*>(data), size));
    for (const Function& f : m->functions) {
      for (const Operand& o : f.operands) {
        check(*m, f, o);
      }
      for (const Instr& i : f.instrs) {
        require(i.op < m->ops.size() && i.operands + size_t{i.operand_count} <= f.operands.size());
        require(i.guard == kNone || i.guard < f.register_types.size());
      }
    }
    for (const Initial& initial : m->initials) {
      for (const Relocation& r : initial.relocations) {
        require(r.id < (r.function ? m->functions.size() : m->variables.size()));
      }
    }
  } catch (const Error& e) {
    const std::string_view message = e.what();
    require(message.starts_with("f:") && message.find('\n') == std::string_view::npos);
  }
  return 0;
}
