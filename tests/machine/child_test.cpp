// SPDX-License-Identifier: Apache-2.0
// The runner of children against /bin/sh: each case is one way in which a program has been seen to misbehave.
#include "child.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using gpudoctor::ChildLimits;
using gpudoctor::Output;
using gpudoctor::run_child;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using End = Output::End;

namespace {

Output sh(const std::string& script, const ChildLimits& limits = {}) {
  return run_child({"/bin/sh", "-c", script}, limits);
}

ChildLimits within(std::chrono::milliseconds deadline) {
  ChildLimits limits;
  limits.deadline = deadline;
  return limits;
}

/// Neither a child that runs nor a zombie is left of this process.
bool no_children() { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

/// Gone, or a zombie that whoever adopted it has yet to reap.
bool dead(const std::string& pid) {
  std::string stat;
  if (!std::getline(std::ifstream("/proc/" + pid + "/stat"), stat)) return true;
  const auto name = stat.rfind(") ");
  return name == std::string::npos || stat[name + 2] == 'Z' || stat[name + 2] == 'X';
}

/// SIGKILL is not over when kill() returns, so look until it is, for at most ten seconds.
bool soon(const std::function<bool()>& so) {
  for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(10ms))
    if (so()) return true;
  return false;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_SUITE_BEGIN("child");

TEST_CASE("the exit code comes back") {
  for (int code : {0, 1, 42, 255}) {
    const auto output = sh("exit " + std::to_string(code));
    CHECK(output.end == End::exited);
    CHECK(output.code == code);
    CHECK_FALSE(output.truncated);
    CHECK_FALSE(output.abandoned);
    CHECK(output.says.empty());
  }
  CHECK(no_children());
}

TEST_CASE("the two streams are kept apart") {
  const auto output = sh("echo one; echo two >&2; echo three");
  CHECK(output.out == "one\nthree\n");
  CHECK(output.err == "two\n");
}

TEST_CASE("a name is looked up in PATH, and words are passed as they are") {
  const auto output = run_child({"sh", "-c", "printf '<%s>' \"$@\"", "sh", "a b", "", "$x"});
  CHECK(output.code == 0);
  CHECK(output.out == "<a b><><$x>");
}

TEST_CASE("what cannot be started says why and leaves no zombie") {
  for (int i = 0; i < 20; ++i) {
    const auto output = run_child({"/no/such/program"});
    CHECK(output.end == End::not_started);
    CHECK(output.says == "/no/such/program: No such file or directory");
    CHECK(no_children());
  }
  CHECK(run_child({"/etc/passwd"}).says == "/etc/passwd: Permission denied");
  CHECK(run_child({"no-such-program"}).says == "no-such-program: not found in PATH");
  CHECK(run_child({""}).end == End::not_started);
  CHECK(run_child({}).end == End::not_started);
  CHECK(no_children());
}

TEST_CASE("the deadline holds, and what came before it is kept") {
  const auto start = Clock::now();
  const auto output = sh("echo before; sleep 30; echo after", within(200ms));
  CHECK(Clock::now() - start < 2s);
  CHECK(output.end == End::timed_out);
  CHECK(output.out == "before\n");
  CHECK_FALSE(output.abandoned);
  CHECK(no_children());
}

TEST_CASE("a program that ignores SIGTERM, SIGINT and SIGHUP is killed too") {
  const auto start = Clock::now();
  const auto output = sh("trap '' TERM INT HUP; echo $$; while :; do sleep 1; done", within(200ms));
  CHECK(Clock::now() - start < 2s);
  CHECK(output.end == End::timed_out);
  CHECK_FALSE(output.abandoned);
  CHECK(dead(first_line(output.out)));
  CHECK(no_children());
}

TEST_CASE("200 kB on both streams at once") {
  const auto output = sh("head -c 200000 /dev/zero & head -c 200000 /dev/zero >&2; wait");
  CHECK(output.end == End::exited);
  CHECK(output.code == 0);
  CHECK(output.out == std::string(200000, '\0'));
  CHECK(output.err == std::string(200000, '\0'));
  CHECK_FALSE(output.truncated);
}

TEST_CASE("what is over the bound is dropped, and the program is not held up") {
  ChildLimits limits;
  limits.max_output = 1000;
  const auto exact = sh("head -c 1000 /dev/zero", limits);
  CHECK(exact.out.size() == 1000);
  CHECK_FALSE(exact.truncated);
  const auto more = sh("head -c 300000 /dev/zero; exit 7", limits);
  CHECK(more.out.size() == 1000);
  CHECK(more.truncated);
  CHECK(more.code == 7);
}

TEST_CASE("endless output is bounded and ends at the deadline") {
  ChildLimits limits = within(300ms);
  limits.max_output = 100000;
  const auto start = Clock::now();
  const auto output = sh("yes & yes >&2", limits);
  CHECK(Clock::now() - start < 2s);
  CHECK(output.end == End::timed_out);
  CHECK(output.truncated);
  CHECK(output.out.size() == 100000);
  CHECK(output.err.size() == 100000);
  CHECK_FALSE(output.abandoned);
  CHECK(no_children());
}

TEST_CASE("a grandchild that holds the pipe holds up nothing and is killed") {
  const auto start = Clock::now();
  const auto output = sh("sleep 30 & echo $!; echo hi");
  CHECK(Clock::now() - start < 2s);
  CHECK(output.end == End::exited);
  CHECK(output.code == 0);
  const auto pid = first_line(output.out);
  CHECK(output.out == pid + "\nhi\n");
  CHECK(soon([&] { return dead(pid); }));
  CHECK(no_children());
}

TEST_CASE("a grandchild that left the group holds up nothing either") {
  const auto start = Clock::now();
  // The inner shell gives its number once it is in its own session; then it holds stderr only.
  const auto output = sh("echo $(setsid sh -c 'echo $$; exec sleep 30 >&2' &); echo hi");
  CHECK(Clock::now() - start < 2s);
  CHECK(output.end == End::exited);
  CHECK_FALSE(output.abandoned);
  const auto pid = first_line(output.out);
  CHECK(output.out == pid + "\nhi\n");
  CHECK(::kill(std::stoi(pid), SIGKILL) == 0);
  CHECK(no_children());
}

TEST_CASE("death by a signal") {
  const auto output = sh("echo last; kill -SEGV $$");
  CHECK(output.end == End::signalled);
  CHECK(output.code == SIGSEGV);
  CHECK(output.out == "last\n");
}

TEST_CASE("eight threads at once, five times each") {
  // doctest's checks are slow under contention: gather, then check.
  std::vector<std::vector<Output>> outputs(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&outputs, t] {
      for (int i = 0; i < 5; ++i) {
        const auto name = std::to_string(t * 5 + static_cast<std::size_t>(i));
        outputs[t].push_back(sh("echo out" + name + "; echo err" + name + " >&2; exit " + name, within(60s)));
        outputs[t].push_back(run_child({"/no/such/program"}));
      }
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 0; t < 8; ++t)
    for (std::size_t i = 0; i < 5; ++i) {
      const auto name = std::to_string(t * 5 + i);
      const auto& output = outputs[t][2 * i];
      CHECK(output.end == End::exited);
      CHECK(std::to_string(output.code) == name);
      CHECK(output.out == "out" + name + "\n");
      CHECK(output.err == "err" + name + "\n");
      CHECK(outputs[t][2 * i + 1].end == End::not_started);
    }
  CHECK(no_children());
}

TEST_CASE("a slow child of one thread does not hold up another's") {
  char folder[] = "/tmp/gpudoctor-child-XXXXXX";
  REQUIRE(::mkdtemp(folder));
  const auto file = std::string(folder) + "/go";
  Output slow;
  std::thread thread([&] { slow = sh("until [ -e " + file + " ]; do sleep 0.01; done", within(20s)); });
  for (int i = 0; i < 5; ++i) CHECK(sh("echo quick").out == "quick\n");
  std::ofstream(file).close();
  thread.join();
  CHECK(slow.end == End::exited);
  CHECK(no_children());
  std::filesystem::remove_all(folder);
}

TEST_CASE("what cannot be reaped after the kill is abandoned") {
  const auto start = Clock::now();
  const auto output = gpudoctor::detail::run_child({"/bin/sh", "-c", "echo $$; exec sleep 30"}, within(200ms),
                                                   [](pid_t) -> pid_t { return 0; });
  CHECK(Clock::now() - start < 2s);
  CHECK(output.end == End::timed_out);
  CHECK(output.abandoned);
  const auto pid = std::stoi(first_line(output.out));
  CHECK(::waitpid(pid, nullptr, 0) == pid);
  CHECK(no_children());
}

TEST_CASE("LC_ALL is C, and the rest of the environment is the caller's") {
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  ::setenv("GPUDOCTOR_TEST", "kept", 1);
  CHECK(sh("echo $LC_ALL $GPUDOCTOR_TEST; env | grep -c ^LC_ALL=").out == "C kept\n1\n");
  CHECK(std::string(std::getenv("LC_ALL")) == "de_DE.UTF-8");
  ::unsetenv("LC_ALL");
  ::unsetenv("GPUDOCTOR_TEST");
  CHECK(sh("echo $LC_ALL").out == "C\n");
}

TEST_CASE("stdin is /dev/null") {
  CHECK(sh("readlink /proc/self/fd/0; read line || echo end").out == "/dev/null\nend\n");
}

TEST_CASE("the child has the three standard descriptors and no other") {
  const int null = ::open("/dev/null", O_RDONLY);
  const int leaky = ::fcntl(null, F_DUPFD, 50);  // as a careless caller has: without O_CLOEXEC
  std::vector<std::string> outs(4);
  std::vector<std::thread> threads;
  for (auto& out : outs)
    threads.emplace_back([&out] {
      // The shell's own look at the folder is closed again when it tests.
      for (int i = 0; i < 5; ++i)
        out += sh("for f in /proc/$$/fd/*; do [ -e $f ] && echo ${f##*/}; done", within(60s)).out;
    });
  for (auto& thread : threads) thread.join();
  for (const auto& out : outs) CHECK(out == "0\n1\n2\n0\n1\n2\n0\n1\n2\n0\n1\n2\n0\n1\n2\n");
  ::close(leaky);
  ::close(null);
}

TEST_CASE("no descriptor stays open here") {
  const auto lowest_free = [] {
    const int fd = ::open("/dev/null", O_RDONLY);
    ::close(fd);
    return fd;
  };
  const int before = lowest_free();
  sh("echo hi");
  run_child({"/no/such/program"});
  sh("sleep 30", within(20ms));
  CHECK(lowest_free() == before);
}

TEST_CASE("a caller without standard descriptors") {
  int saved[3];
  for (int fd : {0, 2}) {
    saved[fd] = ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
    ::close(fd);
  }
  const auto output = sh("echo out; echo err >&2; readlink /proc/self/fd/0");
  for (int fd : {0, 2})
    if (saved[fd] >= 0) {
      ::dup2(saved[fd], fd);
      ::close(saved[fd]);
    }
  CHECK(output.out == "out\n/dev/null\n");
  CHECK(output.err == "err\n");
}

TEST_CASE("neither blocked nor ignored signals are passed on or in the way") {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto pipe = std::signal(SIGPIPE, SIG_IGN);
  const auto child = std::signal(SIGCHLD, SIG_IGN);
  const auto mask = run_child({"grep", "^SigBlk", "/proc/self/status"});
  const auto output = sh("kill -PIPE $$; echo survived");
  std::signal(SIGCHLD, child);
  std::signal(SIGPIPE, pipe);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(output.end == End::signalled);
  CHECK(output.code == SIGPIPE);
  CHECK(mask.code == 0);
  CHECK(mask.out == "SigBlk:\t0000000000000000\n");
}

TEST_CASE("the child dies with its caller") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t caller = ::fork();
  if (caller == 0) {
    const auto told = ::fcntl(ends[1], F_DUPFD, 60);
    const auto path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(told);
    sh("echo $$ > " + path + "; exec sleep 30", within(30s));
    ::_exit(0);
  }
  ::close(ends[1]);
  char text[32] = {};
  const auto size = ::read(ends[0], text, sizeof text - 1);
  ::close(ends[0]);
  ::kill(caller, SIGKILL);
  CHECK(::waitpid(caller, nullptr, 0) == caller);
  REQUIRE(size > 1);
  CHECK(soon([&] { return dead(first_line(text)); }));
}

TEST_SUITE_END();
