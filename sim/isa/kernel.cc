#include "sim/isa/kernel.h"

#include <algorithm>

namespace heddle::isa {

uint32_t SourceMap::file(std::string_view name) {
  const auto it = std::find(files.begin(), files.end(), name);
  if (it == files.end()) {
    files.emplace_back(name);
    return static_cast<uint32_t>(files.size() - 1);
  }
  return static_cast<uint32_t>(it - files.begin());
}

std::string source_text(std::string_view file, uint32_t line) {
  if (line == 0) {
    return "";
  }
  return file.empty() ? "line " + std::to_string(line)
                      : std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);
}

std::string KernelImage::source_text(size_t n) const {
  const SourceLine s = source_line(n);
  return s.line == 0 ? "" : isa::source_text(source->files[s.file], s.line);
}

}  // namespace heddle::isa
