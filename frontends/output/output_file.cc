#include "frontends/output/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/base/error.h"

namespace heddle::output {

int DescriptorBuffer::sync() {
  const char* at = pbase();
  while (at < pptr() && error_ == 0) {
    const ssize_t n = write(fd_, at, static_cast<size_t>(pptr() - at));
    if (n < 0 && errno != EINTR) {
      error_ = errno;
    }
    at += n > 0 ? n : 0;
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0 ? 0 : -1;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (sync() != 0) {
    return traits_type::eof();
  }
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    sputc(traits_type::to_char_type(c));
  }
  return traits_type::not_eof(c);
}

OutputFile::OutputFile(std::filesystem::path file, const FileKind& kind, Replace replace)
    : file_(std::move(file)), place_(find_place(file_, kind, replace)) {
  if (place_.in_place) {
    fd_ = open_in_place(file_, place_);
    buffer_.attach(fd_);
  } else {
    temporary_.emplace(place_.target, file_, place_.mode);
    buffer_.attach(temporary_->fd());
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

void OutputFile::check() const {
  if (buffer_.error() != 0) {
    throw Error(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(buffer_.error())));
  }
}

void OutputFile::commit() {
  stream_.flush();
  check();
  if (temporary_) {
    temporary_->commit(place_.mode.has_value());
  } else if (close(std::exchange(fd_, -1)) != 0) {
    throw Error(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
  }
}

void write_file(const std::filesystem::path& file, const FileKind& kind, Replace replace,
                std::string_view text) {
  OutputFile out(file, kind, replace);
  out.stream() << text;
  out.commit();
}

}  // namespace heddle::output
