// Structures of CUDA's interface, made from bytes.
#include <algorithm>
#include <iterator>

#include "tests/runtime/api_values.h"

namespace heddle::fuzz {

void Values::fill(abi::KernelNode& n) {
  n.function = of_kind(byte() % 8 == 0 ? "stream" : "function");
  n.grid = structure(&n.grid);
  n.block = structure(&n.block);
  n.shared = static_cast<uint32_t>(size());
  n.parameters = arguments();
  n.extra = byte() % 16 == 0 ? n.parameters : nullptr;
}

void Values::fill(abi::Copy3D& c) {
  const auto position = [&](abi::Position& p) { p = {size(), size(), size()}; };
  const auto place = [&](abi::PitchedPointer& p) {
    p.pointer = memory();
    p.pitch = size();
    p.width = size();
    p.height = size();
  };
  c.from_array = byte() % 16 == 0 ? host() : byte() % 4 == 0 ? of_kind("array") : nullptr;
  c.to_array = byte() % 4 == 0 ? of_kind("array") : nullptr;
  position(c.from_at);
  place(c.from);
  position(c.to_at);
  place(c.to);
  if (c.from_array != nullptr && byte() % 4 != 0) {
    c.from = {};
  }
  if (c.to_array != nullptr && byte() % 4 != 0) {
    c.to = {};
  }
  c.extent = {size(), size(), size()};
  c.kind = static_cast<int32_t>(number(false));
}

void Values::fill(abi::MemsetNode& n) {
  n.to = memory();
  n.pitch = size();
  n.value = byte();
  n.element = byte() % 6;
  n.width = size();
  n.height = size();
}

void Values::fill(abi::HostNode& n) {
  n.function = byte() % 4 == 0 ? nullptr : reinterpret_cast<void (*)(void*)>(host_function(true));
  n.data = host();
}

void Values::fill(abi::LaunchConfig& c) {
  c.grid = structure(&c.grid);
  c.block = structure(&c.block);
  c.dynamic_shared = size();
  c.stream = of_kind("stream");
  c.attributes = attributes(c.attribute_count);
}

void Values::fill(abi::DriverLaunchConfig& c) {
  c.grid = structure(&c.grid);
  c.block = structure(&c.block);
  c.dynamic_shared = static_cast<uint32_t>(size());
  c.stream = of_kind("stream");
  c.attributes = attributes(c.attribute_count);
}

void Values::fill(abi::PoolProperties& p) {
  p.allocation = byte() % 8 == 0 ? static_cast<int32_t>(number(false)) : 1;
  p.location = {byte() % 8 == 0 ? 3 : 1, byte() % 8 == 0 ? -1 : 0};
  p.most_bytes = byte() % 2 == 0 ? 0 : size();
}

void Values::fill(abi::AllocateNode& n) {
  fill(n.pool);
  n.bytes = size();
}

void Values::fill(abi::NodeParameters& n) {
  n.type = static_cast<int32_t>(byte() % 16);
  switch (n.type) {
    case 0:
      return fill(n.kernel);
    case 1:
      return fill(n.copy.copy);
    case 2:
      return fill(n.memset);
    case 3:
      return fill(n.host);
    case 4:
      n.child.graph = of_kind("graph");
      return;
    case 6:
    case 7:
      n.event = of_kind("event");
      return;
    case 10:
      return fill(n.allocate);
    case 11:
      n.free = of_kind("memory");
      return;
    case 13:
      n.conditional.handle = reinterpret_cast<uint64_t>(of_kind("condition"));
      n.conditional.type = static_cast<int32_t>(byte() % 4);
      n.conditional.size = byte() % 8;
      return;
    default:
      return;
  }
}

void Values::fill(abi::CopyAttributes& a) { a.source_order = static_cast<int32_t>(byte() % 5); }

void Values::fill(abi::CopyOperand& o) {
  o.type = static_cast<int32_t>(byte() % 4);
  if (o.type == 2) {
    o.array.array = of_kind("array");
    o.array.at = {side(), side(), side()};
  } else {
    o.memory.pointer = memory();
    o.memory.row_length = size();
    o.memory.layer_height = size();
  }
}

void Values::fill(abi::CopyOperation& o) {
  fill(o.from);
  fill(o.to);
  o.extent = {size(), size(), size()};
}

void Values::fill(abi::PeerCopy3D& c) {
  abi::Copy3D p{};
  fill(p);
  c = {p.from_array, p.from_at, p.from, byte() % 8 == 0 ? 1 : 0,
       p.to_array,   p.to_at,   p.to,   byte() % 8 == 0 ? 1 : 0,
       p.extent};
}

void Values::fill(abi::ChannelFormat& f) {
  constexpr int32_t kBits[] = {32, 8, 16, 0, 64, -8};
  const int32_t bits = kBits[byte() % std::size(kBits)];
  const uint32_t channels = byte() % 5;
  f = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0,
       static_cast<int32_t>(byte() % 24) - 1};
}

