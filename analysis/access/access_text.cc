#include "analysis/access/access_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/access/access_picture.h"
#include "analysis/report/format.h"
#include "analysis/report/table.h"

namespace heddle::analysis {
namespace {

using Align = TextTable::Align;

// SASS where the trace has it, else the opcode.
std::string sass(const isa::KernelImage& image, uint32_t index) {
  if (index < image.text.size() && !image.text[index].empty()) {
    return image.text[index];
  }
  return image.opcodes[image.code[index].opcode];
}

double per_request(const InstrAccesses& n) {
  return static_cast<double>(n.total) / static_cast<double>(std::max<uint64_t>(n.requests, 1));
}

// What a remedy makes of all accesses to its rows.
std::string effect_text(const RemedyEffect& e) {
  return fmt::format(
      "  {}; with it all {} accesses to these rows take {} wavefronts, {} conflicts, now {}, {}\n",
      remedy_text(e.remedy), grouped(e.requests), grouped(e.wavefronts_with), grouped(e.conflicts_with),
      grouped(e.wavefronts), grouped(e.conflicts));
}

// Instructions with the same advice share its lines.
std::string advice_text(const KernelAccesses& k, size_t top) {
  std::vector<std::pair<std::string, std::string>> parts;  // program counters, advice
  for (size_t i = 0; i < k.all.size() && i < top && k.all[i].excess() > 0; ++i) {
    const Advice* a = k.advice_for(k.all[i].index);
    std::string text;
    for (const std::optional<RemedyEffect>& e :
         {a ? a->padding : std::nullopt, a ? a->swizzle : std::nullopt}) {
      text += e ? effect_text(*e) : "";
    }
    if (!a) {
      text = "  neither a padding of rows by less than 32 words nor a swizzle removes their conflicts\n";
    }
    const std::string pc = fmt::format("{:04x}", k.image().code[k.all[i].index].pc);
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.second == text; });
    if (at == parts.end()) {
      parts.emplace_back(pc, text);
    } else {
      at->first.append(", ").append(pc);
    }
  }
  std::string out = parts.empty() ? "" : "\nagainst the conflicts, recomputed over the whole trace\n";
  for (const auto& [pcs, text] : parts) {
    out.append(pcs).append("\n").append(text);
  }
  return out;
}

std::string worst_text(const isa::KernelImage& image, AccessSide side, const InstrAccesses& n) {
  const isa::Instr& in = image.code[n.index];
  const bool banks = side == AccessSide::kBanks;
  const AccessCost& c = n.worst.cost;
  std::string out = fmt::format(
      "\nworst: {:04x} {}\nblock {}, warp {}, and {} of {} requests cost as much beyond the ideal: ", in.pc,
      sass(image, n.index), n.worst.block, n.worst.warp, grouped(n.as_bad), grouped(n.requests));
  if (!banks) {
    return out + fmt::format("{} sectors, ideal {}\n", c.total, c.ideal) + sector_picture(in, n.worst);
  }
  out += fmt::format("{} wavefronts, {} conflicts\n", c.total, c.excess()) + bank_picture(in, n.worst);
  return out;
}

}  // namespace

std::string remedy_text(const Remedy& r) {
  if (r.kind == Remedy::Kind::kPadding) {
    return fmt::format("padding: {} more word{} behind each row of {} words", r.words,
                       r.words == 1 ? "" : "s", r.row_words);
  }
  return fmt::format("swizzle: in rows of {} words, {} c of row r at {}", r.row_words,
                     r.words == 1 ? "word" : fmt::format("group of {} words", r.words), formula(r));
}

std::string formula(const Remedy& r) {
  return r.shift ? fmt::format("c ^ (r >> {}) % {}", r.shift, kBanks / r.words)
                 : fmt::format("c ^ r % {}", kBanks / r.words);
}

