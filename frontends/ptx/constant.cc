#include "frontends/ptx/constant.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace heddle::ptx {
namespace {

constexpr int kDeepest = 128;  // two for a pair of parentheses

struct Operator {
  char first;
  char second;  // '\0': one character
  int level;    // higher binds tighter
};

constexpr Operator kOperators[] = {
    {'|', '|', 1}, {'&', '&', 2}, {'|', 0, 3},   {'^', 0, 4},  {'&', 0, 5},   {'=', '=', 6},
    {'!', '=', 6}, {'<', 0, 7},   {'<', '=', 7}, {'>', 0, 7},  {'>', '=', 7}, {'<', '<', 8},
    {'>', '>', 8}, {'+', 0, 9},   {'-', 0, 9},   {'*', 0, 10}, {'/', 0, 10},  {'%', 0, 10},
};
constexpr int kTermLevel = 10;

// What most often stands behind an expression.
bool ends(const Token& t) {
  return !t.is(TokenKind::kSign) || t.sign == ',' || t.sign == ';' || t.sign == ']' || t.sign == '}' ||
         t.sign == ')';
}

uint16_t code(const Operator& op) {
  return op.second == '\0' ? static_cast<uint16_t>(op.first)
                           : static_cast<uint16_t>(op.first * 256 + op.second);
}

double as_double(const Constant& c) {
  switch (c.kind) {
    case ConstantKind::kSigned:
      return static_cast<double>(static_cast<int64_t>(c.bits));
    case ConstantKind::kUnsigned:
      return static_cast<double>(c.bits);
    case ConstantKind::kFloat64:
      return std::bit_cast<double>(c.bits);
    case ConstantKind::kFloat32:
      return double{std::bit_cast<float>(static_cast<uint32_t>(c.bits))};
  }
  return 0;
}

Constant integer(uint64_t bits, bool is_unsigned) {
  return {is_unsigned ? ConstantKind::kUnsigned : ConstantKind::kSigned, bits};
}

Constant truth(bool b) { return integer(b ? 1 : 0, false); }

template <typename T>
bool compare(uint16_t op, T a, T b) {
  switch (op) {
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<' * 256 + '=':
      return a <= b;
    case '>' * 256 + '=':
      return a >= b;
    case '=' * 256 + '=':
      return a == b;
    default:
      return a != b;
  }
}

class Expression {
 public:
  explicit Expression(Tokens& tokens) : tokens_(tokens) {}

  Constant choice() {
    const Deeper deeper(*this);
    return choose(binary(1));
  }
  // With its first number, which has been read.
  Constant choice_from(const Constant& first) { return choose(binary_from(first, 1)); }

  Constant choose(const Constant& condition) {
    if (!tokens_.now().is('?')) {
      return condition;
    }
    tokens_.next();
    const Constant yes = choice();
    tokens_.need(':', "':' and the other value of '?'");
    const Constant no = choice();
    return condition.bits != 0 ? yes : no;
  }

  Constant binary(int level) { return binary_from(unary(), level); }

  // With what is left of the first operator.
  Constant binary_from(Constant left, int level) {
    for (;;) {
      if (ends(tokens_.now())) {
        return left;
      }
      const Token sign = tokens_.now();
      const Operator* found = nullptr;
      for (const Operator& op : kOperators) {
        if (sign.is(TokenKind::kSign) && sign.sign == code(op) && op.level >= level) {
          found = &op;
        }
      }
      if (found == nullptr) {
        return left;
      }
      tokens_.next();
      left = apply(sign, left, binary(found->level + 1));
    }
  }

  Constant unary() {
    const Deeper deeper(*this);
    const Token t = tokens_.now();
    if (t.is('-') || t.is('+') || t.is('~') || t.is('!')) {
      tokens_.next();
      return negate(t, unary());
    }
    return primary();
  }

