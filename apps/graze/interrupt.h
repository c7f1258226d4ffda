// Ctrl-C: work ends soon, leaves nothing half done, and says how to go on.
#pragma once

#include <string>

namespace graze::app {

/// Watches for SIGINT and SIGTERM, unless the parent process ignores them. To be called once, before any
/// other thread is started.
void watch_for_interrupts();

/// Whether one of them has come. Work that learns it, as listeners of progress do, ends by an exception.
bool interrupted();
struct Interrupted {};
/// Throws Interrupted if so: before results of work that may have ended early are used.
void stop_if_interrupted();

/// What is said then, from now on; "nothing was written" before the first call. Empty: nothing.
void say_when_interrupted(const std::string& text);

/// Work that ends by itself soon after an interrupt; without it the program ends at once.
class EndsWhenInterrupted {
 public:
  EndsWhenInterrupted();
  ~EndsWhenInterrupted();
  EndsWhenInterrupted(const EndsWhenInterrupted&) = delete;
  EndsWhenInterrupted& operator=(const EndsWhenInterrupted&) = delete;
};

/// Says it and ends the program by the signal that came, so that the shell sees 130 (143 for SIGTERM) and its loops end
/// too.
[[noreturn]] void end_interrupted();

}  // namespace graze::app
