// Asks a GPU's texture unit: all cases of cases.h.
//
// usage: record MODULE... RESULTS.bin          (PTX: each kernel is a module of its own)
//
// Writes what the threads of each case leave, or what is in the array afterwards; what cannot be made is 0
// and named.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/exec/oracle/texture/case_list.h"

using namespace texture_cases;

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    const cudaError_t e = (call);                                                                            \
    if (e != cudaSuccess) {                                                                                  \
      std::fprintf(stderr, "case %zu %s: %s: %s\n", number, c.kernel.c_str(), #call, cudaGetErrorString(e)); \
      cudaGetLastError();                                                                                    \
      return false;                                                                                          \
    }                                                                                                        \
  } while (false)

// The driver's functions, without its library at hand when this is compiled.
struct Driver {
  decltype(&cuModuleLoadData) load = nullptr;
  decltype(&cuModuleGetFunction) find = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
};
static Driver driver;
static std::vector<std::string> texts;  // of modules
static std::vector<CUmodule> modules;
static void *fs = nullptr, *ns = nullptr, *vs = nullptr, *out = nullptr;  // coordinates, values, results

static CUfunction function(const std::string& name) {
  CUfunction out = nullptr;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].find(name + "(") == std::string::npos && texts[i].compare(0, 4,
                                                                           "\x7f"
                                                                           "ELF") != 0) {
      continue;
    }
    if (modules[i] == nullptr) {
      const CUresult e = driver.load(&modules[i], texts[i].c_str());
      if (e != CUDA_SUCCESS) {
        std::fprintf(stderr, "%s: not loaded, %d\n", name.c_str(), e);
        return nullptr;
      }
    }
    if (driver.find(&out, modules[i], name.c_str()) == CUDA_SUCCESS) {
      return out;
    }
  }
  return nullptr;
}