  Constant negate(const Token& sign, const Constant& c) {
    if (c.is_float()) {
      if (sign.is('~') || sign.is('!')) {
        tokens_.fail(sign.at, "'~' and '!' of a floating-point number (legal: of integers)");
      }
      const uint64_t top = uint64_t{1} << (c.kind == ConstantKind::kFloat32 ? 31 : 63);
      return sign.is('-') ? Constant{c.kind, c.bits ^ top} : c;
    }
    if (sign.is('~')) {
      return {c.kind, ~c.bits};
    }
    if (sign.is('!')) {
      return truth(c.bits == 0);
    }
    return sign.is('-') ? Constant{c.kind, 0 - c.bits} : c;
  }

 private:
  struct Deeper {
    explicit Deeper(Expression& e) : expression(e) {
      if (++e.depth_ > kDeepest) {
        e.tokens_.fail(e.tokens_.now().at, "expression nested too deeply (legal: up to 64 levels)");
      }
    }
    ~Deeper() { --expression.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Expression& expression;
  };

  Constant primary() {
    const Token t = tokens_.now();
    if (t.is(TokenKind::kInteger)) {
      tokens_.next();
      return integer(t.bits, t.is_unsigned);
    }
    if (t.is(TokenKind::kFloat64) || t.is(TokenKind::kFloat32)) {
      tokens_.next();
      return {t.is(TokenKind::kFloat64) ? ConstantKind::kFloat64 : ConstantKind::kFloat32, t.bits};
    }
    if (t.is(TokenKind::kName) && t.text == "WARP_SZ") {
      tokens_.next();
      return integer(32, false);
    }
    if (!t.is('(')) {
      tokens_.unexpected("a number, WARP_SZ, '(', or one of - + ~ ! before these");
    }
    tokens_.next();
    if (tokens_.now().is_directive(".s64") || tokens_.now().is_directive(".u64")) {
      const bool is_unsigned = tokens_.now().text == ".u64";
      tokens_.next();
      tokens_.need(')', "')' of the cast");
      const Constant c = unary();
      return integer(c.is_float() ? 0 : c.bits, is_unsigned);
    }
    const Constant inner = choice();
    tokens_.need(')', "')'");
    return inner;
  }

  Constant apply(const Token& sign, const Constant& a, const Constant& b) {
    if (a.is_float() || b.is_float()) {
      return apply_float(sign, as_double(a), as_double(b));
    }
    const bool is_unsigned = a.kind == ConstantKind::kUnsigned || b.kind == ConstantKind::kUnsigned;
    const auto x = static_cast<int64_t>(a.bits);
    const auto y = static_cast<int64_t>(b.bits);
    switch (sign.sign) {
      case '+':
        return integer(a.bits + b.bits, is_unsigned);
      case '-':
        return integer(a.bits - b.bits, is_unsigned);
      case '*':
        return integer(a.bits * b.bits, is_unsigned);
      case '/':
      case '%':
        return quotient(sign, a, b, is_unsigned);
      case '&':
        return integer(a.bits & b.bits, is_unsigned);
      case '|':
        return integer(a.bits | b.bits, is_unsigned);
      case '^':
        return integer(a.bits ^ b.bits, is_unsigned);
      case '&' * 256 + '&':
        return truth(a.bits != 0 && b.bits != 0);
      case '|' * 256 + '|':
        return truth(a.bits != 0 || b.bits != 0);
      case '<' * 256 + '<':
        return {a.kind, b.bits >= 64 ? 0 : a.bits << b.bits};
      case '>' * 256 + '>':
        if (a.kind == ConstantKind::kSigned) {
          return {a.kind, static_cast<uint64_t>(x >> (b.bits >= 64 ? 63 : b.bits))};
        }
        return {a.kind, b.bits >= 64 ? 0 : a.bits >> b.bits};
      default:
        return truth(is_unsigned ? compare(sign.sign, a.bits, b.bits) : compare(sign.sign, x, y));
    }
  }

  Constant quotient(const Token& sign, const Constant& a, const Constant& b, bool is_unsigned) {
    if (b.bits == 0) {
      tokens_.fail(sign.at, "division by zero (legal: a divisor that is not 0)");
    }
    if (sign.is('%')) {  // reads its operands as unsigned
      return integer(a.bits % b.bits, is_unsigned);
    }
    if (is_unsigned) {
      return integer(a.bits / b.bits, true);
    }
    const auto x = static_cast<int64_t>(a.bits);
    const auto y = static_cast<int64_t>(b.bits);
    return integer(y == -1 ? 0 - a.bits : static_cast<uint64_t>(x / y), false);
  }

