// Names and what they mean, in scopes one inside the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::ptx {

enum class Meaning : uint8_t {
  kRegisters,  // a name<N>: found by `numbered`
  kRegister,
  kVariable,
  kFunction,
  kLabel,
  kBranchTargets,
  kCallTargets,
  kPrototype,
  kText,  // an instruction's text: id is the resolver's
};

struct Named {
  std::string_view name;
  Meaning meaning = Meaning::kRegister;
  uint32_t id = 0;
};

// A hash table with open addressing whose entries leave in the opposite order of their coming.
class NameTable {
 public:
  NameTable() : slots_(64) {}

  void open() { scopes_.push_back(static_cast<uint32_t>(entries_.size())); }
  void close();

  // In the innermost scope. Returns the one that already has this name there, and changes nothing; else
  // nullptr. `numbered`: a prefix of names with numbers, which does not get in the way of the name itself.
  const Named* add(const Named& named, bool numbered = false);

  // The innermost; nullptr when there is none. Valid until the next add().
  const Named* find(std::string_view name, bool numbered = false) const;
  // Of two found ones, the inner one; either may be nullptr.
  static const Named* inner(const Named* a, const Named* b) {
    return a == nullptr || (b != nullptr && b > a) ? b : a;
  }

 private:
  struct Entry {
    Named named;
    uint64_t hash;
    uint32_t shadowed;  // what the slot had before
    uint32_t slot;
  };

  // What tells most names apart without a look at their entries.
  struct Slot {
    uint32_t entry = 0;  // the newest of a name, plus 1; 0: free
    uint32_t tag = 0;
  };

  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
  static uint64_t hash_of(std::string_view name, bool numbered);
  uint32_t slot_of(std::string_view name, uint64_t hash) const;
  void grow();

  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> scopes_;
};

}  // namespace heddle::ptx
