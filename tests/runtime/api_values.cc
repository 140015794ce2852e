#include "tests/runtime/api_values.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>

extern "C" int32_t cudaStreamQuery(void* stream);
extern "C" int32_t cudaDeviceReset();

namespace heddle::fuzz {
namespace {

constexpr size_t kSlots = 24;
constexpr size_t kHostBytes = 4 << 20;
// What copies have on the host; no test looks at it.
alignas(4096) uint8_t host_bytes[kHostBytes];

// They may not call CUDA, and try to.
void host_simple(void* /*data*/) {
  cudaStreamQuery(nullptr);
  cudaDeviceReset();
}
void host_callback(void* stream, int32_t /*status*/, void* /*data*/) { cudaStreamQuery(stream); }

bool contains(std::string_view all, std::string_view part) {
  return all.find(part) != std::string_view::npos;
}

void* address(uint64_t number) {
  return reinterpret_cast<void*>(number);
}  // NOLINT(performance-no-int-to-ptr)

}  // namespace

Values::Values(const uint8_t* data, size_t size) : data_(data), size_(size), slots_(kSlots) {}

void Values::begin(std::string_view call, std::string_view parameters) {
  call_ = call;
  names_.clear();
  for (size_t from = 0; from <= parameters.size();) {
    const size_t end = std::min(parameters.find(',', from), parameters.size());
    names_.emplace_back(parameters.substr(from, end - from));
    from = end + 1;
  }
  std::reverse(names_.begin(), names_.end());
  small_ = byte() % 2 == 0;
  writes_ = contains(call, "RangeGetAttribute") || contains(call, "PointerGetAttributes");
  used_ = 0;
  given_.clear();
}

void Values::next() {
  name_ = names_.empty() ? "" : names_.back();
  if (!names_.empty()) {
    names_.pop_back();
  }
}

void Values::know(const std::string& kind, const void* handle) {
  handles_[kind].push_back(const_cast<void*>(handle));
}

// By the call's name: what its result is a handle of.
std::string Values::kind_of_result() const {
  static const std::pair<const char*, const char*> kKinds[] = {{"MipmappedArrayCreate", "mipmapped"},
                                                               {"MallocMipmapped", "mipmapped"},
                                                               {"MallocArray", "array"},
                                                               {"Malloc3DArray", "array"},
                                                               {"ArrayCreate", "array"},
                                                               {"Array3DCreate", "array"},
                                                               {"ArrayLevel", "array"},
                                                               {"ArrayGetLevel", "array"},
                                                               {"TextureObject", "texture"},
                                                               {"TexObject", "texture"},
                                                               {"SurfaceObject", "texture"},
                                                               {"SurfObject", "texture"},
                                                               {"ConditionalHandle", "condition"},
                                                               {"LibraryLoad", "module"},
                                                               {"GetModule", "module"},
                                                               {"GetLibrary", "module"},
                                                               {"EnumerateKernels", "function"},
                                                               {"EnumerateFunctions", "function"},
                                                               {"Register", "callback"},
                                                               {"StreamCreate", "stream"},
                                                               {"EventCreate", "event"},
                                                               {"GraphInstantiate", "exec"},
                                                               {"GraphAdd", "node"},
                                                               {"FindInClone", "node"},
                                                               {"GetNodes", "node"},
                                                               {"GetRootNodes", "node"},
                                                               {"GetDependencies", "node"},
                                                               {"GraphGetEdges", "node"},
                                                               {"GraphCreate", "graph"},
                                                               {"GraphClone", "graph"},
                                                               {"EndCapture", "graph"},
                                                               {"GetCaptureInfo", "graph"},
                                                               {"PoolCreate", "pool"},
                                                               {"MemPool", "pool"},
                                                               {"ModuleLoad", "module"},
                                                               {"GetFunction", "function"},
                                                               {"FuncBySymbol", "function"},
                                                               {"GetKernel", "function"},
                                                               {"Ctx", "context"},
                                                               {"Alloc", "memory"},
                                                               {"SymbolAddress", "memory"},
                                                               {"DevicePointer", "memory"},
                                                               {"UserObject", "object"}};
  for (const auto& [part, kind] : kKinds) {
    if (contains(call_, part)) {
      return kind;
    }
  }
  return "other";
}

void Values::returned(int32_t status) {
  if (status != 0) {
    return;
  }
  for (void** p : given_) {
    if (*p != nullptr) {
      know(kind_of_result(), *p);
    }
  }
}

void* Values::slot() {
  Slot& s = slots_[used_++ % kSlots];
  s.bytes.fill(0);
  auto* p = reinterpret_cast<void**>(s.bytes.data());
  if (name_ == "count") {
    const uint64_t n = byte() % (2 * kList);
    std::memcpy(p, &n, sizeof n);
  } else if (name_ == "value" || name_ == "mode") {
    const uint64_t n = number(true);
    std::memcpy(p, &n, sizeof n);
  } else {
    given_.push_back(p);
  }
  return p;
}

void* Values::optional() {
  if (name_ == "arguments") {
    return arguments();
  }
  if (name_ == "extra") {
    if (byte() % 4 != 0) {
      return nullptr;
    }
    auto** p = static_cast<void**>(slot());
    auto* bytes = static_cast<uint64_t*>(slot());
    *bytes = size();
    p[0] = address(1);
    p[1] = byte() % 8 == 0 ? nullptr : host_bytes;
    p[2] = address(2);
    p[3] = bytes;
    return p;
  }
  if (name_.empty() || name_ == "edges" || name_ == "list") {
    return nullptr;
  }
  return byte() % 4 == 0 ? nullptr : slot();
}

void* Values::host_function(bool simple) {
  return simple ? reinterpret_cast<void*>(&host_simple) : reinterpret_cast<void*>(&host_callback);
}

uint64_t Values::dimension() {
  constexpr uint64_t kAll[] = {1, 1, 1, 2, 3, 5, 0, 0xffffffff, 0x80000000};
  return kAll[byte() % std::size(kAll)];
}

uint64_t Values::size() {
  // Nothing between what the host has room for and more than the device has: memsets would fill it.
  constexpr uint64_t kSmall[] = {4, 64, 1, 0, 3, 16, 100};
  constexpr uint64_t kAll[] = {4,
                               64,
                               1,
                               0,
                               512,
                               4096,
                               100,
                               65536,
                               1 << 20,
                               uint64_t{1} << 43,
                               ~0ULL,
                               ~0ULL - 511,
                               uint64_t{1} << 63,
                               uint64_t{1} << 40,
                               uint64_t{1} << 62};
  return small_ ? kSmall[byte() % std::size(kSmall)] : kAll[byte() % std::size(kAll)];
}

uint64_t Values::number(bool wide) {
  static const std::string_view kDimensions[] = {"gx", "gy", "gz", "bx", "by", "bz"};
  if (std::find(std::begin(kDimensions), std::end(kDimensions), name_) != std::end(kDimensions)) {
    return dimension();
  }
  static const std::string_view kListed[] = {"Graph",   "Pool",         "Batch", "Attributes",
                                             "Capture", "Capabilities", "Valid"};
  const bool counts = name_ == "count" || name_ == "attribute_count" || name_ == "places";
  if (counts && std::any_of(std::begin(kListed), std::end(kListed),
                            [&](std::string_view part) { return contains(call_, part); })) {
    return byte() % kList;
  }
  if (writes_ && name_ == "bytes") {
    return byte() % 8 * 4;
  }
  if (contains(call_, "Array") && (name_ == "width" || name_ == "height") && !contains(call_, "Memcpy")) {
    return side();
  }
  // An address as the driver's calls have them.
  if (wide && (name_ == "to" || name_ == "from" || name_ == "p")) {
    return reinterpret_cast<uint64_t>(memory());
  }
  if (wide) {
    return size();
  }
  constexpr int32_t kAll[] = {0, 1, 2, 3, 4, 0, 0, 1, 8, 16, 64, -1, INT_MAX, INT_MIN, 1000};
  const uint32_t choice = byte();
  return choice < 192 ? static_cast<uint64_t>(kAll[choice % std::size(kAll)]) : byte();
}

uint64_t Values::side() {
  constexpr uint64_t kAll[] = {8, 4, 1, 16, 0, 6, 3, 100, ~0ULL, uint64_t{1} << 32, 200000};
  return kAll[byte() % std::size(kAll)];
}

unsigned long long Values::object_number() {
  if (name_ == "object") {
    return reinterpret_cast<uint64_t>(of_kind("texture"));
  }
  return number(true);
}

void* Values::of_kind(const std::string& kind) {
  const auto& all = handles_[kind];
  return all.empty() ? nullptr : all[byte() % all.size()];
}

void* Values::memory() {
  const uint32_t choice = byte();
  if (choice % 16 == 0) {
    return nullptr;
  }
  if (choice % 16 == 1) {
    return address(0x200000000000 + uint64_t{choice} * 4096);  // of the device, mostly nobody's
  }
  if (choice % 16 < 5 && small_) {
    return host_bytes + choice;
  }
  void* p = of_kind("memory");
  return p == nullptr || choice % 16 < 14 ? p : static_cast<uint8_t*>(p) + choice;
}

void* Values::object() {
  static const std::pair<const char*, const char*> kKinds[] = {
      {"stream", "stream"},    {"event", "event"},     {"graph", "graph"},   {"node", "node"},
      {"exec", "exec"},        {"pool", "pool"},       {"handle", "module"}, {"function", "function"},
      {"kernel", "function"},  {"symbol", "function"}, {"host", "function"}, {"context", "context"},
      {"child", "graph"},      {"clone", "graph"},     {"image", "image"},   {"object", "object"},
      {"library", "module"},   {"array", "array"},     {"code", "image"},    {"mipmapped", "mipmapped"},
      {"callback", "callback"}};
  if (name_.empty() || name_ == "edges" || name_ == "parameters") {
    return nullptr;
  }
  if (name_ == "data") {
    return host_bytes;
  }
  std::string kind;
  for (const auto& [name, k] : kKinds) {
    kind = name_ == name ? k : kind;
  }
  if (contains(call_, "EventElapsed")) {
    kind = "event";
  }
  const bool to_array = contains(call_, "ToArray") || contains(call_, "DtoA") || contains(call_, "HtoA") ||
                        contains(call_, "AtoA");
  const bool from_array = contains(call_, "FromArray") || contains(call_, "ArrayToArray") ||
                          contains(call_, "AtoD") || contains(call_, "AtoH") || contains(call_, "AtoA");
  if ((name_ == "to" && to_array) || (name_ == "from" && from_array)) {
    kind = "array";
  }
  if (kind == "image") {
    return of_kind(kind);
  }
  if (kind.empty() || (name_ == "host" && contains(call_, "cudaHostGet"))) {
    return memory();
  }
  const uint32_t choice = byte() % 16;
  constexpr uint64_t kNone[] = {0x1, 0x2, 0x10, 0x1234, 0xdeadbeefdead0000, ~0ULL, 0x200000001000};
  if (choice == 0) {
    return nullptr;
  }
  if (choice == 1) {
    return address(kNone[byte() % std::size(kNone)]);
  }
  if (choice == 2) {  // of any kind
    auto it = handles_.begin();
    std::advance(it, handles_.empty() ? 0 : byte() % handles_.size());
    return handles_.empty() ? host_bytes : of_kind(it->first);
  }
  return of_kind(kind);
}

abi::Dim3 Values::structure(abi::Dim3*) {
  const auto x = static_cast<uint32_t>(dimension()), y = static_cast<uint32_t>(dimension());
  return {x, y, static_cast<uint32_t>(dimension())};
}

abi::Location Values::structure(abi::Location*) {
  const auto type = static_cast<int32_t>(byte() % 4);
  return {type, static_cast<int32_t>(byte() % 3) - 1};
}

abi::Extent Values::structure(abi::Extent*) {
  if (contains(call_, "Array")) {
    const uint64_t x = side(), y = side();
    return {x, y, side()};
  }
  const uint64_t x = size(), y = size();
  return {x, y, size()};
}

abi::PitchedPointer Values::structure(abi::PitchedPointer*) {
  abi::PitchedPointer p{};
  p.pointer = memory();
  p.pitch = size();
  p.width = size();
  p.height = size();
  return p;
}

// Pointers to at most three parameters.
void** Values::arguments() {
  const uint32_t choice = byte() % 16;
  if (choice == 0) {
    return nullptr;
  }
  auto** list = static_cast<void**>(slot());
  auto* values = static_cast<uint64_t*>(slot());
  given_.clear();
  values[0] = reinterpret_cast<uint64_t>(of_kind("memory"));
  values[1] = byte();
  for (size_t i = 0; i < 3; ++i) {
    list[i] = choice == 1 ? nullptr : values + i;
  }
  return list;
}

abi::LaunchAttribute* Values::attributes(uint32_t& count) {
  constexpr uint32_t kMost = 4;
  const uint32_t choice = byte();
  count = choice % kMost;
  if (choice % 16 == 15) {
    count = UINT32_MAX;
    return nullptr;
  }
  auto* list = static_cast<abi::LaunchAttribute*>(slot());
  for (uint32_t i = 0; i < count; ++i) {
    list[i].id = static_cast<int32_t>(byte() % 20);
    for (uint32_t& c : list[i].value.cluster) {
      c = static_cast<uint32_t>(dimension());
    }
  }
  return list;
}

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
  c.from_array = byte() % 16 == 0 ? host_bytes : byte() % 4 == 0 ? of_kind("array") : nullptr;
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
  n.function = byte() % 4 == 0 ? nullptr : &host_simple;
  n.data = host_bytes;
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

// Of copies and ranges: memory.
void Values::fill_list(const void** list) {
  for (size_t i = 0; i < kList; ++i) {
    list[i] = memory();
  }
}

// Where the call puts as many bytes as it is told.
void Values::fill_list(uint8_t** list) {
  for (size_t i = 0; i < kList; ++i) {
    list[i] = static_cast<uint8_t*>(slot());
  }
  given_.clear();
}

void Values::fill_list(void** list) {
  if (name_ == "to" || name_ == "p") {
    fill_list(const_cast<const void**>(list));
    return;
  }
  for (size_t i = 0; i < kList; ++i) {
    list[i] = of_kind(byte() % 16 == 0 ? "event" : "node");
  }
}

void Values::fill_list(char* text) {
  static const char* const kAll[] = {"add", "far",        "none",   "total",    "limits",
                                     "",    "cuMemAlloc", "malloc", "/nowhere", "cudaMalloc"};
  std::strcpy(text, kAll[byte() % std::size(kAll)]);
}

}  // namespace heddle::fuzz
