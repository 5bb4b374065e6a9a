// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "formats.hpp"
#include "judge.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

class Text {
 public:
  Text(const Report& report, const Style& style) : report_(report), facts_(*report.facts), style_(style) {}

  std::string run() {
    answer();
    header();
    inventory();
    verdict_lines();
    findings();
    plan();
    summary();
    return style_.utf8 ? std::move(out_) : ascii(std::move(out_));
  }

 private:
  static std::string ascii(std::string text) {
    for (const auto& [from, to] : {std::pair("·", "-"), std::pair("…", "..."), std::pair("→", "->"), std::pair("×", "x"), std::pair("–", "-"), std::pair("’", "'")})
      text = replaced(std::move(text), from, to);
    for (char& c : text)
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    return text;
  }

  std::string paint(const char* code, const std::string& text) const { return style_.colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text; }
  std::string paint(Severity severity, const std::string& text) const {
    return paint(severity == Severity::error ? "1;31" : severity == Severity::warning ? "1;33" : "36", text);
  }

  /// A paragraph, wrapped at spaces.
  void paragraph(std::string_view text, const std::string& indent) {
    std::string line = indent;
    const std::string shown = style_.utf8 ? std::string(text) : ascii(std::string(text));   // three dots are wider than one sign
    for (const auto word : words(shown)) {
      if (width(line) > indent.size() && width(line) + 1 + width(word) > style_.width) out_ += line + "\n", line = indent;
      if (line.size() > indent.size()) line += ' ';
      line += word;
    }
    out_ += line + "\n";
  }

  /// "  label     value     source": the source goes to a line of its own where it does not fit.
  void row(const std::string& label, const std::string& value, const std::string& source) {
    std::string line = fmt::format("  {:<9} {}", label, value);
    if (source.empty()) return void(out_ += line + "\n");
    if (std::max<std::size_t>(40, width(line) + 2) + width(source) <= style_.width) {
      const auto gap = width(line) < 38 ? 40 - width(line) : 2;
      out_ += line + std::string(gap, ' ') + source + "\n";
      return;
    }
    if (width(line) > style_.width) {
      std::string wrapped = fmt::format("  {:<9}", label);
      const std::string start = wrapped;
      for (const auto word : words(value)) {
        if (width(wrapped) + 1 + width(word) > style_.width) out_ += wrapped + "\n", wrapped = std::string(11, ' ');
        wrapped += " ";
        wrapped += word;
      }
      line = wrapped;
    }
    out_ += line + "\n";
    paragraph(source, std::string(14, ' '));
  }

  /// A pasted report: the answer comes before all else.
  void answer() {
    if (report_.world != Machine::World::pasted) return;
    const Ticket ticket = ticket_of(report_);
    const bool bad = ticket.verdict == "environment";
    const std::string head = bad ? ticket.certain ? "ENVIRONMENT, certain" : "ENVIRONMENT, likely" : ticket.verdict == "needs-info" ? "NEEDS INFO" : "ENVIRONMENT SOUND";
    paragraph_after(paint(bad ? "1;31" : ticket.verdict == "needs-info" ? "1;33" : "1;32", head) + ":", head.size() + 1, (bad ? ticket.finding->id + ": " : "") + ticket.says, 2);
    out_ += "\n";
  }

  void header() {
    const Entity* host = facts_.find("host");
    std::string line = fmt::format("gpudoctor {} · matrix {}", report_.tool_version, report_.matrix_date);
    if (report_.local_rows > 0) line += fmt::format(" + {} local row{}", report_.local_rows, report_.local_rows == 1 ? "" : "s");
    if (report_.local_rules > 0) line += fmt::format(" + {} local rule{}", report_.local_rules, report_.local_rules == 1 ? "" : "s");
    std::string system;
    const auto add = [&](const std::string& text, const char* before) {
      if (!text.empty()) system += (system.empty() ? "" : before) + text;
    };
    if (host) {
      add(host->get("distribution_name"), "");
      if (host->has("kernel")) add("kernel " + host->get("kernel"), ", ");
      add(host->get("arch"), ", ");
      if (host->is("wsl", "2") || host->is("wsl", "1")) add("WSL " + host->get("wsl"), ", ");
    }
    if (const Entity* container = facts_.find("container"); container && container->is("inside", "yes"))
      add(container->has("engine") && !container->is("engine", "unknown") ? "in a container (" + container->get("engine") + ")" : "in a container", ", ");
    if (!report_.where.empty()) line += " · " + report_.where;
    if (!system.empty() && width(line) + 3 + width(system) <= style_.width) line += " · " + system, system.clear();
    out_ += line + "\n";
    if (!system.empty()) paragraph(system, "");
    if (host && host->is("sudo", "yes"))
      paragraph("Run through sudo: the caller's variables (VIRTUAL_ENV, CONDA_PREFIX, LD_LIBRARY_PATH) are gone, so the active environment may be another one.", "");
    out_ += "\n";
  }

