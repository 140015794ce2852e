// Runs the cases of generate.py on a GPU: a process for each range of forms, since one that faults ends the context.
//
// usage: record FOLDER FIRST RESULTS.bin    (prints "done", or "failed I" for the form at which it stopped)
//
// FOLDER holds manifest.txt, operands.bin and the compiled modules NN.cubin. The results of the forms from FIRST on are
// written to their places in RESULTS.bin, which exists and is as long as all of them; forms that a module does not have
// are named, and theirs stay as they are.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kModules = 32;

void check(int error, const char* what) {
  if (error != 0) {
    std::fprintf(stderr, "%s: error %d\n", what, error);
    std::exit(1);
  }
}

struct Form {
  int number = 0, module = 0;
  unsigned threads = 0, blocks = 0;
  size_t from = 0, from_bytes = 0, to = 0, to_bytes = 0;
};

std::vector<Form> manifest(const std::string& path) {
  std::ifstream in(path);
  std::vector<Form> out;
  for (std::string line; std::getline(in, line);) {
    std::istringstream s(line);
    Form f;
    s >> f.number >> f.module >> f.threads >> f.blocks >> f.from >> f.from_bytes >> f.to >> f.to_bytes;
    out.push_back(f);
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: record FOLDER FIRST RESULTS.bin\n");
    return 2;
  }
  const std::string folder = argv[1];
  check(cuInit(0), "cuInit");
  CUcontext context = nullptr;
  check(cuDevicePrimaryCtxRetain(&context, 0), "context");
  check(cuCtxSetCurrent(context), "context");
  CUmodule modules[kModules];
  for (int i = 0; i < kModules; ++i) {
    char name[16];
    std::snprintf(name, sizeof name, "/%02d.cubin", i);
    check(cuModuleLoad(&modules[i], (folder + name).c_str()), "cuModuleLoad");
  }
  std::ifstream in(folder + "/operands.bin", std::ios::binary);
  const std::vector<char> operands{std::istreambuf_iterator<char>(in), {}};
  const std::vector<Form> forms = manifest(folder + "/manifest.txt");
  CUdeviceptr from = 0, to = 0;
  check(cuMemAlloc(&from, operands.size()), "cuMemAlloc");
  check(cuMemcpyHtoD(from, operands.data(), operands.size()), "cuMemcpyHtoD");
  const size_t all = forms.back().to + forms.back().to_bytes;
  check(cuMemAlloc(&to, all), "cuMemAlloc");
  check(cuMemsetD8(to, 0, all), "cuMemsetD8");
  std::fstream results(argv[3], std::ios::binary | std::ios::in | std::ios::out);
  std::vector<char> bytes;
  for (const Form& f : forms) {
    if (f.number < std::atoi(argv[2])) {
      continue;
    }
    CUfunction function = nullptr;
    if (cuModuleGetFunction(&function, modules[f.module], ("f" + std::to_string(f.number)).c_str()) != 0) {
      std::printf("missing %d\n", f.number);
      continue;
    }
    CUdeviceptr a = from + f.from, b = to + f.to;
    void* arguments[] = {&a, &b};
    bytes.resize(f.to_bytes);
    if (cuLaunchKernel(function, f.blocks, 1, 1, f.threads, 1, 1, 0, nullptr, arguments, nullptr) != 0 ||
        cuMemcpyDtoH(bytes.data(), b, f.to_bytes) != 0) {
      std::printf("failed %d\n", f.number);
      return 0;
    }
    results.seekp(static_cast<std::streamoff>(f.to));
    results.write(bytes.data(), static_cast<std::streamsize>(f.to_bytes));
  }
  std::printf("done\n");
  return 0;
}
