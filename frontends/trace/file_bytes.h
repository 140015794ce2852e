// A file, or memory, that is read at any offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::trace {

class FileBytes {
 public:
  explicit FileBytes(std::string name) : name_(std::move(name)) {}
  virtual ~FileBytes() = default;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  virtual uint64_t size() const = 0;
  // Reads exactly `n` bytes, which must be there. Throws heddle::Error when the system cannot read them.
  virtual void read(uint64_t offset, char* dst, size_t n) const = 0;

  const std::string& name() const { return name_; }
  // Throws heddle::Error "FILE: byte OFFSET: what".
  [[noreturn]] void fail(uint64_t offset, std::string_view what) const;

 private:
  std::string name_;
};

std::unique_ptr<FileBytes> open_file(const std::filesystem::path& file);
// Over memory, which must outlive the object.
std::unique_ptr<FileBytes> open_memory(std::string name, std::string_view data);

}  // namespace heddle::trace