void Values::fill(abi::Resource& r) {
  r.type = static_cast<int32_t>(byte() % 5);
  if (r.type == 2) {
    r.linear.pointer = memory();
    fill(r.linear.format);
    r.linear.bytes = size();
  } else if (r.type == 3) {
    r.rows.pointer = memory();
    fill(r.rows.format);
    r.rows.width = size();
    r.rows.height = size();
    r.rows.pitch = size();
  } else {
    r.array = of_kind(r.type == 1 ? "mipmapped" : "array");
  }
}

void Values::fill(abi::Texture& t) {
  for (int32_t& mode : t.address) {
    mode = static_cast<int32_t>(byte() % 5);
  }
  t.filter = static_cast<int32_t>(byte() % 3);
  t.reads_fractions = static_cast<int32_t>(byte() % 3);
  t.srgb = static_cast<int32_t>(byte() % 2);
  t.normalized = static_cast<int32_t>(byte() % 2);
  t.most_level = static_cast<float>(byte());
}

template <class S>
void Values::fill_side(S& s) {
  s.x = size();
  s.y = size();
  s.memory_type = byte() % 6;
  s.host = memory();
  s.device = reinterpret_cast<uint64_t>(memory());
  s.array = of_kind("array");
  s.pitch = size();
}

void Values::fill(abi::DriverCopy2D& c) {
  fill_side(c.from);
  fill_side(c.to);
  c.width = size();
  c.height = size();
}

void Values::fill(abi::DriverCopy3D& c) {
  fill_side(c.from);
  fill_side(c.to);
  c.from.z = size();
  c.to.height = size();
  c.width = size();
  c.height = size();
  c.depth = size();
}

void Values::fill(abi::DriverArray& a) {
  a.width = side();
  a.height = side();
  a.format = byte();
  a.channels = byte() % 6;
}

void Values::fill(abi::DriverArray3D& a) {
  a.width = side();
  a.height = side();
  a.depth = side();
  a.format = byte() % 4 == 0 ? byte() : 0x20;
  a.channels = byte() % 6;
  a.flags = byte() % 4 == 0 ? byte() : byte() % 16;
}

void Values::fill(abi::DriverResource& r) {
  r.type = static_cast<int32_t>(byte() % 5);
  if (r.type == 2) {
    r.linear = {reinterpret_cast<uint64_t>(memory()), byte(), byte() % 6, size()};
  } else if (r.type == 3) {
    r.rows = {reinterpret_cast<uint64_t>(memory()), byte(), byte() % 6, size(), size(), size()};
  } else {
    r.array = of_kind(r.type == 1 ? "mipmapped" : "array");
  }
}

void Values::fill(abi::DriverTexture& t) {
  for (int32_t& mode : t.address) {
    mode = static_cast<int32_t>(byte() % 5);
  }
  t.filter = static_cast<int32_t>(byte() % 3);
  t.flags = byte();
}

}  // namespace heddle::fuzz
