// The data of the HTML report: everything that the page shows, as one JSON object.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/store/record.h"

namespace heddle::analysis {

struct ReportRun {
  RunRecord run;
  std::vector<LaunchRecord> launches;
};

// Called for each launch when its turn comes, so that no more than one profile is in memory.
struct LaunchProfile {
  stats::Profile profile;
  std::map<std::string, uint64_t> flop;  // by kind (store/flop.h)
};
using ProfileOf = std::function<LaunchProfile(const LaunchRecord& launch)>;

// Keys: source, stalls (name -> [family, meaning]), metrics (name -> [unit, meaning]), runs. The page
// (page/main.js) says what it reads of each. Text is escaped for an HTML script element.
void write_report_data(std::ostream& out, const std::string& source, const std::vector<ReportRun>& runs,
                       const ProfileOf& profile_of);

// The whole page: the data within the template, with style and scripts; needs nothing else.
void write_html_report(std::ostream& out, const std::string& source, const std::vector<ReportRun>& runs,
                       const ProfileOf& profile_of);

}  // namespace heddle::analysis
