// A launch's record as bytes, for another process of the same program.
#pragma once

#include <string>

#include "analysis/store/record.h"

namespace heddle::analysis {

std::string to_bytes(const LaunchRecord& record);
// Throws boost::archive::archive_exception for other bytes than to_bytes() gives.
LaunchRecord record_from_bytes(const std::string& bytes);

}  // namespace heddle::analysis
