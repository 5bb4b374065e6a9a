// SPDX-License-Identifier: Apache-2.0
// A machine that only a pasted text tells of: nothing of it can be read. Its facts come from src/readers.
#include "machines.hpp"

namespace gpudoctor {
namespace {

const Miss only_text{Why::not_looked, "only a pasted text tells of this machine"};

class Pasted : public Machine {
 public:
  World world() const override { return World::pasted; }
  bool running() const override { return true; }
  bool asks() const override { return false; }
  Result<std::string> read(const std::string&, std::size_t) const override { return only_text; }
  Result<std::vector<Entry>> list(const std::string&) const override { return only_text; }
  Result<Info> info(const std::string&) const override { return only_text; }
  Result<std::string> link(const std::string&) const override { return only_text; }
  Result<std::string> real(const std::string&) const override { return only_text; }
  Result<std::vector<std::string>> inspect(const std::string&, Inspect) const override { return only_text; }
  Result<std::vector<std::string>> unresolved(const std::string&, const std::vector<std::string>&) const override { return only_text; }
  Result<std::string> variable(const std::string&) const override { return only_text; }
  Result<Output> run(const std::vector<std::string>&, unsigned) const override { return only_text; }
  std::string working_folder() const override { return "/"; }
  std::uint32_t user_id() const override { return 1000; }
  std::int64_t now() const override { return 0; }
};

}  // namespace

std::unique_ptr<Machine> open_pasted() { return std::make_unique<Pasted>(); }

}  // namespace gpudoctor
