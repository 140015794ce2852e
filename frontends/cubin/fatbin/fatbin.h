// Fat binaries: the machine code and PTX of a program for several GPUs, as nvcc puts them into executables,
// shared libraries and object files, or writes them with -fatbin.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontends/cubin/object/object.h"

namespace heddle::cubin {

struct Image {
  enum class Kind : uint8_t {
    kCubin,
    kPtx,
    kOther,  // `number` says what, such as code for link-time optimisation (8); without bytes
  };
  Kind kind = Kind::kCubin;
  uint16_t number = 0;      // as the file has it: 1 PTX, 2 ELF; 0: the file is the image
  uint32_t capability = 0;  // 90: compute capability 9.0; 0: not said
  std::string variant;  // "a": of this GPU only (sm_90a), "f": of its family; cubins by themselves have none
  bool compressed = false;     // in the file
  bool relocatable = false;    // still to be linked with others (nvcc -rdc=true)
  std::string name;            // identifier, often the source's name; empty without one
  uint64_t at = 0;             // in the file, bytes
  uint64_t file_bytes = 0;     // there
  std::vector<uint8_t> bytes;  // decompressed; PTX is without the zeros behind it

  // "sm_90a"; "compute_90a" of PTX.
  std::string target() const;
};

// Calls `use` for each image, in the file's order, one at a time in memory. Of host files, those of section
// .nv_fatbin count, or, if there are none, those of __nv_relfatbin. Throws Error for what is none of: a
// cubin, a fat binary, PTX, a host's ELF file; and for a damaged one.
void for_images(const std::string& file, std::span<const uint8_t> bytes,
                const std::function<void(Image&&)>& use);

// All of them; together at most input::limits().section_bytes.
std::vector<Image> images_of(const std::string& file, std::span<const uint8_t> bytes);

// read_object of an image of machine code; messages tell where in the file it is.
Object object_of(const std::string& file, const Image& image);

}  // namespace heddle::cubin
