// SPDX-License-Identifier: Apache-2.0
// What the kernel log of this boot says of the driver and its GPUs: Xids, a GPU that is lost or does not start, a module
// that was refused. It is read where somebody keeps it in a file, else dmesg or journalctl is asked.
#include "kernel_log.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "all.hpp"
#include "files.hpp"
#include "pci.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

bool address_char(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.'; }

/// The address at the start of a text, with its function; empty when there is none.
std::string address_at(std::string_view text) {
  if (text.starts_with("PCI:")) text.remove_prefix(4);
  std::size_t end = 0;
  while (end < text.size() && address_char(text[end])) ++end;
  while (end > 0 && (text[end - 1] == ':' || text[end - 1] == '.')) --end;
  auto address = text.substr(0, end);
  if (std::count(address.begin(), address.end(), ':') != 2 || address.size() < 10 || address.size() > 16) return {};
  return pci_address(std::string(address) + (address.find('.') == std::string_view::npos ? ".0" : ""));
}

}  // namespace

Xid parse_xid(std::string_view line) {
  constexpr std::string_view mark = "NVRM: Xid (";
  const auto at = line.find(mark);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + mark.size());
  const auto close = line.find("): ");
  if (close == std::string_view::npos) return {};
  const auto digits = line.substr(close + 3, line.substr(close + 3).find_first_not_of("0123456789"));
  const long number = digits.size() > 4 ? -1 : to_number(digits);
  Xid xid{address_at(line), 0};
  if (number > 0 && !xid.address.empty()) xid.number = static_cast<int>(number);
  return xid;
}

std::string address_in(std::string_view line) {
  for (const std::string_view mark : {"GPU at ", "NVIDIA GPU ", "GPU "})
    for (std::size_t at = 0; (at = line.find(mark, at)) != std::string_view::npos; at += mark.size())
      if (auto address = address_at(line.substr(at + mark.size())); !address.empty()) return address;
  return {};
}

bool refuses_module(std::string_view line) {
  if (contains(line, "unsigned module loading is restricted")) return true;   // "Lockdown: modprobe: unsigned module …"
  const auto loading = line.find("oading of ");
  if (loading == std::string_view::npos || !contains(line, " is rejected")) return false;
  const auto colon = line.find(": ");   // Linux 5.13 and newer name the module: "nvidia: loading of … is rejected"
  return colon == std::string_view::npos || colon > loading || line.starts_with("nvidia");
}

std::string plain_event(std::string_view line) {
  if (const auto at = line.find("RmInitAdapter failed"); at != std::string_view::npos) line = line.substr(at);
  if (line.starts_with("NVRM: ")) line.remove_prefix(6);
  return printable(trim(line));
}

