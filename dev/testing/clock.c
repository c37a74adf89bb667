/*
 * Moves the clock of the processes that preload it by CLOCK_OFFSET seconds; see clock.sh. Unlike libfaketime it leaves
 * every wait alone: there a signal handler that interrupts a wait reads the true time, so that no timeout of Postgres ends.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t offset(void) {
  const char *seconds = getenv("CLOCK_OFFSET");
  return seconds == NULL ? 0 : atol(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int result = syscall(SYS_gettimeofday, now, zone);
  if (result == 0) now->tv_sec += offset();
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
