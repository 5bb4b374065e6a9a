// SPDX-License-Identifier: Apache-2.0
// Secure Boot, and whether the kernel would take the NVIDIA module on disk: the firmware's variables, lockdown, the keys
// that are enrolled, and the key of the kernel itself, which its own modules show.
#include <algorithm>

#include "all.hpp"
#include "files.hpp"
#include "secure_boot.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string lockdown_of(std::string_view text) {
  const auto open = text.find('['), close = text.find(']');
  return open == std::string_view::npos || close == std::string_view::npos || close < open ? std::string() : printable(text.substr(open + 1, close - open - 1));
}

std::vector<std::string> asymmetric_keys(std::string_view text) {
  std::vector<std::string> names;
  for (const auto line : lines(text)) {
    const auto at = line.find(" asymmetri ");
    if (at == std::string_view::npos) continue;
    const auto description = line.substr(at + 11);   // "Debian Secure Boot CA: 6ccece7e4c6c…: X509.rsa 4c6c… []"
    const auto type = description.find(": X509.");
    const auto id = type == std::string_view::npos ? type : description.rfind(": ", type - 1);
    if (id != std::string_view::npos) names.push_back(printable(trim(description.substr(0, id))));
  }
  return names;
}

namespace {

const std::string variables = "/sys/firmware/efi/efivars/";
const std::string global = "8be4df61-93ca-11d2-aa0d-00e098032b8c", shim = "605dab50-e046-4300-abb6-3dd810dd8b23",
                  database = "d719b2cb-3d3a-4596-a3bc-dad00e67656f";

/// The value of a one-byte variable; its file has four bytes of attributes before it.
Result<int> byte_of(const Machine& machine, const std::string& name) {
  const auto text = machine.read(variables + name, 1 << 12);
  if (!text) return text.miss();
  if (text->size() != 5) return Miss{Why::malformed, "not in the expected form"};
  return static_cast<int>(static_cast<unsigned char>((*text)[4]));
}

/// As Linux itself decides (drivers/firmware/efi/libstub/secureboot.c): on, not in setup mode, and shim not told to skip.
void secure_boot_state(const Machine& machine, Entity& host) {
  const std::string source = variables + "SecureBoot-" + global;
  const auto on = byte_of(machine, "SecureBoot-" + global);
  if (!on) {
    const auto efi = machine.info("/sys/firmware/efi");
    const auto folder = machine.list(variables.substr(0, variables.size() - 1));
    const auto firmware = machine.list("/sys/firmware");   // containers see an empty one
    if (efi.is_absent() && firmware && !firmware->empty()) host.known("secure_boot", "no", seen("/sys/firmware"));   // BIOS
    else if (on.is_absent() && folder && !folder->empty()) host.known("secure_boot", "no", seen(source));
    else host.unknown("secure_boot", on.is_absent() ? "the firmware's variables are not there to be read" : source + ": " + on.miss().says);
    return;
  }
  const bool setup = byte_of(machine, "SetupMode-" + global).value_or(0) == 1;
  const bool skipped = byte_of(machine, "MokSBStateRT-" + shim).value_or(0) == 1;
  host.known("secure_boot", yes_no(*on == 1 && !setup && !skipped), seen(skipped ? variables + "MokSBStateRT-" + shim : source));
}

void enforcement(const Machine& machine, Entity& host) {
  const std::string lock = "/sys/kernel/security/lockdown", enforce = "/sys/module/module/parameters/sig_enforce";
  const auto lockdown = first_line(machine, lock), sig = first_line(machine, enforce);
  if (lockdown && !lockdown_of(*lockdown).empty()) host.known("lockdown", lockdown_of(*lockdown), seen(lock));
  else if (lockdown) host.unknown("lockdown", lock + ": not in the expected form");
  else host.missed("lockdown", lockdown.miss(), lock);
  const bool locked = host.is("lockdown", "integrity") || host.is("lockdown", "confidentiality");
  if (sig && *sig == "Y") host.known("signatures_enforced", "yes", seen(enforce));
  else if (locked) host.known("signatures_enforced", "yes", seen(lock));
  else if (host.is("lockdown", "none")) host.known("signatures_enforced", "no", seen(lock));
  else if (host.is("secure_boot", "no") && sig) host.known("signatures_enforced", "no", seen(enforce));
  else host.unknown("signatures_enforced", "whether the kernel is locked down is not known");
}

void add(std::vector<std::string>& keys, const std::string& name) {
  if (!name.empty() && std::find(keys.begin(), keys.end(), name) == keys.end()) keys.push_back(name);
}

/// The key of the kernel itself, by one of its own modules.
std::string kernels_own(const Machine& machine, const std::string& kernel, std::string& source) {
  for (const auto* folder : {"crypto", "lib", "fs/fat", "arch/x86/crypto", "net/ipv4"})
    for (const auto& path : glob_in(machine, "/lib/modules/" + kernel, "kernel/" + std::string(folder) + "/*.ko*")) {
      const auto answer = machine.inspect(path, Inspect::modinfo);
      if (!answer) continue;
      for (const auto& line : *answer)
        if (line.starts_with("signer=")) return source = path, printable(line.substr(7));
      return {};
    }
  return {};
}

void keys(const Machine& machine, Entity& host) {
  std::vector<std::string> found;
  const auto list = machine.read("/proc/keys", 4 << 20);
  const auto told = list ? asymmetric_keys(*list) : std::vector<std::string>();
  if (!told.empty()) {   // as root: the kernel's own list, whole
    for (const auto& name : told) add(found, name);
    host.known("kernel_keys", found, seen("/proc/keys")).known("kernel_keys_whole", "yes", seen("/proc/keys"));
    return;
  }
  std::string source, why;
  for (const auto& name : {"MokListRT-" + shim, "MokList-" + shim, "db-" + database}) {
    const auto answer = machine.inspect(variables + name, Inspect::efi_keys);
    if (!answer) {
      if (why.empty() && !answer.is_absent()) why = variables + name + ": " + answer.miss().says;
      continue;
    }
    if (source.empty() || name.starts_with("Mok")) source = variables + name;
    for (const auto& key : *answer) add(found, key.substr(4));
  }
  std::string own_source;
  if (const auto own = kernels_own(machine, host.get("kernel"), own_source); !own.empty()) add(found, own);
  host.known("kernel_keys_whole", "no", seen("/proc/keys"));
  if (!source.empty() && why.empty()) found.empty() ? host.absent("kernel_keys", seen(source)) : host.known("kernel_keys", found, seen(source));
  else host.unknown("kernel_keys", why.empty() ? "the enrolled keys cannot be read" : why);
}

/// Canonical and SUSE sign with keys that their kernels hold beside the one of the kernel's own modules.
bool vendor_key(const std::string& signer) {
  for (const std::string_view vendor : {"Canonical Ltd. Kernel Module Signing", "SUSE Linux Enterprise Secure Boot", "openSUSE Secure Boot"})
    if (signer.starts_with(vendor)) return true;
  return false;
}

void signature(const Entity& host, Entity& driver) {
  const Fact* signer = driver.find("signer");
  if (!signer || signer->state == State::unknown) return void(driver.unknown("signature", signer ? signer->reason : "the module on disk is not known"));
  const Witness witness{signer->witnesses.front().rank, signer->witnesses.front().source, 0, {}};
  if (!driver.has("on_disk")) return void(driver.absent("signature", witness));
  if (signer->state == State::absent) return void(driver.known("signature", "unsigned", witness));
  const auto names = host.items("kernel_keys");
  const bool whole = host.is("kernel_keys_whole", "yes");
  const auto is_signer = [&](const std::string& name) { return name == signer->text; };
  if (std::any_of(names.begin(), names.end(), is_signer) || (!whole && vendor_key(signer->text))) return void(driver.known("signature", "trusted", witness));
  const Fact* keys = host.find("kernel_keys");
  if (signer->text == "unnamed") return void(driver.unknown("signature", "the module's signature names no key"));
  if (!keys || keys->state == State::unknown) return void(driver.unknown("signature", keys ? keys->reason : "the keys of the kernel are not known"));
  driver.known("signature", "unenrolled", witness);
  if (!whole) driver.unsure("signature");   // the kernel may hold one more of its own
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& host = facts.at("host");
  Entity& driver = facts.at("driver");
  if (!machine.running()) {
    all_unknown(host, {"secure_boot", "lockdown", "signatures_enforced", "kernel_keys", "kernel_keys_whole"}, not_running);
    return void(driver.unknown("signature", not_running));
  }
  secure_boot_state(machine, host);
  enforcement(machine, host);
  // The keys matter only where a module waits to be loaded and has to prove itself.
  if (driver.has("on_disk") && driver.has("signer") && !host.is("signatures_enforced", "no") && !host.is("secure_boot", "no")) keys(machine, host);
  signature(host, driver);
}

}  // namespace

const Probe secure_boot = {
    .name = "secure-boot",
    .need = Need::running_system,
    .reads = {"/sys/firmware", "/sys/firmware/efi", "/sys/firmware/efi/efivars", "/sys/firmware/efi/efivars/*", "/sys/kernel/security/lockdown",
              "/sys/module/module/parameters/sig_enforce", "/proc/keys", "/lib/modules/*/kernel/*", "/lib/modules/*/kernel/*/*", "/lib/modules/*/kernel/*/*/*"},
    .run = run,
};

}  // namespace gpudoctor
