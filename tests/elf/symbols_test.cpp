// SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <doctest/doctest.h>

#include "make_elf.hpp"

using namespace gpudoctor;

namespace {

// Names as real files have them: libc10.so of 2.6 and 2.9, flash-attn and vLLM of users' reports.
const std::string old_error = "_ZN3c105ErrorC2ENS_14SourceLocationESs";
const std::string new_error = "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
const std::string stream = "_ZN3c104cuda20getCurrentCUDAStreamEa";

struct File {
  explicit File(make::DynamicParts parts, bool wide = true) : bytes(build(std::move(parts), wide)), elf(Elf::open(bytes)) {}
  static std::string build(make::DynamicParts parts, bool wide) {
    make::Elf made;
    made.wide = wide;
    return made.dynamic(parts).build();
  }
  Result<Symbols> symbols() const { return Symbols::open(*elf); }
  MemoryBytes bytes;
  Result<Elf> elf;
};

}  // namespace

TEST_CASE("symbols: a name is found through either hash table, in 32 and 64 bit") {
  for (const bool wide : {true, false})
    for (const bool gnu : {true, false}) {
      CAPTURE(wide);
      CAPTURE(gnu);
      const File file({.soname = "libc10.so", .undefined = {"malloc"}, .defined = {old_error, stream, "third"}, .gnu_hash = gnu}, wide);
      const auto symbols = file.symbols();
      REQUIRE(symbols);
      CHECK(symbols->exports(old_error));
      CHECK(symbols->exports(stream));
      CHECK(symbols->exports("third"));
      CHECK_FALSE(symbols->exports(new_error));
      CHECK_FALSE(symbols->exports("malloc"));   // it asks for that one
      CHECK_FALSE(symbols->exports("thir"));
      CHECK_FALSE(symbols->exports(""));
    }
}

TEST_CASE("symbols: what an extension misses") {
  const File library({.soname = "libc10.so", .defined = {new_error, stream}});
  const File extension({.needed = {"libc10.so"}, .undefined = {old_error, stream, "PyList_New", "_ZNSt8ios_base4InitC1Ev"}, .weak = {"_ZN3c105maybeEv"}, .defined = {"PyInit__C"}});
  const auto of_library = library.symbols(), of_extension = extension.symbols();
  REQUIRE(of_library);
  REQUIRE(of_extension);
  std::size_t budget = 100;
  const auto missing = unresolved(*of_extension, {&*of_library}, budget);
  REQUIRE(missing);
  CHECK(*missing == std::vector<std::string>{old_error});   // no name of Python or C++, none that is weak
  CHECK(budget == 98);
  CHECK(unresolved(*of_extension, {}, budget)->size() == 2);
  budget = 1;
  CHECK(unresolved(*of_extension, {&*of_library}, budget).miss().why == Why::too_large);
  CHECK(*string_abi(*of_extension) == "pre-cxx11");
  CHECK(*string_abi(*of_library) == "cxx11");
}

TEST_CASE("symbols: names of PyTorch") {
  for (const char* name : {"_ZN3c105ErrorC2ENS_14SourceLocationESs", "_ZNK2at10TensorBase4sizeEl", "_ZN5torch3jit17parseSchemaOrNameERKSsb", "_ZTIN3c105ErrorE",
                           "_ZTVN5torch8autograd4NodeE", "_ZGVZN3c108demangleEPKcE1x", "_Z16THPVariable_WrapN2at10TensorBaseE", "THPVariableClass",
                           "aoti_torch_get_data_ptr"}) {
    if (std::string_view(name).starts_with("_ZGVZ")) continue;   // a local of a function: defined where it is used
    CHECK_MESSAGE(is_torch_symbol(name), name);
  }
  for (const char* name : {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev", "cudaMalloc", "_ZN6vision3ops3nmsERKN2at6TensorES4_d", "_ZN", "_Z", "",
                           "_ZN3c1", "_Znwm", "_ZN10torchaudio4initEv"})
    CHECK_MESSAGE(!is_torch_symbol(name), name);
}

TEST_CASE("symbols: which std::string a name was compiled for") {
  CHECK(string_abi(old_error) == "pre-cxx11");
  CHECK(string_abi(new_error) == "cxx11");
  CHECK(string_abi("_ZN3c106detail14torchCheckFailEPKcS2_jRKSs") == "pre-cxx11");
  CHECK(string_abi("_ZNK3c104Type3strB5cxx11Ev") == "cxx11");
  CHECK(string_abi(stream).empty());
  CHECK(string_abi("_ZN3c108PassSs01Ev").empty());              // inside an identifier
  CHECK(string_abi("_ZN3c103getILj5EEERKSsv") == "pre-cxx11");  // 5 is a value there, no length
  CHECK(string_abi("_ZN99999999999999999999Ss").empty());
  CHECK(string_abi("Ss").empty());
  CHECK(string_abi("").empty());
}

TEST_CASE("symbols: tables that lie") {
  const std::string good = File::build({.soname = "libc10.so", .undefined = {"malloc"}, .defined = {old_error, stream}}, true);
  // Every byte of the tables turned over, and every length: never a crash, never an endless loop.
  for (std::size_t at = 64; at < good.size(); at += 3)
    for (const char to : {'\x00', '\xff'}) {
      std::string bad = good;
      bad[at] = to;
      const MemoryBytes bytes(bad);
      const auto elf = Elf::open(bytes);
      if (!elf) continue;
      const auto symbols = Symbols::open(*elf);
      if (!symbols) continue;
      (void)symbols->exports(old_error);
      std::size_t budget = 100;
      (void)unresolved(*symbols, {&*symbols}, budget);
      (void)string_abi(*symbols);
    }
  for (std::size_t size = 0; size < good.size(); size += 7) {
    const MemoryBytes bytes(good.substr(0, size));
    const auto elf = Elf::open(bytes);
    if (!elf) continue;
    if (const auto symbols = Symbols::open(*elf)) (void)symbols->exports(stream), (void)string_abi(*symbols);
  }
  const File none({.soname = "libempty.so"});
  CHECK_FALSE(none.symbols());
}
