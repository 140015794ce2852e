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

void* Values::host() { return host_bytes; }

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

// Bytes from anywhere; those of a process's own are never legal there.
abi::IpcHandle Values::structure(abi::IpcHandle*) {
  abi::IpcHandle out{};
  for (char& c : out.bytes) {
    c = static_cast<char>(byte());
  }
  return out;
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
