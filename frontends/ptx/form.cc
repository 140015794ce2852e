#include "frontends/ptx/form.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <optional>

#include "sim/base/text.h"

namespace heddle::ptx {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = text.find(at);
    if (end != 0) {
      out.push_back(text.substr(0, end));
    }
    if (end == std::string_view::npos) {
      break;
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

void add_words(std::vector<std::string_view>& out, std::string_view list) {
  for (const std::string_view w : split(list, ',')) {
    if (w.starts_with('@')) {
      assert(!word_set(w.substr(1)).empty());
      add_words(out, word_set(w.substr(1)));
    } else {
      out.push_back(w);
    }
  }
}

Slot slot_from(std::string_view text) {
  Slot slot;
  std::string_view name = text.substr(0, text.find('='));
  if (name.ends_with('?')) {
    slot.optional = true;
    name.remove_suffix(1);
  }
  slot.field = field_named(name);
  if (text.find('=') != std::string_view::npos) {
    add_words(slot.words, text.substr(text.find('=') + 1));
  } else if (slot.field == Field::kFlag) {
    slot.words = {name};
  } else {
    add_words(slot.words, word_set(name));
  }
  assert(!slot.words.empty());
  return slot;
}

OperandRole role_from(char c) {
  constexpr std::string_view kRoles = "desripamolb";
  assert(kRoles.find(c) != std::string_view::npos);
  return static_cast<OperandRole>(kRoles.find(c));
}

void read_extent(OperandSpec& spec, std::string_view text) {
  if (text.empty()) {
    return;
  }
  if (const auto n = parse_number<uint8_t>(text)) {
    spec.extent = Extent::kFixed;
    spec.count = *n;
    return;
  }
  constexpr std::string_view kExtents = "vnwck*";
  assert(kExtents.find(text.front()) != std::string_view::npos);
  spec.extent = static_cast<Extent>(kExtents.find(text.front()) + static_cast<size_t>(Extent::kVector));
  if (const auto n = parse_number<uint8_t>(text.substr(1))) {
    spec.count = *n;
  }
}

void read_type(OperandSpec& spec, std::string_view text) {
  if (text.starts_with('~')) {
    spec.wider = true;
    text.remove_prefix(1);
  }
  constexpr std::string_view kRules = "*TUVWDA";
  if (text.size() == 1) {
    assert(kRules.find(text.front()) != std::string_view::npos);
    spec.rule = static_cast<TypeRule>(kRules.find(text.front()) + static_cast<size_t>(TypeRule::kAny));
    return;
  }
  spec.rule = TypeRule::kFixed;
  const auto type = type_named(text);
  assert(type);
  spec.fixed = type.value_or(spec.fixed);
}

// Which slot a condition ("&bool", "&L2::cache_hint") means.
int8_t slot_named(const Form& form, std::string_view name) {
  for (size_t i = 0; i < form.slots.size(); ++i) {
    const Slot& slot = form.slots[i];
    const Field field = field_named(name);
    if (slot.field == field && (field != Field::kFlag || slot.words.front() == name)) {
      return static_cast<int8_t>(i);
    }
  }
  assert(false);
  return -1;
}

OperandSpec operand_from(const Form& form, std::string_view text) {
  OperandSpec spec;
  if (const size_t amp = text.find('&'); amp != std::string_view::npos) {
    spec.condition = slot_named(form, text.substr(amp + 1));
    text = text.substr(0, amp);
  }
  if (text.starts_with('|')) {
    spec.second = true;
    text.remove_prefix(1);
  }
  if (text.ends_with('?')) {
    spec.optional = true;
    text.remove_suffix(1);
  }
  spec.role = role_from(text.front());
  const size_t colon = text.find(':');
  read_extent(spec, text.substr(1, colon == std::string_view::npos ? colon : colon - 1));
  if (colon != std::string_view::npos) {
    read_type(spec, text.substr(colon + 1));
  } else if (spec.role == OperandRole::kPredicate) {
    spec.rule = TypeRule::kFixed;
    spec.fixed = Type::kPred;
  }
  return spec;
}

Form form_from(const FormRow& row) {
  Form form;
  form.row = &row;
  for (const std::string_view slot : split(row.modifiers, ' ')) {
    form.slots.push_back(slot_from(slot));
  }
  assert(form.slots.size() <= 32);
  bool inside = false;
  bool opens = false;
  for (const std::string_view word : split(row.operands, ' ')) {
    if (word == "[" || word == "]") {
      inside = opens = word == "[";
      continue;
    }
    OperandSpec spec = operand_from(form, word);
    spec.in_bracket = inside;
    spec.bracket_opens = opens;
    opens = false;
    form.operands.push_back(spec);
  }
  return form;
}

// Of texture coordinates, and of tensors.
uint32_t dimensions(Geometry geometry) {
  return geometry >= Geometry::k1d && geometry <= Geometry::k5d
             ? static_cast<uint32_t>(geometry) - static_cast<uint32_t>(Geometry::k1d) + 1
             : 0;
}

}  // namespace

bool Slot::takes(std::string_view word) const {
  for (const std::string_view legal : words) {
    if (legal == word) {
      return true;
    }
    const size_t star = legal.find('*');
    if (star == std::string_view::npos || !word.starts_with(legal.substr(0, star)) ||
        !word.ends_with(legal.substr(star + 1)) || word.size() < legal.size()) {
      continue;
    }
    const auto n = parse_number<uint32_t>(word.substr(star, word.size() - legal.size() + 1));
    if (n && *n >= 8 && *n <= 256 && *n % 8 == 0) {
      return true;
    }
  }
  return false;
}

const std::vector<Form>& all_forms() {
  static const auto* const kForms = [] {
    auto* out = new std::vector<Form>;  // lives as long as the program
    for (const auto rows : {integer_rows(), float_rows(), memory_rows(), multimem_rows(), async_rows(),
                            control_rows(), matrix_rows(), tcgen05_rows(), texture_rows(), video_rows()}) {
      for (const FormRow& row : rows) {
        out->push_back(form_from(row));
      }
    }
    return out;
  }();
  return *kForms;
}

const std::vector<const Form*>& forms_of(Opcode opcode) {
  static const auto* const kLists = [] {
    auto* out = new std::array<std::vector<const Form*>, kOpcodeCount>;
    for (const Form& form : all_forms()) {
      (*out)[static_cast<size_t>(form.row->opcode)].push_back(&form);
    }
    return out;
  }();
  return (*kLists)[static_cast<size_t>(opcode)];
}

Type type_of(const OperandSpec& spec, const Op& op) {
  switch (spec.rule) {
    case TypeRule::kFixed:
      return spec.fixed;
    case TypeRule::kAny:
      return Type::kNone;
    case TypeRule::kFirst:
    case TypeRule::kSecond:
    case TypeRule::kThird:
    case TypeRule::kFourth:
      return op.types[static_cast<size_t>(spec.rule) - static_cast<size_t>(TypeRule::kFirst)];
    case TypeRule::kDouble:
      return twice(op.types[0]);
    case TypeRule::kAccumulator:
      return op.types[0] == Type::kF16 ? Type::kB32 : op.types[0];
  }
  return Type::kNone;
}

uint32_t elements_of(const OperandSpec& spec, const Op& op) {
  switch (spec.extent) {
    case Extent::kOne:
      return 1;
    case Extent::kFixed:
      return spec.count;
    case Extent::kVector:
      return op.vector;
    case Extent::kNumber:
      return op.number * uint32_t{spec.count};
    case Extent::kAccumulators:  // 64 rows of n in 128 threads; two halves in a register
      return op.types[0] == Type::kF16 ? op.shape.n / 4U : op.shape.n / 2U;
    case Extent::kCoordinates:
      return dimensions(op.geometry);
    case Extent::kOffsets:
      return dimensions(op.geometry) - 2;
    case Extent::kAny:
      return 0;
  }
  return 0;
}

bool present(const OperandSpec& spec, const Op& op) {
  return spec.condition < 0 || (op.filled >> static_cast<unsigned>(spec.condition) & 1) != 0;
}

std::string shape_of(const Form& form, const Op& op) {
  constexpr std::string_view kNames[] = {"d",         "d",       "source",  "register", "number", "predicate",
                                         "[address]", "operand", "texture", "label",    "targets"};
  std::string out;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    const OperandSpec& spec = form.operands[i];
    if (!present(spec, op)) {
      continue;
    }
    out += out.empty() ? "" : spec.second ? "|" : ", ";
    out += spec.bracket_opens ? "[" : "";
    std::string what(spec.second ? "p" : kNames[static_cast<size_t>(spec.role)]);
    const uint32_t n = elements_of(spec, op);
    if (n > 1) {
      what = fmt::format("{{{} {}s}}", n, what == "d" ? "register" : what);
    }
    out += spec.optional ? fmt::format("{{{}}}", what) : what;
    const bool last = i + 1 == form.operands.size() || !form.operands[i + 1].in_bracket;
    out += spec.in_bracket && last ? "]" : "";
  }
  return out.empty() ? "nothing" : out;
}

}  // namespace heddle::ptx
