// Libraries: modules that the program loads and finds kernels in; what functions are called and take.
#include "frontends/cuda/functions.h"
#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

void require_options(uint32_t count, const void* options, const void* values) {
  cuda::require(count == 0 || (options != nullptr && values != nullptr), Status::kInvalidValue, "no options");
}

}  // namespace

// Options of the compiler, and what is loaded when, change nothing here.
HEDDLE_CUDA int32_t cudaLibraryLoadData(Given<void*> out, const void* code, const int32_t* jit_options,
                                        void** jit_values, uint32_t jit_count, const int32_t* options,
                                        void** values, uint32_t count) {
  return call_into(out, [&](Context& c) {
    require_options(jit_count, jit_options, jit_values);
    require_options(count, options, values);
    c.flush();
    return &c.library().modules().keep(c.library().load(code));
  });
}
HEDDLE_CUDA int32_t cudaLibraryLoadFromFile(Given<void*> out, Given<const char> file,
                                            const int32_t* jit_options, void** jit_values, uint32_t jit_count,
                                            const int32_t* options, void** values, uint32_t count) {
  return call_into(out, [&](Context& c) {
    require_options(jit_count, jit_options, jit_values);
    require_options(count, options, values);
    c.flush();
    return &c.library().modules().keep(c.library().load_file(file.get()));
  });
}
HEDDLE_CUDA int32_t cudaLibraryUnload(void* library) {
  return call([&](Context& c) {
    c.flush();
    c.library().unload(library);
  });
}
HEDDLE_CUDA int32_t cudaLibraryGetKernel(Given<void*> out, void* library, Given<const char> name) {
  return call_into(out, [&](Context& c) {
    return &c.library().function(c.library().modules().owner(library), name.get());
  });
}
HEDDLE_CUDA int32_t cudaLibraryGetKernelCount(Given<uint32_t> count, void* library) {
  return call_into(count, [&](Context& c) {
    return static_cast<uint32_t>(c.library().modules().at(library).kernels().size());
  });
}
HEDDLE_CUDA int32_t cudaLibraryEnumerateKernels(Given<void*> kernels, uint32_t count, void* library) {
  return call([&](Context& c) {
    const auto& program = c.library().modules().owner(library);
    const auto& all = program->kernels();
    for (size_t i = 0; i < count && i < all.size(); ++i) {
      kernels[i] = &c.library().function(program, all[i].name);
    }
  });
}

namespace {

int32_t variable_of(void** address, size_t* bytes, void* library, Given<const char> name) {
  return call([&](Context& c) {
    const cuda::LoadedVariable v = c.library().variable(c.library().modules().owner(library), name.get());
    if (address != nullptr) {
      *address = pointer(v.address);
    }
    if (bytes != nullptr) {
      *bytes = v.bytes;
    }
  });
}

}  // namespace

HEDDLE_CUDA int32_t cudaLibraryGetGlobal(void** address, size_t* bytes, void* library,
                                         Given<const char> name) {
  return variable_of(address, bytes, library, name);
}
// A module that is loaded so has no managed variables that the host reaches.
HEDDLE_CUDA int32_t cudaLibraryGetManaged(void** /*address*/, size_t* /*bytes*/, void* library,
                                          Given<const char> name) {
  return call([&](Context& c) {
    c.library().modules().at(library);
    name.get();
    return Status::kSymbolNotFound;
  });
}
// Nor functions that host and device have in common, which only other systems have.
HEDDLE_CUDA int32_t cudaLibraryGetUnifiedFunction(Given<void*> out, void* library, Given<const char> name) {
  return call([&](Context& c) {
    c.library().modules().at(library);
    out.get();
    name.get();
    return Status::kSymbolNotFound;
  });
}

// ---- functions

HEDDLE_CUDA int32_t cudaKernelSetAttributeForDevice(void* kernel, int32_t attribute, int32_t value,
                                                    int32_t device) {
  return call([&](Context& c) {
    cuda::require(device == 0, Status::kInvalidDevice);
    cuda::set_attribute(c.library().function(kernel), attribute, value, c);
  });
}
HEDDLE_CUDA int32_t cudaFuncGetName(Given<const char*> name, const void* function) {
  return call_into(name, [&](Context& c) { return c.library().function(function).kernel->name.c_str(); });
}
HEDDLE_CUDA int32_t cudaFuncGetParamInfo(const void* function, size_t index, Given<size_t> offset,
                                         size_t* bytes) {
  return call_into(offset, [&](Context& c) {
    const auto& all = c.library().function(function).kernel->parameters;
    cuda::require(index < all.size(), Status::kInvalidValue, "no such parameter");
    if (bytes != nullptr) {
      *bytes = all[index].bytes;
    }
    return all[index].offset;
  });
}
