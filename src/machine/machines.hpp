// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>

#include "gpudoctor/machine.hpp"
#include "gpudoctor/node.hpp"

namespace gpudoctor {

/// The machine that this runs on.
std::unique_ptr<Machine> open_live();

/// The same, with the variables, the folder, the user and the groups of another process of it, as it was started. Throws
/// std::runtime_error when it cannot be read, or has mounts of its own.
std::unique_ptr<Machine> open_process(long process);

/// An unpacked root: links resolve inside it, and nothing of it is run. Throws std::runtime_error when it cannot be
/// opened. `allow_openat2` = false takes the walking fallback.
std::unique_ptr<Machine> open_root(const std::string& folder, bool allow_openat2 = true);

/// A recording (see `gpudoctor record`). Throws BadDocument with file:line:column for anything it does not know.
std::unique_ptr<Machine> open_recording(const Node& document, const std::string& name);
/// Whether a document has the [recording] table that tells a recording from pasted text.
bool is_recording(const Node& document);

/// A machine that only a pasted text tells of: every question is answered with "not looked".
std::unique_ptr<Machine> open_pasted();

/// Names, hosts, UUIDs and the like become stable pseudonyms: the same name always the same one, in order of appearance.
class Redactor {
 public:
  /// Learns the caller's own names (user, home, host) from the machine.
  explicit Redactor(const Machine& machine);
  std::string operator()(std::string text);

 private:
  std::string pseudonym(const std::string& family, const std::string& original);
  std::string uuids(const std::string& text);
  std::string homes(std::string text);
  std::map<std::string, std::string> known_;
  std::map<std::string, int> counts_;
  std::string home_, user_, host_;
};

/// Passes every question on to another machine and keeps questions and answers.
class Recorder : public Machine {
 public:
  explicit Recorder(const Machine& machine);
  ~Recorder() override;
  World world() const override;
  bool running() const override;
  bool asks() const override;
  Result<std::string> read(const std::string& path, std::size_t limit) const override;
  Result<std::vector<Entry>> list(const std::string& path) const override;
  Result<Info> info(const std::string& path) const override;
  Result<std::string> link(const std::string& path) const override;
  Result<std::string> real(const std::string& path) const override;
  Result<std::vector<std::string>> inspect(const std::string& path, Inspect what) const override;
  Result<std::vector<std::string>> unresolved(const std::string& path,
                                              const std::vector<std::string>& libraries) const override;
  Result<std::string> variable(const std::string& name) const override;
  Result<Output> run(const std::vector<std::string>& argv, unsigned deadline_ms) const override;
  std::string working_folder() const override;
  std::uint32_t user_id() const override;
  std::int64_t now() const override;

  /// The recording as TOML; with a redactor, safe to paste.
  std::string toml(Redactor* redactor) const;
  /// Every path that was asked for, sorted: a test holds it against what the probes declare.
  std::vector<std::string> asked() const;

 private:
  struct Log;
  const Machine& machine_;
  std::unique_ptr<Log> log_;
};

}  // namespace gpudoctor
