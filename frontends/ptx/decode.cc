#include "frontends/ptx/decode.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "frontends/ptx/form.h"
#include "frontends/ptx/source.h"

namespace heddle::ptx {
namespace {

struct Modifier {
  std::string_view word;
  uint32_t at;
};

// How far a form agrees with the modifiers.
struct Match {
  Op op;
  Since since;
  size_t matched = 0;  // modifiers before the first that has no place
  bool complete = false;
  const Slot* missing = nullptr;  // the first needed slot without a modifier
};

std::vector<Modifier> modifiers_of(std::string_view text, size_t from) {
  std::vector<Modifier> out;
  while (from < text.size()) {
    const size_t end = std::min(text.find('.', from + 1), text.size());
    out.push_back({text.substr(from + 1, end - from - 1), static_cast<uint32_t>(from)});
    from = end;
  }
  return out;
}

// Each modifier takes the first free slot that has its word, so that only those of one kind need their order.
Match match(const Form& form, Opcode opcode, std::string_view text, const std::vector<Modifier>& modifiers) {
  Match m;
  m.op.opcode = opcode;
  m.op.form = &form;
  m.op.text = text;
  m.since = {form.row->version, form.row->sm};
  for (const Modifier& modifier : modifiers) {
    bool placed = false;
    for (size_t i = 0; i < form.slots.size() && !placed; ++i) {
      const Slot& slot = form.slots[i];
      if ((m.op.filled >> i & 1) == 0 && slot.takes(modifier.word)) {
        placed = set_field(m.op, slot.field, modifier.word);
        m.op.filled |= uint32_t{1} << i;
        const Since since = word_since(slot.field, modifier.word);
        m.since.version = std::max(m.since.version, since.version);
        m.since.sm = std::max(m.since.sm, since.sm);
      }
    }
    if (!placed) {
      return m;
    }
    ++m.matched;
  }
  for (size_t i = 0; i < form.slots.size(); ++i) {
    if (!form.slots[i].optional && (m.op.filled >> i & 1) == 0) {
      m.missing = &form.slots[i];
      return m;
    }
  }
  m.complete = true;
  return m;
}

bool has_target(const Since& since, const Target& target) {
  if (since.sm >= kFamily) {
    constexpr uint16_t kTensorMemory[] = {100, 101, 103, 110};  // a family of one
    return target.suffix != '\0' && std::find(std::begin(kTensorMemory), std::end(kTensorMemory),
                                              target.sm) != std::end(kTensorMemory);
  }
  const bool own = since.sm >= kOnly;
  const uint16_t sm = own ? static_cast<uint16_t>(since.sm - kOnly) : since.sm;
  return own ? target.sm == sm && target.suffix != '\0' : target.sm >= sm;
}

std::string target_name(uint16_t sm) { return "sm_" + std::to_string(sm % kOnly) + (sm >= kOnly ? "a" : ""); }

std::string version_name(uint8_t version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

std::string too_new(std::string_view text, const Since& since, const Target& target) {
  std::string out =
      quoted(text) + " is not in this module's language (legal: from .version " + version_name(since.version);
  out += since.sm != 0 ? " and .target " + target_name(since.sm) : "";
  return out + "; the module has .version " + version_name(target.version) + ", .target sm_" +
         std::to_string(target.sm) + (target.suffix != '\0' ? std::string(1, target.suffix) : "") + ")";
}

void add_words(std::vector<std::string>& out, const Slot& slot) {
  for (const std::string_view w : slot.words) {
    const std::string dotted = "." + std::string(w);
    if (std::find(out.begin(), out.end(), dotted) == out.end()) {
      out.push_back(dotted);
    }
  }
}

// The error when no form takes the modifiers: of the forms that agree longest, what they would take next.
void explain(Decoded& out, std::string_view text, size_t opcode_length,
             const std::vector<Modifier>& modifiers, const std::vector<Match>& matches) {
  size_t longest = 0;
  for (const Match& m : matches) {
    longest = std::max(longest, m.matched);
  }
  std::vector<std::string> legal;
  for (const Match& m : matches) {
    if (m.matched != longest) {
      continue;
    }
    if (longest == modifiers.size()) {
      add_words(legal, *m.missing);
      continue;
    }
    for (size_t i = 0; i < m.op.form->slots.size(); ++i) {
      if ((m.op.filled >> i & 1) == 0) {
        add_words(legal, m.op.form->slots[i]);
      }
    }
  }
  if (longest == modifiers.size()) {
    out.error_at = static_cast<uint32_t>(text.size());
    out.error = quoted(text) + " lacks a modifier (legal: " + joined(legal) + ")";
    return;
  }
  out.error_at = modifiers[longest].at;
  out.error = quoted("." + std::string(modifiers[longest].word)) + " is no modifier of " +
              quoted(text.substr(0, longest == 0 ? opcode_length : modifiers[longest].at)) +
              " (legal: " + (legal.empty() ? "none" : joined(legal)) + ")";
}

}  // namespace

Decoded decode(std::string_view text, const Target& target) {
  Decoded out;
  if (const std::string_view later = later_target(text); !later.empty()) {
    out.error =
        quoted(text) + " is for " + std::string(later) + " and later (legal: PTX for sm_50 to sm_90a)";
    return out;
  }
  const auto opcode = opcode_of(text);
  if (!opcode) {
    out.error = "unknown instruction " + quoted(text) + " (legal: " + similar_opcodes(text) + ")";
    return out;
  }
  const std::vector<Modifier> modifiers = modifiers_of(text, opcode->length);
  std::vector<Match> matches;
  const Match* later = nullptr;
  for (const Form* form : forms_of(opcode->opcode)) {
    matches.push_back(match(*form, opcode->opcode, text, modifiers));
  }
  for (const Match& m : matches) {
    if (!m.complete) {
      continue;
    }
    if (m.since.version <= target.version && has_target(m.since, target)) {
      out.candidates.push_back(m.op);
    } else if (later == nullptr) {
      later = &m;
    }
  }
  if (out.candidates.empty() && later != nullptr) {
    out.error = too_new(text, later->since, target);
  } else if (out.candidates.empty()) {
    explain(out, text, opcode->length, modifiers, matches);
  }
  return out;
}

}  // namespace heddle::ptx
