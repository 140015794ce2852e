// Prints what answers() says: its own, a library's that it is linked with, or those of libraries that it
// opens.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

struct Answers {
  int32_t at_start, devices, other, last_error, none;
};
extern "C" __attribute__((weak)) Answers answers();

namespace {

void print(const Answers& a) {
  std::printf("%d %d %d %d %d\n", a.at_start, a.devices, a.other, a.last_error, a.none);
}

}  // namespace

int main(int count, char** arguments) {
  if (answers != nullptr) {
    print(answers());
  }
  for (int i = 1; i < count; ++i) {
    void* const library = dlopen(arguments[i], RTLD_NOW);
    if (library == nullptr) {
      std::printf("%s\n", dlerror());
      return 1;
    }
    print(reinterpret_cast<Answers (*)()>(dlsym(library, "answers"))());
    dlclose(library);
  }
}
