#include "sim/exec/tensor_memory/shape.h"

namespace heddle::exec {

TensorAddress cell_of(CellShape shape, uint32_t lane, uint32_t i, uint32_t half_offset) {
  switch (shape) {
    case CellShape::k32x32b:
      return {lane, i};
    case CellShape::k16x64b:
      return {lane / 4 + lane % 2 * 8, lane / 2 % 2 + 2 * i};
    case CellShape::k16x128b:
      return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4};
    case CellShape::k16x256b:
      return {lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8};
    case CellShape::k16x32bx2:
      return {lane % 16, i + lane / 16 * half_offset};
  }
  return {};
}

CopyRows rows_of(CopyShape shape) {
  switch (shape) {
    case CopyShape::k128x256b:
      return {.rows = 128, .bytes = 32};
    case CopyShape::k4x256b:
      return {.rows = 4, .bytes = 32};
    case CopyShape::k128x128b:
      return {.rows = 128, .bytes = 16};
    case CopyShape::k64x128b0213:
      return {.rows = 64, .bytes = 16, .copies = 2, .apart = 64};
    case CopyShape::k64x128b0123:
      return {.rows = 64, .bytes = 16, .copies = 2, .apart = 32};
    case CopyShape::k32x128b:
      return {.rows = 32, .bytes = 16, .copies = 4, .apart = 32};
  }
  return {};
}

uint32_t lane_of(CopyShape shape, uint32_t row) {
  switch (shape) {
    case CopyShape::k4x256b:  // one of each quarter
      return row * kTensorLanesOfWarp;
    case CopyShape::k64x128b0123:
      return row % 32 + row / 32 * 64;
    default:
      return row;
  }
}

}  // namespace heddle::exec
