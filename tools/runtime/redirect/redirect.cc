// Preloaded into programs of `heddle exec`: where a program or a library brings a CUDA runtime within itself
// (as nvcc makes them), each function of that runtime becomes a jump to the one in libcudart.so.13, Heddle's.
// This library is initialised before all others (-z initfirst), so before anything registers its kernels;
// what the program opens later is seen by the function that the dynamic loader calls for debuggers (r_brk),
// which is before the constructors, too. libcudart.so.13 is loaded by the first call that comes there:
// processes without CUDA go on without it.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>

#include "tools/runtime/preload/preload.h"
#include "tools/runtime/redirect/symbols.h"
#include "tools/runtime/redirect/trampolines.h"

namespace heddle::redirect {
namespace {

constexpr const char* kRuntime = "libcudart.so.13";
constexpr int32_t kNotSupported = 801;  // cudaErrorNotSupported

bool any_redirected = false;

// ---- what is said, without the C library: it has perhaps not begun.

void say(const char* text) {
  preload::system_call(SYS_write, STDERR_FILENO, reinterpret_cast<long>(text),
                       static_cast<long>(std::strlen(text)));
}

void say_of(const char* file, const char* text) {
  say("heddle: ");
  say(file);
  say(text);
}

// ---- the functions that are jumped to

void* runtime() {
  static std::atomic<void*> library{nullptr};
  void* p = library.load(std::memory_order_acquire);
  if (p == nullptr) {
    p = dlopen(kRuntime, RTLD_NOW | RTLD_GLOBAL);
    if (p == nullptr) {
      say_of(dlerror(), "\n");
      _exit(1);
    }
    library.store(p, std::memory_order_release);
  }
  return p;
}

int32_t refused() { return kNotSupported; }

}  // namespace
}  // namespace heddle::redirect

// For a call that comes by `record`: where it goes on.
extern "C" __attribute__((visibility("hidden"), used)) const void* heddle_redirect_target(
    heddle::redirect::Record* record) {
  using namespace heddle::redirect;
  void* const library = runtime();
  if (void* const f = dlsym(library, record->name)) {
    __atomic_store_n(&record->target, f, __ATOMIC_RELEASE);
    return f;
  }
  // A later runtime's: said once, and the last error each time.
  reinterpret_cast<int32_t (*)(const char*)>(dlsym(library, "heddle_unsupported"))(record->name);
  return reinterpret_cast<const void*>(refused);
}

// The first call of a function, its record in r11; all that arguments are passed in is kept.
extern "C" __attribute__((visibility("hidden"))) void heddle_redirect_first();
asm(R"(
  .text
  .hidden heddle_redirect_first
  .globl heddle_redirect_first
  .type heddle_redirect_first, @function
heddle_redirect_first:
  push %rbp
  mov %rsp, %rbp
  and $-16, %rsp
  push %rax
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  push %r10
  sub $128, %rsp
  movaps %xmm0, (%rsp)
  movaps %xmm1, 16(%rsp)
  movaps %xmm2, 32(%rsp)
  movaps %xmm3, 48(%rsp)
  movaps %xmm4, 64(%rsp)
  movaps %xmm5, 80(%rsp)
  movaps %xmm6, 96(%rsp)
  movaps %xmm7, 112(%rsp)
  mov %r11, %rdi
  call heddle_redirect_target
  mov %rax, %r11
  movaps (%rsp), %xmm0
  movaps 16(%rsp), %xmm1
  movaps 32(%rsp), %xmm2
  movaps 48(%rsp), %xmm3
  movaps 64(%rsp), %xmm4
  movaps 80(%rsp), %xmm5
  movaps 96(%rsp), %xmm6
  movaps 112(%rsp), %xmm7
  add $128, %rsp
  pop %r10
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  pop %rax
  leave
  jmp *%r11
  .size heddle_redirect_first, . - heddle_redirect_first
)");

