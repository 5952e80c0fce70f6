// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of generated programs: for each type T, next_T() makes a value from the
// program's state, and fold_T() changes the state by a value. If one passed value
// differs, two programs end with different states.
#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNTRACED __attribute__((no_profile_instrument_function))

// The PowerPC back end refuses calls that leave the object file.
#ifdef __powerpc__
#define MUSTTAIL
#else
#define MUSTTAIL __attribute__((musttail))
#endif

extern uint64_t state;
// The number of calls that the program may still make: random calls would not end
// otherwise.
extern int fuel;

// Not inlined, because nearly every line calls these functions: compiling would take longer.
#define SMALL static __attribute__((noinline, unused))

SMALL void fold(uint64_t value) {
  state = (state ^ value) * 0x9e3779b97f4a7c15;
  state ^= state >> 29;
}

SMALL uint64_t next(void) {
  fold(1);
  return state;
}

SMALL int spend(void) { return fuel > 0 && fuel-- > 0; }

#define INTEGER(T)                                                             \
  static inline T next_##T(void) { return (T)next(); }                         \
  static inline void fold_##T(T value) { fold((uint64_t)value); }

// Numbers that all formats represent exactly.
#define REAL(T)                                                                \
  static inline T next_##T(void) { return (T)(int)(next() >> 42) / 16; }       \
  static inline void fold_##T(T value) {                                       \
    double number = value;                                                     \
    uint64_t bits;                                                             \
    memcpy(&bits, &number, sizeof bits);                                       \
    fold(bits);                                                                \
  }

#define COMPLEX(T, PART)                                                       \
  static inline T next_##T(void) {                                             \
    T value = next_##PART();                                                   \
    return value + next_##PART() * 1.0iF;                                      \
  }                                                                            \
  static inline void fold_##T(T value) {                                       \
    fold_##PART(__real__ value);                                               \
    fold_##PART(__imag__ value);                                               \
  }

typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef _Bool boolean;
typedef enum { red, green, blue } color;
typedef float f32;
typedef double f64;
typedef long double wide;
typedef float _Complex c32;
typedef double _Complex c64;
typedef unsigned __int128 u128;
typedef uint32_t v128 __attribute__((vector_size(16)));
typedef const uint64_t *pointer;
typedef uint64_t (*callback)(uint64_t);

INTEGER(i8)
INTEGER(u8)
INTEGER(i16)
INTEGER(u16)
INTEGER(i32)
INTEGER(u32)
INTEGER(i64)
INTEGER(u64)
REAL(f32)
REAL(f64)
REAL(wide)
COMPLEX(c32, f32)
COMPLEX(c64, f64)

static inline boolean next_boolean(void) { return next() & 1; }
static inline void fold_boolean(boolean value) { fold(value); }

static inline color next_color(void) { return next() % 3; }
static inline void fold_color(color value) { fold(value); }

static inline u128 next_u128(void) { return (u128)next() << 64 | next(); }
static inline void fold_u128(u128 value) {
  fold(value >> 64);
  fold((uint64_t)value);
}

static inline v128 next_v128(void) {
  return (v128){next_u32(), next_u32(), next_u32(), next_u32()};
}
static inline void fold_v128(v128 value) {
  for (int i = 0; i < 4; i++)
    fold(value[i]);
}

static const uint64_t numbers[4] = {3, 5, 7, 11};
static inline pointer next_pointer(void) { return &numbers[next() % 4]; }
static inline void fold_pointer(pointer value) { fold(*value); }

static uint64_t halve(uint64_t value) { return value / 2; }
UNTRACED static uint64_t invert(uint64_t value) { return ~value; }
static inline callback next_callback(void) { return next() & 1 ? halve : invert; }
static inline void fold_callback(callback value) { fold(value(state)); }

#endif
