// The rows of form_rows.h, read: which modifiers and operands each form of an instruction takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/ptx/form_rows.h"
#include "frontends/ptx/op.h"
#include "frontends/ptx/words.h"

namespace heddle::ptx {

// One place for a modifier.
struct Slot {
  Field field = Field::kFlag;
  bool optional = false;
  std::vector<std::string_view> words;  // legal ones; "m64n*k16": n of 8 to 256 in steps of 8

  bool takes(std::string_view word) const;
};

enum class OperandRole : uint8_t {
  kDestination,
  kDestinationOrSink,
  kSource,
  kRegister,
  kNumber,
  kPredicate,
  kAddress,
  kMovSource,
  kObject,  // texture, sampler, surface, tensor map
  kLabel,
  kBranchTargets,
};

// How many elements.
enum class Extent : uint8_t { kOne, kFixed, kVector, kNumber, kAccumulators, kCoordinates, kOffsets, kAny };

// Which type: `fixed`, or one of those that the Op has.
enum class TypeRule : uint8_t { kFixed, kAny, kFirst, kSecond, kThird, kFourth, kDouble, kAccumulator };

// One place for an operand. An instruction has as many operands as its form has places; those that are
// missing are OperandKind::kNone.
struct OperandSpec {
  OperandRole role = OperandRole::kSource;
  Extent extent = Extent::kOne;
  uint8_t count = 1;  // kFixed; kNumber: times as many
  TypeRule rule = TypeRule::kAny;
  Type fixed = Type::kNone;
  bool wider = false;
  bool optional = false;
  bool second = false;         // of a pair d|p
  bool bracket_opens = false;  // of [a, b]: the first; all have in_bracket
  bool in_bracket = false;
  int8_t condition = -1;  // there exactly when this slot is filled
};

struct Form {
  const FormRow* row = nullptr;
  std::vector<Slot> slots;
  std::vector<OperandSpec> operands;
};

// All forms of an operation, in the order of the rows.
const std::vector<const Form*>& forms_of(Opcode opcode);
const std::vector<Form>& all_forms();

// What the form's operand `spec` is in an instruction that begins with `op`.
Type type_of(const OperandSpec& spec, const Op& op);
// 0: any number.
uint32_t elements_of(const OperandSpec& spec, const Op& op);
bool present(const OperandSpec& spec, const Op& op);

// "d, a, b": for messages.
std::string shape_of(const Form& form, const Op& op);

}  // namespace heddle::ptx