namespace heddle::redirect {
namespace {

// ---- one object of the process

// Its file in memory, as long as this is there.
class Mapped final {
 public:
  explicit Mapped(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s {};
    if (fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0) {
      void* const p = mmap(nullptr, static_cast<size_t>(s.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (p != MAP_FAILED) {
        bytes = p;
        size = static_cast<size_t>(s.st_size);
      }
    }
    if (fd >= 0) {
      close(fd);
    }
  }
  ~Mapped() {
    if (bytes != nullptr && !kept) {
      munmap(bytes, size);
    }
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  void* bytes = nullptr;
  size_t size = 0;
  bool kept = false;  // names in it are used
};

// A function has room for a jump: it is long enough, or what follows it up to the next multiple of 16, where
// compilers begin functions, are bytes that are never come to.
bool has_room(const Function& f) { return f.size >= kJump || (f.address % 16 == 0 && f.size > 0); }

// Each of the runtime's functions becomes a jump. Whether names of the file are used from then on.
bool redirect(const dl_phdr_info& info, const char* path, const ElfFile& file, const FoundRuntime& runtime) {
  const uint64_t base = info.dlpi_addr;
  // Where the process has what the file has: functions that were not redirected before.
  const auto each = [&](auto&& f) {
    file.each_function([&](const Function& g) {
      const uint8_t* const code = file.code(g.address, kJump);
      if (g.address >= runtime.first && g.address <= runtime.last && g.hidden && like_runtime_name(g.name) &&
          has_room(g) && code != nullptr && std::memcmp(code, pointer(base + g.address), kJump) == 0) {
        f(g);
      }
    });
  };
  size_t count = 0;
  each([&](const Function&) { ++count; });
  if (count == 0) {
    return false;
  }
  const uint64_t first = base + runtime.first, end = base + runtime.last + kJump;
  Trampolines ways(first, end, count);
  bool uses_names = false;
  if (ways.there()) {
    each([&](const Function& f) {
      const char* const known = runtime_name(f.name);
      uses_names = uses_names || known == nullptr;
      ways.add(base + f.address, known != nullptr ? known : f.name,
               reinterpret_cast<const void*>(heddle_redirect_first));
    });
    // All of it is one segment's.
    const bool code = file.code(runtime.first, end - first) != nullptr;
    if (const Writable writable(first, end, PROT_READ | PROT_EXEC); code && writable && ways.finish()) {
      ways.write_jumps();
      any_redirected = true;
      return uses_names;
    }
  }
  say_of(path, ": the CUDA runtime within it cannot be replaced, since its code cannot be changed here\n");
  return uses_names;
}

void look_into(const dl_phdr_info& info) {
  const bool is_program = info.dlpi_name[0] == 0;
  const char* const self = "/proc/self/exe";
  Mapped mapped(is_program ? self : info.dlpi_name);
  const ElfFile file(mapped.bytes, mapped.size);
  // What was loaded may have been replaced by another file since.
  if (!file.has_headers(info.dlpi_phdr, info.dlpi_phnum)) {
    return;
  }
  const FoundRuntime found = find_runtime(file);
  static char program[PATH_MAX];
  if (is_program) {
    const ssize_t length = readlink(self, program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
  }
  const char* const path = is_program ? program : info.dlpi_name;
  if (found.runtime == Runtime::kOlder) {
    say_of(path, " has the runtime of a CUDA before 13 within itself (legal: nvcc of CUDA 13)\n");
  } else if (found.runtime == Runtime::kWithin) {
    mapped.kept = redirect(info, path, file, found);
  }
}

// ---- all objects of the process. One thread at a time: the dynamic loader's lock is held.

constexpr size_t kMostSeen = 4096;
const void* seen[kMostSeen];  // their headers, which no two have at one place
size_t seen_count = 0;
uint64_t unloaded = 0;

int look(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_subs != unloaded) {  // another may be where one was
    unloaded = info->dlpi_subs;
    seen_count = 0;
  }
  for (size_t i = 0; i < seen_count; ++i) {
    if (seen[i] == info->dlpi_phdr) {
      return 0;
    }
  }
  if (seen_count < kMostSeen) {
    seen[seen_count++] = info->dlpi_phdr;
  }
  look_into(*info);
  return 0;
}

void objects_changed() {
  if (_r_debug.r_state == r_debug::RT_CONSISTENT) {
    dl_iterate_phdr(look, nullptr);
  }
}

// The loader's function for debuggers does nothing. Where it looks otherwise (there is a debugger), libraries
// that are opened later stay as they are.
void watch_loader() {
  const uint64_t at = _r_debug.r_brk;
  if (at == 0 || at % 16 != 0) {
    return;
  }
  const uint8_t plain[] = {0xc3};                           // ret
  const uint8_t marked[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3};  // endbr64; ret
  void* const code = pointer(at);
  if (std::memcmp(code, plain, sizeof plain) != 0 && std::memcmp(code, marked, sizeof marked) != 0) {
    return;
  }
  Trampolines way(at, at + kJump, 1);
  const Writable writable(at, at + kJump, PROT_READ | PROT_EXEC);
  if (!way.there() || !writable) {
    return;
  }
  way.add(at, "", reinterpret_cast<const void*>(objects_changed));
  if (way.finish()) {
    way.write_jumps();
  }
}

__attribute__((constructor)) void begin() {
  dl_iterate_phdr(look, nullptr);
  watch_loader();
}

}  // namespace
}  // namespace heddle::redirect

// For the clocks: a program with a runtime within it has one from its start.
HEDDLE_PRELOAD bool heddle_has_runtime() { return heddle::redirect::any_redirected; }

// For threads that are made before the first call: what the runtime calls so, which is not loaded until then.
HEDDLE_PRELOAD void heddle_begin() {
  reinterpret_cast<HeddleBegin>(dlsym(heddle::redirect::runtime(), "heddle_begin"))();
}
