// A file that appears when it is complete: written beside its place and moved there.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "frontends/output/file_kind.h"
#include "frontends/output/place.h"
#include "frontends/output/temporary.h"

namespace heddle::output {

// Bytes for a descriptor. The reason of the first failed write is kept.
class DescriptorBuffer : public std::streambuf {
 public:
  DescriptorBuffer() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  void attach(int fd) { fd_ = fd; }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  int fd_ = -1;
  int error_ = 0;
  std::array<char, 64 << 10> buffer_;
};

class OutputFile {
 public:
  // Throws heddle::Error when the place may not or cannot be written (find_place). A file that is replaced
  // keeps its permissions; a device or a pipe is written into.
  OutputFile(std::filesystem::path file, const FileKind& kind, Replace replace);
  ~OutputFile();  // without commit(): nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  // Throws heddle::Error when not everything could be written, at the next call, too.
  void check() const;
  void commit();

 private:
  const std::filesystem::path file_;
  const Place place_;
  std::optional<Temporary> temporary_;  // none: in place
  int fd_ = -1;
  DescriptorBuffer buffer_;
  std::ostream stream_{&buffer_};
};

void write_file(const std::filesystem::path& file, const FileKind& kind, Replace replace,
                std::string_view text);

}  // namespace heddle::output
