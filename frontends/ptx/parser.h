// From text to the items of a module, one after the other (ptx.md 1.2, 1.3). Knows the form of what is
// written, not what names and instructions mean.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/ptx/ast.h"
#include "frontends/ptx/tokens.h"

namespace heddle::ptx {

class Parser {
 public:
  // `made`: where texts are kept that do not stand in the source in one piece ("add .u32"); lives as long as
  // what is made of the items.
  Parser(const Source& source, std::deque<std::string>& made) : tokens_(source), made_(made) {}

  // The next item in place of the last one; kEnd at the end. Throws heddle::Error.
  void next(ast::Item& item);

 private:
  // parser.cc: modules
  void version(ast::Item& item);
  void target(ast::Item& item);
  void file(ast::Item& item);
  void section(ast::Item& item);
  void alias(ast::Item& item);
  void linked(ast::Item& item);
  void function(ast::Item& item, Linkage linkage);
  void function_directives(ast::Item& item, ast::Prototype& prototype);
  void directive(ast::Item& item);
  void skip_to_end();

  // parser_declaration.cc
  void declaration(ast::Item& item, Linkage linkage);
  void specifiers(ast::Item& item, ast::Declaration& d);
  bool specifier(ast::Declaration& d);
  void pointer(ast::Declaration& d);
  void attribute(ast::Item& item, ast::Declaration& d);
  void declarator(ast::Item& item, ast::Declaration& d);
  void initialiser(ast::Item& item, int depth);
  void initial_value(ast::Item& item);
  void symbol(ast::InitItem& part);
  ast::Range parameters(ast::Item& item);

  // parser_statement.cc
  void body(ast::Item& item);
  void statement(ast::Item& item);
  void label_or_instruction(ast::Item& item);
  void directive_statement(ast::Item& item);
  void after_label(ast::Item& item, ast::StatementKind kind);
  void call_prototype(ast::Item& item);
  void loc(ast::Item& item);
  void instruction(ast::Item& item, ast::Statement& s, const Token& opcode);
  std::string_view spaced_opcode(std::string_view first);

  // parser_operand.cc
  ast::Range operands(ast::Item& item, char end, bool call, int depth);
  ast::Operand operand(ast::Item& item, bool call, int depth);
  ast::Operand one_operand(ast::Item& item, bool call, int depth);
  ast::Operand named(ast::Item& item);
  ast::Operand bracket(ast::Item& item, int depth);
  void offset(ast::Operand& op);

  Tokens tokens_;
  std::deque<std::string>& made_;
  std::vector<ast::Operand> unfinished_;  // of lists whose end has not come
};

}  // namespace heddle::ptx
