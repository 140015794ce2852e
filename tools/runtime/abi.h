// The binary interface of CUDA 13's runtime and driver as far as calls here take it: structures by their
// layout (CUDA runtime API 13.0, data structures).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::abi {

struct Dim3 {
  uint32_t x, y, z;
};

struct LaunchAttribute {
  int32_t id;
  char pad[4];
  union {
    char bytes[64];
    int32_t number;
    uint32_t cluster[3];
    struct {
      void* event;
      int32_t flags;
      int32_t trigger_at_block_start;
    } programmatic_event;
  } value;
};

struct LaunchConfig {
  Dim3 grid, block;
  size_t dynamic_shared;
  void* stream;
  LaunchAttribute* attributes;
  uint32_t attribute_count;
};

// CUlaunchConfig.
struct DriverLaunchConfig {
  Dim3 grid, block;
  uint32_t dynamic_shared;
  void* stream;
  LaunchAttribute* attributes;
  uint32_t attribute_count;
};

struct Position {
  size_t x, y, z;
};
struct PitchedPointer {
  void* pointer;
  size_t pitch, width, height;
};
struct Extent {
  size_t width, height, depth;
};
struct Copy3D {
  void* from_array;
  Position from_at;
  PitchedPointer from;
  void* to_array;
  Position to_at;
  PitchedPointer to;
  Extent extent;
  int32_t kind;
};

struct KernelNode {
  void* function;
  Dim3 grid, block;
  uint32_t shared;
  void** parameters;
  void** extra;
};
struct MemsetNode {
  void* to;
  size_t pitch;
  uint32_t value, element;
  size_t width, height;
};
struct HostNode {
  void (*function)(void*);
  void* data;
};

struct FunctionAttributes {
  size_t shared_bytes, constant_bytes, local_bytes;
  int32_t most_threads, registers, ptx_version, binary_version, cache_mode, most_dynamic_shared, carveout,
      cluster_must_be_set, required_cluster[3], cluster_policy, non_portable_cluster, reserved[16];
};

struct PointerAttributes {
  int32_t type;  // 0 unregistered, 1 host, 2 device, 3 managed
  int32_t device;
  void* device_pointer;
  void* host_pointer;
  int64_t reserved[8];
};

struct IpcHandle {  // of memory, of an event
  char bytes[64];
};

struct Location {
  int32_t type, id;
};
struct AccessDescription {
  Location location;
  int32_t flags;
};
struct PoolProperties {
  int32_t allocation, handles;
  Location location;
  void* security;
  size_t most_bytes;
  uint16_t usage;
  uint8_t reserved[54];
};

struct AllocateNode {
  PoolProperties pool;
  const AccessDescription* access;
  size_t access_count, bytes;
  void* address;
};

struct UpdateResult {
  int32_t result;
  void* error_node;
  void* error_from_node;
};
struct InstantiateParameters {
  uint64_t flags;
  void* upload_stream;
  void* error_node;
  int32_t result;
};

// ---- nodes of graphs

struct ChildNode {
  void* graph;
  int32_t ownership;
};
struct ConditionalNode {
  unsigned long long handle;
  int32_t type;
  uint32_t size;
  void** bodies;
};
struct CopyNode {
  int32_t flags, reserved[3];
  Copy3D copy;
};
// The driver's has a structure of its own (DriverCopyNode).
struct NodeParameters {
  int32_t type, reserved[3];
  union {
    int64_t all[29];
    KernelNode kernel;
    CopyNode copy;
    MemsetNode memset;
    HostNode host;
    ChildNode child;
    void* event;
    AllocateNode allocate;
    void* free;
    ConditionalNode conditional;
  };
  int64_t reserved_end;
};

// ---- lists of copies

struct CopyAttributes {
  int32_t source_order;
  Location from, to;
  uint32_t flags;
};
struct CopyOperand {
  int32_t type;  // 1 pointer, 2 array
  union {
    struct {
      void* pointer;
      size_t row_length, layer_height;  // elements
      Location hint;
    } memory;
    struct {
      void* array;
      Position at;
    } array;
  };
};
struct CopyOperation {
  CopyOperand from, to;
  Extent extent;
  int32_t source_order;
  uint32_t flags;
};
struct PeerCopy3D {
  void* from_array;
  Position from_at;
  PitchedPointer from;
  int32_t from_device;
  void* to_array;
  Position to_at;
  PitchedPointer to;
  int32_t to_device;
  Extent extent;
};

// ---- arrays, textures, surfaces

struct ChannelFormat {
  int32_t x, y, z, w;  // bits
  int32_t kind;
};
struct ArrayRequirements {
  size_t bytes, alignment;
  uint32_t reserved[4];
};
struct Resource {
  int32_t type;  // array, mipmapped array, linear memory, rows with a pitch
  union {
    const void* array;
    struct {
      const void* pointer;
      ChannelFormat format;
      size_t bytes;
    } linear;
    struct {
      const void* pointer;
      ChannelFormat format;
      size_t width, height, pitch;
    } rows;
    int32_t reserved[32];
  };
  uint32_t flags;
};
struct Texture {
  int32_t address[3], filter, reads_fractions, srgb;
  float border[4];
  int32_t normalized;
  uint32_t most_anisotropy;
  int32_t level_filter;
  float bias, least_level, most_level;
  int32_t no_trilinear_optimisation, seamless_cube;
};
struct ResourceView {
  int32_t format;
  size_t width, height, depth;
  uint32_t first_level, last_level, first_layer, last_layer, reserved[16];
};

// The driver's. `memory_type`: 1 the host's, 2 the device's, 3 an array, 4 any address.
struct DriverSide2D {
  size_t x, y;
  uint32_t memory_type;
  const void* host;
  uint64_t device;
  const void* array;
  size_t pitch;
};
struct DriverCopy2D {
  DriverSide2D from, to;
  size_t width, height;
};
struct DriverSide3D {
  size_t x, y, z, level;
  uint32_t memory_type;
  const void* host;
  uint64_t device;
  const void* array;
  const void* context;  // between devices
  size_t pitch, height;
};
struct DriverCopy3D {
  DriverSide3D from, to;
  size_t width, height, depth;
};
struct DriverCopyNode {
  int32_t flags, reserved;
  void* context;
  DriverCopy3D copy;
};
struct DriverArray {
  size_t width, height;
  uint32_t format, channels;
};
struct DriverArray3D {
  size_t width, height, depth;
  uint32_t format, channels, flags;
};
struct DriverResource {
  int32_t type;
  union {
    const void* array;
    struct {
      uint64_t pointer;
      uint32_t format, channels;
      size_t bytes;
    } linear;
    struct {
      uint64_t pointer;
      uint32_t format, channels;
      size_t width, height, pitch;
    } rows;
    int32_t reserved[32];
  };
  uint32_t flags;
};
struct DriverTexture {
  int32_t address[3], filter;
  uint32_t flags, most_anisotropy;
  int32_t level_filter;
  float bias, least_level, most_level;
  float border[4];
  int32_t reserved[12];
};

}  // namespace heddle::abi
