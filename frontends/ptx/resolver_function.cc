#include <algorithm>
#include <cstddef>

#include "frontends/ptx/resolver.h"
#include "sim/base/align.h"

namespace heddle::ptx {
namespace {

bool same(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Parameter& x, const Parameter& y) { return x.size == y.size; });
}

}  // namespace

void Resolver::function(const ast::Item& item) {
  const ast::Prototype& p = item.prototypes.front();
  function_ = declared_function(p);
  f_ = &module_.functions[function_];
  plain_registers_ = 0;
  names_.open();
  const bool first_time = f_->at == p.at;
  Signature s = signature(item, p, p.has_body);
  f_ = &module_.functions[function_];
  if (!first_time &&
      !(same(f_->signature.returns, s.returns) && same(f_->signature.parameters, s.parameters))) {
    fail(p.at, quoted(p.name) + " has other parameters than in its declaration before (legal: the same)");
  }
  if (first_time || p.has_body) {
    s.noreturn = s.noreturn || f_->signature.noreturn;
    f_->signature = std::move(s);
  }
  if (p.linkage != Linkage::kNone && (p.has_body || f_->linkage == Linkage::kNone)) {
    f_->linkage = p.linkage;
  }
  directives(item, p);
  if (p.entry) {
    lay_out_parameters(p);
  }
  if (p.has_body) {
    f_->defined = true;
    f_->at = p.at;
    body(item);
  }
  names_.close();
  f_ = nullptr;
}

// The id of the function of this name, a new one when there is none.
uint32_t Resolver::declared_function(const ast::Prototype& p) {
  if (const Named* known = names_.find(p.name); known != nullptr) {
    if (known->meaning != Meaning::kFunction) {
      fail(p.at, quoted(p.name) + " is a variable (legal: a name of its own for each function)");
    }
    const Function& f = module_.functions[known->id];
    if (f.defined && p.has_body) {
      fail(p.at, quoted(p.name) + " has a body already (legal: one definition)");
    }
    if (f.entry != p.entry) {
      fail(p.at, quoted(p.name) + " is declared as " + (f.entry ? ".entry" : ".func") +
                     " before (legal: the same)");
    }
    return known->id;
  }
  const auto id = static_cast<uint32_t>(module_.functions.size());
  Function f;
  f.name = p.name;
  f.at = p.at;
  f.entry = p.entry;
  module_.functions.push_back(std::move(f));
  declare({p.name, Meaning::kFunction, id}, p.at);
  return id;
}

// `named`: the parameters are those of the body that follows.
Signature Resolver::signature(const ast::Item& item, const ast::Prototype& p, bool named) {
  Signature s;
  s.noreturn = p.noreturn;
  for (uint32_t i = 0; i < p.returns.count; ++i) {
    s.returns.push_back(parameter(item, item.declarations[p.returns.first + i], i, named));
  }
  for (uint32_t i = 0; i < p.parameters.count; ++i) {
    s.parameters.push_back(parameter(item, item.declarations[p.parameters.first + i], i, named));
  }
  return s;
}

Parameter Resolver::parameter(const ast::Item& item, const ast::Declaration& d, uint32_t index, bool named) {
  Parameter out;
  out.type = d.type;
  out.is_register = d.space == Space::kReg;
  if (out.is_register) {
    if (d.array || d.range != 0) {
      fail(d.at, "register parameter " + quoted(d.name) + " with several elements (legal: one register)");
    }
    out.size = (bits(d.type) + 7) / 8;
    if (named) {
      out.id = static_cast<uint32_t>(f_->declared_registers);
      registers(d);
    }
    return out;
  }
  if (named) {
    out.id = variable(item, d, function_);
    Variable& v = module_.variables[out.id];
    v.parameter = index;
    out.size = v.size;
    out.align = v.align;
    return out;
  }
  Variable v;  // of a prototype: only its size counts
  v.type = d.type;
  v.vector = d.vector;
  for (uint32_t i = 0; i < d.dimensions.count; ++i) {
    v.dimensions.push_back(item.numbers[d.dimensions.first + i]);
  }
  v.unsized = d.array && v.dimensions[0] == 0;
  size_of(item, d, v);
  out.size = v.size;
  out.align = v.align;
  return out;
}

