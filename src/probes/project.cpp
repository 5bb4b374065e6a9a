// SPDX-License-Identifier: Apache-2.0
// What the project in the working folder asks for: the PyTorch that its requirements.txt pins.
#include "project.hpp"

#include "all.hpp"
#include "files.hpp"
#include "text.hpp"
#include "torch_files.hpp"

namespace gpudoctor {

std::vector<Asked> asked_torches(std::string_view requirements) {
  std::vector<Asked> result;
  std::string index_tag;
  int number = 0;
  for (auto line : lines(requirements)) {
    ++number;
    line = trim(line.substr(0, line.find('#')));
    if (line.starts_with("-i ") || line.starts_with("--index-url") || line.starts_with("--extra-index-url") || line.starts_with("-f ") || line.starts_with("--find-links")) {
      if (const auto at = line.find("/whl/"); at != std::string_view::npos) {
        auto tag = line.substr(at + 5);
        tag = tag.substr(0, tag.find('/'));
        index_tag = wheel_tag(tag);
      }
      continue;
    }
    const auto sign = line.find("==");
    if (sign == std::string_view::npos || trim(line.substr(0, line.find_first_of("=[ "))) != "torch") continue;
    auto version = trim(line.substr(sign + 2));
    version = trim(version.substr(0, version.find_first_of(" ;,\\")));
    const Version parsed(std::string(version), Scheme::pep440);
    if (!parsed.valid() || contains(version, "*")) continue;
    result.push_back({parsed.without_local(), wheel_tag(parsed.local()), number});
  }
  for (auto& one : result)
    if (one.tag.empty()) one.tag = index_tag;
  return result;
}

namespace {

void run(const Machine& machine, const Scope&, Facts& facts) {
  if (!machine.running()) return facts.not_looked("asked", not_running);
  const auto path = join(machine.working_folder(), "requirements.txt");
  const auto text = machine.read(path, 1 << 18);
  if (!text && !text.is_absent()) return facts.not_looked("asked", path + ": " + text.miss().says);
  if (text)
    for (const auto& one : asked_torches(*text)) {
      Entity& asked = facts.at("asked", path + ":" + std::to_string(one.line));
      const auto here = seen(path, one.line);
      asked.known("version", one.version, here).known("path", path, here);
      if (one.tag.empty()) asked.absent("tag", here);
      else asked.known("tag", one.tag, here);
    }
  facts.looked("asked");
}

}  // namespace

const Probe project = {
    .name = "project",
    .need = Need::running_system,
    .reads = {"$CWD/requirements.txt"},
    .run = run,
};

}  // namespace gpudoctor
