// Instruction sets the cpu back end is compiled for; include before any Highway header. Those that a newer Highway
// adds stay out until they are listed here: code that asks for HWY_TARGET does not know them. AVX3_DL (Ice Lake,
// Zen 4 and later) brings counts and shuffles of bytes. Machines without SSE4 use the scalar code: none of the last
// fifteen years. SVE's sizeless vectors cannot be stored in arrays: NEON replaces it.
#pragma once

#define HWY_WANT_AVX3_DL
// Highway's emulated vectors replace its scalar target where the compiler is new enough: one code everywhere.
#define HWY_BROKEN_EMU128 1

// Highway 1.1 and later have NEON twice, with AES and without; Debian 12's has no name for the latter.
#define PARALLAX_HWY_NEON (HWY_NEON | 1LL << 29)
#define PARALLAX_TARGET_IS_NEON ((HWY_TARGET & PARALLAX_HWY_NEON) != 0)

// PARALLAX_INSTRUCTION_SETS of CMake selects some of them.
#ifndef PARALLAX_TARGETS
#define PARALLAX_TARGETS (HWY_AVX3_DL | HWY_AVX3 | HWY_AVX2 | HWY_SSE4)
#endif
#define HWY_DISABLED_TARGETS ~(PARALLAX_TARGETS | PARALLAX_HWY_NEON | HWY_SCALAR)
