// SPDX-License-Identifier: Apache-2.0
// Boost.Process v1 forks and executes, Asio reads; the waiting, killing and reaping are done here.
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan"  // of Asio's fences: each io_context here stays in one thread
#endif
#include "child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>  // before Asio: Boost 1.74 forgets it in C++20

#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#if __has_include(<boost/process/v1/child.hpp>)  // Boost 1.86 and later
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/error.hpp>
#include <boost/process/v1/extend.hpp>
namespace bp = boost::process::v1;
#else
#include <boost/process/child.hpp>
#include <boost/process/error.hpp>
#include <boost/process/extend.hpp>
namespace bp = boost::process;
#endif

namespace gpudoctor {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int lost = -1;        // the code of a program that somebody else reaped
constexpr auto linger = 100ms;  // how long a grandchild may keep the streams open after the program's end
constexpr std::chrono::milliseconds longest_pause = 16ms;  // between two looks at the program

std::string reason(int error) { return std::generic_category().message(error); }

/// Where a name is in PATH, or empty. Entries that are not absolute are passed over: they run what lies wherever one
/// is.
std::string find_program(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = folder + "/" + name;
    struct stat info {};
    if (folder.starts_with('/') && ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

/// A pipe that the child writes, and its first bytes. Not bp::async_pipe: 1.74 makes it without O_CLOEXEC, so that a
/// program started meanwhile, by whichever thread of whichever code, inherits it and EOF never comes.
struct Stream {
  asio::posix::stream_descriptor source;
  std::size_t keep;
  int sink = -1;
  bool ended = false, truncated = false;
  std::string kept;
  std::array<char, 16384> chunk;

  Stream(asio::io_context& io, std::size_t bound) : source(io), keep(bound) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      source.assign(ends[0]);
      sink = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 3);  // were our own 0 to 2 closed, the child's dup2 would overwrite it
      ::close(ends[1]);
    }
    if (sink < 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  Stream(const Stream&) = delete;
  ~Stream() { close_sink(); }

  void close_sink() {
    if (sink >= 0) ::close(std::exchange(sink, -1));
  }
  void read() {
    source.async_read_some(asio::buffer(chunk), [this](const boost::system::error_code& error, std::size_t size) {
      const auto room = keep - kept.size();
      kept.append(chunk.data(), std::min(size, room));
      truncated |= size > room;
      ended = bool(error);
      if (!ended) read();
    });
  }
};

/// What Boost.Process calls around fork and exec. Used with bp::ignore_error: otherwise Boost waits for exec without a
/// deadline (a program on a dead network disk), through a pipe that leaks, and leaves a zombie where exec fails.
struct Launch : bp::extend::handler {
  const char* program;
  std::vector<char*> arguments, environment;
  char locale[9] = "LC_ALL=C";
  int out, err, failure;  // what the child writes to; an errno goes to `failure`
  int fork_error = 0;

  Launch(const std::string& path, const std::vector<std::string>& argv, int to_out, int to_err, int to_failure)
      : program(path.c_str()), out(to_out), err(to_err), failure(to_failure) {
    for (const auto& word : argv) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    for (char** each = ::environ; each && *each; ++each)
      if (!std::string_view(*each).starts_with("LC_ALL=")) environment.push_back(*each);
    environment.insert(environment.end(), {locale, nullptr});
  }
  Launch(const Launch&) = delete;

  template <class Executor>
  void on_setup(Executor& executor) {
    executor.exe = program;
    executor.cmd_line = arguments.data();
    executor.env = environment.data();
  }
  template <class Executor>
  void on_fork_error(Executor&, const std::error_code& error) {
    fork_error = error.value();
  }
  // In the child of a program with threads: only async-signal-safe calls.
  template <class Executor>
  void on_exec_setup(Executor&) const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // Ctrl-C does not reach its own group
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    const int null = ::open("/dev/null", O_RDONLY);
    if (null < 0 || ::dup2(null, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) fail(errno);
    constexpr unsigned cloexec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
    if (::syscall(SYS_close_range, 3U, ~0U, cloexec) != 0)
      for (int fd = 3; fd < 1024; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  template <class Executor>
  void on_exec_error(Executor&, const std::error_code& error) const {
    fail(error.value());
  }
  [[noreturn]] void fail(int error) const {
    [[maybe_unused]] const auto written = ::write(failure, &error, sizeof error);
    ::_exit(127);
  }
};

/// Looks whether the program has ended, and how, but leaves it unreaped: until it is reaped its number, and with it the
/// group's, is nobody else's, and the group can be killed. Not bp::on_exit: that reaps at once, and takes over SIGCHLD
/// in the whole process. Not a pidfd: Linux before 5.3 has none. A look every few milliseconds works everywhere.
bool has_ended(pid_t pid, Output& output) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno != ECHILD) return false;
    output.code = lost;
    output.says = "its exit status was lost: something else reaped it";
    return true;
  }
  if (info.si_pid != pid) return false;
  output.end = info.si_code == CLD_EXITED ? Output::End::exited : Output::End::signalled;
  output.code = info.si_status;
  return true;
}

/// Reads the streams until `done()` or `until`, and says whether it is done.
template <class Done>
bool pump(asio::io_context& io, Clock::time_point until, Done done) {
  std::chrono::milliseconds pause = 1ms;
  while (!done()) {
    const auto now = Clock::now();
    if (now >= until) return false;
    const bool active = io.run_one_until(std::min<Clock::time_point>(until, now + pause)) > 0;
    pause = active ? 1ms : std::min(2 * pause, longest_pause);
  }
  return true;
}

Output not_started(std::string says) {
  Output output;
  output.end = Output::End::not_started;
  output.says = std::move(says);
  return output;
}

/// A SIGCHLD that is ignored, as inherited from some entrypoints, would have the kernel reap and drop the status.
void keep_statuses() {
  struct sigaction now {};
  if (::sigaction(SIGCHLD, nullptr, &now) == 0 && (now.sa_handler == SIG_IGN || (now.sa_flags & SA_NOCLDWAIT) != 0))
    std::signal(SIGCHLD, SIG_DFL);
}

Output run(const std::vector<std::string>& argv, const ChildLimits& limits, detail::Reap reap) {
  const auto deadline = Clock::now() + std::min<Clock::duration>(limits.deadline, 24h);
  if (argv.empty()) return not_started("no program was named");
  const auto program = find_program(argv.front());
  if (program.empty()) return not_started(argv.front() + ": not found in PATH");

  asio::io_context io(1);
  const auto work = asio::make_work_guard(io);  // so that run_one_until waits even with no stream left
  Stream out(io, limits.max_output), err(io, limits.max_output), failure(io, sizeof(int));
  Launch launch(program, argv, out.sink, err.sink, failure.sink);
  keep_statuses();
  bp::child child(launch, bp::ignore_error);
  const pid_t pid = child.id();
  child.detach();  // its destructor must neither kill nor wait
  if (pid <= 0) return not_started(program + ": " + reason(launch.fork_error));
  ::setpgid(pid, pid);  // as the child does, whoever comes first: the group must be there when it is killed
  for (auto* stream : {&out, &err, &failure}) stream->close_sink(), stream->read();

  Output output;
  const auto all_read = [&] { return out.ended && err.ended && failure.ended; };
  if (!pump(io, deadline, [&] { return has_ended(pid, output); }))
    output.end = Output::End::timed_out;
  else
    pump(io, std::min<Clock::time_point>(deadline, Clock::now() + linger), all_read);
  bool reaped = output.code == lost;
  if (!reaped) ::kill(-pid, SIGKILL);
  pump(io, Clock::now() + limits.kill_grace, [&] { return (reaped = reaped || reap(pid) != 0) && all_read(); });
  for (int i = 0; i < 64 && io.poll_one() > 0; ++i) continue;  // what a stream still open holds, and no more
  output.abandoned = !reaped;

  if (failure.kept.size() == sizeof(int)) {
    int error = 0;
    std::memcpy(&error, failure.kept.data(), sizeof error);
    return not_started(program + ": " + reason(error));
  }
  output.truncated = out.truncated || err.truncated;
  output.out = std::move(out.kept);
  output.err = std::move(err.kept);
  return output;
}

}  // namespace

Output detail::run_child(const std::vector<std::string>& argv, const ChildLimits& limits, Reap reap) try {
  return run(argv, limits, reap);
} catch (const std::exception& error) {  // no descriptors or no memory left
  return not_started(error.what());
}

Output run_child(const std::vector<std::string>& argv, const ChildLimits& limits) {
  return detail::run_child(argv, limits, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG); });
}

}  // namespace gpudoctor
