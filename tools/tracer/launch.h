// A launch, from the arguments of the driver's calls.
#pragma once

#include <dlfcn.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nvbit.h"
#include "tools/tracer/connection.h"
#include "tools/tracer/cubin.h"

namespace heddle::capture {

struct Launch {
  CUfunction function = nullptr;
  CUstream stream = nullptr;
  LaunchHead head;
  void** parameters = nullptr;  // one or the other
  void** extra = nullptr;
};

inline bool is_launch(nvbit_api_cuda_t call) {
  return call == API_CUDA_cuLaunchKernel || call == API_CUDA_cuLaunchKernel_ptsz ||
         call == API_CUDA_cuLaunchKernelEx || call == API_CUDA_cuLaunchKernelEx_ptsz ||
         call == API_CUDA_cuLaunchCooperativeKernel || call == API_CUDA_cuLaunchCooperativeKernel_ptsz;
}

template <class Params>
void read_plain(const void* params, Launch& l) {
  const auto* p = static_cast<const Params*>(params);
  l.function = p->f;
  l.stream = p->hStream;
  const uint32_t grid[3] = {p->gridDimX, p->gridDimY, p->gridDimZ};
  const uint32_t block[3] = {p->blockDimX, p->blockDimY, p->blockDimZ};
  std::copy(grid, grid + 3, l.head.grid);
  std::copy(block, block + 3, l.head.block);
  l.head.dynamic_shared = p->sharedMemBytes;
  l.parameters = p->kernelParams;
}

inline Launch launch_of(nvbit_api_cuda_t call, const void* params) {
  Launch l;
  std::fill(l.head.cluster, l.head.cluster + 3, 0);
  if (call == API_CUDA_cuLaunchKernelEx || call == API_CUDA_cuLaunchKernelEx_ptsz) {
    const auto* p = static_cast<const cuLaunchKernelEx_params*>(params);
    const CUlaunchConfig& c = *p->config;
    l.function = p->f;
    l.stream = c.hStream;
    const uint32_t grid[3] = {c.gridDimX, c.gridDimY, c.gridDimZ},
                   block[3] = {c.blockDimX, c.blockDimY, c.blockDimZ};
    std::copy(grid, grid + 3, l.head.grid);
    std::copy(block, block + 3, l.head.block);
    l.head.dynamic_shared = c.sharedMemBytes;
    l.parameters = p->kernelParams;
    l.extra = p->extra;
    for (unsigned i = 0; i < c.numAttrs; ++i) {
      const CUlaunchAttribute& a = c.attrs[i];
      if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
        const uint32_t cluster[3] = {a.value.clusterDim.x, a.value.clusterDim.y, a.value.clusterDim.z};
        std::copy(cluster, cluster + 3, l.head.cluster);
      } else if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
        l.head.cooperative = a.value.cooperative != 0;
      }
    }
  } else if (call == API_CUDA_cuLaunchCooperativeKernel || call == API_CUDA_cuLaunchCooperativeKernel_ptsz) {
    read_plain<cuLaunchCooperativeKernel_params>(params, l);
    l.head.cooperative = 1;
  } else {
    read_plain<cuLaunchKernel_params>(params, l);
    l.extra = static_cast<const cuLaunchKernel_params*>(params)->extra;
  }
  l.head.stream = reinterpret_cast<uint64_t>(l.stream);
  return l;
}

// Handles given to cuLaunchKernelEx may be those of a library (CUkernel).
inline bool attribute(CUfunction f, CUfunction_attribute which, int& value) {
  CUfunction other = nullptr;
  return cuFuncGetAttribute(&value, which, f) == CUDA_SUCCESS ||
         (cuKernelGetFunction(&other, reinterpret_cast<CUkernel>(f)) == CUDA_SUCCESS &&
          cuFuncGetAttribute(&value, which, other) == CUDA_SUCCESS);
}

// One handle for a kernel, whatever the call names it by.
inline CUfunction canonical(CUfunction f) {
  int value = 0;
  CUfunction other = nullptr;
  return cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f) != CUDA_SUCCESS &&
                 cuKernelGetFunction(&other, reinterpret_cast<CUkernel>(f)) == CUDA_SUCCESS
             ? other
             : f;
}