  /// What is there, a line a subject; a sound machine still fits on a screen.
  void inventory() {
    std::string gpus;
    for (const Entity* gpu : facts_.of("gpu")) {
      if (!gpus.empty()) gpus += ", ";
      gpus += gpu->has("name") ? gpu->get("name") : gpu->get("vendor") + " " + gpu->get("pci_id");
      if (gpu->has("sm")) gpus += " (" + gpu->get("sm") + ")";
      else if (gpu->has("gfx")) gpus += " (" + gpu->get("gfx") + ")";
    }
    if (gpus.empty()) gpus = facts_.was_looked("gpu") ? "none" : "not known: " + facts_.why_not("gpu");
    wrapped_row("GPU", gpus);
    if (const Entity* driver = facts_.find("driver")) {
      std::string text;
      if (driver->has("version")) {
        text = driver->get("version");
        if (driver->has("flavour")) text += " " + driver->get("flavour");
        if (driver->has("loaded")) text += ", loaded";
        else if (const Fact* loaded = driver->find("loaded"); loaded && loaded->state == State::absent) text += ", not loaded";
        if (driver->has("cuda")) text += ", CUDA " + driver->get("cuda");
      } else {
        const Fact* version = driver->find("version");
        text = version && version->state == State::absent ? "none" : "not known" + (version && !version->reason.empty() ? ": " + version->reason : "");
      }
      if (gpus != "none" || text != "none") wrapped_row("driver", text);
    }
    for (const Entity* toolkit : facts_.of("toolkit")) {
      std::string text = "CUDA " + (toolkit->has("version") ? toolkit->get("version") : "of unknown version");
      if (toolkit->has("nvcc")) text += " (nvcc " + toolkit->get("nvcc") + ")";
      text += " in " + short_path(toolkit->id().key, facts_);
      wrapped_row("toolkit", text);
    }
    for (const auto& [name, label] : {std::pair("cudnn", "cuDNN"), std::pair("nccl", "NCCL")}) {
      std::map<std::string, std::string> places;   // version → where
      for (const Entity* library : facts_.of("library")) {
        if (!library->is("name", name) || library->is("place", "env") || library->is("place", "torch") || !library->has("version")) continue;
        places.emplace(library->get("version"), short_path(parent(library->get("path")), facts_));
      }
      for (const auto& [version, place] : places) wrapped_row(label, version + " in " + place);
      for (const Entity* library : facts_.of("library"))
        if (library->is("name", name) && library->is("empty", "yes")) wrapped_row(label, "none: the package " + library->get("package") + " brings no library");
    }
    if (facts_.was_looked("torch") && facts_.of("torch").empty()) {
      const auto envs = facts_.of("env").size();
      wrapped_row("torch", envs == 0 ? "none, and no Python environment" : fmt::format("none in {} Python environment{}", envs, envs == 1 ? "" : "s"));
    }
    out_ += "\n";
  }

  static std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

  void wrapped_row(const std::string& label, const std::string& value) {
    std::string line = fmt::format("  {:<9}", label);
    for (const auto word : words(value)) {
      if (width(line) > 12 && width(line) + 1 + width(word) > style_.width) out_ += line + "\n", line = std::string(11, ' ');
      line += " ";
      line += word;
    }
    out_ += line + "\n";
  }

