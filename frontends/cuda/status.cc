#include "frontends/cuda/status.h"

#include <algorithm>
#include <iterator>

namespace heddle::cuda {
namespace {

struct Row {
  int32_t number;
  const char* name;
  const char* text;
};

constexpr Row kRows[] = {
#include "frontends/cuda/status_rows.inc"
};

struct DriverRow {
  int32_t number;
  const char* name;
};

constexpr DriverRow kDriverRows[] = {
#include "frontends/cuda/driver_status_rows.inc"
};

const Row* row(int32_t number) {
  const auto it =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.number == number; });
  return it == std::end(kRows) ? nullptr : it;
}

}  // namespace

const char* error_name(int32_t status) {
  const Row* r = row(status);
  return r != nullptr ? r->name : nullptr;
}

const char* error_string(int32_t status) {
  const Row* r = row(status);
  return r != nullptr ? r->text : nullptr;
}

const char* driver_error_name(int32_t status) {
  const auto it = std::find_if(std::begin(kDriverRows), std::end(kDriverRows),
                               [&](const DriverRow& r) { return r.number == status; });
  return it == std::end(kDriverRows) ? nullptr : it->name;
}

Status status_of(std::string_view name) {
  const auto it =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == name; });
  return it == std::end(kRows) ? Status::kUnknown : static_cast<Status>(it->number);
}

int32_t driver_status(Status s) {
  switch (s) {
    case Status::kInvalidConfiguration:
    case Status::kInvalidPitchValue:
    case Status::kInvalidSymbol:
    case Status::kInvalidDevicePointer:
    case Status::kInvalidChannelDescriptor:
    case Status::kInvalidMemcpyDirection:
      return static_cast<int32_t>(Status::kInvalidValue);
    case Status::kInvalidDeviceFunction:
      return static_cast<int32_t>(Status::kInvalidResourceHandle);
    default:
      return static_cast<int32_t>(s);
  }
}

}  // namespace heddle::cuda
