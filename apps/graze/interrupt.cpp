#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "streams.h"

namespace graze::app {
namespace {

std::atomic<int> signal_that_came{0}, works{0};

// Never destroyed: the watcher may outlive main.
struct Words {
  std::mutex mutex;
  std::string text = "nothing was written";
};
Words& words() {
  static auto* const kWords = new Words();
  return *kWords;
}

[[noreturn]] void end_by(int number) {
  {
    // The first one prints it; the other waits here for the end.
    static auto* const once = new std::mutex();
    once->lock();
    const std::lock_guard lock(words().mutex);
    if (works.load() > 0 && ::isatty(STDERR_FILENO) != 0) std::fputc('\n', stderr);  // behind a bar that is there
    if (!words().text.empty()) complain("interrupted; " + words().text);
  }
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  ::signal(number, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(number);
  ::_exit(128 + number);  // the first process of a container is not ended by signals of its own
}

// Whether another signal comes within some seconds.
bool another_comes(const sigset_t& set, long seconds, long milliseconds) {
  const timespec time{.tv_sec = seconds, .tv_nsec = milliseconds * 1'000'000};
  return sigtimedwait(&set, nullptr, &time) > 0;
}

void watch(const sigset_t& set) {
  int number = 0;
  while (sigwait(&set, &number) != 0) {
  }
  signal_that_came.store(number);
  if (works.load() > 0) {
    // Who starts a program may pass on what the terminal sent to both: that is one signal. A later one is impatience.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    while (another_comes(set, 0, 0)) {
    }
    another_comes(set, 3, 0);
  }
  end_by(number);
}

}  // namespace

void watch_for_interrupts() {
  sigset_t set;
  sigemptyset(&set);
  bool any = false;
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    sigaddset(&set, number);
    any = true;
  }
  if (!any) return;
  words();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);  // here, and in all threads that are started from here
  std::thread(watch, set).detach();
}

bool interrupted() { return signal_that_came.load(std::memory_order_relaxed) != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

void say_when_interrupted(const std::string& text) {
  const std::lock_guard lock(words().mutex);
  words().text = text;
}

EndsWhenInterrupted::EndsWhenInterrupted() { ++works; }
EndsWhenInterrupted::~EndsWhenInterrupted() { --works; }

void end_interrupted() { end_by(signal_that_came.load()); }

}  // namespace graze::app