namespace {

struct Log {
  std::vector<std::string> lines;
  std::string source;
  bool whole = true;   ///< false: the end of it was not seen
};

constexpr std::string_view boot = "Linux version ";

/// A file that a running logger keeps, and that tells of the kernel which runs now: an old one tells of another boot.
std::optional<Log> from_file(const Machine& machine, const std::string& kernel) {
  const std::string source = "/var/log/kern.log";
  if (!exists(machine, "/run/systemd/journal/syslog") && !exists(machine, "/run/rsyslogd.pid")) return std::nullopt;
  const auto answer = machine.inspect(source, Inspect::kernel_log);
  if (!answer) return std::nullopt;
  if (!answer->empty() && answer->front().starts_with(boot) && answer->front() != std::string(boot) + kernel) return std::nullopt;
  return Log{*answer, source, true};
}

std::optional<Log> from_child(const Machine& machine, const std::vector<std::string>& argv, std::string& why) {
  const auto answer = machine.run(argv, 3000);
  const auto name = joined(argv, " ");
  if (!answer) return why = name + ": " + answer.miss().says, std::nullopt;
  const auto said = trim(answer->out);
  if (answer->end != Output::End::exited || answer->code != 0 || said.empty() || said.starts_with("-- ")) {
    const bool refused = contains(answer->err, "not permitted") || contains(answer->err, "ermission") || said.empty() || said.starts_with("-- ");
    why = answer->end == Output::End::exited && refused ? "the kernel log needs root" : name + " gave no answer";
    return std::nullopt;
  }
  Log log{{}, name, !answer->truncated};
  for (const auto line : lines(said)) {   // dmesg writes the time in front
    const auto close = line.starts_with('[') ? line.find("] ") : std::string_view::npos;
    log.lines.push_back(printable(trim(close == std::string_view::npos ? line : line.substr(close + 2))));
  }
  return log;
}

std::optional<Log> read_log(const Machine& machine, const std::string& kernel, std::string& why) {
  if (auto log = from_file(machine, kernel)) return log;
  if (auto log = from_child(machine, {"dmesg"}, why)) return log;
  std::string second;
  if (auto log = from_child(machine, {"journalctl", "-k", "-b", "-o", "cat"}, second)) return log;
  // What was logged while this kernel started; nothing of what came later.
  const std::string start = "/var/log/dmesg";
  if (const auto answer = machine.inspect(start, Inspect::kernel_log); answer && !answer->empty() && answer->front() == std::string(boot) + kernel)
    return Log{*answer, start, false};
  return std::nullopt;
}

struct Event {
  int count = 0;
  std::string text;
};

/// All that the lines say, by GPU.
struct Told {
  std::map<std::pair<std::string, int>, Event> xids;
  std::map<std::string, std::string> fell, init;   // address → line; an empty address: it names none
  std::string refused, symbol;
};

Told tell(const Log& log) {
  Told told;
  std::string last;   // some messages name the GPU in one line and say what is wrong in the next
  for (const auto& line : log.lines) {
    const auto xid = parse_xid(line);
    auto address = xid.number > 0 ? xid.address : address_in(line);
    if (xid.number > 0) {
      auto& event = told.xids[{xid.address, xid.number}];
      ++event.count, event.text = plain_event(line);
    }
    if (address.empty() && line.starts_with("NVRM: installed in this system")) address = last;
    if (contains(line, "NVRM: ") && (contains(line, "fallen off the bus") || contains(line, "GPU is lost"))) told.fell.emplace(address, plain_event(line));
    if (contains(line, "RmInitAdapter failed")) told.init[address] = plain_event(line);
    if (told.refused.empty() && refuses_module(line)) told.refused = line;
    if (told.symbol.empty() && line.starts_with("nvidia") && (contains(line, "Unknown symbol") || contains(line, "disagrees about version of symbol"))) told.symbol = line;
    if (!address.empty()) last = address;
  }
  return told;
}

/// One text fact of a GPU: its own line, or, where there is but one NVIDIA GPU, the line that names none.
void line_fact(Entity& gpu, const char* fact, const std::map<std::string, std::string>& told, bool only, const Log& log) {
  auto found = told.find(gpu.get("address"));
  if (found == told.end() && only) found = told.find("");
  if (found != told.end()) gpu.known(fact, found->second, {Rank::verdict, log.source, 0, {}});
  else if (log.whole) gpu.absent(fact, {Rank::verdict, log.source, 0, {}});
  else gpu.unknown(fact, log.source + " does not hold all of this boot");
}

void take(const Log& log, Facts& facts) {
  const Told told = tell(log);
  const Witness witness{Rank::verdict, log.source, 0, {}};
  std::vector<Entity*> gpus;
  for (Entity* gpu : facts.of("gpu"))
    if (gpu->is("vendor", "nvidia")) gpus.push_back(gpu);
  for (Entity* gpu : gpus) {
    line_fact(*gpu, "fell_off_bus", told.fell, gpus.size() == 1, log);
    line_fact(*gpu, "init_error", told.init, gpus.size() == 1, log);
    std::vector<std::string> numbers;
    for (const auto& [key, event] : told.xids)
      if (key.first == gpu->get("address")) numbers.push_back(std::to_string(key.second));
    if (!numbers.empty()) gpu->known("xids", numbers, witness);
    else if (log.whole) gpu->absent("xids", witness);
    else gpu->unknown("xids", log.source + " does not hold all of this boot");
  }
  for (const auto& [key, event] : told.xids) {
    Entity& one = facts.at("gpu_event", key.first + " " + std::to_string(key.second));
    const bool there = facts.find("gpu", key.first) != nullptr;
    one.known("xid", std::to_string(key.second), witness).known("address", key.first, witness).known("text", event.text, witness);
    one.known("count", std::to_string(event.count), witness);
    if (there || facts.was_looked("gpu")) one.known("on_bus", yes_no(there), seen("/sys/bus/pci/devices"));
    else one.unknown("on_bus", facts.why_not("gpu"));
    if (there) one.parent({"gpu", key.first});
  }
  log.whole ? facts.looked("gpu_event") : facts.not_looked("gpu_event", log.source + " does not hold all of this boot");
  Entity& driver = facts.at("driver");
  const auto put = [&](const char* fact, const std::string& text) { text.empty() ? driver.absent(fact, witness) : driver.known(fact, text, witness); };
  put("refused_by_kernel", told.refused), put("unknown_symbol", told.symbol);
}

void unknown(Facts& facts, const std::string& why) {
  facts.at("host").unknown("kernel_log", why);
  all_unknown(facts.at("driver"), {"refused_by_kernel", "unknown_symbol"}, why);
  for (Entity* gpu : facts.of("gpu"))
    if (gpu->is("vendor", "nvidia")) all_unknown(*gpu, {"xids", "fell_off_bus", "init_error"}, why);
  facts.not_looked("gpu_event", why);
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  if (!machine.running()) return unknown(facts, not_running);
  const Entity* driver = facts.find("driver");
  const auto gpus = std::as_const(facts).of("gpu");
  const bool any = std::any_of(gpus.begin(), gpus.end(), [](const Entity* gpu) { return gpu->is("vendor", "nvidia"); });
  // Without a GPU and a driver of NVIDIA nobody writes such lines: nothing is asked.
  if (!any && facts.was_looked("gpu") && !(driver && (driver->has("on_disk") || driver->has("loaded")))) return facts.looked("gpu_event");
  const Entity* host = facts.find("host");
  std::string why;
  const auto log = read_log(machine, host ? host->get("kernel") : std::string(), why);
  if (!log) return unknown(facts, why);
  facts.at("host").known("kernel_log", log->source, seen(log->source));
  take(*log, facts);
}

}  // namespace

const Probe kernel_log = {
    .name = "kernel-log",
    .need = Need::asking,
    .reads = {"/var/log/kern.log", "/var/log/dmesg", "/run/systemd/journal/syslog", "/run/rsyslogd.pid"},
    .run = run,
};

}  // namespace gpudoctor
