// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <algorithm>
#include <map>

#include "sonames.hpp"
#include "text.hpp"

namespace gpudoctor {

void environment_values(const Entity& env, const Facts& facts, Machine::World world, Values& values, std::vector<std::string>& managers) {
  const auto path = env.has("path") ? env.get("path") : env.id().key;
  values["env"] = shell_path(path, facts, world);
  const bool system = env.is("kind", "system") || env.is("kind", "user");
  const Entity* host = facts.find("host");
  const bool windows = host && host->is("system", "windows");
  values["python"] = world == Machine::World::pasted ? windows ? "py" : "python"   // whoever reads it is in that environment
                     : system ? "python3" : world == Machine::World::live ? shell_path(path + "/bin/python", facts, world) : "<your environment>/bin/python";
  managers = {env.has("manager") ? env.get("manager") : "pip"};
  if (managers[0] != "conda") managers.push_back("pip");   // never pip into conda
}

void index_values(const Matrix& matrix, const std::string& torch, const std::string& tag, Values& values) {
  values["torch"] = safe(torch), values["tag"] = safe(tag);
  const Node* index = matrix.knowledge().table("torch").find("index");
  if (!index) return;
  values["index"] = replaced(index->get("stable"), "{tag}", safe(tag));
  if (Version(torch).major() >= 2) return;
  const Node* eras = index->find("pip");
  for (std::size_t i = 0; eras && i < eras->items.size(); ++i) {
    const Node& era = eras->items[i];
    const auto tags = era.list("tags");
    const bool of_era = compare(Version(torch), Version(era.get("from"))) != Order::less && (era.get("to").empty() || compare(Version(torch), Version(era.get("to"))) != Order::greater);
    if (of_era && (tags.empty() || std::find(tags.begin(), tags.end(), tag) != tags.end()))
      values["index-option"] = era.get("flag") + " " + replaced(era.get("url"), "{tag}", safe(tag));
  }
}

bool torch_values_of(const Matrix& matrix, const TorchChoice& choice, Values& values, std::vector<std::string>& managers) {
  index_values(matrix, choice.torch, choice.tag, values);
  values["vision"] = safe(choice.vision), values["audio"] = safe(choice.audio), values["cuda"] = safe(Version(choice.cuda).first(2));
  for (const auto& pin : choice.extra) values["cuda"] += " '" + pin + "'";   // conda: cuda-version=12.9 'cudnn<9.11'
  const bool conda = !managers.empty() && managers[0] == "conda";
  // Up to 1.12 the official channel called CUDA cudatoolkit (torch.toml, conda.install).
  if (conda && choice.channel == "pytorch") managers.insert(managers.begin(), compare(Version(choice.torch), Version("1.13")) == Order::less ? "conda-cudatoolkit" : "conda-pytorch");
  return !(choice.tag.starts_with("rocm") && conda);
}

std::string hands_off(const Facts& facts, const Entity* env, const Entity* torch) {
  const Entity* container = facts.find("container");
  const Entity* host = facts.find("host");
  if (!env) return {};
  if ((torch && torch->is("origin", "ngc")) || (container && container->is("image", "ngc")))
    return "This is NVIDIA's own image: take another tag of it instead of changing PyTorch inside.";
  if (host && host->has("jetson")) return "On a Jetson take the wheel that NVIDIA publishes for this JetPack.";
  if (torch && torch->is("origin", "debian")) return "This PyTorch is the distribution's package: use an environment of its own instead.";
  return {};
}

Channel channel_of(const std::vector<std::string>& managers) { return !managers.empty() && managers[0].starts_with("conda") ? Channel::conda : Channel::pip; }

Place place_of(const Question& question) {
  Place place;
  place.values = {{"python", "python3"}, {"env", "<your environment>"}};
  place.env = question.env;
  if (question.wish.installer == "conda" && question.env && !question.env->is("manager", "conda")) place.env = nullptr;   // conda installs into its own only
  if (!place.env && !question.wish.python.empty()) place.values["python"] = safe("python" + Version(question.wish.python).first(2));
  if (place.env) environment_values(*place.env, question.facts, question.world, place.values, place.managers);
  if (!question.wish.installer.empty()) place.managers = {question.wish.installer};
  return place;
}

std::string install_line(const Place& place, const std::vector<std::string>& requirements, const std::string& options) {
  std::string line = place.managers[0] == "uv" ? "uv pip install --python " + place.values.at("python") : place.values.at("python") + " -m pip install";
  if (channel_of(place.managers) == Channel::conda) return {};
  for (const auto& one : requirements) {
    bool plain = true;
    for (const char c : one) {
      const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view("._+-=").find(c) != std::string_view::npos;
      if (!word && std::string_view("<>*[],!~").find(c) == std::string_view::npos) return {};
      plain = plain && word;
    }
    if (one.empty() || one[0] == '-') return {};
    line += plain ? " " + one : " '" + one + "'";
  }
  return line + (options.empty() ? "" : " " + options);
}

void extension_values(const Entity& extension, const Entity* gpu, Values& values, std::vector<std::string>& managers) {
  values["name"] = safe(extension.get("package"));
  values["version"] = safe(extension.version("version").without_local());
  if (gpu) values["capability"] = safe(gpu->get("compute_capability"));
  if (managers.empty() || managers[0] != "conda" || extension.is("installer", "conda")) return;
  managers = {"pip"};   // what pip put into a conda environment, conda knows nothing of
}

void wheels_of_missing(const Entity& torch, Values& values) {
  // The wheel is named after what it brings; those of the runtimes begin with cuda-.
  static const std::map<std::string, const char*> wheels = {
      {"libcublas", "cublas"},     {"libcublasLt", "cublas"},     {"libcudart", "cuda-runtime"},   {"libnvrtc", "cuda-nvrtc"}, {"libnvrtc-builtins", "cuda-nvrtc"},
      {"libcupti", "cuda-cupti"},  {"libcufft", "cufft"},         {"libcurand", "curand"},         {"libcusolver", "cusolver"}, {"libcusparse", "cusparse"},
      {"libcusparseLt", "cusparselt"}, {"libnvJitLink", "nvjitlink"}, {"libcufile", "cufile"},     {"libnccl", "nccl"},        {"libnvshmem_host", "nvshmem"},
      {"libnvToolsExt", "nvtx"}};
  std::vector<std::string> packages;
  for (const auto& soname : torch.items("missing_libraries")) {
    const auto stem = library_stem(soname);
    const auto wheel = wheels.find(stem);
    const std::string name = stem.starts_with("libcudnn") ? "nvidia-cudnn" : wheel == wheels.end() ? "" : "nvidia-" + std::string(wheel->second);
    if (name.empty()) return;
    const auto pins = torch.items("pins");
    const auto pin = std::find_if(pins.begin(), pins.end(), [&](const auto& one) { return one.starts_with(name + "==") || one.starts_with(name + "-cu"); });
    if (pin == pins.end()) return;   // part of cuda-toolkit[…], or not pinned at all
    if (std::find(packages.begin(), packages.end(), *pin) == packages.end()) packages.push_back(*pin);
  }
  values["packages"] = safe(joined(packages, " "));
}

void shadow_values(const Entity& shadow, const Facts& facts, Machine::World world, Values& values) {
  const bool live = world == Machine::World::live;
  if (shadow.is("via", "LD_LIBRARY_PATH")) values["folder"] = live ? shell_path(shadow.get("folder"), facts, world) : "<the folder>";
  const auto losers = shadow.items("losers");
  if (losers.empty()) return;
  const auto shipped = losers.front().substr(0, losers.front().find_last_of('/'));
  values["shipped"] = live ? shell_path(shipped, facts, world) : "<its folder>";
}

void suit_environment(const Entity* env, const Values& values, Fix& fix) {
  if (const auto option = values.find("index-option"); option != values.end())
    for (auto& command : fix.commands) command = replaced(command, "--index-url " + values.at("index"), option->second);
  // PEP 668: the system's Python takes nothing from pip; an environment of its own does.
  if (env && env->is("externally_managed", "yes") && !fix.commands.empty() && contains(fix.commands.front(), " -m pip ")) {
    for (auto& command : fix.commands) command = replaced(command, values.at("python") + " -m pip", "~/gpu-venv/bin/python -m pip");
    fix.commands.insert(fix.commands.begin(), "python3 -m venv ~/gpu-venv");
    fix.title += ", in a new environment (this Python is managed by the system)";
  }
}

}  // namespace gpudoctor