// What is asked of the function and the device; before it is instrumented.
inline void ask(CUcontext ctx, Launch& l) {
  func_config_t config = {};
  if (int value = 0; !attribute(l.function, CU_FUNC_ATTRIBUTE_NUM_REGS, value)) {
    nvbit_get_func_config(ctx, l.function, &config);
  }
  LaunchHead& h = l.head;
  const auto get = [&l](CUfunction_attribute which, int otherwise) {
    int value = 0;
    return attribute(l.function, which, value) ? value : otherwise;
  };
  h.registers =
      static_cast<uint32_t>(get(CU_FUNC_ATTRIBUTE_NUM_REGS, static_cast<int>(config.num_registers)));
  h.static_shared = static_cast<uint32_t>(
      get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, static_cast<int>(config.shmem_static_nbytes)));
  h.local_bytes = static_cast<uint32_t>(get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0));
  h.carveout = get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1);
  constexpr CUfunction_attribute kCluster[3] = {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};
  for (int i = 0; i < 3; ++i) {  // in the launch, else compiled in
    h.cluster[i] = h.cluster[0] && i == 0 ? h.cluster[0] : h.cluster[i];
    h.cluster[i] = h.cluster[i] ? h.cluster[i] : static_cast<uint32_t>(std::max(1, get(kCluster[i], 1)));
  }
  CUdevice device = 0;
  int major = 0, minor = 0;
  cuCtxGetDevice(&device);
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  h.compute_capability = static_cast<uint32_t>(get(CU_FUNC_ATTRIBUTE_BINARY_VERSION, major * 10 + minor));
}

// Where each parameter lies behind the base, from the driver (12.4 or later), else from the module.
inline std::vector<Cubin::Parameter> parameters_of(CUfunction f, const Cubin& module) {
  using Info = CUresult (*)(CUfunction, size_t, size_t*, size_t*);
  static const auto info = reinterpret_cast<Info>(dlsym(RTLD_DEFAULT, "cuFuncGetParamInfo"));
  std::vector<Cubin::Parameter> out;
  if (!module.parameters().empty()) {
    for (const auto& [place, p] : module.parameters()) {
      out.push_back(p);
      if (place + 1 != out.size()) {
        return {};
      }
    }
    return out;
  }
  size_t offset = 0, bytes = 0;
  CUfunction other = nullptr;
  if (info && info(f, 0, &offset, &bytes) != CUDA_SUCCESS &&
      cuKernelGetFunction(&other, reinterpret_cast<CUkernel>(f)) == CUDA_SUCCESS) {
    f = other;
  }
  while (info && info(f, out.size(), &offset, &bytes) == CUDA_SUCCESS) {
    out.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)});
  }
  return out;
}

// The bytes of constant bank 0 from `parameter_base` on; empty when they or where they lie are not known.
inline std::vector<char> parameters(Launch& l, const Cubin& module) {
  const uint32_t sm = l.head.compute_capability;
  l.head.parameter_base = module.parameter_base() ? module.parameter_base()
                          : sm == 90              ? 0x210
                          : sm >= 70 && sm < 90   ? 0x160
                                                  : 0;
  std::vector<char> out;
  if (l.head.parameter_base == 0) {
    return out;
  }
  if (l.parameters) {
    const std::vector<Cubin::Parameter> where = parameters_of(l.function, module);
    for (size_t i = 0; i < where.size(); ++i) {
      out.resize(std::max<size_t>(out.size(), where[i].offset + where[i].bytes));
      memcpy(out.data() + where[i].offset, l.parameters[i], where[i].bytes);
    }
  } else if (l.extra) {
    const void* buffer = nullptr;
    size_t bytes = 0;
    for (void** e = l.extra; *e != CU_LAUNCH_PARAM_END; e += 2) {
      if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER) {
        buffer = e[1];
      } else if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE) {
        bytes = *static_cast<const size_t*>(e[1]);
      }
    }
    if (buffer) {
      out.assign(static_cast<const char*>(buffer), static_cast<const char*>(buffer) + bytes);
    }
  }
  return out;
}

}  // namespace heddle::capture
