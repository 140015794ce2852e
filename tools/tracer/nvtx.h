// Whether an NVTX range of a given name is open. NVTX calls are in the program itself (its headers): it asks
// the library that NVTX_INJECTION64_PATH names for functions to call. The values are NVTX 3's, which do not
// change (nvtx3/nvtxDetail/nvtxTypes.h).
#pragma once

#include <stdint.h>
#include <string.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace heddle::capture::nvtx {

inline std::string wanted;          // empty: none
inline std::atomic<int> open{0};    // ranges of that name
inline std::mutex mutex;            // guards what follows
inline std::set<uint64_t> started;  // ranges of that name that were not opened by a push
inline std::atomic<uint64_t> next_id{1};
inline thread_local std::vector<bool> pushed;  // whether each has that name

struct Attributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;  // 1: text, 3: registered
  const char* message;
};

inline bool is_wanted(const char* name) { return name && !wanted.empty() && wanted == name; }
inline bool is_wanted(const Attributes* a) {
  return a && (a->message_type == 1 || a->message_type == 3) && is_wanted(a->message);
}

inline int push(bool is) {
  pushed.push_back(is);
  open += is;
  return static_cast<int>(pushed.size()) - 1;
}
inline int pop() {
  if (pushed.empty()) {
    return -1;
  }
  open -= pushed.back();
  pushed.pop_back();
  return static_cast<int>(pushed.size());
}
inline uint64_t start(bool is) {
  const uint64_t id = next_id++;
  if (is) {
    const std::lock_guard<std::mutex> lock(mutex);
    started.insert(id);
    ++open;
  }
  return id;
}
inline void end(uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex);
  open -= static_cast<int>(started.erase(id));
}

inline int push_text(const char* name) { return push(is_wanted(name)); }
inline int push_attributes(const Attributes* a) { return push(is_wanted(a)); }
inline int push_domain(void*, const Attributes* a) { return push(is_wanted(a)); }
inline int pop_domain(void*) { return pop(); }
inline uint64_t start_text(const char* name) { return start(is_wanted(name)); }
inline uint64_t start_attributes(const Attributes* a) { return start(is_wanted(a)); }
inline uint64_t start_domain(void*, const Attributes* a) { return start(is_wanted(a)); }
inline void end_domain(void*, uint64_t id) { end(id); }
inline const char* register_text(void*, const char* s) { return strdup(s); }  // the handle is the text

using Function = void (*)();
struct Callbacks {
  size_t bytes;
  int (*table)(int module, Function*** out, unsigned* size);
};

// What InitializeInjectionNvtx2() is called with.
inline int subscribe(const void* (*get)(uint32_t)) {
  constexpr uint32_t kCallbacks = 1;
  constexpr int kCore = 1, kCore2 = 5;
  const auto* c = static_cast<const Callbacks*>(get(kCallbacks));
  if (!c) {
    return 0;
  }
  const auto set = [c](int module, unsigned id, auto* f) {
    Function** table = nullptr;
    unsigned size = 0;
    if (c->table(module, &table, &size) && id < size && table[id]) {
      *table[id] = reinterpret_cast<Function>(f);
    }
  };
  set(kCore, 4, start_attributes);
  set(kCore, 5, start_text);
  set(kCore, 7, end);
  set(kCore, 8, push_attributes);
  set(kCore, 9, push_text);
  set(kCore, 11, pop);
  set(kCore2, 2, start_domain);
  set(kCore2, 3, end_domain);
  set(kCore2, 4, push_domain);
  set(kCore2, 5, pop_domain);
  set(kCore2, 10, register_text);
  return 1;
}

}  // namespace heddle::capture::nvtx
