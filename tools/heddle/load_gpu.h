// Configurations for the commands.
#pragma once

#include <string>

#include "configs/loader/config.h"

namespace heddle::cli {

// Says on stderr which file the GPU is read from, once, when its name was not found among the shipped ones.
void say_where_from(const std::string& gpu, const config::LoadOptions& options);

// config::load(), with that said.
config::GpuConfig load_gpu(const std::string& gpu, const config::LoadOptions& options);

}  // namespace heddle::cli
