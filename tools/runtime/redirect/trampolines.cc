#include "tools/runtime/redirect/trampolines.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace heddle::redirect {
namespace {

constexpr size_t kTrampoline = 16;  // bytes
constexpr uint64_t kStep = 1 << 16;
constexpr uint64_t kReach = uint64_t{1} << 30;  // of a jump's 2 GiB

uint64_t page() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }
uint64_t page_of(uint64_t address) { return address & ~(page() - 1); }

void* map_at(uint64_t at, size_t bytes) {
  void* const want = pointer(at);
  void* const got =
      mmap(want, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == want) {
    return got;
  }
  if (got != MAP_FAILED) {  // a system that does not know MAP_FIXED_NOREPLACE
    munmap(got, bytes);
  }
  return nullptr;
}

// Below rather than above, where a program's heap grows.
void* map_near(uint64_t first, uint64_t last, size_t bytes) {
  const uint64_t span = last - first;
  if (span >= kReach) {
    return nullptr;
  }
  for (uint64_t away = kStep; away < kReach - span; away += kStep) {
    if (first > away + bytes) {
      if (void* const p = map_at(page_of(first - away - bytes), bytes)) {
        return p;
      }
    }
  }
  for (uint64_t away = kStep; away < kReach - span; away += kStep) {
    if (void* const p = map_at(page_of(last + away), bytes)) {
      return p;
    }
  }
  return nullptr;
}

void write_offset(uint8_t* to, uint64_t from, const void* target) {
  const auto offset = static_cast<int32_t>(reinterpret_cast<uint64_t>(target) - from);
  std::memcpy(to, &offset, sizeof offset);
}

}  // namespace

Trampolines::Trampolines(uint64_t first, uint64_t last, size_t count)
    : code_bytes_(page_of(count * kTrampoline + page() - 1)) {
  void* const p = map_near(first, last, code_bytes_ + count * sizeof(Record));
  if (p != nullptr) {
    code_ = static_cast<uint8_t*>(p);
    records_ = reinterpret_cast<Record*>(code_ + code_bytes_);
  }
}

void Trampolines::add(uint64_t from, const char* name, const void* target) {
  Record& record = records_[used_];
  record = {target, name, from};
  uint8_t* const at = trampoline(used_);
  const uint8_t code[kTrampoline] = {0x4c, 0x8d, 0x1d, 0, 0, 0, 0,  // lea r11, [record]
                                     0x41, 0xff, 0x23};             // jmp [r11]
  static_assert(offsetof(Record, target) == 0);
  std::memcpy(at, code, sizeof code);
  write_offset(at + 3, reinterpret_cast<uint64_t>(at + 7), &record);
  ++used_;
}

void Trampolines::write_jumps() const {
  for (size_t i = 0; i < used_; ++i) {
    auto* const entry = static_cast<uint8_t*>(pointer(records_[i].from));
    entry[0] = 0xe9;
    write_offset(entry + 1, records_[i].from + kJump, trampoline(i));
  }
}

uint8_t* Trampolines::trampoline(size_t i) const { return code_ + i * kTrampoline; }

bool Trampolines::finish() const { return mprotect(code_, code_bytes_, PROT_READ | PROT_EXEC) == 0; }

Writable::Writable(uint64_t first, uint64_t last, int flags_after)
    : pages_(pointer(page_of(first))),
      bytes_(page_of(last + page() - 1) - page_of(first)),
      flags_after_(flags_after),
      writable_(mprotect(pages_, bytes_, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {}

Writable::~Writable() {
  if (writable_) {
    mprotect(pages_, bytes_, flags_after_);
  }
}

}  // namespace heddle::redirect
