// Instruction sets the cpu back end is compiled for; include before any Highway header.
// AVX3_DL (Ice Lake, Zen 4 and later) brings counts and shuffles of bytes. SSSE3 is left to the scalar code:
// no machine of the last fifteen years lacks SSE4. SVE's sizeless vectors cannot stand in arrays: NEON serves
// instead.
#pragma once

#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#ifdef PARALLAX_FEW_TARGETS
// Sanitized builds take minutes a file for all of them: these have scalar code and AVX2, or NEON.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
