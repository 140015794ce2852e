// Arguments of CUDA's calls, made from bytes: by a parameter's type, and by its name where the type says
// little (void*).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/runtime/abi.h"
#include "tools/runtime/given.h"

namespace heddle::fuzz {

class Values {
 public:
  Values(const uint8_t* data, size_t size);

  bool left() const { return at_ < size_; }
  // A call begins: its name, and its parameters' by commas.
  void begin(std::string_view call, std::string_view parameters);
  // It has returned: what it gave out are handles from now on.
  void returned(int32_t status);
  uint32_t byte() { return left() ? data_[at_++] : 0; }
  // A handle of the kind from now on, whatever becomes of it.
  void know(const std::string& kind, const void* handle);

  // The next parameter's.
  template <class T>
  T make() {
    next();
    if constexpr (std::is_same_v<T, unsigned long long>) {
      return object_number();
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(number(sizeof(T) == 8));
    } else if constexpr (std::is_same_v<T, void*> || std::is_same_v<T, const void*>) {
      return object();
    } else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>) {
      return byte() % 4 == 0 ? nullptr
                             : reinterpret_cast<T>(host_function(std::is_same_v<T, void (*)(void*)>));
    } else if constexpr (std::is_pointer_v<T>) {
      return static_cast<T>(optional());
    } else {
      return structure(static_cast<T*>(nullptr));
    }
  }

 private:
  static constexpr size_t kSlotBytes = 8192;
  struct alignas(64) Slot {
    std::array<uint8_t, kSlotBytes> bytes;
  };

  void next();
  uint64_t number(bool wide);
  uint64_t size();
  uint64_t dimension();
  void* object();
  void* of_kind(const std::string& kind);
  void* memory();
  void* optional();
  void* slot();  // zeros, but for a count of what is behind another one
  static void* host_function(bool simple);
  static void* host();  // memory of the host's, which no test looks at
  std::string kind_of_result() const;

  template <class T>
  runtime::Given<T> structure(runtime::Given<T>*) {
    if (byte() % 8 == 0) {
      return nullptr;
    }
    auto* p = static_cast<std::remove_const_t<T>*>(slot());
    if constexpr (std::is_const_v<T>) {
      if constexpr (std::is_class_v<T>) {
        fill(*p);
      } else {
        fill_list(p);
      }
    } else if constexpr (std::is_same_v<T, abi::NodeParameters> || std::is_same_v<T, abi::AllocateNode>) {
      fill(*p);  // in and out
    }
    return p;
  }
  abi::Dim3 structure(abi::Dim3*);
  abi::Location structure(abi::Location*);
  abi::IpcHandle structure(abi::IpcHandle*);
  abi::Extent structure(abi::Extent*);
  abi::PitchedPointer structure(abi::PitchedPointer*);
  unsigned long long object_number();
  uint64_t side();  // of an array

  void fill(abi::KernelNode& n);
  void fill(abi::Copy3D& c);
  void fill(abi::MemsetNode& n);
  void fill(abi::HostNode& n);
  void fill(abi::LaunchConfig& c);
  void fill(abi::DriverLaunchConfig& c);
  void fill(abi::PoolProperties& p);
  void fill(abi::Location& l) { l = structure(&l); }
  void fill(abi::AllocateNode& n);
  void fill(abi::NodeParameters& n);
  void fill(abi::CopyAttributes& a);
  void fill(abi::CopyOperation& o);
  void fill(abi::CopyOperand& o);
  void fill(abi::PeerCopy3D& c);
  void fill(abi::ChannelFormat& f);
  void fill(abi::Resource& r);
  void fill(abi::Texture& t);
  void fill(abi::DriverCopy2D& c);
  void fill(abi::DriverCopy3D& c);
  void fill(abi::DriverArray& a);
  void fill(abi::DriverArray3D& a);
  void fill(abi::DriverResource& r);
  void fill(abi::DriverTexture& t);
  template <class S>
  void fill_side(S& s);
  void fill_list(void** list);
  void fill_list(const void** list);
  void fill_list(uint8_t** list);
  void fill_list(char* text);
  template <class T>
  void fill_list(T* list) {
    for (size_t i = 0; i < kList; ++i) {
      list[i] = writes_ ? static_cast<T>(byte() % 4 * 4) : static_cast<T>(number(sizeof(T) == 8));
    }
  }
  abi::LaunchAttribute* attributes(uint32_t& count);
  void** arguments();

  static constexpr size_t kList = 8;
  const uint8_t* data_;
  size_t size_, at_ = 0;
  std::string call_, name_;
  std::vector<std::string> names_;  // of the parameters that are left, backwards
  bool small_ = false;              // the call's numbers, since it has memory of the host's
  bool writes_ = false;             // the call writes as many bytes as it is told
  std::vector<Slot> slots_;
  size_t used_ = 0;
  std::map<std::string, std::vector<void*>> handles_;
  std::vector<void**> given_;  // where the call puts handles
};

}  // namespace heddle::fuzz