  void verdict_lines() {
    if (report_.verdicts.empty()) return;
    std::size_t longest = 0;
    for (const auto& one : report_.verdicts) longest = std::max(longest, width(one.shown));
    const std::size_t column = std::min<std::size_t>(longest, 58);
    for (const auto& one : report_.verdicts) {
      const char* colour = one.state == Verdict::State::ready ? "1;32" : one.state == Verdict::State::blocked ? "1;31" : "1;33";
      std::string line = "  " + paint(colour, fmt::format("{:<8}", word(one.state))) + " " + one.shown;
      const std::size_t used = 11 + width(one.shown);
      const std::size_t gap = used < 11 + column ? 11 + column - used + 2 : 2;
      if (used + gap + width(one.why) <= style_.width) {
        out_ += line + std::string(gap, ' ') + one.why + "\n";
      } else {
        paragraph_after("  " + paint(colour, fmt::format("{:<8}", word(one.state))), 10, one.shown);
        paragraph(one.why, std::string(13, ' '));
      }
    }
    out_ += "\n";
  }

  /// Words after a (coloured) start of known width.
  void paragraph_after(const std::string& start, std::size_t start_width, std::string_view text, std::size_t indent = 11) {
    std::string line = start;
    std::size_t used = start_width;
    for (const auto word : words(text)) {
      if (used > start_width && used + 1 + width(word) > style_.width) out_ += line + "\n", line = std::string(indent, ' '), used = indent;
      else line += ' ', ++used;
      line += word, used += width(word);
    }
    out_ += line + "\n";
  }

  void findings() {
    std::map<std::string, std::vector<std::string>> elsewhere;   // subject → ids
    for (const auto& finding : report_.judgement.findings) {
      if (finding.elsewhere) {
        if (finding.severity != Severity::note) elsewhere[env_of(finding)].push_back(finding.id);
      } else if (finding.severity != Severity::note || style_.verbose > 0) {
        one(finding);
      }
    }
    for (const auto& [env, ids] : elsewhere) paragraph("elsewhere " + env + ": " + joined(ids, ", ") + " (--all-envs shows it)", "  ");
    if (!elsewhere.empty()) out_ += "\n";
  }

  std::string env_of(const Finding& finding) const {
    for (const auto& id : finding.about)
      if (const Entity* env = id.kind == "env" ? facts_.find(id) : nullptr) return shown(facts_, *env);
    return finding.subject;
  }

  void one(const Finding& finding) {
    constexpr const char* marks[] = {"ERROR", "WARNING", "NOTE"};
    const std::string mark = marks[static_cast<int>(finding.severity)];
    std::string head = paint(finding.severity, mark) + std::string(mark.size() < 6 ? 6 - mark.size() : 1, ' ') + " " + paint("1", finding.id);
    std::size_t used = std::max<std::size_t>(mark.size() + 1, 6) + 1 + finding.id.size();
    if (!finding.certain) head += " (likely)", used += 9;
    if (used + 3 + width(finding.subject) <= style_.width) {
      out_ += head + "   " + finding.subject + "\n";
    } else {
      out_ += head + "\n";
      paragraph(finding.subject, "       ");
    }
    paragraph(finding.message, "  ");
    if (!finding.because.empty()) paragraph("(" + std::string(word(finding.severity)) + ": " + finding.because + ")", "  ");
    for (const auto& evidence : finding.evidence) {
      const auto* declared = declaration(evidence.key);
      const bool paths = declared && (declared->type == Type::path || declared->type == Type::list);
      std::string value = paths ? short_paths(evidence.value, facts_) : evidence.value;
      std::string label = replaced(evidence.key.substr(evidence.key.find('.') + 1), "_", " ");
      const std::string source = evidence.rank == Rank::table ? short_source(evidence.source) : short_path(evidence.source, facts_);
      row(evidence.rank == Rank::table ? "matrix" : evidence.rank == Rank::assumed ? "assumed" : "seen", printable(label + " " + value), printable(source));
    }
    for (const auto& id : finding.alternatives) row("or else", id, "");
    std::map<std::string, std::vector<std::string>> effects;
    for (const auto& effect : finding.effects) effects[effect.id].push_back(effect.subject);
    for (const auto& [id, subjects] : effects) row("explains", id, subjects.size() == 1 ? subjects[0] : fmt::format("{} times", subjects.size()));
    const bool any = std::any_of(finding.fixes.begin(), finding.fixes.end(), [](const Fix& fix) { return !fix.commands.empty(); });
    if (!any && !finding.fixes.empty()) paragraph(finding.fixes.front().said, "  ");
    for (const auto& fix : finding.fixes) {
      if (const auto step = step_of(fix); step > 0) {
        row("fix", fmt::format("step {} below", step), "");
        break;
      }
    }
    if (style_.verbose > 0) for (const auto& ref : finding.refs) row("see", ref, "");
    out_ += "\n";
  }

