#include <cstddef>

#include "frontends/ptx/parser.h"

namespace heddle::ptx {
namespace {

constexpr int kDeepest = 4;
constexpr size_t kMostOperands = 4096;

}  // namespace

// Up to the sign `end`, and behind it.
ast::Range Parser::operands(ast::Item& item, char end, bool call, int depth) {
  const size_t mine = unfinished_.size();
  const uint32_t at = tokens_.now().at;
  if (depth > kDeepest) {
    tokens_.fail(at, "operands nested too deeply (legal: up to 4 levels)");
  }
  while (!tokens_.now().is(end)) {
    const ast::Operand op = operand(item, call, depth);
    unfinished_.push_back(op);
    if (unfinished_.size() - mine > kMostOperands) {
      tokens_.fail(at, "too many operands (legal: up to 4096)");
    }
    if (!tokens_.take(',')) {
      break;
    }
  }
  if (!tokens_.now().is(end)) {
    tokens_.unexpected(std::string("',' or '") + end + "'");
  }
  tokens_.next();
  const auto first = static_cast<uint32_t>(item.operands.size());
  item.operands.insert(item.operands.end(), unfinished_.begin() + static_cast<std::ptrdiff_t>(mine),
                       unfinished_.end());
  unfinished_.resize(mine);
  return {first, static_cast<uint32_t>(item.operands.size()) - first};
}

// With a pair's second half.
ast::Operand Parser::operand(ast::Item& item, bool call, int depth) {
  const ast::Operand first = one_operand(item, call, depth);
  if (!tokens_.now().is('|')) {
    return first;
  }
  tokens_.next();
  const ast::Operand second = one_operand(item, call, depth);
  ast::Operand pair;
  pair.kind = ast::OperandKind::kPair;
  pair.at = first.at;
  pair.children = {static_cast<uint32_t>(item.operands.size()), 2};
  item.operands.push_back(first);
  item.operands.push_back(second);
  return pair;
}

ast::Operand Parser::one_operand(ast::Item& item, bool call, int depth) {
  const Token& t = tokens_.now();
  ast::Operand op;
  op.at = t.at;
  if (t.is(TokenKind::kName) && t.text != "WARP_SZ") {
    return named(item);
  }
  if (t.is('[')) {
    return bracket(item, depth);
  }
  if (t.is('{') || (call && t.is('('))) {
    op.kind = t.is('{') ? ast::OperandKind::kVector : ast::OperandKind::kList;
    const char end = t.is('{') ? '}' : ')';
    tokens_.next();
    op.children = operands(item, end, false, depth + 1);
    return op;
  }
  if (t.is('!')) {
    tokens_.next();
    if (tokens_.now().is(TokenKind::kName)) {
      op = named(item);
      op.negated = true;
      return op;
    }
    op.kind = ast::OperandKind::kNumber;
    op.value = parse_constant(tokens_);
    op.value = {ConstantKind::kSigned, op.value.bits == 0 ? uint64_t{1} : uint64_t{0}};
    return op;
  }
  if (t.is(TokenKind::kInteger) || t.is(TokenKind::kFloat32) || t.is(TokenKind::kFloat64) || t.is('(') ||
      t.is('+') || t.is('~') || t.is(TokenKind::kName)) {
    op.kind = ast::OperandKind::kNumber;
    op.value = parse_constant(tokens_);
    return op;
  }
  if (!t.is('-')) {
    tokens_.unexpected("an operand: a register, a number, a name, [address], {list}");
  }
  const Token minus = t;
  tokens_.next();
  if (tokens_.now().is(TokenKind::kName) && tokens_.now().text != "WARP_SZ") {
    op = named(item);
    op.minus = true;
    return op;
  }
  op.kind = ast::OperandKind::kNumber;
  op.value = parse_negative(tokens_, minus);
  return op;
}

// name, name + 4, name[4]
ast::Operand Parser::named(ast::Item& item) {
  (void)item;
  ast::Operand op;
  op.at = tokens_.now().at;
  op.name = tokens_.now().text;
  tokens_.next();
  if (op.name == "_") {
    op.kind = ast::OperandKind::kSink;
    return op;
  }
  op.kind = ast::OperandKind::kName;
  if (tokens_.now().is('[')) {
    tokens_.next();
    op.kind = ast::OperandKind::kAddress;
    op.value = parse_constant(tokens_);
    tokens_.need(']', "']'");
    return op;
  }
  offset(op);
  return op;
}

void Parser::offset(ast::Operand& op) {
  while (tokens_.now().is('+') || tokens_.now().is('-')) {
    const bool minus = tokens_.now().is('-');
    tokens_.next();
    const uint64_t more = parse_term(tokens_).bits;
    op.value.bits += minus ? 0 - more : more;
  }
}

// [name], [name + 4], [4], [name, {x, y}]
ast::Operand Parser::bracket(ast::Item& item, int depth) {
  ast::Operand op;
  op.at = tokens_.now().at;
  tokens_.next();
  op.kind = ast::OperandKind::kAddress;
  if (tokens_.now().is(TokenKind::kName) && tokens_.now().text != "WARP_SZ") {
    op.name = tokens_.now().text;
    tokens_.next();
    offset(op);
  } else {
    op.value = parse_constant(tokens_);
  }
  if (tokens_.take(',')) {
    ast::Operand first = op;
    const size_t mine = unfinished_.size();
    const ast::Range rest = operands(item, ']', false, depth + 1);
    op.kind = ast::OperandKind::kBracket;
    op.children = {static_cast<uint32_t>(item.operands.size()), rest.count + 1};
    unfinished_.resize(mine);
    item.operands.push_back(first);
    for (uint32_t i = 0; i < rest.count; ++i) {
      const ast::Operand next = item.operands[rest.first + i];
      item.operands.push_back(next);
    }
  } else {
    tokens_.need(']', "']', ',', or '+' and an offset");
  }
  if (tokens_.now().is_directive(".unified")) {  // [a].unified: the same address on all devices
    tokens_.next();
  }
  return op;
}

}  // namespace heddle::ptx
