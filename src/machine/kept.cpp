// SPDX-License-Identifier: Apache-2.0
#include "kept.hpp"

#include <algorithm>
#include <array>

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most_lines = 400, most_length = 500, most_errors = 5;
constexpr std::string_view boot = "Linux version ";

/// "Nov 20 08:00:01 host kernel: [   12.345678] NVRM: …", dmesg's "[   12.345678] NVRM: …", or the plain message.
std::string_view message(std::string_view line) {
  if (const auto kernel = line.find(" kernel: "); kernel != std::string_view::npos) line = line.substr(kernel + 9);
  line = trim(line);
  if (line.starts_with('<') && line.find('>') < 6) line = trim(line.substr(line.find('>') + 1));   // dmesg --raw
  if (line.starts_with('['))
    if (const auto close = line.find(']'); close != std::string_view::npos &&
                                           line.substr(1, close - 1).find_first_not_of(" .0123456789TC") == std::string_view::npos)
      line = trim(line.substr(close + 1));
  return line;
}

bool of_interest(std::string_view text) {
  if (contains(text, "NVRM: ")) return true;
  if (contains(text, "oading of ") && contains(text, " is rejected")) return true;
  if (contains(text, "unsigned module loading is restricted")) return true;
  return contains(text, "nvidia") && (contains(text, "Unknown symbol") || contains(text, "version magic") ||
                                      contains(text, "disagrees about version of symbol"));
}

bool is_error(std::string_view line) {
  static constexpr std::array marks{" error: ", "ERROR: modpost", "Error! ", "fatal error", "No space left on device", ": not found", "cc: error"};
  return std::any_of(marks.begin(), marks.end(), [line](const char* mark) { return contains(line, mark); });
}

std::string only_lines(std::string_view text, bool (*wanted)(std::string_view)) {
  std::string result;
  for (const auto line : lines(text))
    if (wanted(line)) result.append(line).append("\n");
  return result;
}

}  // namespace

std::vector<std::string> kernel_lines_of_interest(std::string_view log) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < log.size();) {
    const auto end = std::min(log.find('\n', at), log.size());
    const auto line = log.substr(at, end - at);
    at = end + 1;
    const bool new_boot = contains(line, boot);
    if (!new_boot && !of_interest(line)) continue;
    const auto text = message(line);
    if (new_boot && text.starts_with(boot)) {
      result.clear();
      const auto release = text.substr(boot.size());
      result.push_back(printable(std::string(boot) + std::string(release.substr(0, release.find(' ')))));
    } else if (of_interest(text)) {
      if (result.size() >= most_lines) result.erase(result.begin() + (result.front().starts_with(boot) ? 1 : 0));
      result.push_back(printable(text.substr(0, most_length)));
    }
  }
  return result;
}

std::vector<std::string> build_errors(std::string_view log) {
  std::vector<std::string> result;
  const auto first = log.substr(0, log.find('\n'));   // "DKMS make.log for nvidia-550.163.01 for kernel 6.16.3 (x86_64)"
  if (const auto at = first.find(" for kernel "); at != std::string_view::npos)
    if (const auto name = words(first.substr(at + 12)); !name.empty()) result.push_back("kernel=" + printable(name.front()));
  std::size_t errors = 0;
  for (std::size_t at = 0; at < log.size() && errors < most_errors;) {
    const auto end = std::min(log.find('\n', at), log.size());
    const auto line = trim(log.substr(at, end - at));
    at = end + 1;
    if (!is_error(line)) continue;
    ++errors;
    result.push_back("error=" + printable(line.substr(0, most_length)));
  }
  return result;
}

std::string smi_lines_of_interest(std::string_view text) {
  static constexpr std::array wanted{"MIG Mode", "MIG Device", "ECC Errors", "Retired Pages", "Remapped Rows", "GPU Virtualization Mode", "Fabric"};
  std::string result;
  bool keep = false;
  for (const auto line : lines(text)) {
    const auto indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos) continue;
    const auto says = line.substr(indent);
    if (indent == 0) keep = says.starts_with("GPU ");
    if (indent == 4) keep = std::any_of(wanted.begin(), wanted.end(), [says](const char* head) { return says.starts_with(head); });
    if (keep) result.append(line).append("\n");
  }
  return result;
}

std::string kept_of_file(std::string_view path, const std::string& text) {
  // What changes from one moment to the next would make two recordings differ.
  if (path == "/proc/self/status")
    return only_lines(text, [](std::string_view line) { return line.starts_with("Uid:") || line.starts_with("Gid:") || line.starts_with("Groups:"); });
  if (path == "/etc/group") {   // not who is in them
    std::string groups;
    for (const auto line : lines(text))
      if (const auto parts = split(line, ':'); parts.size() > 2) groups.append(parts[0]).append(":x:").append(parts[2]).append(":\n");
    return groups;
  }
  if (path == "/proc/keys") return only_lines(text, [](std::string_view line) { return contains(line, " asymmetri "); });
  return text;
}

std::string kept_of_output(const std::vector<std::string>& argv, const std::string& text) {
  if (argv.empty()) return text;
  if (argv[0] == "dmesg" || argv[0] == "journalctl") {
    const auto kept = kernel_lines_of_interest(text);
    // That there was an answer at all is knowledge too.
    return kept.empty() ? trim(text).empty() || text.starts_with("-- ") ? text : "(nothing of interest)\n" : joined(kept, "\n") + "\n";
  }
  if (argv.size() == 2 && argv[1] == "-q") return smi_lines_of_interest(text);
  return text;
}

}  // namespace gpudoctor