  Constant apply_float(const Token& sign, double a, double b) {
    const auto number = [](double d) { return Constant{ConstantKind::kFloat64, std::bit_cast<uint64_t>(d)}; };
    switch (sign.sign) {
      case '+':
        return number(a + b);
      case '-':
        return number(a - b);
      case '*':
        return number(a * b);
      case '/':
        return number(a / b);
      case '<':
      case '>':
      case '<' * 256 + '=':
      case '>' * 256 + '=':
      case '=' * 256 + '=':
      case '!' * 256 + '=':
        return truth(compare(sign.sign, a, b));
      default:
        tokens_.fail(sign.at,
                     quoted(sign.text) + " of floating-point numbers (legal: + - * / and comparisons)");
    }
  }

  Tokens& tokens_;
  int depth_ = 0;
};

// The value's significand in steps of 2^lowest, rounded to nearest even, with `bits` bits from `low` on.
uint16_t small_float(double value, int fraction_bits, int exponent_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto infinite = static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
  if (std::isnan(value)) {
    return 0x7fff;
  }
  const double size = std::fabs(value);
  if (size == 0) {
    return sign;
  }
  int exponent = 0;
  std::frexp(size, &exponent);  // size in [2^(exponent - 1), 2^exponent)
  const int step = std::max(exponent - 1, 1 - bias) - fraction_bits;
  const double steps = std::nearbyint(std::ldexp(size, -step));
  if (std::isinf(size) || std::ldexp(steps, step) >= std::ldexp(1.0, bias + 1)) {
    return sign | infinite;
  }
  const auto units = static_cast<uint32_t>(steps);
  // Units of 2^step with their hidden bit added to the exponent's field: subnormals have none.
  const int field = step + fraction_bits - (1 - bias);
  return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(field) << fraction_bits) + units));
}

}  // namespace

Constant parse_constant(Tokens& tokens) {
  if (tokens.now().is(TokenKind::kInteger)) {  // mostly all of it
    const Constant c = integer(tokens.now().bits, tokens.now().is_unsigned);
    tokens.next();
    return ends(tokens.now()) ? c : Expression(tokens).choice_from(c);
  }
  return Expression(tokens).choice();
}

Constant parse_negative(Tokens& tokens, const Token& minus) {
  Expression e(tokens);
  return e.binary_from(e.negate(minus, e.unary()), 1);
}

Constant parse_term(Tokens& tokens) { return Expression(tokens).binary(kTermLevel); }

uint64_t parse_count(Tokens& tokens, std::string_view what) {
  const Token start = tokens.now();
  const Constant c = parse_constant(tokens);
  if (c.is_float() || (c.kind == ConstantKind::kSigned && static_cast<int64_t>(c.bits) < 0)) {
    tokens.fail(start.at, "unexpected " + describe(start) + " (legal: " + std::string(what) + ")");
  }
  return c.bits;
}

uint16_t half_bits(double value) { return small_float(value, 10, 5); }
uint16_t bfloat_bits(double value) { return small_float(value, 7, 8); }

uint64_t bits_as(const Constant& constant, Type type) {
  switch (type) {
    case Type::kPred:
      return constant.bits != 0 ? 1 : 0;
    case Type::kF32:
      return constant.kind == ConstantKind::kFloat32
                 ? constant.bits
                 : std::bit_cast<uint32_t>(static_cast<float>(as_double(constant)));
    case Type::kF64:
      return std::bit_cast<uint64_t>(as_double(constant));
    case Type::kF16:
      return half_bits(as_double(constant));
    default:
      break;
  }
  if (constant.kind == ConstantKind::kFloat64 && bits(type) == 32) {
    return std::bit_cast<uint32_t>(static_cast<float>(as_double(constant)));
  }
  const uint32_t width = bits(type);
  return width == 0 || width >= 64 ? constant.bits : constant.bits & ((uint64_t{1} << width) - 1);
}

}  // namespace heddle::ptx
