// From the items of a parser to a module: names to what they mean, instructions to rows of the table,
// operands to what these take (ptx.md 1.2 to 1.5, 2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/ptx/ast.h"
#include "frontends/ptx/form.h"
#include "frontends/ptx/module.h"
#include "frontends/ptx/name_table.h"

namespace heddle::ptx {

class Resolver {
 public:
  explicit Resolver(Module& module) : module_(module) {}

  // The next item of the module. Throws heddle::Error.
  void add(const ast::Item& item);
  // When all have come.
  void finish();

 private:
  struct Register {
    uint32_t number = 0;  // declared
    Type type = Type::kNone;
    uint8_t vector = 1;
    bool element = false;
    bool selected = false;
    int64_t selection = 0;
  };

  // resolver.cc
  void target(const ast::Item& item);
  void alias(const ast::Item& item);
  void need_head(const ast::Item& item);
  void warn(uint32_t at, std::string_view what);
  [[noreturn]] void fail(uint32_t at, std::string_view what) const { module_.source.fail(at, what); }

  // resolver_variable.cc
  void variables(const ast::Item& item);
  uint32_t variable(const ast::Item& item, const ast::Declaration& d, uint32_t function);
  void size_of(const ast::Item& item, const ast::Declaration& d, Variable& v);
  uint32_t merged(const ast::Declaration& d, Variable v, uint32_t existing);

  // resolver_function.cc
  void function(const ast::Item& item);
  uint32_t declared_function(const ast::Prototype& p);
  Signature signature(const ast::Item& item, const ast::Prototype& p, bool named);
  Parameter parameter(const ast::Item& item, const ast::Declaration& d, uint32_t index, bool named);
  void lay_out_parameters(const ast::Prototype& p);
  void directives(const ast::Item& item, const ast::Prototype& p);
  void bound(const ast::Item& item, const ast::Directive& d);

  // resolver_body.cc
  void body(const ast::Item& item);
  void collect_labels(const ast::Item& item);
  void declare_labels(uint32_t scope);
  void statement(const ast::Item& item, const ast::Statement& s);
  void list(const ast::Item& item, const ast::Statement& s);
  void registers(const ast::Declaration& d);
  void declare(const Named& named, uint32_t at, bool numbered = false);
  void number_registers();

  // resolver_instr.cc
  void instr(const ast::Item& item, const ast::Statement& s);
  const std::pair<uint32_t, uint32_t>& ops_of(const ast::Statement& s);
  void guard(const ast::Statement& s, Instr& i);
  struct Cursor;
  const ast::Operand* written_for(const ast::Item& item, const Form& form, size_t place, Cursor& at) const;
  bool fill(const ast::Item& item, const ast::Statement& s, const Op& op);
  bool fill_call(const ast::Item& item, const ast::Statement& s);
  bool callee(const ast::Operand& name, const ast::Operand* list, Operand& target, Operand& targets,
              const Signature*& signature);
  bool indirect(const ast::Operand& name, const ast::Operand* list, Operand& targets,
                const Signature*& signature);
  bool arguments(const ast::Item& item, const ast::Operand& list, const std::vector<Parameter>& formals,
                 bool returned, Operand& out);

  // resolver_operand.cc. Those that return bool: whether it is legal; if not, problem_ says why.
  bool place(const ast::Item& item, const OperandSpec& spec, const Op& op, const ast::Operand& a,
             Operand& out);
  bool many(const ast::Item& item, const OperandSpec& spec, const Op& op, const ast::Operand& a,
            Operand& out);
  bool one(const OperandSpec& spec, const Op& op, Type want, const ast::Operand& a, Operand& out);
  bool name(const OperandSpec& spec, const Op& op, Type want, const ast::Operand& a, Operand& out);
  bool number(Type want, const ast::Operand& a, Operand& out);
  bool address(const Op& op, const ast::Operand& a, Operand& out);
  bool reg(const OperandSpec& spec, Type want, const ast::Operand& a, const std::optional<Register>& r,
           Operand& out);
  bool whole_special(const ast::Operand& a, Operand& out);
  bool special(Type want, const ast::Operand& a, Operand& out);
  bool label(const ast::Operand& a, Operand& out);

  bool wrong(uint32_t at, std::string what);
  std::optional<Register> find_register(std::string_view name);
  std::string unknown(std::string_view name) const;

  Module& module_;
  bool version_seen_ = false;
  bool target_seen_ = false;
  NameTable names_;
  NameTable texts_;
  std::vector<std::pair<uint32_t, uint32_t>> candidates_;  // of a text: the first of Module::ops, how many

  // Of the function that is being built.
  Function* f_ = nullptr;
  uint32_t function_ = 0;
  uint32_t plain_registers_ = 0;  // declared one by one with a name that ends in a digit
  struct ScopedLabel {
    uint32_t scope;
    uint32_t label;
    uint32_t at;
  };
  std::vector<ScopedLabel> labels_;
  std::vector<Operand> direct_;  // of the instruction
  uint32_t problem_at_ = 0;
  std::string problem_;
};

}  // namespace heddle::ptx
