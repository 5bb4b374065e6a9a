// SPDX-License-Identifier: Apache-2.0
// What the driver's own tool says. Asked last, and only where the module is loaded and its device nodes exist: asking
// would load the one and make the others, and hide the fault.
#include "nvidia_smi.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "all.hpp"
#include "files.hpp"
#include "host.hpp"
#include "pci.hpp"
#include "text.hpp"

namespace gpudoctor {

std::vector<SmiGpu> parse_smi_query(std::string_view text) {
  std::vector<SmiGpu> result;
  for (const auto line : lines(text)) {
    const auto parts = split(line, ',');
    if (parts.size() < 3 || !contains(parts[0], ":")) continue;
    std::vector<std::string> fields;
    for (const auto part : parts) {
      const auto value = trim(part);
      const bool told = !value.starts_with('[') && value != "ERR!" && value != "N/A";
      fields.push_back(told ? printable(value) : std::string());
    }
    fields.resize(4);
    result.push_back({pci_address(fields[0]), fields[1], fields[2], fields[3]});
  }
  return result;
}

SmiFailure parse_smi_failure(std::string_view text) {
  SmiFailure result;
  for (auto line : lines(text)) {
    line = trim(line);
    if (line.starts_with("NVML library version:"))
      result.nvml = find_version(line);
    else if (result.says.empty())
      result.says = printable(line);
  }
  return result;
}

std::string lost_gpu(std::string_view line) {
  const auto at = line.find("GPU is lost"), gpu = line.find("for GPU");
  if (at == std::string_view::npos || gpu == std::string_view::npos || gpu > at) return {};
  const auto from = trim(line.substr(gpu + 7, at - gpu - 7));
  return pci_address(printable(from.substr(0, from.rfind(':'))));
}

std::optional<std::string> stuck_task(std::string_view stat) {
  const auto open = stat.find('('), close = stat.rfind(')');  // a name may hold brackets and spaces
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  const auto name = stat.substr(open + 1, close - open - 1);
  const auto rest = trim(stat.substr(close + 1));
  if (!name.starts_with("nvidia") || !rest.starts_with('D')) return std::nullopt;
  return printable(std::string(name) + " (" + std::string(trim(stat.substr(0, open))) + ")");
}

namespace {

constexpr unsigned deadline_ms = 30'000;  // a healthy start without persistence mode has been seen above 25 s

std::vector<std::string> stuck_tasks(const Machine& machine) {
  std::vector<std::string> result;
  const auto entries = machine.list("/proc");
  if (!entries) return result;
  for (const auto& entry : *entries) {
    if (entry.name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto stat = machine.read("/proc/" + entry.name + "/stat", 4096);
    if (const auto task = stat ? stuck_task(*stat) : std::nullopt) result.push_back(*task);
  }
  return result;
}

/// Any task sleeps so for a moment; stuck is who still does a little later.
std::vector<std::string> still_stuck(const Machine& machine) {
  auto first = stuck_tasks(machine);
  if (first.empty() || !machine.asks()) return first;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto second = stuck_tasks(machine);
  std::erase_if(first, [&](const auto& task) { return std::find(second.begin(), second.end(), task) == second.end(); });
  return first;
}

/// The query; once more without compute_cap for drivers that do not know it yet (before 510). Old recordings and those
/// written by hand may hold only the plain call.
Result<Output> ask(const Machine& machine, const std::string& program) {
  for (const auto* fields : {"pci.bus_id,name,driver_version,compute_cap", "pci.bus_id,name,driver_version"}) {
    auto answer = machine.run({program, std::string("--query-gpu=") + fields, "--format=csv,noheader"}, deadline_ms);
    if (!answer && !machine.asks()) return machine.run({"nvidia-smi"}, deadline_ms);
    if (!answer || !contains(answer->out + answer->err, "not a valid field")) return answer;
  }
  return Miss{Why::malformed, "it knows none of the fields that were asked for"};
}

/// Why asking would disturb: empty when module and nodes are there already.
std::string disturbs(const Machine& machine, const Facts& facts, const Entity& driver) {
  const Entity* host = facts.find("host");
  if (host && host->is("wsl", "2") && exists(machine, "/dev/dxg")) return {};  // its GPU has no module and no nodes
  const Fact* loaded = driver.find("loaded");
  if (!loaded || loaded->state == State::absent) return "the module is not loaded, and asking would load it";
  if (!loaded->known() && !exists(machine, "/sys/module/nvidia") && !exists(machine, "/proc/driver/nvidia"))
    return "whether the module is loaded is not known, and asking could load it";
  const auto nodes = driver.items("nodes");
  const auto control = [](const auto& node) { return node.starts_with("/dev/nvidiactl"); };
  if (std::none_of(nodes.begin(), nodes.end(), control)) return "its device nodes are missing, and asking would make them";
  return {};
}

/// Whether a recording holds an answer: replaying it disturbs nobody.
bool holds_answer(const Machine& machine) {
  return machine.world() == Machine::World::recorded && static_cast<bool>(ask(machine, "nvidia-smi"));
}

/// Why nvidia-smi is not asked; empty when it may be.
std::string why_not(const Machine& machine, const Facts& facts, Entity& driver) {
  if (!machine.running()) return not_running;
  if (!machine.asks() && machine.world() != Machine::World::recorded) return "nothing is run here";
  if (const auto why = disturbs(machine, facts, driver); !why.empty() && !holds_answer(machine)) return why;
  const auto stuck = still_stuck(machine);
  if (stuck.empty()) {
    driver.absent("stuck", seen("/proc"));
    return {};
  }
  driver.known("stuck", stuck, seen("/proc"));
  return "not asked: " + stuck.front() + " is stuck in the driver";
}

/// The GPUs of the bus that nvidia-smi does not list, and those that it calls lost.
void missing_gpus(const std::vector<SmiGpu>& listed, const std::string& text, Facts& facts) {
  const Witness witness{Rank::verdict, "nvidia-smi", 0, {}};
  for (const auto line : lines(text))
    if (Entity* gpu = facts.find(Id{"gpu", lost_gpu(line)})) gpu->known("fell_off_bus", printable(trim(line)), witness);
  for (Entity* gpu : facts.of("gpu")) {
    if (!gpu->is("vendor", "nvidia")) continue;
    const auto here = [gpu](const SmiGpu& one) { return one.address == gpu->get("address"); };
    gpu->known("smi", yes_no(std::any_of(listed.begin(), listed.end(), here)), witness);
  }
}

/// The long form, once the driver has shown that it answers.
void ask_details(const Machine& machine, Facts& facts) {
  const auto answer = machine.run({"nvidia-smi", "-q"}, deadline_ms);
  if (answer && answer->end == Output::End::exited && answer->code == 0) {
    take_smi_details(answer->out, facts);
    mig_instances(machine, facts);
  }
  smi_details_unknown(facts, answer ? "nvidia-smi -q does not tell it" : "nvidia-smi -q: " + answer.miss().says);
}

void take(const std::vector<SmiGpu>& gpus, Facts& facts, Entity& driver) {
  const Witness witness{Rank::tool, "nvidia-smi", 0, {}};
  const Entity* host = facts.find("host");
  const bool wsl = host && host->is("wsl", "2");
  int index = 0;
  for (const auto& told : gpus) {
    const bool fresh = !facts.find("gpu", told.address);
    if (fresh && !wsl && facts.was_looked("gpu")) continue;  // what the bus does not show is no GPU of this machine
    Entity& gpu = facts.at("gpu", told.address);
    if (fresh)
      gpu.known("vendor", "nvidia", witness)
          .known("address", told.address, witness)
          .known("index", std::to_string(index), witness);
    if (!told.name.empty()) gpu.known("name", told.name, witness);
    if (!told.capability.empty()) gpu.known("compute_capability", told.capability, witness);
    if (wsl && !told.driver.empty()) driver.known("version", told.driver, witness);  // the Windows driver's own number
    ++index;
  }
}

void no_answer(Facts& facts, const std::string& why) {
  smi_details_unknown(facts, why);
  for (Entity* gpu : facts.of("gpu"))
    if (gpu->is("vendor", "nvidia")) gpu->unknown("smi", why);
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& driver = facts.at("driver");
  if (const auto why = why_not(machine, facts, driver); !why.empty()) {
    all_unknown(driver, {"nvml_error", "nvml_version", "stuck"}, why);
    return no_answer(facts, why);
  }
  const bool wsl_tool = exists(machine, "/usr/lib/wsl/lib/nvidia-smi");
  const auto answer = ask(machine, wsl_tool ? "/usr/lib/wsl/lib/nvidia-smi" : "nvidia-smi");
  if (!answer || answer->end == Output::End::not_started) {
    const auto says = answer ? answer->says : answer.miss().says;
    const bool missing = !wsl_tool && find_on_path(machine, "nvidia-smi").is_absent();
    for (const auto* fact : {"nvml_error", "nvml_version"})
      missing ? driver.absent(fact, seen("PATH"))
              : driver.unknown(fact, "nvidia-smi: " + (says.empty() ? "not started" : says));
    return no_answer(facts, missing ? "there is no nvidia-smi to ask" : "nvidia-smi: " + (says.empty() ? "not started" : says));
  }
  const Witness witness{Rank::verdict, "nvidia-smi", 0, {}};
  if (answer->end == Output::End::timed_out || answer->abandoned) {
    driver.known("stuck", std::vector<std::string>{"nvidia-smi"}, witness);
    all_unknown(driver, {"nvml_error", "nvml_version"}, "nvidia-smi gave no answer in time");
    return no_answer(facts, "nvidia-smi gave no answer in time");
  }
  const auto gpus = parse_smi_query(answer->out);
  take(gpus, facts, driver);
  const bool all_listed = !gpus.empty() || contains(answer->out, "No devices") || contains(answer->out + answer->err, "GPU is lost");
  if (all_listed && !wsl_tool) missing_gpus(gpus, answer->out + "\n" + answer->err, facts);
  if (answer->end == Output::End::exited && answer->code == 0 && !contains(answer->out, "No devices")) {
    // NVML starts only where its version is the module's; on WSL the two have numbers of their own.
    driver.absent("nvml_error", witness);
    const bool told = !gpus.empty() && !gpus.front().driver.empty() && !wsl_tool;
    told ? driver.known("nvml_version", gpus.front().driver, witness) : driver.absent("nvml_version", witness);
    if (wsl_tool || gpus.empty()) smi_details_unknown(facts, "nvidia-smi lists no GPU");
    else ask_details(machine, facts);
    return;
  }
  const auto failure = parse_smi_failure(answer->out.empty() ? answer->err : answer->out);
  driver.known("nvml_error", failure.says.empty() ? "exit status " + std::to_string(answer->code) : failure.says,
               witness);
  if (!failure.nvml.empty())
    driver.known("nvml_version", failure.nvml, witness);
  else
    driver.unknown("nvml_version", "nvidia-smi does not tell it");
  smi_details_unknown(facts, "nvidia-smi gives no answer");
}

}  // namespace

const Probe nvidia_smi = {
    .name = "nvidia-smi",
    .need = Need::asking,
    .reads = {"/proc", "/proc/*/stat", "/dev/dxg", "/sys/module/nvidia", "/proc/driver/nvidia",
              "/usr/lib/wsl/lib/nvidia-smi", "$PATH/nvidia-smi", "/proc/driver/nvidia/gpus/*/information", "/proc/driver/nvidia/capabilities/*/*"},
    .run = run,
};

}  // namespace gpudoctor
