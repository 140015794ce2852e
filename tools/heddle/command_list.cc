// heddle list, heddle sass: what is in files with code for GPUs, and the machine code as text.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/report/format.h"
#include "analysis/report/table.h"
#include "frontends/cubin/disassemble.h"
#include "frontends/cubin/fatbin/fatbin.h"
#include "frontends/input/limits.h"
#include "frontends/input/regular_file.h"
#include "sim/base/error.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/console.h"

namespace heddle::cli {
namespace {

using cubin::Image;

void for_images_of(const std::filesystem::path& file, const std::function<void(const Image&)>& use) {
  const std::string text = input::read_regular_file(file, input::limits().section_bytes);
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  cubin::for_images(file.string(), bytes, [&](Image&& image) { use(image); });
}

std::string dimensions(const isa::Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

std::string threads_of(const cubin::Function& f) {
  return f.required_threads.x != 0 ? dimensions(f.required_threads)
         : f.most_threads != 0     ? fmt::format("up to {}", f.most_threads)
                                   : "any";
}

std::string cluster_of(const cubin::Function& f) {
  return f.required_cluster.x != 0    ? dimensions(f.required_cluster)
         : f.most_cluster_blocks != 0 ? fmt::format("up to {}", f.most_cluster_blocks)
         : f.explicit_cluster         ? "given at launch"
                                      : "any";
}

std::string kernels_of(const cubin::Object& object) {
  using Align = analysis::TextTable::Align;
  analysis::TextTable table({{"  kernel", Align::kLeft},
                             {"registers"},
                             {"shared bytes"},
                             {"stack bytes"},
                             {"parameter bytes"},
                             {"threads"},
                             {"cluster"}});
  for (const cubin::Function& f : object.functions) {
    if (f.kernel) {
      table.add({"  " + analysis::demangled(f.name), std::to_string(f.registers),
                 std::to_string(f.static_shared), std::to_string(f.stack_bytes),
                 std::to_string(f.parameter_bytes), threads_of(f), cluster_of(f)});
    }
  }
  return table.empty() ? "  no kernel\n" : table.str();
}

std::string headline(const Image& image) {
  std::string out =
      image.kind == Image::Kind::kCubin ? image.target() + " machine code"
      : image.kind == Image::Kind::kPtx
          ? image.target() + " PTX"
          : fmt::format("sm_{}{} code of kind {}", image.capability, image.variant, image.number);
  if (image.relocatable) {
    out += ", relocatable";
  }
  if (image.kind == Image::Kind::kOther) {
    return out + fmt::format(", {} bytes in the file", image.file_bytes);
  }
  out += fmt::format(", {} bytes", image.bytes.size());
  if (image.compressed) {
    out += fmt::format(" (compressed: {})", image.file_bytes);
  }
  return image.name.empty() ? out : out + ", " + image.name;
}

int list(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    if (files.size() > 1) {
      print(file.string() + ":\n");
    }
    for_images_of(file, [&](const Image& image) {
      print(headline(image) + "\n");
      if (image.kind == Image::Kind::kCubin) {
        print(kernels_of(cubin::object_of(file.string(), image)));
      }
    });
  }
  return 0;
}

struct SassOptions {
  std::filesystem::path file;
  std::string kernel;
  uint32_t capability = 0;  // 0: all
};

// Machine code of one file.
class Sass {
 public:
  explicit Sass(const SassOptions& o) : o_(o) {}

  void image(const Image& image) {
    if (image.kind != Image::Kind::kCubin) {
      others_.insert(image.target());
      return;
    }
    code_.insert(image.capability);
    if (o_.capability != 0 && image.capability != o_.capability) {
      return;
    }
    if (!cubin::is_known(image.capability)) {
      not_known_.insert(image.capability);
      return;
    }
    const cubin::Object object = cubin::object_of(o_.file.string(), image);
    bool title = false;
    for (const cubin::Function& f : object.functions) {
      names_.insert(f.name);
      if (!o_.kernel.empty() && o_.kernel != f.name && o_.kernel != analysis::demangled(f.name)) {
        continue;
      }
      if (!title) {
        print(fmt::format("// {}, byte {} of {}\n", image.target(), image.at, o_.file.string()));
        title = true;
      }
      function(f, object.capability);
    }
  }