  /// "pytorch RELEASE.md, release compatibility matrix, …, matrix of 2026-11-30" → "(pytorch RELEASE.md, 2026-11-30)".
  static std::string short_source(const std::string& source) {
    const auto date = source.rfind("matrix of ");
    const std::string name = source.substr(0, source.find_first_of(",:;("));
    if (date == std::string::npos) return "(" + name + ")";
    return name.starts_with("matrix of") ? "(" + name + ")" : "(" + std::string(trim(name)) + ", " + source.substr(date + 10) + ")";
  }

  std::size_t step_of(const Fix& fix) const {
    for (std::size_t i = 0; i < report_.plan.size(); ++i)
      if (!fix.commands.empty() && report_.plan[i].commands == fix.commands) return i + 1;
    return 0;
  }

  void plan() {
    if (report_.plan.empty()) return;
    const bool reboot = std::any_of(report_.plan.begin(), report_.plan.end(), [](const Fix& fix) { return fix.risk == "reboot"; });
    out_ += paint("1", reboot ? "To do (a reboot is part of it):" : "To do, nothing needs a reboot:") + "\n";
    std::size_t number = 0;
    for (const auto& fix : report_.plan) {
      const std::string start = fmt::format("  {} ", ++number);
      paragraph_after(start, start.size(), fix.title, 5);
      for (const auto& command : fix.commands) out_ += "     " + command + "\n";   // never wrapped
    }
    out_ += "  then: gpudoctor\n\n";
  }

  void summary() {
    int counts[3] = {0, 0, 0};
    for (const auto& finding : report_.judgement.findings)
      if (!finding.elsewhere) ++counts[static_cast<int>(finding.severity)];
    std::vector<std::string> parts;
    const auto count = [&](int number, const char* name) {
      if (number > 0) parts.push_back(fmt::format("{} {}{}", number, name, number == 1 ? "" : "s"));
    };
    count(counts[0], "error"), count(counts[1], "warning"), count(counts[2], "note");
    std::string line = parts.empty() ? "nothing wrong found" : joined(parts, ", ");
    if (counts[2] > 0 && style_.verbose == 0) line += " (-v)";
    const auto groups = grouped(report_.judgement.undecided);
    std::size_t checks = 0;
    for (const auto& group : groups) checks += group.ids.size();
    if (checks > 0 && style_.verbose == 0) line += fmt::format(" · {} check{} undecided{}", checks, checks == 1 ? "" : "s", " (-v)");
    line += fmt::format(" · {:.0f} ms", std::max(1.0, report_.milliseconds));
    out_ += line + "\n";
    if (style_.verbose > 0)
      for (const auto& group : groups) {
        paragraph(printable(fmt::format("undecided, {}: {}", group.reason, joined(group.ids, ", "))), "  ");
        if (!group.command.empty()) out_ += "    to decide: " + group.command + "\n";
      }
  }

  const Report& report_;
  const Facts& facts_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string text_report(const Report& report, const Style& style) { return Text(report, style).run(); }

std::string text_facts(const Facts& facts, const Style& style) {
  std::string out;
  for (const Entity* entity : facts.all()) {
    out += entity->id().kind + (entity->id().key.empty() ? "" : " " + short_path(entity->id().key, facts)) + "\n";
    for (const auto& [name, fact] : entity->facts()) {
      std::string value = fact.known() ? short_path(fact.text, facts) : fact.state == State::absent ? "absent" : "unknown: " + fact.reason;
      std::string source = fact.witnesses.empty() ? "" : "  [" + short_path(fact.witnesses.front().source, facts) + "]";
      out += printable(fmt::format("  {:<22} {}{}", name, value, source)) + "\n";
      if (style.verbose > 1)
        for (std::size_t i = 1; i < fact.witnesses.size(); ++i)
          out += printable(fmt::format("  {:<22} {}  [{}]", "", fact.witnesses[i].value, short_path(fact.witnesses[i].source, facts))) + "\n";
    }
  }
  return out;
}

}  // namespace gpudoctor
