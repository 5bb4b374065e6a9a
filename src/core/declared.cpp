// SPDX-License-Identifier: Apache-2.0
// All facts, each once: what a probe, a reader or a relation may state and what a rule may ask for.
// Kinds with one member: host, driver, container. The others are collections, keyed as the first row of each says.
#include "gpudoctor/facts.hpp"

namespace gpudoctor {

const std::vector<Declaration>& declarations() {
  using enum Type;
  static const std::vector<Declaration> all = {
      // ── host: the operating system that was looked at ──
      {"host.system", word, "linux, or windows in a pasted report"},
      {"host.running", flag, "whether the system looked at is running (no for an unpacked root or an image)"},
      {"host.distribution", word, "ID of os-release: ubuntu, debian, fedora …"},
      {"host.distribution_version", version, "VERSION_ID of os-release"},
      {"host.distribution_like", list, "ID and ID_LIKE of os-release, nearest first"},
      {"host.distribution_name", text, "the distribution for people: Ubuntu 22.04"},
      {"host.kernel", text, "release of the running kernel, as uname -r prints it"},
      {"host.arch", word, "x86_64 or aarch64"},
      {"host.glibc", version, "version of the C library; absent on musl"},
      {"host.wsl", word, "1 or 2 inside the Windows Subsystem for Linux, no elsewhere"},
      {"host.jetson", text, "L4T release of a Jetson (R36.4.3)"},
      {"host.immutable", flag, "an image-based host (ostree, transactional-update): packages are layered, not installed"},
      {"host.headers", flag, "whether headers for the running kernel are there"},
      {"host.home", path, "the caller's home folder; reports show it as ~"},
      {"host.sudo", flag, "run through sudo: the caller's variables are gone"},
      {"host.path_nvcc", path, "nvcc as PATH finds it"},
      {"host.cuda_home", path, "CUDA_HOME, else CUDA_PATH"},
      {"host.cuda_home_toolkit", flag, "whether CUDA_HOME, else CUDA_PATH, leads to a toolkit; absent while neither is set"},
      {"host.library_path", list, "folders of LD_LIBRARY_PATH"},
      {"host.visible_devices", text, "CUDA_VISIBLE_DEVICES"},
      {"host.nvidia_gpus", number, "how many NVIDIA GPUs are there"},
      {"host.amd_gpus", number, "how many AMD GPUs with a gfx target that ROCm or PyTorch knows are there"},
      {"host.gpus", number, "how many GPUs of any vendor are there"},
      {"host.nvidia_supported", number, "how many NVIDIA GPUs the installed driver branch supports"},
      {"host.driver_owners", list, "who put user-space driver libraries here: dpkg, runfile …"},
      {"host.driver_versions", list, "the different versions of the driver copies that the loader can reach"},
      {"host.torches", number, "how many PyTorch builds were found"},
      {"host.toolkit_releases", list, "CUDA releases that nvcc on PATH, CUDA_HOME and /usr/local/cuda lead to"},
      {"host.needs_driver", flag, "an NVIDIA GPU is there, on a host where a kernel driver belongs"},
      {"host.date", text, "the day by the machine's own clock: 2026-11-30"},
      {"host.usable_gpus", number, "how many GPUs a GPU build of PyTorch can use: NVIDIA ones that nothing rules out, AMD ones as above"},
      {"host.visible_gpus", number, "how many NVIDIA GPUs CUDA_VISIBLE_DEVICES leaves visible"},
      {"host.driver_installs", word, "single, agreeing (several owners or versions, yet every loaded part agrees) or clashing"},
      {"host.toolkit_releases_differ", flag, "whether these are more than one"},
      {"host.nvcc_release", version, "CUDA release of the nvcc that a build takes: CUDA_HOME, else PATH, else /usr/local/cuda"},
      {"host.nvcc_major", number, "its major"},
      {"host.nvcc_gcc_max", number, "newest gcc major that it accepts: its host_config.h, else the table"},
      {"host.gcc", version, "the gcc that nvcc would call: NVCC_CCBIN, else nvcc's own choice, else gcc on PATH"},
      {"host.gcc_major", number, "its major"},
      {"host.cudnn_versions", list, "the different versions of the cuDNN copies that the loader reaches without an environment"},
      {"host.cudnn_versions_differ", flag, "whether these are more than one"},

      // ── gpu (key: PCI address, or gpuN in a report) ──
      {"gpu.vendor", word, "nvidia, amd or intel"},
      {"gpu.pci_id", word, "vendor and device id, lower case: 10de:2684"},
      {"gpu.address", address, "PCI address"},
      {"gpu.index", number, "position in PCI order among the GPUs of its vendor"},
      {"gpu.bound", word, "kernel driver that holds it: nvidia, nouveau, vfio-pci, amdgpu …"},
      {"gpu.name", name, "product name"},
      {"gpu.chip", word, "AD102, GA102 …"},
      {"gpu.brand", word, "geforce, workstation, datacenter, tegra or other"},
      {"gpu.architecture", word, "Kepler, Maxwell, … Blackwell"},
      {"gpu.compute_capability", version, "8.9"},
      {"gpu.sm", word, "sm_89"},
      {"gpu.gfx", word, "AMD's target: gfx1100"},
      {"gpu.first_branch", number, "first NVIDIA driver branch that knows it"},
      {"gpu.last_branch", number, "last NVIDIA driver branch that supports it; absent while none has ended"},
      {"gpu.open_module", word, "impossible, possible or required"},

      // ── driver: the NVIDIA driver; its three versions are loaded, on disk, libraries ──
      {"driver.loaded", version, "version of the loaded nvidia module"},
      {"driver.flavour", word, "open or proprietary, of the loaded module, else of the one on disk"},
      {"driver.on_disk", version, "version of the module on disk for the running kernel"},
      {"driver.on_disk_flavour", word, "open or proprietary, by the licence in the module on disk"},
      {"driver.libraries", version, "version of the driver's own libcuda.so.1 that the loader takes (cuda-compat and stubs aside)"},
      {"driver.version", version, "the version that counts: loaded, else on disk, else libraries"},
      {"driver.branch", number, "its first number: 535"},
      {"driver.branch_type", text, "long-term, production, new-feature … (table)"},
      {"driver.branch_eol", text, "end of life of the branch (table)"},
      {"driver.branch_ended", flag, "whether that end of life was before the machine's day"},
      {"driver.listed", flag, "whether the branch is in the matrix; no when it is newer"},
      {"driver.cuda", version, "CUDA level that the branch reports natively"},
      {"driver.packages", list, "packages of the driver that are installed, with versions: name=version"},
      {"driver.packages_broken", list, "driver packages in a half state, name:state"},
      {"driver.owner", word, "who installed the libraries: dpkg, rpm, pacman, runfile, unknown"},
      {"driver.installed", flag, "whether any part of it is installed: a module on disk, libraries, or packages"},
      {"driver.uvm", flag, "whether nvidia_uvm is loaded"},
      {"driver.nouveau", flag, "whether nouveau is loaded"},
      {"driver.nodes", list, "device nodes /dev/nvidia* that exist"},
      {"driver.modprobe_helper", flag, "whether the setuid helper nvidia-modprobe is there, which loads modules and makes nodes"},
      {"driver.nvml_error", text, "what nvidia-smi said instead of an answer"},
      {"driver.nvml_version", version, "the version that NVML gives itself, two parts of three"},
      {"driver.smi", version, "the version that nvidia-smi gives itself, which WSL shows beside the driver of Windows"},
      {"driver.dkms", word, "DKMS state for the running kernel: installed, built, added (never built; also akmods) or failed"},
      {"driver.runfile", flag, "whether NVIDIA's own installer left its uninstaller here"},
      {"driver.nodes_refused", list, "device nodes that this user may not open, by their mode"},
      {"driver.stuck", list, "tasks of the driver in uninterruptible sleep, or a tool of it that gave no answer in time"},
      {"driver.nouveau_blacklisted", flag, "whether modprobe.d blacklists nouveau"},

      // ── driver_copy (key: real path of a libcuda): every user-space copy of the driver ──
      {"driver_copy.version", version, "from its file name"},
      {"driver_copy.path", path, "where it lies, links resolved"},
      {"driver_copy.kind", word, "driver, compat, stub, wsl, tegra or foreign (inside an image's own folders)"},
      {"driver_copy.owner", word, "dpkg, rpm, pacman, conda, runfile, or host: mounted into a container"},
      {"driver_copy.package", name, "the package that owns it"},
      {"driver_copy.reachable", flag, "whether the loader can take it"},
      {"driver_copy.first", flag, "whether the loader takes this one for libcuda.so.1"},
      {"driver_copy.agrees", word, "yes, no or unknown: its version against the loaded module"},

      // ── package (key: name, or name:architecture of a foreign one): what the package manager says of GPU software ──
      {"package.version", version, "as the package manager writes it", Scheme::dpkg},
      {"package.state", word, "installed, config-files, half-configured …; reinst-required where dpkg asks for that"},
      {"package.manager", word, "dpkg or pacman"},

      // ── toolkit (key: root folder, links resolved) ──
      {"toolkit.version", version, "CUDA release: 12.4.1 where version.json says it, else 12.4"},
      {"toolkit.release", version, "major and minor: 12.4"},
      {"toolkit.major", number, "12"},
      {"toolkit.root", path, "its folder"},
      {"toolkit.nvcc", version, "build of nvcc: 12.4.131; absent where there is none"},
      {"toolkit.cudart", version, "file version of libcudart"},
      {"toolkit.layout", word, "nvidia, debian, conda, wheel or arch"},
      {"toolkit.found_by", list, "how it is reached: path, cuda_home, usr-local-cuda, folder"},
      {"toolkit.package", name, "the package that owns nvcc or version.json"},
      {"toolkit.listed", flag, "whether its release is in the matrix"},

      // ── library (key: real path): cuDNN and NCCL wherever they lie ──
      {"library.name", word, "cudnn or nccl"},
      {"library.version", version, "9.10.2"},
      {"library.cuda", version, "the CUDA it was built for, where it says so"},
      {"library.path", path, "links resolved"},
      {"library.place", word, "system, toolkit, env or torch"},
      {"library.package", name, "the package or wheel that owns it"},
      {"library.reachable", flag, "whether the loader finds it without an environment (default folders, ld.so.conf, LD_LIBRARY_PATH)"},
      {"library.empty", flag, "a package that promises the library and brings none"},

      // ── env (key: real path of the prefix; for a system Python the folder of its packages) ──
      {"env.path", path, "its prefix"},
      {"env.kind", word, "venv, uv, conda, system, user, pyenv, pipx, poetry, virtualenv, kernel or other"},
      {"env.manager", word, "pip, uv or conda: what installs into it"},
      {"env.active", flag, "VIRTUAL_ENV, CONDA_PREFIX, else the python3 on PATH, or a folder that this Python searches too"},
      {"env.order", number, "its place on the search path of the active Python, 1 first"},
      {"env.sites", list, "folders that its packages lie in, links resolved"},
      {"env.python", version, "Python of its packages: 3.11, or 3.11.7 where it says so"},
      {"env.externally_managed", flag, "PEP 668: pip refuses to install into it"},
      {"env.packages", list, "packages that matter to GPUs, name==version"},
      {"env.conda_libraries", list, "PyTorch and CUDA libraries that conda put into it, name==version"},
      {"env.duplicates", list, "packages with more than one dist-info, name==version each"},
      {"env.cuda_wheel_majors", list, "CUDA majors of its nvidia-* wheels"},
      {"env.cuda_wheel_majors_differ", flag, "whether these are more than one"},
      {"env.clashing_wheels", list, "wheels of two CUDA majors that unpack over each other (cuDNN, NCCL, NVSHMEM, cuSPARSELt)"},
      {"env.cudnn_wheels", list, "nvidia-cudnn-* wheels"},
      {"env.nccl_wheels", list, "nvidia-nccl-* wheels"},
      {"env.nccl_wheels_differ", flag, "whether these are more than one"},
      {"env.torches", number, "how many torch installations it holds (dist-infos, and conda's)"},
      {"env.torch_versions", list, "their versions"},
      {"env.onnxruntimes", list, "onnxruntime packages that unpack over each other"},

      // ── torch (key: real path of the torch package; parent: env) ──
      {"torch.version", version, "__version__ of torch/version.py, local label included", Scheme::pep440},
      {"torch.release", version, "without the local label", Scheme::pep440},
      {"torch.tag", word, "local label of a published wheel: cu124, cpu, rocm6.2"},
      {"torch.origin", word, "wheel, conda, conda-forge, ngc, jetson, debian, source or nightly"},
      {"torch.backend", word, "cuda, rocm, cpu, xpu"},
      {"torch.cuda", version, "CUDA it was built with: 12.4"},
      {"torch.cuda_major", number, "12"},
      {"torch.rocm", version, "ROCm it was built with"},
      {"torch.archs", list, "kernels and PTX it carries: sm_80 … compute_90"},
      {"torch.cudnn", version, "cuDNN that it ships or pins"},
      {"torch.nccl", version, "NCCL that it ships or pins"},
      {"torch.path", path, "its folder"},
      {"torch.active", flag, "whether its environment is the active one"},
      {"torch.python", text, "Pythons that this release was published for (table)"},
      {"torch.listed", word, "yes, no (never published), newer (than the matrix) or own (a build that follows no row)"},
      {"torch.installer", word, "pip, uv, conda …"},
      {"torch.pins", list, "wheels of CUDA and Triton that its metadata asks for, name==version"},

      {"torch.missing_libraries", list, "CUDA libraries that it needs and that the loader finds nowhere"},
      {"torch.abi", word, "the std::string that its libraries use: cxx11 or pre-cxx11"},

      // ── extension (key: dist-info of its package, or the module itself; parents: torch, env): native code for PyTorch ──
      {"extension.name", text, "its package and version, else the name of the module"},
      {"extension.package", name, "the package that its files belong to; absent where nothing says"},
      {"extension.version", version, "of the package", Scheme::pep440},
      {"extension.installer", word, "pip, uv, conda …"},
      {"extension.path", path, "the first of its libraries that need PyTorch or CUDA"},
      {"extension.files", list, "all of them"},
      {"extension.needed", list, "what they need of PyTorch, CUDA or HIP"},
      {"extension.pythons", list, "CPythons that the names of its modules bind it to; absent where one takes any"},
      {"extension.cuda_majors", list, "CUDA majors of the runtimes that it needs from outside"},
      {"extension.backend", word, "cuda, rocm or cpu, by what it needs"},
      {"extension.glibc", version, "the newest glibc that it needs"},
      {"extension.archs", list, "kernels and PTX of all its libraries"},
      {"extension.abi", word, "the std::string that it uses with PyTorch: cxx11 or pre-cxx11; absent where no name tells"},
      {"extension.missing_names", list, "names of PyTorch that it needs and that this PyTorch does not define, a few of them"},
      {"extension.missing_libraries", list, "CUDA libraries that it needs, that PyTorch does not load and the loader finds nowhere"},
      {"extension.python_fits", flag, "whether the Python of its environment takes it"},

      // ── link (key: consumer and name; parent: torch, extension or libtorch): what the loader takes for a CUDA library ──
      {"link.soname", name, "the name that is asked for: libcublas.so.12"},
      {"link.asker", path, "the library that asks first"},
      {"link.chosen", path, "the file that the loader takes, links resolved; absent where it finds none"},
      {"link.folder", path, "the folder in which it is found, as the search path has it"},
      {"link.via", text, "what leads there: LD_LIBRARY_PATH, a file of ld.so.conf.d, rpath of a library, preloaded by torch, default"},
      {"link.shipped", path, "the copy that the environment brings; absent where it brings none"},
      {"link.same", flag, "whether both are one file, or two of one size"},
      {"link.chosen_version", version, "by its file name, else the release of the toolkit it lies in"},
      {"link.shipped_version", version, "by its wheel, or the CUDA of the build where only that compares"},
      {"link.standing", word, "shipped, equal, older, newer or other (than the one shipped), system (none is shipped) or missing"},

      // ── shadow (key: consumer and folder; parent: torch or libtorch): copies in one folder that win over those shipped ──
      {"shadow.folder", path, "where the winners lie"},
      {"shadow.sonames", list, "the names for which it wins"},
      {"shadow.winners", list, "the files that the loader takes"},
      {"shadow.losers", list, "the files that the environment brings"},
      {"shadow.via", text, "the variable or the file to change"},
      {"shadow.worst", word, "older, other or newer"},

      // ── libtorch (key: real path) ──
      {"libtorch.version", version, "build-version", Scheme::pep440},
      {"libtorch.path", path, "its folder"},
      {"libtorch.backend", word, "cuda, rocm or cpu"},
      {"libtorch.cuda_major", number, "from what its library needs"},
      {"libtorch.missing_libraries", list, "CUDA libraries that it needs and that the loader finds nowhere"},
      {"libtorch.abi", word, "the std::string that its libraries use: cxx11 or pre-cxx11"},

      // ── program (key: path; parent: libtorch): what was built with LibTorch in the working folder or its build/ ──
      {"program.path", path, "where it lies"},
      {"program.abi", word, "the std::string that it uses with LibTorch; absent where no name tells"},
      {"program.missing_names", list, "names that it needs and that this LibTorch does not define, a few of them"},

      // ── container, and other things around ──
      {"container.inside", flag, "whether the system looked at is a container"},
      {"container.engine", word, "docker, podman, kubernetes, lxc, image or unknown"},
      {"container.image", word, "ngc where NVIDIA's own PyTorch image says so"},
      {"container.gpu_nodes", flag, "whether device nodes of a GPU were passed in"},
      {"container.nvidia_visible", text, "NVIDIA_VISIBLE_DEVICES"},
      {"container.require", text, "NVIDIA_REQUIRE_CUDA"},
      {"container.host_gpus", number, "NVIDIA GPUs that the visible PCI bus shows"},

      // ── relations: an entity made of others; its parents come with it ──
      {"torch_on_gpu.reach", word,
       "runs, jit (through PTX), newer (GPU newer than the build), older, gap (inside its range, no kernel), cpu, vendor or unknown"},
      {"torch_on_gpu.runs_on", list, "what of the arch list serves this GPU"},
      {"torch_on_gpu.wanted", text, "the CUDA tags and first release of PyTorch whose builds have this GPU (table)"},
      {"torch_on_gpu.usable", flag, "whether another GPU of the machine serves this build's vendor"},
      {"gpu_on_driver.window", word, "fits, too-old (the driver for this GPU), dropped or unknown"},
      {"gpu_on_driver.module", word, "fits, needs-open, open-unsupported or unknown"},
      {"gpu_on_driver.first", version, "first driver of its branch that lists this GPU"},
      {"cuda_on_driver.consumer", word, "torch or toolkit"},
      {"cuda_on_driver.used", flag, "whether something on this machine runs on it (a framework; for a toolkit no)"},
      {"cuda_on_driver.cuda", version, "CUDA of the consumer"},
      {"cuda_on_driver.standing", word, "full, limited (minor-version compatibility), below-floor or unknown"},
      {"cuda_on_driver.floor", version, "lowest driver that runs this CUDA major"},
      {"cuda_on_driver.own", version, "driver of the toolkit's own release: no limits from here on"},
      {"cuda_on_driver.compat", flag, "whether a forward-compatibility libcuda bridges it"},
      {"extension_on_torch.fits", word, "yes, torch (of another PyTorch), abi, cuda, vendor, companion (another finding says it) or unknown"},
      {"extension_on_torch.missing_libraries", list, "what it misses although it is built for this PyTorch"},
      {"extension_on_gpu.reach", word, "runs, jit (through PTX), newer (GPU newer than the code), older, gap or unknown"},
      {"companion.name", name, "torchvision, torchaudio or triton"},
      {"companion.version", version, "installed", Scheme::pep440},
      {"companion.wanted", version, "the release that goes with this torch", Scheme::pep440},
      {"companion.fits", word, "yes, release (of another torch), variant (of another CUDA) or unknown"},
      {"companion.variant", word, "its local label"},
      {"matrix_gap.what", text, "what is newer than the matrix: driver 999.10"},
      {"matrix_gap.table", word, "the table that does not hold it"},
      {"matrix_gap.says", text, "what can still be said"},
      {"matrix_gap.command", text, "the command that adds a row"},
  };
  return all;
}

const Declaration* declaration(std::string_view key) {
  static const auto* index = [] {
    auto* map = new std::map<std::string_view, const Declaration*>;
    for (const auto& row : declarations()) map->emplace(row.key, &row);
    return map;
  }();
  const auto found = index->find(key);
  return found == index->end() ? nullptr : found->second;
}

}  // namespace gpudoctor
