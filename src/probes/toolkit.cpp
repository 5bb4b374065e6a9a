// SPDX-License-Identifier: Apache-2.0
#include "toolkit.hpp"

#include "files.hpp"
#include "text.hpp"
#include "toolkit_files.hpp"

namespace gpudoctor {

Result<std::string> find_compiler(const Machine& machine, std::string path) {
  constexpr std::size_t longest_script = 1 << 14;
  for (int steps = 0; steps < 4; ++steps) {  // /usr/bin/nvcc of Debian is one step
    const auto real = machine.real(path);
    if (!real) return real.miss();
    if (!base_name(*real).starts_with("nvcc"))
      return Miss{Why::malformed, "leads to " + *real};  // ccache in nvcc's place
    const auto info = machine.info(*real);
    if (!info) return info.miss();
    if (info->kind != Kind::file) return Miss{Why::not_regular, "not a regular file"};
    if (info->size > longest_script) return *real;
    const auto text = machine.read(*real, longest_script);
    if (!text || !text->starts_with("#!")) return *real;
    const auto next = nvcc_behind_script(*text);
    if (!next) return Miss{Why::malformed, "a script that does not tell which nvcc it starts"};
    path = *next;
  }
  return Miss{Why::loop, "a loop of scripts"};
}

std::string triplet_of(const Facts& facts) {
  const Entity* host = facts.find("host");
  return (host && host->has("arch") ? host->get("arch") : "x86_64") + "-linux-gnu";
}

std::vector<std::string> toolkit_libraries(const std::string& root) {
  return {root + "/lib64", root + "/targets/x86_64-linux/lib", root + "/targets/sbsa-linux/lib",
          root + "/targets/aarch64-linux/lib", root + "/lib"};
}

Headers toolkit_headers(const std::string& root) {
  return {root + "/include", root + "/targets/x86_64-linux/include", root + "/targets/sbsa-linux/include",
          root + "/targets/aarch64-linux/include"};
}

Cudart find_cudart(const Machine& machine, const std::vector<std::string>& folders) {
  Cudart result;
  for (const auto& folder : folders)  // by name, as folders of libraries can have thousands of entries
    for (const auto* name : {"libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0",
                             "libcudart.so.10.2", "libcudart.so.10.1", "libcudart.so.10.0"}) {
      const auto real = machine.real(join(folder, name));
      if (real) return {*real, {}};
      if (real.miss().why != Why::absent && result.miss.why == Why::absent)
        result.miss = {real.miss().why, folder + ": " + real.miss().says};
    }
  for (const auto& folder : folders)  // a copy whose links were lost, or a release newer than these names
    if (const auto entries = machine.list(folder))
      for (const auto& entry : *entries)
        if (matches(entry.name, "libcudart.so.*") && entry.kind != Kind::folder)
          if (const auto real = machine.real(join(folder, entry.name))) return {*real, {}};
  return result;
}

void say_cudart(const Machine& machine, Entity& toolkit, const Cudart& cudart) {
  const auto root = toolkit.id().key;
  if (cudart.path.empty()) {
    if (cudart.miss.why == Why::absent)
      toolkit.absent("cudart", seen(root));
    else
      toolkit.unknown("cudart", cudart.miss.says);
    return;
  }
  const auto version = version_of_file_name(base_name(cudart.path));
  if (Version(version).parts().size() >= 3) {
    toolkit.known("cudart", version, seen(cudart.path));
    return;
  }
  for (const auto& path : toolkit_wheels(machine, root))
    if (const auto wheel = parse_wheel(base_name(path)); wheel && wheel->name.starts_with("nvidia-cuda-runtime"))
      toolkit.known("cudart", wheel->version, seen(path));
  if (!toolkit.has("cudart")) toolkit.unknown("cudart", cudart.path + ": its name holds only the major version");
}

std::vector<std::string> toolkit_wheels(const Machine& machine, const std::string& root) {
  // Beside the files, as images unpack them; of a wheel in its place (site-packages/nvidia/cu13) in site-packages.
  std::vector<std::string> folders{root + "/dist-info"};
  if (base_name(parent(root)) == "nvidia") folders.push_back(parent(parent(root)));
  std::vector<std::string> result;
  for (const auto& folder : folders)
    if (const auto entries = machine.list(folder))
      for (const auto& entry : *entries)
        if (matches(entry.name, "nvidia_*.dist-info")) result.push_back(join(folder, entry.name));
  return result;
}

}  // namespace gpudoctor
