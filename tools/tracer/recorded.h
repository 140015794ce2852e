// A launch that is being recorded, and what else the tool asks of the driver.
#pragma once

#include <stdlib.h>

#include <string>
#include <vector>

#include "nvbit.h"
#include "tools/tracer/functions.h"
#include "tools/tracer/launch.h"

namespace heddle::capture {

struct Recorded {
  Launch launch;
  std::string name;
  std::vector<const Function*> used;
  std::vector<char> parameters;
};

// A stream may be being captured, which calls of the driver would end that are none of the capture's.
class Relaxed {
 public:
  Relaxed() { cuThreadExchangeStreamCaptureMode(&mode_); }
  ~Relaxed() { cuThreadExchangeStreamCaptureMode(&mode_); }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

inline bool is_capturing(CUstream stream) {
  CUstreamCaptureStatus s = CU_STREAM_CAPTURE_STATUS_NONE;
  return cuStreamIsCapturing(stream, &s) == CUDA_SUCCESS && s != CU_STREAM_CAPTURE_STATUS_NONE;
}

inline std::string name_of(CUcontext ctx, CUfunction f, bool mangled) {
  const char* name = f ? nvbit_get_func_name(ctx, f, mangled) : nullptr;
  return name ? name : "";
}

inline CUresult result(const CUresult* status) { return status ? *status : CUDA_SUCCESS; }

inline std::string text_of(CUresult r) {
  const char* s = nullptr;
  cuGetErrorString(r, &s);
  return s ? s : "error " + std::to_string(r);
}

inline bool is_set(const char* variable) {
  const char* value = getenv(variable);
  return value && *value == '1';
}

}  // namespace heddle::capture
