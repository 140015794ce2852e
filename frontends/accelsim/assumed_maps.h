// Tensor maps that a text recording lacks, put together from what it has of the copies by them.
#pragma once

#include <memory>

#include "frontends/accelsim/byte_stream.h"
#include "sim/isa/kernel.h"

namespace heddle::accelsim {

// Adds to image.tensor_maps, marked as assumed, a map for each descriptor that a tensor copy in the extra
// file names and that neither the launch's parameters nor image.tensor_maps have. Reads all of `extra`; an
// image without tensor copies needs none. What is assumed:
// - a row is 128 bytes; its elements are as many as the smallest step of dimension 0 between copies, and the
// other
//   dimensions' boxes are such steps, too, as far as the bytes go round;
// - the bytes of a load are those that a barrier object expects of it in the first block that has one, shared
// out
//   among several descriptors by these steps or by the distances between their places in shared memory; of a
//   store, the smallest distance between its places;
// - the tensor ends where the copies end, its dimensions follow each other without gaps, and it lies where
// nothing
//   else does.
void assume_maps(std::unique_ptr<ByteStream> extra, isa::KernelImage& image);

}  // namespace heddle::accelsim
