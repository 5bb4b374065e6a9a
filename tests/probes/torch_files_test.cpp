// SPDX-License-Identifier: Apache-2.0
#include "torch_files.hpp"

#include <doctest/doctest.h>

#include "torch_libraries.hpp"

using namespace gpudoctor;
using Texts = std::vector<std::string>;

TEST_CASE("version.py of torch 1.13.1, without annotations") {
  const auto file = parse_version_file(
      "__version__ = '1.13.1+cu117'\ndebug = False\ncuda = '11.7'\ngit_version = "
      "'49444c3e546bf240bed24a101e747422d1f8a0ee'\nhip = None\n");
  REQUIRE(file);
  CHECK(file->at("__version__").value == "1.13.1+cu117");
  CHECK(file->at("cuda").value == "11.7");
  CHECK(file->at("cuda").line == 3);
  CHECK(file->at("hip").none);
}

TEST_CASE("version.py of torch 2.11.0, with annotations and a list of names") {
  const auto file = parse_version_file(
      "from typing import Optional\n\n__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'rocm', 'xpu']\n"
      "__version__ = '2.11.0+cu130'\ndebug = False\ncuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n"
      "rocm: Optional[str] = None\nxpu: Optional[str] = None\n");
  REQUIRE(file);
  CHECK(file->at("__version__").value == "2.11.0+cu130");
  CHECK(file->at("cuda").value == "13.0");
  CHECK(file->at("xpu").none);
  CHECK_FALSE(file->contains("debug"));
}

TEST_CASE("what is no version file") {
  CHECK_FALSE(parse_version_file(""));
  CHECK_FALSE(parse_version_file(std::string("__version__ = \x1b[2j\0\xff\x9f", 22)));
  CHECK_FALSE(parse_version_file("__version__ = 'TempVersion'\n"));
  CHECK_FALSE(parse_version_file("__version__ = open('x').read()\n"));
  CHECK_FALSE(parse_version_file("__version__ = '2.6.0\n"));
  CHECK_FALSE(parse_version_file("cuda = '12.4'\n"));
  CHECK_FALSE(parse_version_file("__version__ == '2.6.0'\n"));
}

TEST_CASE("pins of torch 1.13.1 and 2.11.0") {
  CHECK(
      parse_pins("Metadata-Version: 2.1\nName: torch\nRequires-Dist: typing-extensions\n"
                 "Requires-Dist: nvidia-cudnn-cu11 (==8.5.0.96) ; platform_system == \"Linux\"\n"
                 "Requires-Dist: opt-einsum (>=3.3) ; extra == 'opt-einsum'\n\nRequires-Dist: nvidia-nccl-cu11==1\n") ==
      Texts{"nvidia-cudnn-cu11==8.5.0.96"});
  CHECK(parse_pins("Requires-Dist: cuda-toolkit[cublas,cudart,cufft]==13.0.2; platform_system == \"Linux\"\n"
                   "Requires-Dist: cuda-bindings<14,>=13.0.3; platform_system == \"Linux\"\n"
                   "Requires-Dist: nvidia-cudnn-cu13==9.19.0.56; platform_system == \"Linux\"\n"
                   "Requires-Dist: triton==3.6.0; platform_system == \"Linux\"\n") ==
        Texts{"cuda-toolkit==13.0.2", "nvidia-cudnn-cu13==9.19.0.56", "triton==3.6.0"});
  CHECK(parse_pins("Requires-Dist: nvidia-cudnn-cu12==$(reboot)\n").empty());
}

TEST_CASE("tags of wheels") {
  CHECK(wheel_tag("cu124") == "cu124");
  CHECK(wheel_tag("cu117.with.pypi.cudnn") == "cu117");
  CHECK(wheel_tag("cpu") == "cpu");
  CHECK(wheel_tag("cpu.cxx11.abi") == "cpu");
  CHECK(wheel_tag("rocm6.2.4") == "rocm6.2.4");
  CHECK(wheel_tag("rocm6.3.4.git7cecbf6d") == "rocm6.3.4");
  CHECK(wheel_tag("xpu") == "xpu");
  CHECK(wheel_tag("debian") == "");
  CHECK(wheel_tag("cuda") == "");
  CHECK(wheel_tag("") == "");
  CHECK(cuda_tag("11.7") == "cu117");
  CHECK(cuda_tag("13") == "");
  CHECK(rocm_version("rocm7.14.0", "", "") == "7.14.0");
  CHECK(rocm_version("", "", "6.4.43484-123eb5128") == "6.4");
}

