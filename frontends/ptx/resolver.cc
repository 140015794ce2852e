#include "frontends/ptx/resolver.h"

#include <cstddef>

#include "sim/base/text.h"

namespace heddle::ptx {

void Resolver::add(const ast::Item& item) {
  switch (item.kind) {
    case ast::ItemKind::kVersion:
      if (item.numbers[1] > 9 || item.numbers[0] == 0 || item.numbers[0] > 20) {
        fail(item.at, ".version " + std::to_string(item.numbers[0]) + "." + std::to_string(item.numbers[1]) +
                          " (legal: 1.0 to 9.0; later ones as far as their language is the same)");
      }
      module_.target.version = static_cast<uint8_t>(item.numbers[0] * 10 + item.numbers[1]);
      version_seen_ = true;
      return;
    case ast::ItemKind::kTarget:
      target(item);
      return;
    case ast::ItemKind::kAddressSize:
      if (item.numbers[0] != 32 && item.numbers[0] != 64) {
        fail(item.at, ".address_size " + std::to_string(item.numbers[0]) + " (legal: 32, 64)");
      }
      module_.address_bits = static_cast<uint32_t>(item.numbers[0]);
      return;
    case ast::ItemKind::kFile:
      module_.files.push_back({static_cast<uint32_t>(item.numbers[0]), item.names[0]});
      return;
    case ast::ItemKind::kPragma:
      module_.pragmas.insert(module_.pragmas.end(), item.names.begin(), item.names.end());
      return;
    case ast::ItemKind::kAlias:
      alias(item);
      return;
    case ast::ItemKind::kVariables:
      need_head(item);
      variables(item);
      return;
    case ast::ItemKind::kFunction:
      need_head(item);
      function(item);
      return;
    case ast::ItemKind::kSection:
    case ast::ItemKind::kEnd:
      return;
  }
}

void Resolver::finish() {
  if (!version_seen_ || !target_seen_) {
    fail(0, std::string("the module has no ") + (version_seen_ ? ".target" : ".version") +
                " (legal: .version and .target at its beginning)");
  }
}

void Resolver::need_head(const ast::Item& item) {
  if (!version_seen_ || !target_seen_) {
    fail(item.at, std::string("no ") + (version_seen_ ? ".target" : ".version") +
                      " before this (legal: .version and .target first)");
  }
}

void Resolver::target(const ast::Item& item) {
  for (const std::string_view name : item.names) {
    if (name == "debug") {
      module_.debug = true;
    } else if (name == "texmode_independent") {
      module_.texmode_independent = true;
    } else if (name == "texmode_unified" || name == "map_f64_to_f32") {
      continue;
    } else {
      std::string_view number = name.starts_with("sm_") ? name.substr(3) : std::string_view();
      char suffix = '\0';
      if (number.ends_with('a') || number.ends_with('f')) {
        suffix = number.back();
        number.remove_suffix(1);
      }
      const auto sm = parse_number<uint16_t>(number);
      if (!sm || *sm > 999) {
        fail(item.at, "unknown target " + quoted(name) +
                          " (legal: sm_50 to sm_90a and later, debug, texmode_unified, texmode_independent, "
                          "map_f64_to_f32)");
      }
      module_.target.sm = *sm;
      module_.target.suffix = suffix;
      target_seen_ = true;
    }
  }
}

void Resolver::alias(const ast::Item& item) {
  const Named* meant = names_.find(item.names[1]);
  if (meant == nullptr || meant->meaning != Meaning::kFunction) {
    fail(item.at, quoted(item.names[1]) + " is no function (legal: one that is declared before the .alias)");
  }
  const uint32_t id = meant->id;
  const Named* known = names_.find(item.names[0]);
  uint32_t mine = 0;
  if (known != nullptr && known->meaning == Meaning::kFunction) {
    mine = known->id;
  } else {
    mine = static_cast<uint32_t>(module_.functions.size());
    Function f;
    f.name = item.names[0];
    f.at = item.at;
    f.signature = module_.functions[id].signature;
    module_.functions.push_back(std::move(f));
    declare({item.names[0], Meaning::kFunction, mine}, item.at);
  }
  if (module_.functions[mine].defined || mine == id) {
    fail(item.at, quoted(item.names[0]) + " has a body and cannot be an alias (legal: a declared function)");
  }
  for (uint32_t of = id; of != kNone; of = module_.functions[of].alias_of) {
    if (of == mine) {
      fail(item.at, quoted(item.names[0]) +
                        " would be an alias of itself (legal: of a function with a body in the end)");
    }
  }
  module_.functions[mine].alias_of = id;
}

void Resolver::warn(uint32_t at, std::string_view what) {
  constexpr size_t kMost = 100;
  if (module_.warnings.size() < kMost) {
    module_.warnings.push_back(module_.source.message(at, what));
  }
}

void Resolver::declare(const Named& named, uint32_t at, bool numbered) {
  if (names_.add(named, numbered) != nullptr) {
    fail(at,
         quoted(named.name) + " is declared a second time in this scope (legal: one declaration of a name)");
  }
}

std::string Resolver::unknown(std::string_view name) const {
  std::string legal = "names declared before in this scope or around it";
  for (size_t digits = 1; digits < name.size() && digits < 11; ++digits) {
    const Named* found = names_.find(name.substr(0, name.size() - digits), true);
    if (f_ != nullptr && found != nullptr) {
      const RegisterRange& range = f_->ranges[found->id];
      legal = std::string(range.name) + "0 to " + std::string(range.name) +
              std::to_string(range.count / range.vector - 1);
      break;
    }
  }
  return "unknown name " + quoted(name) + " (legal: " + legal + ")";
}

}  // namespace heddle::ptx
