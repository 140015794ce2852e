// What CUDA's calls return: the numbers of cudaError_t, which those of CUresult are, too, but for a few
// (driver_status).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle::cuda {

enum class Status : int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitializationError = 3,
  kInvalidConfiguration = 9,
  kInvalidPitchValue = 12,
  kInvalidSymbol = 13,
  kInvalidDevicePointer = 17,
  kInvalidChannelDescriptor = 20,
  kInvalidMemcpyDirection = 21,
  kDevicesUnavailable = 46,
  kInvalidDeviceFunction = 98,
  kInvalidDevice = 101,
  kInvalidKernelImage = 200,
  kNoKernelImageForDevice = 209,
  kInvalidContext = 201,
  kUnsupportedLimit = 215,
  kInvalidPtx = 218,
  kInvalidSource = 300,
  kFileNotFound = 301,
  kInvalidResourceHandle = 400,
  kIllegalState = 401,
  kSymbolNotFound = 500,
  kNotReady = 600,
  kContextIsDestroyed = 709,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kAssert = 710,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureUnjoined = 904,
  kCapturedEvent = 907,
  kGraphExecUpdateFailure = 910,
  kInvalidClusterSize = 912,
  kUnknown = 999,
};

// CUDA's name and text, recorded from an H200 (tests/runtime/h200/errors.txt); null for other numbers.
const char* error_name(int32_t status);
const char* error_string(int32_t status);
// "CUDA_ERROR_INVALID_VALUE": the driver's.
const char* driver_error_name(int32_t status);
// "cudaErrorInvalidValue"; kUnknown for a name that there is not.
Status status_of(std::string_view name);

// What the driver returns where the runtime returns `s`: it has no codes for configurations, symbols,
// pointers, directions and functions.
int32_t driver_status(Status s);

// A call returns something else than success. `what()`: why.
class CallFailed : public std::runtime_error {
 public:
  explicit CallFailed(Status status, const std::string& why = {})
      : std::runtime_error(why), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

inline void require(bool holds, Status otherwise, const char* why = "") {
  if (!holds) {
    throw CallFailed(otherwise, why);
  }
}

}  // namespace heddle::cuda
