#include "analysis/access/access_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "analysis/report/svg.h"
#include "sim/access/coalesce.h"

namespace heddle::analysis {
namespace {

constexpr uint32_t kWord = 4;
constexpr uint32_t kMostLines = 32;  // drawn

uint32_t width_of(const isa::Instr& in) { return std::max<uint32_t>(in.width, 1); }

char pass_character(uint32_t pass) {
  return pass == 0   ? '.'
         : pass < 10 ? static_cast<char>('0' + pass)
         : pass < 36 ? static_cast<char>('a' + pass - 10)
                     : '#';
}

std::vector<memory::LineAccess> lines_of(const isa::Instr& in, const AccessPattern& p) {
  memory::Coalesced c;
  memory::coalesce(p.address.data(), p.mask, width_of(in), c);
  std::vector<memory::LineAccess> lines(c.lines.begin(), c.lines.begin() + c.count);
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  return lines;
}

}  // namespace

BankPasses bank_passes(const isa::Instr& in, const AccessPattern& p) {
  BankPasses passes{};
  const uint32_t width = width_of(in), group = width <= 4 ? 32 : width <= 8 ? 16 : 8;
  uint32_t done = 0;
  for (uint32_t first = 0; first < 32; first += group) {
    std::array<std::vector<uint64_t>, kBanks> words;
    for (uint32_t lane = first; lane < first + group; ++lane) {
      for (uint64_t w = p.address[lane] / kWord;
           (p.mask >> lane & 1) && w <= (p.address[lane] + width - 1) / kWord; ++w) {
        std::vector<uint64_t>& bank = words[w % kBanks];
        const auto at = std::find(bank.begin(), bank.end(), w);
        passes[lane][w % kBanks] = static_cast<uint8_t>(done + static_cast<uint32_t>(at - bank.begin()) + 1);
        if (at == bank.end()) {
          bank.push_back(w);
        }
      }
    }
    done += static_cast<uint32_t>(std::max_element(words.begin(), words.end(), [](auto& a, auto& b) {
                                    return a.size() < b.size();
                                  })->size());
  }
  return passes;
}

std::string bank_picture(const isa::Instr& in, const AccessPattern& p) {
  const BankPasses passes = bank_passes(in, p);
  std::string out = "lane  bank 0    5    10   15   20   25   30\n";
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (p.mask >> lane & 1) {
      out += fmt::format("{:>4}       ", lane);
      for (uint8_t pass : passes[lane]) {
        out += pass_character(pass);
      }
      out += fmt::format("  {:#x}\n", p.address[lane]);
    }
  }
  return out;
}

std::string bank_svg(const isa::Instr& in, const AccessPattern& p, const std::string& title) {
  constexpr double kCell = 16, kLeft = 50, kTop = 60;
  const BankPasses passes = bank_passes(in, p);
  Svg svg(kLeft + kBanks * kCell + 20, kTop + 32 * kCell + 20);
  svg.text(kLeft, 20, title, 13);
  svg.text(kLeft, 38, "lane by bank; a bank serves one word a pass", 11);
  for (uint32_t i = 0; i < 32; ++i) {
    const std::string number = fmt::format("{}", i);
    svg.text(kLeft - 6, kTop + (i + 0.75) * kCell, number, 10, "end");
    svg.text(kLeft + (i + 0.5) * kCell, kTop - 4, number, 9, "middle");
    for (uint32_t bank = 0; bank < kBanks; ++bank) {
      const uint32_t pass = passes[i][bank];
      const std::string colour =
          pass == 0 ? "#f3f4f6" : fmt::format("hsl({}, 70%, 55%)", (215 + 145 * (pass - 1)) % 360);
      svg.rectangle(kLeft + bank * kCell, kTop + i * kCell, kCell - 1, kCell - 1, colour,
                    pass ? fmt::format("lane {}, bank {}: pass {}", i, bank, pass) : "");
      if (pass) {
        svg.text(kLeft + (bank + 0.45) * kCell, kTop + (i + 0.7) * kCell, fmt::format("{}", pass), 9,
                 "middle", "#ffffff");
      }
    }
  }
  return svg.str();
}

std::string sector_picture(const isa::Instr& in, const AccessPattern& p) {
  const std::vector<memory::LineAccess> lines = lines_of(in, p);
  std::string out = "line            bytes used of each 32-byte sector    lanes\n";
  for (size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    out += fmt::format("{:<#16x}", lines[i].line * memory::kLineBytes);
    for (uint32_t bytes : lines[i].bytes) {
      out += bytes ? fmt::format(" [{:>2}]   ", std::popcount(bytes)) : " [  ]   ";
    }
    out += fmt::format("    {:>5}\n", lines[i].lanes);
  }
  return lines.size() > kMostLines ? out + fmt::format("and {} lines more\n", lines.size() - kMostLines)
                                   : out;
}

std::string sector_svg(const isa::Instr& in, const AccessPattern& p, const std::string& title) {
  constexpr double kRow = 18, kByte = 4, kLeft = 140, kTop = 50;
  const std::vector<memory::LineAccess> lines = lines_of(in, p);
  Svg svg(kLeft + memory::kLineBytes * kByte + 80, kTop + static_cast<double>(lines.size()) * kRow + 20);
  svg.text(10, 20, title, 13);
  svg.text(10, 38, "lines of four sectors; dark: bytes used", 11);
  for (size_t i = 0; i < lines.size(); ++i) {
    const double y = kTop + static_cast<double>(i) * kRow;
    svg.text(10, y + kRow * 0.7, fmt::format("{:#x}", lines[i].line * memory::kLineBytes), 11);
    for (uint32_t s = 0; s < memory::kSectorsPerLine; ++s) {
      const double x = kLeft + s * memory::kSectorBytes * kByte;
      svg.rectangle(x, y, memory::kSectorBytes * kByte - 2, kRow - 2,
                    lines[i].bytes[s] ? "#bfdbfe" : "#f3f4f6");
      for (uint32_t b = 0; b < memory::kSectorBytes; ++b) {
        if (lines[i].bytes[s] >> b & 1) {
          svg.rectangle(x + b * kByte, y, kByte, kRow - 2, "#1d4ed8");
        }
      }
    }
    svg.text(kLeft + memory::kLineBytes * kByte + 8, y + kRow * 0.7, fmt::format("{} lanes", lines[i].lanes),
             10);
  }
  return svg.str();
}

}  // namespace heddle::analysis
