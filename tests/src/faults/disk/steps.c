/* Runs a program, and steps in where it uses the file system: Linux on x86-64 and aarch64.
 *
 *   steps FILE short SEED PROGRAM ARGUMENT...       each write to a file is shortened to a random part of it
 *   steps FILE at N COMMAND PROGRAM ARGUMENT...     before the N-th call, COMMAND runs in a shell while the program waits
 *
 * Only calls after the first umask count: that is where the main function of lro begins. FILE gets how many calls of the
 * file system there were, and how many were stepped in. The exit status is that of the program. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* As the kernel gives it: libraries differ in the name of this structure. */
struct information { unsigned char operation; unsigned int architecture; unsigned long long place, stack, number, arguments[6]; };
enum { ENTRY = 1, GET_INFORMATION = 0x420e };

static const long of_files[] = {
#ifdef SYS_open
  SYS_open, SYS_stat, SYS_lstat, SYS_rename, SYS_unlink, SYS_mkdir, SYS_rmdir, SYS_chmod, SYS_readlink, SYS_link,
#endif
  SYS_openat, SYS_openat2, SYS_newfstatat, SYS_fstat, SYS_statx, SYS_pread64, SYS_pwrite64, SYS_write, SYS_fdatasync, SYS_fsync,
#ifdef SYS_renameat
  SYS_renameat,
#endif
  SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_linkat, SYS_fchmod, SYS_fchmodat, SYS_readlinkat, SYS_getdents64,
  SYS_copy_file_range, SYS_close,
};

static int is_of_files(unsigned long long number) {
  for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++) if ((unsigned long long)of_files[i] == number) return 1;
  return 0;
}

static void shorten(pid_t thread, unsigned long long bytes) {
  struct user_regs_struct registers;
  struct iovec all = { &registers, sizeof registers };
  if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &all)) return;
#ifdef __x86_64__
  registers.rdx = bytes;
#else
  registers.regs[2] = bytes;
#endif
  ptrace(PTRACE_SETREGSET, thread, (void *)NT_PRSTATUS, &all);
}

int main(int count, char **words) {
  if (count < 5) return 125;
  int is_short = !strcmp(words[2], "short");
  long wanted = atol(words[3]), calls = 0, stepped = 0;
  char **program = words + (is_short ? 4 : 5);
  int has_begun = 0, status = 0, result = 125;
  srand((unsigned)wanted);
  pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execvp(program[0], program);
    _exit(126);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0) return 125;
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, child, 0, options)) return 125;
  ptrace(PTRACE_SYSCALL, child, 0, 0);
  for (;;) {
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) { if (errno == EINTR) continue; break; }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread != child) continue;
      result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      break;
    }
    int stop = WSTOPSIG(status), pass = 0;
    struct information call = { 0 };
    if (stop == (SIGTRAP | 0x80)) {
      if (ptrace((enum __ptrace_request)GET_INFORMATION, thread, (void *)sizeof call, &call) > 0 && call.operation == ENTRY) {
        has_begun |= call.number == SYS_umask;
        int writes = call.number == SYS_pwrite64 || (call.number == SYS_write && call.arguments[0] > 2);
        int counts = has_begun && (is_short ? writes : is_of_files(call.number));
        calls += counts;
        if (counts && is_short && call.arguments[2] > 8) {
          shorten(thread, rand() % 4 ? 1 + rand() % call.arguments[2] : 1);
          stepped++;
        } else if (counts && !is_short && calls == wanted) {
          stepped++;
          if (system(words[4]) != 0) stepped = -1;
        }
      }
    } else if (stop != SIGTRAP && stop != SIGSTOP) pass = stop;
    ptrace(PTRACE_SYSCALL, thread, 0, pass);
  }
  FILE *report = fopen(words[1], "w");
  if (report) { fprintf(report, "%ld %ld\n", calls, stepped); fclose(report); }
  return result;
}
