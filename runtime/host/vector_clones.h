// Functions compiled once more for each width of vectors that CPUs have.
#pragma once

// Put before the definition of a function that is no template: the one that
// fits the CPU is chosen when the program is loaded. Sanitizers do not work
// that early.
#if defined(__x86_64__) && defined(__ELF__) &&                         \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && \
    defined(__OPTIMIZE__) && !defined(__clang__)
#define HILO_VECTOR_CLONES \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define HILO_VECTOR_CLONES
#endif
