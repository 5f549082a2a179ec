#!/usr/bin/env python3
"""The installed libraries call what ISO C, POSIX and the compiler's runtime have, and few functions of Linux alone.

    symbols_test.py NM ARCHIVE...      prints one line for each other function; ends with 1 when there is one
"""

import re
import subprocess
import sys

# Compiler, libstdc++ and what sanitized or hardened builds add.
RUNTIME = re.compile(r"_Z\w+|_Unwind_\w+|_GLOBAL_OFFSET_TABLE_|__(cxa|gxx|aarch64|tls|stack_chk|isoc23|glibcxx)_\w+|"
                     r"__(dso_handle|libc_single_threaded|popcountdi2|errno_location|\w+_chk)$")
STANDARD = set("""
    acos asin atan atan2 ceil cos exp exp2 fabs floor fma fmax fmin fmod frexp hypot ldexp log log2 lround modf nearbyint
    pow remainder rint round sin sqrt tan trunc sincos
    abort atexit bcmp exit fclose fopen fread free fwrite getenv malloc memchr memcmp memcpy memmove memset qsort
    snprintf strchr strcmp strerror strlen strncmp strtod strtol vsnprintf
    close dlclose dlopen dlsym fstat getrlimit lseek nanosleep open pread read stat sysconf
    pthread_cond_broadcast pthread_cond_signal pthread_cond_wait pthread_mutex_lock pthread_mutex_unlock pthread_once
    pthread_self sched_yield""".split())
LINUX = {
    "madvise": "pipeline/simd/large_buffer.cpp and cuda/cloud/large_download.cpp: a help, under __linux__",
    "sched_getaffinity": "pipeline/threads/cores_of_loop.cpp: under __linux__",
    "sched_setaffinity": "the same",
    "sched_getcpu": "the same",
    "__sched_cpucount": "the same: CPU_COUNT",
    "syscall": "libstdc++'s std::atomic::wait",
    "pthread_cond_clockwait": "libstdc++'s std::condition_variable",
}


def main():
    nm, *archives = sys.argv[1:]
    listing = subprocess.run([nm, "--format=posix", *archives], check=True, capture_output=True, text=True).stdout
    defined, undefined = set(), set()
    for line in listing.splitlines():
        if found := re.match(r"(\S+) ([A-Za-z])( |$)", line):
            (undefined if found[2] in "Uwv" else defined).add(found[1])
    if not {"memcpy", "madvise"} <= undefined:
        sys.exit(f"{nm} was not understood: no memcpy and no madvise among {len(undefined)} symbols")
    unknown = [name for name in sorted(undefined - defined)
               if not (RUNTIME.match(name) or name in LINUX or name in STANDARD
                       or name[-1] == "f" and name[:-1] in STANDARD or name.startswith(("cuda", "__cuda")))]
    for name in unknown:
        print(f"{name}: call what ISO C or POSIX has, or give it a fallback and list it in {sys.argv[0]}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