TEST_CASE("where a build comes from") {
  CHECK(torch_origin({"2.6.0+cu124", "/v/torch", "", "pip", true, false}) == "wheel");
  CHECK(torch_origin({"2.8.0.dev20250527+cu128", "/v/torch", "", "pip", true, false}) == "nightly");
  CHECK(torch_origin({"2.6.0a0+ecf3bae40a.nv25.01", "/usr/local/lib/python3.12/dist-packages/torch", "", "pip", true,
                      false}) == "ngc");
  CHECK(torch_origin({"2.6.0a0+ecf3bae40a.nv25.1.13526892", "/v/torch", "", "pip", true, false}) == "ngc");
  CHECK(torch_origin({"2.3.0a0+ebedce2.nv24.02", "/v/torch", "", "pip", true, true}) == "jetson");
  CHECK(torch_origin({"2.8.0", "/v/torch", "", "pip", true, true}) == "jetson");
  CHECK(torch_origin({"2.6.0+debian", "/usr/lib/python3/dist-packages/torch", "", "", true, false}) == "debian");
  CHECK(torch_origin({"1.9.0a0+gitd69c22d", "/src/torch", "", "pip", true, false}) == "source");
  CHECK(torch_origin({"2.6.0+git39e67b5", "/v/torch", "", "pip", false, false}) == "source");
  CHECK(torch_origin({"2.5.1", "/c/torch", "py3.11_cuda12.4_cudnn9.1.0_0", "", true, false}) == "conda");
  CHECK(torch_origin({"2.6.0", "/c/torch", "cuda126_mkl_py312_h30b5a27_300", "conda", true, false}) == "conda-forge");
  CHECK(torch_origin({"2.6.0", "/c/torch", "cpu_generic_py312_h0", "", false, false}) == "conda-forge");
  CHECK(torch_origin({"1.7.1", "/v/torch", "", "pip", true, false}) == "wheel");
  CHECK(torch_origin({"2.5.1", "/usr/lib/python3.12/site-packages/torch", "", "", true, false}) == "source");
}

TEST_CASE("names of libraries and of gfx targets") {
  CHECK(cudart_major("libcudart.so.12") == "12");
  CHECK(cudart_major("libcudart-e409450e.so.11.0") == "11");
  CHECK(cudart_major("libcudart_static.a") == "");
  CHECK(cudart_major("libcublas.so.12") == "");
  CHECK(cudnn_of_name("libcudnn.so.8") == "8");
  CHECK(cudnn_of_name("libcudnn-7037a4b9.so.8.9.7") == "8.9.7");
  CHECK(cudnn_of_name("libcudnn_ops_infer.so.8") == "");
  CHECK(cudnn_of_build("py3.11_cuda12.4_cudnn9.1.0_0") == "9.1.0");
  CHECK(cudnn_of_build("cuda126_mkl_py312_h30b5a27_300") == "");
  CHECK(gfx_of_name("TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_gfx90a.co") == "gfx90a");
  CHECK(gfx_of_name("torch_gfx1100.kpack") == "gfx1100");
  CHECK(gfx_of_name("libgfx.so") == "");
}

TEST_CASE("the Python of an extension module and the glibc of a wheel, by their names") {
  CHECK(python_of_module("_C.cpython-311-x86_64-linux-gnu.so") == "3.11");
  CHECK(python_of_module("_C.cpython-39-aarch64-linux-gnu.so") == "3.9");
  CHECK(python_of_module("_C.abi3.so") == "");
  CHECK(python_of_module("_C.cpython-3-x86_64-linux-gnu.so") == "");
  CHECK(python_of_module("") == "");
  // PEP 600 and its older names; a wheel of several tags serves the oldest of them.
  CHECK(glibc_of_wheel("Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n") == "2.28");
  CHECK(glibc_of_wheel("Tag: cp39-cp39-manylinux_2_17_x86_64\nTag: cp39-cp39-manylinux2014_x86_64\n") == "2.17");
  CHECK(glibc_of_wheel("Tag: cp36-cp36m-manylinux1_x86_64\n") == "2.5");
  CHECK(glibc_of_wheel("Tag: cp311-cp311-linux_x86_64\n") == "");
  CHECK(glibc_of_wheel("Tag: cp311-cp311-manylinux_\nTag: cp311-manylinux_x_y_z\n") == "");
}