static void read_modules(int count, char** names) {
  const std::string mark = "\n.visible .entry ";
  for (int i = 0; i < count; ++i) {
    std::ifstream file(names[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const size_t first = text.find(mark);
    if (text.compare(0, 4,
                     "\x7f"
                     "ELF") == 0 ||
        first == std::string::npos) {
      texts.push_back(text);
      continue;
    }
    for (size_t at = first; at != std::string::npos;) {
      const size_t next = text.find(mark, at + 1);
      texts.push_back(text.substr(0, first) + text.substr(at, next == std::string::npos ? next : next - at) +
                      "\n");
      at = next;
    }
  }
  modules.resize(texts.size());
}

static cudaChannelFormatDesc format(const Case& c) {
  const int bits = 8 * bytes_of(c.type);
  const cudaChannelFormatKind kind = c.type >= kF16    ? cudaChannelFormatKindFloat
                                     : c.type % 2 != 0 ? cudaChannelFormatKindSigned
                                                       : cudaChannelFormatKindUnsigned;
  return cudaCreateChannelDesc(bits, c.channels > 1 ? bits : 0, c.channels > 2 ? bits : 0,
                               c.channels > 2 ? bits : 0, kind);
}

static cudaExtent extent(const Case& c, int level) {
  const bool flat = c.geometry == k1d || c.geometry == kA1d;
  const bool deep = c.geometry == k3d || c.layered() || c.cube();
  return make_cudaExtent(at_level(c.width, level), flat ? 0 : at_level(c.height, level),
                         deep ? depth_at(c, level) : 0);
}

struct Holder {
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t levels = nullptr;
  void* linear = nullptr;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;
  ~Holder() {
    if (texture != 0) {
      cudaDestroyTextureObject(texture);
    }
    if (surface != 0) {
      cudaDestroySurfaceObject(surface);
    }
    if (levels != nullptr) {
      cudaFreeMipmappedArray(levels);
    } else if (array != nullptr) {
      cudaFreeArray(array);
    }
    cudaFree(linear);
  }
};

static bool copy(const Case& c, size_t number, cudaArray_t array, int level, uint8_t* bytes, bool back) {
  const size_t row = size_t{at_level(c.width, level)} * c.channels * bytes_of(c.type);
  cudaMemcpy3DParms p{};
  const cudaPitchedPtr host =
      make_cudaPitchedPtr(bytes, row, at_level(c.width, level), at_level(c.height, level));
  p.extent = make_cudaExtent(at_level(c.width, level), at_level(c.height, level), depth_at(c, level));
  p.kind = back ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
  if (back) {
    p.srcArray = array;
    p.dstPtr = host;
  } else {
    p.dstArray = array;
    p.srcPtr = host;
  }
  CHECK(cudaMemcpy3D(&p));
  return true;
}

static bool resource(const Case& c, size_t number, Holder& h, cudaResourceDesc& r) {
  const cudaChannelFormatDesc d = format(c);
  std::vector<uint8_t> bytes = elements(c, number, 0);
  const size_t row = size_t{c.width} * c.channels * bytes_of(c.type);
  if (c.geometry == kBuffer) {
    CHECK(cudaMalloc(&h.linear, bytes.size()));
    CHECK(cudaMemcpy(h.linear, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = h.linear;
    r.res.linear.desc = d;
    r.res.linear.sizeInBytes = bytes.size();
    return true;
  }
  if (c.geometry == kPitch) {
    size_t pitch = 0;
    CHECK(cudaMallocPitch(&h.linear, &pitch, row, c.height));
    CHECK(cudaMemcpy2D(h.linear, pitch, bytes.data(), row, row, c.height, cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = {h.linear, d, c.width, c.height, pitch};
    return true;
  }
  unsigned flags = c.layered() ? cudaArrayLayered : 0;
  flags |= c.cube() ? cudaArrayCubemap : 0;
  flags |= c.surface() || c.kernel == "suq" ? cudaArraySurfaceLoadStore : 0;
  flags |= c.kernel.rfind("tld4", 0) == 0 && c.geometry == k2d ? cudaArrayTextureGather : 0;
  if (c.levels > 1) {
    CHECK(cudaMallocMipmappedArray(&h.levels, &d, extent(c, 0), static_cast<unsigned>(c.levels), flags));
    for (int level = 0; level < c.levels; ++level) {
      cudaArray_t one = nullptr;
      CHECK(cudaGetMipmappedArrayLevel(&one, h.levels, static_cast<unsigned>(level)));
      bytes = elements(c, number, level);
      if (!copy(c, number, one, level, bytes.data(), false)) {
        return false;
      }
    }
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = h.levels;
    return true;
  }
  CHECK(cudaMalloc3DArray(&h.array, &d, extent(c, 0), flags));
  if (!copy(c, number, h.array, 0, bytes.data(), false)) {
    return false;
  }
  r.resType = cudaResourceTypeArray;
  r.res.array.array = h.array;
  return true;
}

static cudaTextureDesc sampler(const Case& c) {
  cudaTextureDesc t{};
  for (auto& a : t.addressMode) {
    a = static_cast<cudaTextureAddressMode>(c.address);
  }
  t.filterMode = c.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  t.readMode = c.as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  t.sRGB = c.srgb;
  for (int i = 0; i < 4; ++i) {
    t.borderColor[i] = c.border[i];
  }
  t.normalizedCoords = c.normalized;
  t.mipmapFilterMode = c.linear_levels ? cudaFilterModeLinear : cudaFilterModePoint;
  t.mipmapLevelBias = c.bias;
  t.minMipmapLevelClamp = c.least;
  t.maxMipmapLevelClamp = c.most;
  t.disableTrilinearOptimization = 1;
  return t;
}

static bool run(const Case& c, size_t number, std::vector<uint8_t>& result) {
  Holder h;
  cudaResourceDesc r{};
  if (!resource(c, number, h, r)) {
    return false;
  }
  unsigned long long handle = 0;
  if (c.surface()) {
    CHECK(cudaCreateSurfaceObject(&h.surface, &r));
    handle = h.surface;
  } else {
    const cudaTextureDesc t = sampler(c);
    CHECK(cudaCreateTextureObject(&h.texture, &r, &t, nullptr));
    handle = h.texture;
  }
  std::vector<float> f;
  std::vector<int32_t> n;
  std::vector<uint32_t> v;
  for (int thread = 0; thread < kThreads; ++thread) {
    const Coordinates at = launch_coordinates(c, number, thread);
    const Values value = values(c, number, c.stores() ? store_coordinates(c, thread) : at);
    f.insert(f.end(), at.f, at.f + 4);
    n.insert(n.end(), at.n, at.n + 4);
    v.insert(v.end(), value.v, value.v + 4);
  }
  constexpr size_t kBytes = 16 * kThreads;
  if (fs == nullptr) {
    for (void** p : {&fs, &ns, &vs, &out}) {
      CHECK(cudaMalloc(p, kBytes));
    }
  }
  CHECK(cudaMemcpy(fs, f.data(), kBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(ns, n.data(), kBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(vs, v.data(), kBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0, kBytes));
  const CUfunction kernel = function(c.kernel);
  if (kernel == nullptr) {
    std::fprintf(stderr, "case %zu %s: no such kernel\n", number, c.kernel.c_str());
    return false;
  }
  void* arguments[] = {&handle, &fs, &ns, &vs, &out};
  const CUresult launched = driver.launch(kernel, 1, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr);
  if (launched != CUDA_SUCCESS) {
    std::fprintf(stderr, "case %zu %s: launch: %d\n", number, c.kernel.c_str(), launched);
    return false;
  }
  const cudaError_t done = cudaDeviceSynchronize();
  if (done != cudaSuccess) {
    std::fprintf(stderr, "case %zu %s: %s\n", number, c.kernel.c_str(), cudaGetErrorString(done));
    cudaDeviceReset();
    modules.assign(modules.size(), nullptr);
    fs = nullptr;
    h.array = nullptr, h.levels = nullptr, h.linear = nullptr, h.texture = 0, h.surface = 0;
    cudaFree(nullptr);
    return false;
  }
  if (c.stores()) {
    return copy(c, number, h.array, 0, result.data(), true);
  }
  CHECK(cudaMemcpy(result.data(), out, kBytes, cudaMemcpyDeviceToHost));
  return true;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: record MODULE... RESULTS.bin\n");
    return 1;
  }
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr || cudaFree(nullptr) != cudaSuccess) {
    std::fprintf(stderr, "no driver\n");
    return 1;
  }
  driver.load = reinterpret_cast<decltype(driver.load)>(dlsym(library, "cuModuleLoadData"));
  driver.find = reinterpret_cast<decltype(driver.find)>(dlsym(library, "cuModuleGetFunction"));
  driver.launch = reinterpret_cast<decltype(driver.launch)>(dlsym(library, "cuLaunchKernel"));
  read_modules(argc - 2, argv + 1);
  std::ofstream out(argv[argc - 1], std::ios::binary);
  const std::vector<Case> cases = all_cases();
  size_t failed = 0;
  for (size_t number = 0; number < cases.size(); ++number) {
    const Case& c = cases[number];
    std::vector<uint8_t> result(c.stores() ? elements(c, number, 0).size() : size_t{16} * kThreads);
    if (!run(c, number, result)) {
      std::fill(result.begin(), result.end(), uint8_t{0});
      ++failed;
      std::fprintf(stderr, "case %zu failed: %s\n", number, c.kernel.c_str());
    }
    out.write(reinterpret_cast<const char*>(result.data()), static_cast<std::streamsize>(result.size()));
  }
  std::printf("%zu cases, %zu failed\n", cases.size(), failed);
  return 0;
}
