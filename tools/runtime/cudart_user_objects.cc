// User objects of graphs (GR24), in both interfaces.
#include "tools/runtime/call.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

namespace {

using Destructor = void (*)(void*);

auto creates(void* data, Destructor destroy, uint32_t count, uint32_t flags) {
  constexpr uint32_t kNoDestructorSync = 1;  // the only kind there is
  return [=](Context& c) {
    cuda::require(flags == kNoDestructorSync, Status::kInvalidValue, "flags of a user object");
    return &c.create_user_object({destroy, data}, count);
  };
}

auto retains(void* graph, void* object, uint32_t count, uint32_t flags) {
  constexpr uint32_t kMove = 1;
  return [=](Context& c) {
    cuda::require(flags <= kMove, Status::kInvalidValue, "flags of a reference");
    c.retain_user_object(*c.graph(graph), object, count, flags == kMove);
  };
}

auto releases(void* graph, void* object, uint32_t count) {
  return [=](Context& c) { c.release_user_object(*c.graph(graph), object, count); };
}

}  // namespace

HEDDLE_CUDA int32_t cudaUserObjectCreate(Given<void*> out, void* data, void (*destroy)(void*), uint32_t count,
                                         uint32_t flags) {
  return call_into(out, creates(data, destroy, count, flags));
}
HEDDLE_CUDA int32_t cudaUserObjectRetain(void* object, uint32_t count) {
  return call([&](Context& c) { c.retain_user_object(object, count); });
}
HEDDLE_CUDA int32_t cudaUserObjectRelease(void* object, uint32_t count) {
  return call([&](Context& c) { c.release_user_object(object, count); });
}
HEDDLE_CUDA int32_t cudaGraphRetainUserObject(void* graph, void* object, uint32_t count, uint32_t flags) {
  return call(retains(graph, object, count, flags));
}
HEDDLE_CUDA int32_t cudaGraphReleaseUserObject(void* graph, void* object, uint32_t count) {
  return call(releases(graph, object, count));
}

HEDDLE_CUDA int32_t cuUserObjectCreate(Given<void*> out, void* data, void (*destroy)(void*), uint32_t count,
                                       uint32_t flags) {
  return driver_call_into(out, creates(data, destroy, count, flags));
}
HEDDLE_CUDA int32_t cuUserObjectRetain(void* object, uint32_t count) {
  return driver_call([&](Context& c) { c.retain_user_object(object, count); });
}
HEDDLE_CUDA int32_t cuUserObjectRelease(void* object, uint32_t count) {
  return driver_call([&](Context& c) { c.release_user_object(object, count); });
}
HEDDLE_CUDA int32_t cuGraphRetainUserObject(void* graph, void* object, uint32_t count, uint32_t flags) {
  return driver_call(retains(graph, object, count, flags));
}
HEDDLE_CUDA int32_t cuGraphReleaseUserObject(void* graph, void* object, uint32_t count) {
  return driver_call(releases(graph, object, count));
}
