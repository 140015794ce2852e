#include "frontends/trace/file_bytes.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "frontends/input/regular_file.h"
#include "sim/base/error.h"

namespace heddle::trace {

namespace {

class DiskFile final : public FileBytes {
 public:
  explicit DiskFile(const std::filesystem::path& file) : FileBytes(file.string()), file_(file) {}

  uint64_t size() const override { return file_.size(); }

  void read(uint64_t offset, char* dst, size_t n) const override {
    while (n > 0) {
      const ssize_t got = pread(file_.fd(), dst, n, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got <= 0) {
        fail(offset, got < 0 ? std::string("cannot read: ") + std::strerror(errno)
                             : std::string("the file became shorter while it was read"));
      }
      dst += got;
      offset += static_cast<uint64_t>(got);
      n -= static_cast<size_t>(got);
    }
  }

 private:
  const input::RegularFile file_;
};

class MemoryFile final : public FileBytes {
 public:
  MemoryFile(std::string name, std::string_view data) : FileBytes(std::move(name)), data_(data) {}
  uint64_t size() const override { return data_.size(); }
  void read(uint64_t offset, char* dst, size_t n) const override {
    if (n > 0) {  // of no bytes there may be no address
      std::memcpy(dst, data_.data() + offset, n);
    }
  }

 private:
  std::string_view data_;
};

}  // namespace

void FileBytes::fail(uint64_t offset, std::string_view what) const {
  throw Error(name_ + ": byte " + std::to_string(offset) + ": " + std::string(what));
}

std::unique_ptr<FileBytes> open_file(const std::filesystem::path& file) {
  return std::make_unique<DiskFile>(file);
}

std::unique_ptr<FileBytes> open_memory(std::string name, std::string_view data) {
  return std::make_unique<MemoryFile>(std::move(name), data);
}

}  // namespace heddle::trace
