// The driver's arrays, copies of rows and planes, texture and surface objects: the runtime's with other
// structures.
#include <algorithm>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"
#include "tools/runtime/copies.h"
#include "tools/runtime/formats.h"
#include "tools/runtime/graph_nodes.h"

using namespace heddle;  // this file is CUDA's interface
using namespace heddle::runtime;

// ---- arrays

namespace {

constexpr uint32_t kDepthTexture = 0x10, kVideo = 0x100;

cuda::ArrayShape shape_of(const abi::DriverArray3D& d, uint32_t levels) {
  if ((d.flags & (kDepthTexture | kVideo)) != 0) {
    throw cuda::CallFailed(Status::kNotSupported, "arrays of depths and of video");
  }
  return {driver_format(d.format, d.channels), d.width, d.height, d.depth, d.flags, levels};
}

abi::DriverArray3D described(const cuda::ArrayShape& s) {
  return {s.width, s.height, s.depth, driver_number(s.format), s.format.channels, s.flags};
}

}  // namespace

HEDDLE_CUDA int32_t cuArrayCreate_v2(Given<void*> out, Given<const abi::DriverArray> d) {
  return driver_call_into(out, [&](Context& c) {
    return &c.create_array(shape_of({d->width, d->height, 0, d->format, d->channels, 0}, 1));
  });
}
HEDDLE_CUDA int32_t cuArray3DCreate_v2(Given<void*> out, Given<const abi::DriverArray3D> d) {
  return driver_call_into(out, [&](Context& c) { return &c.create_array(shape_of(*d, 1)); });
}
HEDDLE_CUDA int32_t cuArrayGetDescriptor_v2(Given<abi::DriverArray> out, void* array) {
  return driver_call_into(out, [&](Context& c) {
    const abi::DriverArray3D d = described(c.array(array).shape);
    return abi::DriverArray{d.width, d.height, d.format, d.channels};
  });
}
HEDDLE_CUDA int32_t cuArray3DGetDescriptor_v2(Given<abi::DriverArray3D> out, void* array) {
  return driver_call_into(out, [&](Context& c) { return described(c.array(array).shape); });
}
HEDDLE_CUDA int32_t cuMipmappedArrayCreate(Given<void*> out, Given<const abi::DriverArray3D> d,
                                           uint32_t levels) {
  return driver_call_into(out, [&](Context& c) { return &c.create_mipmapped(shape_of(*d, levels)); });
}

// ---- copies

namespace {

// CUmemorytype.
enum MemoryType : uint32_t { kHostMemory = 1, kDeviceMemory = 2, kArrayMemory = 3, kAnyMemory = 4 };
constexpr int32_t kAnyDirection = 4;

CopyEnd end_of(uint32_t type, const void* host, uint64_t device, const void* array) {
  cuda::require(type >= kHostMemory && type <= kAnyMemory, Status::kInvalidValue, "a type of memory");
  CopyEnd e;
  e.array = type == kArrayMemory ? array : nullptr;
  e.address = type == kHostMemory ? number(host) : type == kArrayMemory ? 0 : device;
  cuda::require(type != kArrayMemory || array != nullptr, Status::kInvalidValue, "no array");
  return e;
}

CopyEnd end_of(const abi::DriverSide2D& s, size_t width) {
  CopyEnd e = end_of(s.memory_type, s.host, s.device, s.array);
  e.x_bytes = s.x;
  e.y = s.y;
  e.pitch = s.pitch == 0 ? width : s.pitch;
  return e;
}

CopyEnd end_of(const abi::DriverSide3D& s, size_t width, size_t height) {
  cuda::require(s.level == 0, Status::kInvalidValue, "a level (legal: 0)");
  CopyEnd e = end_of(s.memory_type, s.host, s.device, s.array);
  e.x_bytes = s.x;
  e.y = s.y;
  e.z = s.z;
  e.pitch = s.pitch == 0 ? width : s.pitch;
  e.rows = s.height == 0 ? height : s.height;
  return e;
}

int32_t copy_rows_of(Given<const abi::DriverCopy2D> p, void* stream, bool waits) {
  return driver_call([&](Context& c) {
    c.copy(copy_between(end_of(p->to, p->width), end_of(p->from, p->width), p->width, p->height, 1,
                        kAnyDirection, c),
           c.stream(stream), waits);
  });
}

cuda::CopyWork planes(const abi::DriverCopy3D& p, Context& c) {
  return copy_between(end_of(p.to, p.width, p.height), end_of(p.from, p.width, p.height), p.width, p.height,
                      p.depth, kAnyDirection, c);
}

int32_t copy_planes_of(Given<const abi::DriverCopy3D> p, void* stream, bool waits) {
  return driver_call([&](Context& c) { c.copy(planes(*p, c), c.stream(stream), waits); });
}

CopyEnd in_row(const void* array, size_t offset) {
  CopyEnd e;
  e.array = array;
  e.x_bytes = offset;
  return e;
}
CopyEnd at_address(uint64_t address) {
  CopyEnd e;
  e.address = address;
  return e;
}
int32_t copy_bytes_of(const CopyEnd& to, const CopyEnd& from, size_t bytes, void* stream, bool waits) {
  return driver_call(
      [&](Context& c) { copy_through(to, from, bytes, kAnyDirection, c.stream(stream), waits, c); });
}

}  // namespace

