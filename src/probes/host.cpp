// SPDX-License-Identifier: Apache-2.0
// The operating system: distribution, kernel, architecture, C library, and the caller's variables that matter to CUDA.
#include "host.hpp"

#include <fmt/core.h>

#include <chrono>

#include "all.hpp"
#include "files.hpp"
#include "text.hpp"

namespace gpudoctor {

std::map<std::string, std::string> parse_os_release(std::string_view text) {
  std::map<std::string, std::string> result;
  for (auto line : lines(text)) {
    line = trim(line);
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    auto value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
      value = value.substr(1, value.size() - 2);
    std::string plain;
    for (std::size_t i = 0; i < value.size(); ++i)
      if (value[i] != '\\' || ++i < value.size()) plain += value[i];
    result[std::string(line.substr(0, equals))] = printable(plain);
  }
  return result;
}

std::string parse_tegra_release(std::string_view text) {
  const auto release = text.find("# R"), revision = text.find("REVISION: ");
  if (release == std::string_view::npos || revision == std::string_view::npos) return {};
  const auto digits = [](std::string_view from) { return from.substr(0, from.find_first_not_of("0123456789.")); };
  const auto major = digits(text.substr(release + 3)), rest = digits(text.substr(revision + 10));
  return major.empty() || rest.empty() ? std::string() : "R" + std::string(major) + "." + std::string(rest);
}

std::string glibc_of_file_name(std::string_view name) {
  if (!name.starts_with("libc-") || !name.ends_with(".so")) return {};
  const std::string version(name.substr(5, name.size() - 8));
  return Version(version).valid() ? version : std::string();
}

std::string wsl_of_kernel(std::string_view release, bool dxg) {
  const auto text = lower(release);
  if (contains(text, "microsoft-standard") || contains(text, "wsl2") || dxg) return "2";
  return contains(text, "microsoft") ? "1" : "no";  // "4.4.0-19041-Microsoft"
}

namespace {
/// What an unpacked root has for PATH: the default of Debian's, Red Hat's and Alpine's login.
constexpr std::string_view default_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}  // namespace

Result<std::string> find_on_path(const Machine& machine, const std::string& program) {
  const auto path = machine.variable("PATH");
  if (!path && machine.running()) return path.miss();
  for (const auto folder : split(path ? std::string_view(*path) : default_path, ':')) {
    if (!folder.starts_with('/')) continue;
    const auto candidate = join(folder, program);
    const auto info = machine.info(candidate);
    if (info && info->kind == Kind::file) return candidate;
    if (!info && info.miss().why != Why::absent) return Miss{info.miss().why, candidate + ": " + info.miss().says};
  }
  return Miss{Why::absent, "not on PATH"};
}

namespace {

void distribution(const Machine& machine, Entity& host) {
  std::string source = "/etc/os-release";
  auto text = machine.read(source, 1 << 16);
  if (text.is_absent()) text = machine.read(source = "/usr/lib/os-release", 1 << 16);
  if (!text) {
    for (const auto* fact : {"distribution", "distribution_version", "distribution_like", "distribution_name"})
      host.missed(fact, text.miss(), source);
    return;
  }
  auto release = parse_os_release(*text);
  const auto put = [&](const char* fact, const std::string& value) {
    value.empty() ? host.absent(fact, seen(source)) : host.known(fact, value, seen(source));
  };
  put("distribution", release["ID"]);
  put("distribution_version", release["VERSION_ID"]);  // rolling ones have none
  std::vector<std::string> like{release["ID"]};
  for (const auto one : words(release["ID_LIKE"])) like.emplace_back(one);
  std::erase(like, "");
  if (like.empty())
    host.absent("distribution_like", seen(source));
  else
    host.known("distribution_like", like, seen(source));
  const auto name = release["NAME"].empty() ? release["ID"] : release["NAME"];
  const auto plain = name.ends_with(" GNU/Linux") ? name.substr(0, name.size() - 10) : name;
  put("distribution_name", std::string(trim(plain + " " + release["VERSION_ID"])));
  const auto id = release["ID"];
  const bool layered = id == "opensuse-microos" || id == "sle-micro" || id == "sl-micro" || id == "opensuse-aeon" ||
                       id == "opensuse-kalpa";
  if (layered || !release["OSTREE_VERSION"].empty()) host.known("immutable", "yes", seen(source));
}

void architecture(const Machine& machine, Entity& host) {
  if (machine.running())
    if (const auto arch = first_line(machine, "/proc/sys/kernel/arch");
        arch && !arch->empty()) {  // Linux 6.1 and newer
      host.known("arch", *arch, seen("/proc/sys/kernel/arch"));
      return;
    }
  for (const auto* program : {"/bin/sh", "/usr/bin/env", "/bin/busybox", "/usr/bin/python3"})
    if (const auto answer = machine.inspect(program, Inspect::dynamic))
      for (const auto& line : *answer)
        if (line.starts_with("machine=")) {
          host.known("arch", line.substr(8), seen(program));
          return;
        }
  static constexpr std::pair<const char*, const char*> loaders[] = {{"/lib64/ld-linux-x86-64.so.2", "x86_64"},
                                                                    {"/lib/ld-linux-aarch64.so.1", "aarch64"},
                                                                    {"/lib/ld-musl-x86_64.so.1", "x86_64"},
                                                                    {"/lib/ld-musl-aarch64.so.1", "aarch64"}};
  for (const auto& [loader, arch] : loaders)
    if (exists(machine, loader)) {
      host.known("arch", arch, seen(loader));
      return;
    }
  host.unknown("arch", "neither the kernel nor a program tells it");
}

/// A real file named libc-2.31.so tells it (before glibc 2.34); then the package; then the library's own banner.
void c_library(const Machine& machine, const Facts& facts, Entity& host) {
  std::string library;
  for (const auto* pattern : {"/lib/*-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/*-linux-gnu/libc.so.6",
                              "/usr/lib64/libc.so.6", "/usr/lib/libc.so.6"})
    for (const auto& path : glob(machine, pattern)) {
      if (contains(path, "/i386-") || !library.empty()) continue;
      library = path;
      if (const auto real = machine.real(path))
        if (const auto version = glibc_of_file_name(base_name(*real)); !version.empty()) {
          host.known("glibc", version, seen(*real));
          return;
        }
    }
  if (const Entity* package = facts.find("package", "libc6"); package && package->is("state", "installed"))
    if (const auto version = find_version(package->get("version")); !version.empty()) {
      host.known("glibc", version, {Rank::tool, "/var/lib/dpkg/status", 0, {}});
      return;
    }
  if (!library.empty()) {
    const auto answer = machine.inspect(library, Inspect::libc_version);
    if (answer && !answer->empty())
      host.known("glibc", answer->front().substr(answer->front().find('=') + 1), seen(library));
    else
      host.unknown("glibc", answer ? library + " does not tell its version" : library + ": " + answer.miss().says);
    return;
  }
  if (const auto musl = glob(machine, "/lib/ld-musl-*.so.1"); !musl.empty())
    host.absent("glibc", seen(musl.front()));
  else
    host.unknown("glibc", "no C library in the usual folders");
}

void jetson(const Machine& machine, const Facts& facts, Entity& host) {
  const std::string source = "/etc/nv_tegra_release";
  const auto text = machine.read(source, 1 << 16);
  const auto release = text ? parse_tegra_release(*text) : std::string();
  const Entity* package = facts.find("package", "nvidia-l4t-core");
  if (!release.empty())
    host.known("jetson", release, seen(source));
  else if (package && package->is("state", "installed"))
    host.known("jetson", "R" + find_version(package->get("version")), {Rank::tool, "/var/lib/dpkg/status", 0, {}});
  else if (const auto model = first_line(machine, "/proc/device-tree/model"); model && contains(*model, "Jetson"))
    host.unknown("jetson", "a Jetson by /proc/device-tree/model, but " + source +
                               " does not tell the release");  // in a container
  else if (text)
    host.unknown("jetson", source + ": not in the expected form");
  else
    host.missed("jetson", text.miss(), source);
}

void running(const Machine& machine, Entity& host) {
  if (!machine.running()) {
    all_unknown(host, {"kernel", "kernel_version", "wsl", "dxg", "headers", "sudo"}, not_running);
    return;
  }
  const std::string source = "/proc/sys/kernel/osrelease";
  const auto kernel = first_line(machine, source);
  if (kernel) {
    host.known("kernel", *kernel, seen(source));
    if (const auto numbers = find_version(*kernel); !numbers.empty()) host.known("kernel_version", numbers, seen(source));
    const bool dxg = exists(machine, "/dev/dxg");
    host.known("dxg", yes_no(dxg), seen("/dev/dxg"));
    host.known("wsl", wsl_of_kernel(*kernel, dxg), seen(dxg ? "/dev/dxg" : source));
    const auto build = "/lib/modules/" + *kernel + "/build";
    const auto headers = machine.info(build);
    if (headers || headers.is_absent())
      host.known("headers", yes_no(static_cast<bool>(headers)), seen(build));
    else
      host.unknown("headers", build + ": " + headers.miss().says);
  } else {
    host.missed("kernel", kernel.miss(), source)
        .unknown("wsl", "the kernel's release is not known")
        .unknown("kernel_version", "the kernel's release is not known")
        .unknown("headers", "the kernel's release is not known");
  }
  host.known("sudo", yes_no(static_cast<bool>(machine.variable("SUDO_USER"))), seen("SUDO_USER"));
}

void variables(const Machine& machine, Entity& host) {
  const auto put = [&](const char* fact, const Result<std::string>& value, const std::string& name) {
    if (value && !value->empty())
      host.known(fact, printable(*value), seen(name));
    else if (value)
      host.absent(fact, seen(name));
    else if (value.is_absent() && host.is("sudo", "yes"))
      host.unknown(fact, "sudo drops the caller's variables");
    else
      host.missed(fact, value.miss(), name);
  };
  put("home", machine.variable("HOME"), "HOME");
  const auto home = machine.variable("CUDA_HOME");
  put("cuda_home", home ? home : machine.variable("CUDA_PATH"), home ? "CUDA_HOME" : "CUDA_PATH");
  put("path_nvcc", find_on_path(machine, "nvcc"), machine.running() ? "PATH" : "the default PATH");
  // Set to nothing, CUDA_VISIBLE_DEVICES hides every GPU: that is a value, not an absence.
  if (const auto visible = machine.variable("CUDA_VISIBLE_DEVICES"); visible)
    host.known("visible_devices", printable(*visible), seen("CUDA_VISIBLE_DEVICES"));
  else
    put("visible_devices", visible, "CUDA_VISIBLE_DEVICES");
  const auto library_path = machine.variable("LD_LIBRARY_PATH");
  std::vector<std::string> folders;
  if (library_path)
    for (const auto folder : split(*library_path, ':'))
      if (!folder.empty()) folders.push_back(printable(folder));
  if (folders.empty())
    put("library_path", library_path ? Result<std::string>(std::string()) : library_path, "LD_LIBRARY_PATH");
  else
    host.known("library_path", folders, seen("LD_LIBRARY_PATH"));
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& host = facts.at("host");
  host.known("system", "linux", seen("/")).known("running", yes_no(machine.running()), seen("/"));
  // Not by gmtime, which reads the time zone of the machine that this runs on.
  constexpr std::int64_t year_10000 = 253'402'300'800;
  if (const auto now = machine.now(); now > 0 && now < year_10000) {
    using namespace std::chrono;
    const year_month_day day(floor<days>(sys_seconds(seconds(now))));
    host.known("date", fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day())),
               seen("the clock"));
  } else
    host.unknown("date", "the recording does not tell it");
  distribution(machine, host);
  architecture(machine, host);
  c_library(machine, facts, host);
  jetson(machine, facts, host);
  running(machine, host);
  variables(machine, host);
  const bool ostree = exists(machine, "/run/ostree-booted") || exists(machine, "/sysroot/ostree");
  if (ostree)
    host.known("immutable", "yes", seen("/run/ostree-booted"));
  else if (!host.has("immutable"))
    host.known("immutable", "no", seen("/run/ostree-booted"));
}

}  // namespace

const Probe host = {
    .name = "host",
    .need = Need::files,
    .reads = {"/etc/os-release",
              "/usr/lib/os-release",
              "/proc/sys/kernel/osrelease",
              "/proc/sys/kernel/arch",
              "/bin/sh",
              "/usr/bin/env",
              "/bin/busybox",
              "/usr/bin/python3",
              "/lib64/ld-linux-x86-64.so.2",
              "/lib/ld-linux-aarch64.so.1",
              "/lib/ld-musl-*.so.1",
              "/lib/*-linux-gnu/libc.so.6",
              "/lib64/libc.so.6",
              "/usr/lib/*-linux-gnu/libc.so.6",
              "/usr/lib64/libc.so.6",
              "/usr/lib/libc.so.6",
              "/etc/nv_tegra_release",
              "/proc/device-tree/model",
              "/dev/dxg",
              "/lib/modules/*/build",
              "/run/ostree-booted",
              "/sysroot/ostree",
              "$PATH/nvcc"},
    .run = run,
};

}  // namespace gpudoctor
