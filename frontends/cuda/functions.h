// What kernels say of themselves, what may be asked of them, and how many of their blocks fit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontends/cuda/context.h"

namespace heddle::cuda {

int32_t most_threads(const LoadedFunction& f, const Context& c);  // of a block
int32_t most_dynamic_shared(const LoadedFunction& f);             // bytes
// cudaFuncSetAttribute, whose numbers CUfunction_attribute's are. Throws CallFailed.
void set_attribute(LoadedFunction& f, int32_t attribute, int32_t value, const Context& c);
// Blocks of an SM that has nothing else.
int32_t resident_blocks(LoadedFunction& f, int32_t threads, size_t shared, const Context& c);
// Dynamic shared memory with which so many blocks still fit on an SM.
size_t available_shared(LoadedFunction& f, int32_t blocks, int32_t threads, const Context& c);
// Clusters of the launch's size that an idle device holds; the largest size that a launch may have.
int32_t resident_clusters(const KernelWork& k, const Context& c);
int32_t largest_cluster(const KernelWork& k, const Context& c);

}  // namespace heddle::cuda
