#include <algorithm>
#include <cstddef>

#include "frontends/ptx/initialiser.h"
#include "frontends/ptx/resolver.h"
#include "frontends/ptx/words.h"
#include "sim/base/align.h"

namespace heddle::ptx {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 47;

}  // namespace

void Resolver::variables(const ast::Item& item) {
  for (const ast::Declaration& d : item.declarations) {
    if (d.space == Space::kReg) {
      fail(d.at, "registers outside a function (legal: .reg in a body)");
    }
    variable(item, d, kNone);
  }
}

uint32_t Resolver::variable(const ast::Item& item, const ast::Declaration& d, uint32_t function) {
  Variable v;
  v.name = d.name;
  v.at = d.at;
  v.space = d.space == Space::kTex ? Space::kGlobal : d.space;
  v.type = d.space == Space::kTex ? Type::kTexref : d.type;
  v.vector = d.vector;
  v.linkage = d.linkage;
  v.managed = d.managed;
  v.function = function;
  v.pointer = d.pointer;
  v.pointer_space = d.pointer_space;
  v.pointer_align = d.pointer_align;
  if (bits(v.type) < 8 || v.type == Type::kB1024) {
    fail(d.at, "variable of type ." + std::string(info(v.type).name) +
                   " (legal: .b8 to .b128, .u8 to .u64, .s8 to .s64, .f16, .f32, .f64, .texref, .samplerref, "
                   ".surfref)");
  }
  for (uint32_t i = 0; i < d.dimensions.count; ++i) {
    v.dimensions.push_back(item.numbers[d.dimensions.first + i]);
  }
  v.unsized = d.array && v.dimensions[0] == 0;
  if (d.initialised) {
    if (v.space != Space::kGlobal && v.space != Space::kConst) {
      fail(d.at, "initialiser of a ." + std::string(ptx::name(v.space)) +
                     " variable (legal: of .global and .const)");
    }
    const std::span<const ast::InitItem> parts(item.inits.data() + d.init.first, d.init.count);
    module_.initials.push_back(
        initial_of(module_.source, v, parts, [this](const ast::InitItem& part, Relocation& r) {
          const Named* found = names_.find(part.name);
          if (found == nullptr ||
              (found->meaning != Meaning::kVariable && found->meaning != Meaning::kFunction)) {
            fail(part.at,
                 "unknown name " + quoted(part.name) + " (legal: a variable or function declared before)");
          }
          r.function = found->meaning == Meaning::kFunction;
          r.id = found->id;
        }));
    v.initial = static_cast<uint32_t>(module_.initials.size() - 1);
  }
  size_of(item, d, v);
  if (function == kNone) {
    if (const Named* known = names_.find(d.name); known != nullptr) {
      if (known->meaning != Meaning::kVariable) {
        fail(d.at, quoted(d.name) + " is declared a second time (legal: one declaration of a name)");
      }
      return merged(d, std::move(v), known->id);
    }
  }
  const auto id = static_cast<uint32_t>(module_.variables.size());
  if (function != kNone) {
    module_.functions[function].variables.push_back(id);
  }
  module_.variables.push_back(std::move(v));
  if (!d.name.empty() && d.name != "_") {
    declare({d.name, Meaning::kVariable, id}, d.at);
  }
  return id;
}

// Size, alignment.
void Resolver::size_of(const ast::Item& /*item*/, const ast::Declaration& d, Variable& v) {
  const uint64_t element = uint64_t{bits(v.type)} / 8 * v.vector;
  v.align = d.align != 0 ? d.align : static_cast<uint32_t>(element);
  v.size = v.unsized ? 0 : element;
  for (size_t i = 0; i < v.dimensions.size() && v.size != 0; ++i) {
    if (v.dimensions[i] > kMostBytes / v.size) {
      fail(d.at, quoted(d.name) + " is too large (legal: up to " + std::to_string(kMostBytes) + " bytes)");
    }
    v.size *= v.dimensions[i];
  }
}

// A second declaration of a module's variable: of an extern one, a weak one or a common one.
uint32_t Resolver::merged(const ast::Declaration& d, Variable v, uint32_t existing) {
  Variable& before = module_.variables[existing];
  const auto open = [](const Variable& x) {
    return x.linkage == Linkage::kExtern || x.linkage == Linkage::kCommon || x.linkage == Linkage::kWeak;
  };
  if (!open(before) && !open(v)) {
    fail(d.at, quoted(d.name) + " is defined a second time (legal: one definition; others .extern)");
  }
  if (before.space != v.space || before.type != v.type) {
    fail(d.at, quoted(d.name) + " is declared as ." + std::string(ptx::name(before.space)) + " ." +
                   std::string(info(before.type).name) + " before (legal: the same space and type)");
  }
  if (v.linkage != Linkage::kExtern) {
    before = std::move(v);
  }
  return existing;
}

}  // namespace heddle::ptx
