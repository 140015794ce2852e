#include "tools/heddle/capture_writer.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/output/output_file.h"
#include "sim/base/error.h"

namespace heddle::cli {

namespace fs = std::filesystem;

namespace {

fs::path list_of(const fs::path& out) { return out / "kernelslist.g"; }

}  // namespace

CaptureWriter::CaptureWriter(CaptureFiles files, std::function<void(const CapturedFile&)> written)
    : files_(std::move(files)), written_(std::move(written)) {
  std::error_code ec;
  if (!fs::create_directories(files_.out, ec) && ec) {
    throw Error(fmt::format("{}: cannot create: {}", files_.out.string(), ec.message()));
  }
  for (const fs::path& file : {list_of(files_.out), files_.out / "kernel-1.heddle"}) {
    if (fs::exists(file) && files_.writer.replace != output::Replace::kAny) {
      throw Error(fmt::format("{}: exists (--force replaces it)", file.string()));
    }
  }
  output::find_place(list_of(files_.out), output::native_list(), files_.writer.replace);
  thread_ = std::thread([this] { work(); });
}

CaptureWriter::~CaptureWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

bool CaptureWriter::add(capture::Launch launch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() || full_; });
  if (!full_) {
    queue_.push_back(std::move(launch));
  }
  changed_.notify_all();
  return !full_;
}

void CaptureWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !queue_.empty() || ending_; });
    if (queue_.empty() || full_) {
      return;
    }
    capture::Launch launch = std::move(queue_.front());
    queue_.pop_front();
    changed_.notify_all();
    lock.unlock();
    std::string error;
    try {
      write(std::move(launch));
    } catch (const std::exception& e) {
      error = e.what();
    }
    lock.lock();
    error_ = std::move(error);
    full_ = !error_.empty();
    changed_.notify_all();
  }
}

void CaptureWriter::write(capture::Launch launch) {
  CapturedFile file;
  const auto number = static_cast<uint32_t>(done_.size() + 1);
  file.name = fmt::format("kernel-{}.heddle", number);
  file.launch = launch.image.id;
  file.kernel = launch.image.name;
  file.grid = launch.whole_grid();
  file.first_block = launch.first_block();
  file.stream = launch.image.shape.stream;
  file.graph = launch.graph;
  file.graph_launch = launch.graph_launch;
  file.memcpys = launch.memcpys;
  trace::Origin origin;
  origin.trace = fs::absolute(files_.out / ".").lexically_normal().parent_path().filename().string();
  origin.number = number;
  origin.source = files_.source;
  origin.memcpys = std::move(launch.memcpys);
  origin.part = launch.part;
  origin.graph = launch.graph;
  origin.graph_launch = launch.graph_launch;
  trace::Writer writer(files_.out / file.name, launch.image, launch.listing, origin, files_.writer);
  for (uint64_t i = 0; i < launch.blocks(); ++i) {
    writer.add(launch.take_block(i));
  }
  file.totals = writer.finish();
  bytes_ += file.totals.bytes;
  done_.push_back(file);
  written_(file);
  if (bytes_ >= files_.most_bytes) {
    throw Error(fmt::format("{}: {} bytes, as many as --disk allows", files_.out.string(), bytes_));
  }
}

const std::vector<CapturedFile>& CaptureWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  std::string list;
  for (const CapturedFile& f : done_) {
    for (const accelsim::Memcpy& m : f.memcpys) {
      list += fmt::format("MemcpyHtoD,{:#018x},{}\n", m.address, m.bytes);
    }
    list += f.name + "\n";
  }
  if (!done_.empty()) {
    output::write_file(list_of(files_.out), output::native_list(), files_.writer.replace, list);
  }
  if (!error_.empty()) {
    throw Error(error_);
  }
  return done_;
}

}  // namespace heddle::cli
