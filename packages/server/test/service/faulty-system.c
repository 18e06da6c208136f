/*
 * Preloaded into a server: makes writes to regular files fail and moves the clock, as the file in FAULTY_SYSTEM says.
 * It contains an error number (0 for none) and a number of seconds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void read_faults(int *error, long *seconds) {
  char text[64] = "";
  int saved = errno;
  const char *path = getenv("FAULTY_SYSTEM");
  int fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
  *error = 0;
  *seconds = 0;
  if (fd >= 0) {
    if (syscall(SYS_read, fd, text, sizeof text - 1) > 0) sscanf(text, "%d %ld", error, seconds);
    syscall(SYS_close, fd);
  }
  errno = saved;
}

static int fails(int fd) {
  struct stat status;
  int error;
  long seconds;
  read_faults(&error, &seconds);
  if (error == 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  errno = error;
  return 1;
}

ssize_t write(int fd, const void *data, size_t size) { return fails(fd) ? -1 : syscall(SYS_write, fd, data, size); }
ssize_t writev(int fd, const struct iovec *data, int count) {
  return fails(fd) ? -1 : syscall(SYS_writev, fd, data, count);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  return fails(fd) ? -1 : syscall(SYS_pwrite64, fd, data, size, at);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }
ssize_t pwritev64(int fd, const struct iovec *data, int count, off64_t at) {
  return fails(fd) ? -1 : syscall(SYS_pwritev, fd, data, count, at, 0);
}
ssize_t pwritev(int fd, const struct iovec *data, int count, off_t at) { return pwritev64(fd, data, count, at); }
int fsync(int fd) { return fails(fd) ? -1 : syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return fails(fd) ? -1 : syscall(SYS_fdatasync, fd); }

int clock_gettime(clockid_t clock, struct timespec *now) {
  int error;
  long seconds;
  int result = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME && result == 0) {
    read_faults(&error, &seconds);
    now->tv_sec += seconds;
  }
  return result;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec precise;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}
