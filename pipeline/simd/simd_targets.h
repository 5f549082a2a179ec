// Instruction sets the cpu back end is compiled for; include before any Highway header. AVX3_DL (Ice Lake,
// Zen 4 and later) brings counts and shuffles of bytes. Machines with only SSSE3 use the scalar code: none of
// the last fifteen years lacks SSE4. SVE's sizeless vectors cannot be stored in arrays: NEON replaces it.
#pragma once

#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#ifdef PARALLAX_FEW_TARGETS
// Sanitized builds would take minutes for each file with all of them: these have scalar code and AVX2, or
// NEON.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