// Kernel parameters lie one behind the other, each at its alignment.
void Resolver::lay_out_parameters(const ast::Prototype& p) {
  uint64_t at = 0;
  for (const Parameter& parameter : f_->signature.parameters) {
    at = round_up(at, uint64_t{std::max<uint32_t>(parameter.align, 1)});
    if (p.has_body) {
      module_.variables[parameter.id].offset = at;
    }
    at += parameter.size;
  }
  const bool large = module_.target.version >= 81 && module_.target.sm >= 70;
  const uint64_t most = large ? 32764 : 4352;
  if (at > most) {
    fail(p.at, "the parameters of " + quoted(p.name) + " take " + std::to_string(at) +
                   " bytes (legal: up to " + std::to_string(most) +
                   (large ? ")" : "; 32764 from .version 8.1 and sm_70)"));
  }
  f_->parameter_bytes = at;
}

void Resolver::directives(const ast::Item& item, const ast::Prototype& p) {
  for (uint32_t i = 0; i < p.directives.count; ++i) {
    const ast::Directive& d = item.directives[p.directives.first + i];
    if (d.name == ".pragma") {
      f_->pragmas.push_back(d.text);
    } else {
      bound(item, d);
    }
  }
}

void Resolver::bound(const ast::Item& item, const ast::Directive& d) {
  const auto value = [&](uint32_t i, uint32_t missing) {
    const uint64_t n = i < d.values.count ? item.numbers[d.values.first + i] : missing;
    if (n > UINT32_MAX) {
      fail(d.at, std::string(d.name) + " " + std::to_string(n) + " (legal: up to 4294967295)");
    }
    return static_cast<uint32_t>(n);
  };
  const auto need = [&](uint32_t least, uint32_t most, std::string_view legal) {
    if (d.values.count < least || d.values.count > most) {
      fail(d.at, std::string(d.name) + " with " + std::to_string(d.values.count) +
                     " numbers (legal: " + std::string(legal) + ")");
    }
  };
  const auto three = [&](uint32_t(&to)[3]) {
    need(1, 3, "one to three");
    for (uint32_t i = 0; i < 3; ++i) {
      to[i] = value(i, 1);
    }
  };
  const auto one = [&](uint32_t& to) {
    need(1, 1, "one");
    to = value(0, 0);
  };
  LaunchBounds& b = f_->bounds;
  if (d.name == ".maxntid") {
    three(b.max_threads);
  } else if (d.name == ".reqntid") {
    three(b.required_threads);
  } else if (d.name == ".reqnctapercluster") {
    three(b.required_cluster);
  } else if (d.name == ".maxnreg") {
    one(b.max_registers);
  } else if (d.name == ".minnctapersm") {
    one(b.min_blocks);
  } else if (d.name == ".maxnctapersm") {
    one(b.max_blocks);
  } else if (d.name == ".maxclusterrank") {
    one(b.max_cluster_rank);
  } else if (d.name == ".explicitcluster") {
    b.explicit_cluster = true;
  } else if (d.name == ".blocksareclusters") {
    b.blocks_are_clusters = true;
  } else if (d.name != ".noreturn" && d.name != ".abi_preserve" && d.name != ".abi_preserve_control") {
    warn(d.at,
         "unknown directive " + quoted(d.name) +
             " is ignored (legal: .maxnreg, .maxntid, .reqntid, .minnctapersm, .maxnctapersm, "
             ".reqnctapercluster, .explicitcluster, .maxclusterrank, .blocksareclusters, .noreturn, .pragma, "
             ".abi_preserve, .abi_preserve_control)");
  }
}

}  // namespace heddle::ptx
