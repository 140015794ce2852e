// PTX text to a module.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "frontends/ptx/module.h"

namespace heddle::ptx {

// `name`: the file's, for messages. Throws heddle::Error, "NAME:LINE:COLUMN: what (legal: ...)", for what is
// not PTX up to 9.0 for sm_50 to sm_90a. Memory is a small multiple of the text's size.
std::unique_ptr<const Module> parse(std::string name, std::string text);

// A file of at most input::limits().text_bytes.
std::unique_ptr<const Module> load(const std::filesystem::path& file);

}  // namespace heddle::ptx