  void finish() const {
    const std::string file = o_.file.string();
    if (code_.empty()) {
      throw Error(fmt::format("{}: no machine code in it (there is: {})", file, fmt::join(others_, ", ")));
    }
    if (!functions_ && names_.empty() && !not_known_.empty()) {
      throw Error(fmt::format("{}: machine code of capability {} (legal: {})", file,
                              fmt::join(not_known_, ", "), cubin::kKnownCapabilities));
    }
    if (o_.capability != 0 && !code_.contains(o_.capability)) {
      throw Error(fmt::format("{}: no machine code of capability {} (legal: {})", file, o_.capability,
                              fmt::join(code_, ", ")));
    }
    if (!functions_) {
      throw Error(o_.kernel.empty()
                      ? fmt::format("{}: no function in it", file)
                      : fmt::format("{}: no function {} (legal: {})", file, o_.kernel, some_names()));
    }
    if (unknown_ > 0) {
      note(fmt::format("{} instructions of {} are not known to the disassembler", unknown_, instructions_));
    }
    if (!not_known_.empty()) {
      note(fmt::format("left out: machine code of capability {} (legal: {})", fmt::join(not_known_, ", "),
                       cubin::kKnownCapabilities));
    }
  }

 private:
  void function(const cubin::Function& f, uint32_t capability) {
    functions_ = true;
    std::string out = fmt::format("// {}: {} registers\n", analysis::demangled(f.name), f.registers);
    for (size_t i = 0; i < f.code.size(); ++i) {
      const cubin::Word& w = f.code[i];
      const uint64_t pc = i * sizeof w;
      std::string text = cubin::disassembled(w, pc, capability);
      if (text.empty()) {
        text = fmt::format("?? 0x{:016x}_{:016x}", w.high, w.low);
        ++unknown_;
      }
      out += fmt::format("{:04x}  {} ;\n", pc, text);
    }
    instructions_ += f.code.size();
    print(out);
  }

  std::string some_names() const {
    constexpr size_t kMost = 10;
    std::vector<std::string> some;
    for (auto it = names_.begin(); it != names_.end() && some.size() < kMost; ++it) {
      some.push_back(*it);
    }
    return fmt::format("{}{}", fmt::join(some, ", "),
                       names_.size() > kMost ? fmt::format(" and {} more", names_.size() - kMost) : "");
  }

  const SassOptions& o_;
  std::set<std::string> others_, names_;
  std::set<uint32_t> code_, not_known_;
  bool functions_ = false;
  uint64_t instructions_ = 0, unknown_ = 0;
};

int sass(const SassOptions& o) {
  Sass all(o);
  for_images_of(o.file, [&](const Image& image) { all.image(image); });
  all.finish();
  return 0;
}

}  // namespace

void add_list(CLI::App& app, int& status) {
  auto files = std::make_shared<std::vector<std::filesystem::path>>();
  CLI::App* c = app.add_subcommand("list", "the machine code and PTX in programs and libraries");
  c->add_option("FILE", *files, "executables, libraries, objects, fat binaries, cubins, PTX")->required();
  c->callback([files, &status] { status = list(*files); });
}

void add_sass(CLI::App& app, int& status) {
  auto o = std::make_shared<SassOptions>();
  CLI::App* c = app.add_subcommand("sass", "the machine code in a program or library, as text");
  c->add_option("FILE", o->file, "an executable, library, object, fat binary or cubin")->required();
  c->add_option("--kernel", o->kernel, "this kernel or function only (default: all)");
  c->add_option("--capability", o->capability, "machine code of this capability only: 90 (default: all)")
      ->check(CLI::Range(1u, 999u));
  c->callback([o, &status] { status = sass(*o); });
}

}  // namespace heddle::cli
