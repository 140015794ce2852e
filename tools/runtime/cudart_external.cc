// What other interfaces share with CUDA: graphics, memory and semaphores of other processes' or libraries'
// devices. None can be brought in here (cudaImportExternalMemory, cudaImportExternalSemaphore and the calls
// that register are not supported), so every handle of one is none.
#include "tools/runtime/call.h"
#include "tools/runtime/graph_nodes.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

int32_t no_resource() {
  return call([](Context&) { return Status::kInvalidResourceHandle; });
}
// A list of none is none.
int32_t no_resources(uint32_t count, const void* handles) {
  return call([&](Context&) {
    cuda::require(count == 0 || handles != nullptr, Status::kInvalidValue, "no handles");
    return count == 0 ? Status::kSuccess : Status::kInvalidResourceHandle;
  });
}
int32_t no_node(void* node) {
  return call([&](Context& c) {
    c.node(node);
    return Status::kInvalidValue;  // it is of another kind
  });
}

}  // namespace

HEDDLE_CUDA int32_t cudaGraphicsUnregisterResource(void* /*resource*/) { return no_resource(); }
HEDDLE_CUDA int32_t cudaGraphicsResourceSetMapFlags(void* /*resource*/, uint32_t /*flags*/) {
  return no_resource();
}
HEDDLE_CUDA int32_t cudaGraphicsMapResources(int32_t count, void** resources, void* /*stream*/) {
  return no_resources(static_cast<uint32_t>(count), resources);
}
HEDDLE_CUDA int32_t cudaGraphicsUnmapResources(int32_t count, void** resources, void* /*stream*/) {
  return no_resources(static_cast<uint32_t>(count), resources);
}
HEDDLE_CUDA int32_t cudaGraphicsResourceGetMappedPointer(void** /*out*/, size_t* /*bytes*/,
                                                         void* /*resource*/) {
  return no_resource();
}
HEDDLE_CUDA int32_t cudaGraphicsSubResourceGetMappedArray(void** /*out*/, void* /*resource*/,
                                                          uint32_t /*index*/, uint32_t /*level*/) {
  return no_resource();
}
HEDDLE_CUDA int32_t cudaGraphicsResourceGetMappedMipmappedArray(void** /*out*/, void* /*resource*/) {
  return no_resource();
}

HEDDLE_CUDA int32_t cudaExternalMemoryGetMappedBuffer(void** /*out*/, void* /*memory*/,
                                                      const void* /*what*/) {
  return no_resource();
}
HEDDLE_CUDA int32_t cudaExternalMemoryGetMappedMipmappedArray(void** /*out*/, void* /*memory*/,
                                                              const void* /*what*/) {
  return no_resource();
}
HEDDLE_CUDA int32_t cudaDestroyExternalMemory(void* /*memory*/) { return no_resource(); }
HEDDLE_CUDA int32_t cudaDestroyExternalSemaphore(void* /*semaphore*/) { return no_resource(); }
HEDDLE_CUDA int32_t cudaSignalExternalSemaphoresAsync(const void* semaphores, const void* /*values*/,
                                                      uint32_t count, void* /*stream*/) {
  return no_resources(count, semaphores);
}
HEDDLE_CUDA int32_t cudaWaitExternalSemaphoresAsync(const void* semaphores, const void* /*values*/,
                                                    uint32_t count, void* /*stream*/) {
  return no_resources(count, semaphores);
}
HEDDLE_CUDA int32_t cudaGraphAddExternalSemaphoresSignalNode(Given<void*> /*out*/, void* /*graph*/,
                                                             void* const* /*after*/, size_t /*count*/,
                                                             const void* /*what*/) {
  return no_resource();
}
HEDDLE_CUDA int32_t cudaGraphAddExternalSemaphoresWaitNode(Given<void*> /*out*/, void* /*graph*/,
                                                           void* const* /*after*/, size_t /*count*/,
                                                           const void* /*what*/) {
  return no_resource();
}
HEDDLE_CUDA int32_t cudaGraphExternalSemaphoresSignalNodeGetParams(void* node, void* /*out*/) {
  return no_node(node);
}
HEDDLE_CUDA int32_t cudaGraphExternalSemaphoresSignalNodeSetParams(void* node, const void* /*what*/) {
  return no_node(node);
}
HEDDLE_CUDA int32_t cudaGraphExternalSemaphoresWaitNodeGetParams(void* node, void* /*out*/) {
  return no_node(node);
}
HEDDLE_CUDA int32_t cudaGraphExternalSemaphoresWaitNodeSetParams(void* node, const void* /*what*/) {
  return no_node(node);
}
HEDDLE_CUDA int32_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(void* /*exec*/, void* node,
                                                                       const void* /*what*/) {
  return no_node(node);
}
HEDDLE_CUDA int32_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(void* /*exec*/, void* node,
                                                                     const void* /*what*/) {
  return no_node(node);
}
