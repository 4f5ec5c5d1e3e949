#define _GNU_SOURCE
#include "process.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

pid_t torture_fork(void) {
  pid_t process = fork();
  if (process == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return process;
}

int torture_has_symbol(const char *name) { return dlsym(RTLD_DEFAULT, name) != NULL; }

// MARK: Faults

static uintptr_t lmdb_start, lmdb_end;

static int find_lmdb(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (strstr(info->dlpi_name, "liblmdb") == NULL) return 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    lmdb_start = info->dlpi_addr + segment->p_vaddr;
    lmdb_end = lmdb_start + segment->p_memsz;
  }
  return 1;
}

static void fell(int number, siginfo_t *info, void *context) {
  (void)info, (void)context;
  void *frames[12];
  int count = backtrace(frames, 12);
  // The handler, its return, the place of the fault, and, where that is in libc, up to three that called it.
  for (int index = 0; index < count && index < 8; index++) {
    uintptr_t place = (uintptr_t)frames[index];
    if (place >= lmdb_start && place < lmdb_end) _exit(TORTURE_FELL_IN_LMDB);
  }
  _exit(number == SIGSEGV || number == SIGBUS ? TORTURE_FELL_IN_READ : TORTURE_FELL_IN_TRAP);
}

void torture_watch_faults(void) {
  static char stack[1 << 16];
  stack_t place = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&place, NULL);
  dl_iterate_phdr(find_lmdb, NULL);
  void *frames[1];
  backtrace(frames, 1);  // loads the libraries that it needs
  struct sigaction action = {.sa_sigaction = fell, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    sigaction(numbers[index], &action, NULL);
  }
}

// MARK: The shim

int torture_shim_is_loaded(void) { return dlsym(RTLD_DEFAULT, "torture_shim_begin") != NULL; }

void torture_shim_arm(const struct torture_shim_order *order) {
  void (*begin)(const struct torture_shim_order *) =
      (void (*)(const struct torture_shim_order *))dlsym(RTLD_DEFAULT, "torture_shim_begin");
  if (begin == NULL) abort();  // a campaign that counts nothing must not seem to hold
  begin(order);
}

int64_t torture_shim_disarm(void) {
  int64_t (*end)(void) = (int64_t(*)(void))dlsym(RTLD_DEFAULT, "torture_shim_end");
  return end == NULL ? 0 : end();
}

void torture_limit_time(unsigned seconds) {
  struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &limit, NULL);
  alarm(20 * seconds);
}