HEDDLE_CUDA int32_t cuMemcpy2D_v2(Given<const abi::DriverCopy2D> p) { return copy_rows_of(p, nullptr, true); }
HEDDLE_CUDA int32_t cuMemcpy2DUnaligned_v2(Given<const abi::DriverCopy2D> p) {
  return copy_rows_of(p, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpy2DAsync_v2(Given<const abi::DriverCopy2D> p, void* stream) {
  return copy_rows_of(p, stream, false);
}
HEDDLE_CUDA int32_t cuMemcpy3D_v2(Given<const abi::DriverCopy3D> p) {
  return copy_planes_of(p, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpy3DAsync_v2(Given<const abi::DriverCopy3D> p, void* stream) {
  return copy_planes_of(p, stream, false);
}
// Contexts have the one device's memory in common.
HEDDLE_CUDA int32_t cuMemcpy3DPeer(Given<const abi::DriverCopy3D> p) {
  return copy_planes_of(p, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpy3DPeerAsync(Given<const abi::DriverCopy3D> p, void* stream) {
  return copy_planes_of(p, stream, false);
}
HEDDLE_CUDA int32_t cuMemcpyPeer(uint64_t to, void* /*to_context*/, uint64_t from, void* /*from_context*/,
                                 size_t bytes) {
  return driver_call(
      [&](Context& c) { c.copy(plain_copy(to, from, bytes, kAnyDirection), c.stream(nullptr), true); });
}
HEDDLE_CUDA int32_t cuMemcpyPeerAsync(uint64_t to, void* /*to_context*/, uint64_t from,
                                      void* /*from_context*/, size_t bytes, void* stream) {
  return driver_call(
      [&](Context& c) { c.copy(plain_copy(to, from, bytes, kAnyDirection), c.stream(stream), false); });
}

HEDDLE_CUDA int32_t cuMemcpyDtoA_v2(void* to, size_t offset, uint64_t from, size_t bytes) {
  return copy_bytes_of(in_row(to, offset), at_address(from), bytes, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpyAtoD_v2(uint64_t to, void* from, size_t offset, size_t bytes) {
  return copy_bytes_of(at_address(to), in_row(from, offset), bytes, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpyHtoA_v2(void* to, size_t offset, const void* from, size_t bytes) {
  return copy_bytes_of(in_row(to, offset), at_address(number(from)), bytes, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpyAtoH_v2(void* to, void* from, size_t offset, size_t bytes) {
  return copy_bytes_of(at_address(number(to)), in_row(from, offset), bytes, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpyAtoA_v2(void* to, size_t to_offset, void* from, size_t from_offset,
                                    size_t bytes) {
  return copy_bytes_of(in_row(to, to_offset), in_row(from, from_offset), bytes, nullptr, true);
}
HEDDLE_CUDA int32_t cuMemcpyHtoAAsync_v2(void* to, size_t offset, const void* from, size_t bytes,
                                         void* stream) {
  return copy_bytes_of(in_row(to, offset), at_address(number(from)), bytes, stream, false);
}
HEDDLE_CUDA int32_t cuMemcpyAtoHAsync_v2(void* to, void* from, size_t offset, size_t bytes, void* stream) {
  return copy_bytes_of(at_address(number(to)), in_row(from, offset), bytes, stream, false);
}

// ---- objects

namespace {

using exec::texture::Kind;

cuda::Resource resource_of(const abi::DriverResource& r) {
  cuda::require(r.type >= 0 && r.type <= 3 && r.flags == 0, Status::kInvalidValue,
                "a resource's type or flags");
  cuda::Resource out;
  out.type = static_cast<cuda::Resource::Type>(r.type);
  switch (out.type) {
    case cuda::Resource::Type::kLinear:
      out.address = r.linear.pointer;
      out.bytes = r.linear.bytes;
      out.format = driver_format(r.linear.format, r.linear.channels);
      break;
    case cuda::Resource::Type::kPitch:
      out.address = r.rows.pointer;
      out.width = r.rows.width;
      out.height = r.rows.height;
      out.pitch = r.rows.pitch;
      out.format = driver_format(r.rows.format, r.rows.channels);
      break;
    default:
      out.handle = r.array;
  }
  return out;
}

abi::DriverResource driver_resource(const cuda::Resource& r) {
  abi::DriverResource out{};
  out.type = static_cast<int32_t>(r.type);
  switch (r.type) {
    case cuda::Resource::Type::kLinear:
      out.linear = {r.address, driver_number(r.format), r.format.channels, r.bytes};
      break;
    case cuda::Resource::Type::kPitch:
      out.rows = {r.address, driver_number(r.format), r.format.channels, r.width, r.height, r.pitch};
      break;
    default:
      out.array = r.handle;
  }
  return out;
}

// CU_TRSF_...
constexpr uint32_t kAsIntegers = 1, kNormalized = 2, kSrgb = 0x10, kNoTrilinear = 0x20, kSeamless = 0x40;

cuda::TextureLook look_of(const abi::DriverTexture& t) {
  cuda::TextureLook out;
  exec::texture::Sampler& s = out.sampler;
  cuda::require((t.flags & ~(kAsIntegers | kNormalized | kSrgb | kNoTrilinear | kSeamless)) == 0 &&
                    t.filter >= 0 && t.filter <= 1 && t.level_filter >= 0 && t.level_filter <= 1,
                Status::kInvalidValue, "flags or a filter of a texture");
  for (size_t k = 0; k < s.address.size(); ++k) {
    cuda::require(t.address[k] >= 0 && t.address[k] <= 3, Status::kInvalidValue, "an address mode");
    s.address[k] = static_cast<exec::texture::AddressMode>(t.address[k]);
  }
  s.linear = t.filter == 1;
  s.linear_levels = t.level_filter == 1;
  s.as_float = (t.flags & kAsIntegers) == 0;
  s.normalized = (t.flags & kNormalized) != 0;
  s.srgb = (t.flags & kSrgb) != 0;
  s.bias = t.bias;
  s.least_level = t.least_level;
  s.most_level = t.most_level;
  std::copy(std::begin(t.border), std::end(t.border), s.border.begin());
  out.most_anisotropy = t.most_anisotropy;
  out.no_trilinear_optimisation = (t.flags & kNoTrilinear) != 0;
  out.seamless_cube = (t.flags & kSeamless) != 0;
  return out;
}

abi::DriverTexture driver_texture(const cuda::TextureLook& look) {
  const exec::texture::Sampler& s = look.sampler;
  abi::DriverTexture out{};
  for (size_t k = 0; k < s.address.size(); ++k) {
    out.address[k] = static_cast<int32_t>(s.address[k]);
  }
  out.filter = s.linear ? 1 : 0;
  out.flags = (s.as_float ? 0 : kAsIntegers) | (s.normalized ? kNormalized : 0) | (s.srgb ? kSrgb : 0) |
              (look.no_trilinear_optimisation ? kNoTrilinear : 0) | (look.seamless_cube ? kSeamless : 0);
  out.most_anisotropy = look.most_anisotropy;
  out.level_filter = s.linear_levels ? 1 : 0;
  out.bias = s.bias;
  out.least_level = s.least_level;
  out.most_level = s.most_level;
  std::copy(s.border.begin(), s.border.end(), std::begin(out.border));
  return out;
}

// 32-bit integers are never read as fractions (CU_TRSF_READ_AS_INTEGER).
void read_wide_integers(cuda::LookupObject& asked, Context& c) {
  const bool array = asked.resource.type == cuda::Resource::Type::kArray;
  const cuda::ElementFormat f = asked.view.other_format ? asked.view.format
                                : array                 ? c.array(asked.resource.handle).shape.format
                                : asked.resource.type == cuda::Resource::Type::kMipmapped
                                    ? c.mipmapped(asked.resource.handle).all.shape.format
                                    : asked.resource.format;
  asked.look.sampler.as_float = asked.look.sampler.as_float && exec::texture::bytes_of(f.element) < 4;
}

}  // namespace

HEDDLE_CUDA int32_t cuTexObjectCreate(Given<unsigned long long> out,
                                      Given<const abi::DriverResource> resource,
                                      Given<const abi::DriverTexture> texture,
                                      const abi::ResourceView* view) {
  return driver_call_into(out, [&](Context& c) {
    cuda::LookupObject asked;
    asked.resource = resource_of(*resource);
    asked.look = look_of(*texture);
    asked.view = view_of(view);
    read_wide_integers(asked, c);
    return c.create_texture(asked);
  });
}
HEDDLE_CUDA int32_t cuTexObjectGetResourceDesc(Given<abi::DriverResource> out, unsigned long long object) {
  return driver_call_into(
      out, [&](Context& c) { return driver_resource(c.object(object, Kind::kTexture).resource); });
}
HEDDLE_CUDA int32_t cuTexObjectGetTextureDesc(Given<abi::DriverTexture> out, unsigned long long object) {
  return driver_call_into(out,
                          [&](Context& c) { return driver_texture(c.object(object, Kind::kTexture).look); });
}
HEDDLE_CUDA int32_t cuSurfObjectCreate(Given<unsigned long long> out,
                                       Given<const abi::DriverResource> resource) {
  return driver_call_into(out, [&](Context& c) { return c.create_surface(resource_of(*resource)); });
}
HEDDLE_CUDA int32_t cuSurfObjectGetResourceDesc(Given<abi::DriverResource> out, unsigned long long object) {
  return driver_call_into(
      out, [&](Context& c) { return driver_resource(c.object(object, Kind::kSurface).resource); });
}
HEDDLE_CUDA int32_t cuDeviceGetTexture1DLinearMaxWidth(Given<size_t> width, uint32_t format,
                                                       uint32_t channels, int32_t device) {
  return driver_call_into(width, [&](Context&) {
    constexpr size_t kMost = size_t{1} << 28;  // elements, of any kind (guide, B4)
    cuda::require(device == 0, Status::kInvalidDevice);
    driver_format(format, channels);
    return kMost;
  });
}

// ---- nodes of graphs that copy

HEDDLE_CUDA int32_t cuGraphAddMemcpyNode(Given<void*> out, void* graph, Given<void* const> after,
                                         size_t count, Given<const abi::DriverCopy3D> p, void* /*context*/) {
  return of_runtime(
      [&] { return add_node(out, graph, after, count, [&](Context& c) { return planes(*p, c); }); });
}
HEDDLE_CUDA int32_t cuGraphMemcpyNodeSetParams(void* node, Given<const abi::DriverCopy3D> p) {
  return of_runtime([&] { return set_node(node, [&](Context& c) { return planes(*p, c); }); });
}
HEDDLE_CUDA int32_t cuGraphExecMemcpyNodeSetParams(void* exec, void* node, Given<const abi::DriverCopy3D> p,
                                                   void* /*context*/) {
  return of_runtime([&] { return change_node(exec, node, [&](Context& c) { return planes(*p, c); }); });
}
HEDDLE_CUDA int32_t cuGraphConditionalHandleCreate(Given<unsigned long long> out, void* graph,
                                                   void* /*context*/, uint32_t value, uint32_t flags) {
  return driver_call_into(out, [&](Context& c) {
    cuda::require(flags <= 1, Status::kInvalidValue,
                  "flags of a handle (legal: 0, CU_GRAPH_COND_ASSIGN_DEFAULT)");
    return c.create_condition(*c.graph(graph), value, flags == 1);
  });
}

extern "C" {
int32_t cudaGraphAddNode(Given<void*> out, void* graph, Given<void* const> after, const void* edges,
                         size_t count, Given<abi::NodeParameters> p);
int32_t cudaGraphNodeSetParams(void* node, Given<abi::NodeParameters> p);
int32_t cudaGraphExecNodeSetParams(void* exec, void* node, Given<abi::NodeParameters> p);
}

namespace {

// Null: a node of another kind, which has the runtime's parameters.
const abi::DriverCopy3D* copied_by(Given<abi::NodeParameters> p) {
  constexpr int32_t kCopy = 1;
  return p.pointer() != nullptr && p->type == kCopy
             ? &reinterpret_cast<const abi::DriverCopyNode*>(p->all)->copy
             : nullptr;
}

}  // namespace

HEDDLE_CUDA int32_t cuGraphAddNode_v2(Given<void*> out, void* graph, Given<void* const> after,
                                      const void* edges, size_t count, Given<abi::NodeParameters> p) {
  return of_runtime([&] {
    const abi::DriverCopy3D* copy = copied_by(p);
    return copy != nullptr ? add_node(out, graph, after, count, [&](Context& c) { return planes(*copy, c); })
                           : cudaGraphAddNode(out, graph, after, edges, count, p);
  });
}
HEDDLE_CUDA int32_t cuGraphNodeSetParams(void* node, Given<abi::NodeParameters> p) {
  return of_runtime([&] {
    const abi::DriverCopy3D* copy = copied_by(p);
    return copy != nullptr ? set_node(node, [&](Context& c) { return planes(*copy, c); })
                           : cudaGraphNodeSetParams(node, p);
  });
}
HEDDLE_CUDA int32_t cuGraphExecNodeSetParams(void* exec, void* node, Given<abi::NodeParameters> p) {
  return of_runtime([&] {
    const abi::DriverCopy3D* copy = copied_by(p);
    return copy != nullptr ? change_node(exec, node, [&](Context& c) { return planes(*copy, c); })
                           : cudaGraphExecNodeSetParams(exec, node, p);
  });
}