std::string access_text(const KernelAccesses& k, AccessSide side, size_t top) {
  const isa::KernelImage& image = k.image();
  const std::vector<InstrAccesses>& all = k.all;
  const bool banks = side == AccessSide::kBanks;
  InstrAccesses sum;
  for (const InstrAccesses& n : all) {
    sum.requests += n.requests;
    sum.total += n.total;
    sum.ideal += n.ideal;
  }
  if (sum.requests == 0) {
    return fmt::format("no access to {} memory\n", banks ? "shared" : "global");
  }
  std::string out =
      banks ? fmt::format("shared memory: {} requests, {} wavefronts, {} conflicts\n", grouped(sum.requests),
                          grouped(sum.total), grouped(sum.excess()))
            : fmt::format("global memory: {} requests, {} sectors, {:.2f} per request, ideal {}\n",
                          grouped(sum.requests), grouped(sum.total), per_request(sum), grouped(sum.ideal));
  std::vector<TextTable::Column> columns = {{"pc"},
                                            {"requests"},
                                            {banks ? "wavefronts" : "sectors"},
                                            {"per request"},
                                            {banks ? "conflicts" : "ideal"},
                                            {"worst"}};
  if (image.source) {
    columns.push_back({"source", Align::kLeft});
  }
  columns.push_back({"instruction", Align::kLeft});
  TextTable t(std::move(columns));
  for (size_t i = 0; i < all.size() && i < top; ++i) {
    const InstrAccesses& n = all[i];
    std::vector<std::string> row = {fmt::format("{:04x}", image.code[n.index].pc),
                                    grouped(n.requests),
                                    grouped(n.total),
                                    fmt::format("{:.2f}", per_request(n)),
                                    grouped(banks ? n.excess() : n.ideal),
                                    fmt::format("{}", n.worst.cost.total)};
    if (image.source) {
      row.push_back(image.source_text(n.index));
    }
    row.push_back(sass(image, n.index));
    t.add(std::move(row));
  }
  out += t.str();
  if (all.size() > top) {
    out += fmt::format("{} instructions more (--top)\n", all.size() - top);
  }
  if (all.front().excess() > 0) {
    // Padding and swizzling are remedies for banks.
    out += worst_text(image, side, all.front()) + (banks ? advice_text(k, top) : "");
  }
  return out;
}

std::string access_svg(const KernelAccesses& k, AccessSide side) {
  if (k.all.empty()) {
    return "";
  }
  const isa::KernelImage& image = k.image();
  const InstrAccesses& n = k.all.front();
  const isa::Instr& in = image.code[n.index];
  const std::string title = fmt::format("{:04x} {}", in.pc, sass(image, n.index));
  return side == AccessSide::kBanks ? bank_svg(in, n.worst, title) : sector_svg(in, n.worst, title);
}

std::string access_csv_header(AccessSide side) {
  return side == AccessSide::kBanks ? "trace,launch,kernel,pc,source_file,source_line,sass,requests,"
                                      "wavefronts,conflicts,worst_wavefronts\n"
                                    : "trace,launch,kernel,pc,source_file,source_line,sass,requests,sectors,"
                                      "ideal_sectors,worst_sectors\n";
}

std::string access_csv(const KernelAccesses& k, AccessSide side, const std::string& trace, uint32_t launch) {
  const isa::KernelImage& image = k.image();
  std::string out;
  for (const InstrAccesses& n : k.all) {
    const isa::SourceLine source = image.source_line(n.index);
    out += fmt::format("{},{},{},{:#x},{},{},{},{},{},{},{}", csv_field(trace), launch, csv_field(image.name),
                       image.code[n.index].pc, source.line ? csv_field(image.source->files[source.file]) : "",
                       source.line ? std::to_string(source.line) : "", csv_field(sass(image, n.index)),
                       n.requests, n.total, side == AccessSide::kBanks ? n.excess() : n.ideal,
                       n.worst.cost.total);
    if (side == AccessSide::kBanks) {
      const Advice* a = k.advice_for(n.index);
      for (const std::optional<RemedyEffect>& e :
           {a ? a->padding : std::nullopt, a ? a->swizzle : std::nullopt}) {
        out += e ? fmt::format(",{},{}", csv_field(remedy_text(e->remedy)), e->conflicts_with) : ",,";
      }
    }
    out += '\n';
  }
  return out;
}

}  // namespace heddle::analysis
