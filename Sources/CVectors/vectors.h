// RFC 4648 base64 and hexadecimal digits in vector registers: the steps that Swift can't write, nothing else.
//
// Each base64 function goes as far as whole vectors carry it and returns how much of its input it has taken: decoders a
// multiple of four letters, encoders a multiple of three bytes. The rest, padding and everything that is no letter
// are the caller's. A decoder stops in front of the vector that holds a byte outside the alphabet. Decoders may
// write up to 8 bytes behind what they decode; encoders write exactly what they encode.
//
// It is a header alone, so that it needs no target of its own, and each function is compiled for its instruction set
// whatever the rest is compiled for: call it only on a processor that rekey_has_… says has it.
#ifndef REKEY_VECTORS_H
#define REKEY_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define REKEY_AVX2 __attribute__((target("avx2")))
#define REKEY_VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

static inline int rekey_has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }

static inline int rekey_has_vbmi(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
}

// ---- AVX2: 32 letters or 24 bytes a step, then once 16 or 12.

// A letter's high and low half each name the classes that refuse it: + and /, digits, A to O and a to o, P to Z and p
// to z, and (16) what has no letter at all. Where both halves name one class, the byte is no letter.
#define REKEY_LOW_HALVES                                                                              \
  0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1A, 0x1B, 0x1B, 0x1B, 0x1A
#define REKEY_HIGH_HALVES 16, 16, 1, 2, 4, 8, 4, 8, 16, 16, 16, 16, 16, 16, 16, 16
// What makes six bits of a letter, by its high half; "/" takes the place before the one of its half.
#define REKEY_TO_BITS 0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0
// What makes a letter of six bits: a to z; 0 to 9; +; /; A to Z.
#define REKEY_TO_LETTERS 71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0
// The three bytes of a group stand in the wrong order at the end of each four.
#define REKEY_PACK 2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1
// Each four bytes get the three of a group as 2, 1, 3, 2: all its six-bit pieces lie in one of the two halves.
#define REKEY_SPREAD 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10

REKEY_AVX2 static inline size_t rekey_base64_decode_avx2(const uint8_t *letters, size_t count, uint8_t *bytes) {
  const __m256i low = _mm256_setr_epi8(REKEY_LOW_HALVES, REKEY_LOW_HALVES);
  const __m256i high = _mm256_setr_epi8(REKEY_HIGH_HALVES, REKEY_HIGH_HALVES);
  const __m256i to_bits = _mm256_setr_epi8(REKEY_TO_BITS, REKEY_TO_BITS);
  const __m256i pack = _mm256_setr_epi8(REKEY_PACK, REKEY_PACK);
  const __m256i half = _mm256_set1_epi8(0x0F);
  size_t taken = 0;
  while (count - taken >= 32) {
    const __m256i text = _mm256_loadu_si256((const __m256i *)(letters + taken));
    const __m256i high_half = _mm256_and_si256(_mm256_srli_epi32(text, 4), half);
    const __m256i refused = _mm256_and_si256(
        _mm256_shuffle_epi8(low, _mm256_and_si256(text, half)), _mm256_shuffle_epi8(high, high_half));
    if (!_mm256_testz_si256(refused, refused)) return taken;
    const __m256i is_slash = _mm256_cmpeq_epi8(text, _mm256_set1_epi8('/'));
    const __m256i bits =
        _mm256_add_epi8(text, _mm256_shuffle_epi8(to_bits, _mm256_add_epi8(high_half, is_slash)));
    const __m256i pairs = _mm256_maddubs_epi16(bits, _mm256_set1_epi32(0x01400140));
    const __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i packed = _mm256_permutevar8x32_epi32(
        _mm256_shuffle_epi8(groups, pack), _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    _mm256_storeu_si256((__m256i *)bytes, packed);
    taken += 32;
    bytes += 24;
  }
  if (count - taken >= 16) {
    const __m128i text = _mm_loadu_si128((const __m128i *)(letters + taken));
    const __m128i high_half = _mm_and_si128(_mm_srli_epi32(text, 4), _mm256_castsi256_si128(half));
    const __m128i low_half = _mm_and_si128(text, _mm256_castsi256_si128(half));
    const __m128i refused = _mm_and_si128(
        _mm_shuffle_epi8(_mm256_castsi256_si128(low), low_half),
        _mm_shuffle_epi8(_mm256_castsi256_si128(high), high_half));
    if (!_mm_testz_si128(refused, refused)) return taken;
    const __m128i is_slash = _mm_cmpeq_epi8(text, _mm_set1_epi8('/'));
    const __m128i bits = _mm_add_epi8(
        text, _mm_shuffle_epi8(_mm256_castsi256_si128(to_bits), _mm_add_epi8(high_half, is_slash)));
    const __m128i pairs = _mm_maddubs_epi16(bits, _mm_set1_epi32(0x01400140));
    const __m128i groups = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000));
    _mm_storeu_si128((__m128i *)bytes, _mm_shuffle_epi8(groups, _mm256_castsi256_si128(pack)));
    taken += 16;
  }
  return taken;
}

REKEY_AVX2 static inline size_t rekey_base64_encode_avx2(const uint8_t *bytes, size_t count, uint8_t *letters) {
  const __m256i spread = _mm256_setr_epi8(REKEY_SPREAD, REKEY_SPREAD);
  const __m256i to_letters = _mm256_setr_epi8(REKEY_TO_LETTERS, REKEY_TO_LETTERS);
  size_t taken = 0;
  // A step reads 28 bytes: twelve, and again twelve with four that belong to the next step.
  while (count - taken >= 28) {
    const __m256i text = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(bytes + taken))),
        _mm_loadu_si128((const __m128i *)(bytes + taken + 12)), 1);
    const __m256i spaced = _mm256_shuffle_epi8(text, spread);
    // Multiplying by a power of two moves each piece to its byte: pieces 1 and 3 down, 2 and 4 up.
    const __m256i odd = _mm256_mulhi_epu16(
        _mm256_and_si256(spaced, _mm256_set1_epi32(0x0FC0FC00)), _mm256_set1_epi32(0x04000040));
    const __m256i even = _mm256_mullo_epi16(
        _mm256_and_si256(spaced, _mm256_set1_epi32(0x003F03F0)), _mm256_set1_epi32(0x01000010));
    const __m256i bits = _mm256_or_si256(odd, even);
    const __m256i upper_case = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), bits);
    const __m256i kind = _mm256_or_si256(
        _mm256_subs_epu8(bits, _mm256_set1_epi8(51)), _mm256_and_si256(upper_case, _mm256_set1_epi8(13)));
    _mm256_storeu_si256((__m256i *)letters, _mm256_add_epi8(bits, _mm256_shuffle_epi8(to_letters, kind)));
    taken += 24;
    letters += 32;
  }
  if (count - taken >= 16) {
    const __m128i spaced = _mm_shuffle_epi8(
        _mm_loadu_si128((const __m128i *)(bytes + taken)), _mm256_castsi256_si128(spread));
    const __m128i odd =
        _mm_mulhi_epu16(_mm_and_si128(spaced, _mm_set1_epi32(0x0FC0FC00)), _mm_set1_epi32(0x04000040));
    const __m128i even =
        _mm_mullo_epi16(_mm_and_si128(spaced, _mm_set1_epi32(0x003F03F0)), _mm_set1_epi32(0x01000010));
    const __m128i bits = _mm_or_si128(odd, even);
    const __m128i upper_case = _mm_cmpgt_epi8(_mm_set1_epi8(26), bits);
    const __m128i kind =
        _mm_or_si128(_mm_subs_epu8(bits, _mm_set1_epi8(51)), _mm_and_si128(upper_case, _mm_set1_epi8(13)));
    _mm_storeu_si128(
        (__m128i *)letters, _mm_add_epi8(bits, _mm_shuffle_epi8(_mm256_castsi256_si128(to_letters), kind)));
    taken += 12;
  }
  return taken;
}

// The 64 lower-case hexadecimal digits of 32 bytes.
REKEY_AVX2 static inline void rekey_hex_avx2(const uint8_t *bytes, uint8_t *digits) {
  const __m256i alphabet = _mm256_broadcastsi128_si256(
      _mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'));
  const __m256i half = _mm256_set1_epi8(0x0F);
  // Quarters 0, 2, 1, 3, since unpacking works on each half of a register by itself.
  const __m256i text = _mm256_permute4x64_epi64(_mm256_loadu_si256((const __m256i *)bytes), 0xD8);
  const __m256i high = _mm256_shuffle_epi8(alphabet, _mm256_and_si256(_mm256_srli_epi32(text, 4), half));
  const __m256i low = _mm256_shuffle_epi8(alphabet, _mm256_and_si256(text, half));
  _mm256_storeu_si256((__m256i *)digits, _mm256_unpacklo_epi8(high, low));
  _mm256_storeu_si256((__m256i *)(digits + 32), _mm256_unpackhi_epi8(high, low));
}

// ---- AVX-512 VBMI: 64 letters or 48 bytes a step, the last one masked.

// The six bits of each ASCII byte, 0x80 for what is no letter.
static const uint8_t rekey_base64_bits[128] __attribute__((aligned(64))) = {
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 62,   0x80, 0x80, 0x80, 63,
    52,   53,   54,   55,   56,   57,   58,   59,   60,   61,   0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0x80, 0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,
    15,   16,   17,   18,   19,   20,   21,   22,   23,   24,   25,   0x80, 0x80, 0x80, 0x80, 0x80,
    0x80, 26,   27,   28,   29,   30,   31,   32,   33,   34,   35,   36,   37,   38,   39,   40,
    41,   42,   43,   44,   45,   46,   47,   48,   49,   50,   51,   0x80, 0x80, 0x80, 0x80, 0x80,
};
static const uint8_t rekey_base64_letters[64] __attribute__((aligned(64))) = {
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 'S', 'T', 'U', 'V',
    'W', 'X', 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r',
    's', 't', 'u', 'v', 'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '/',
};
// Where the 48 bytes stand in the sixteen groups of four that the multiplications leave.
static const uint8_t rekey_base64_pack[64] __attribute__((aligned(64))) = {
    2,  1,  0,  6,  5,  4,  10, 9,  8,  14, 13, 12, 18, 17, 16, 22, 21, 20, 26, 25, 24, 30, 29, 28,
    34, 33, 32, 38, 37, 36, 42, 41, 40, 46, 45, 44, 50, 49, 48, 54, 53, 52, 58, 57, 56, 62, 61, 60,
};
// The bytes of each group as 2, 1, 3, 2.
static const uint8_t rekey_base64_spread[64] __attribute__((aligned(64))) = {
    1,  0,  2,  1,  4,  3,  5,  4,  7,  6,  8,  7,  10, 9,  11, 10, 13, 12, 14, 13, 16, 15,
    17, 16, 19, 18, 20, 19, 22, 21, 23, 22, 25, 24, 26, 25, 28, 27, 29, 28, 31, 30, 32, 31,
    34, 33, 35, 34, 37, 36, 38, 37, 40, 39, 41, 40, 43, 42, 44, 43, 46, 45, 47, 46,
};

REKEY_VBMI static inline size_t rekey_base64_decode_vbmi(const uint8_t *letters, size_t count, uint8_t *bytes) {
  const __m512i low = _mm512_load_si512(rekey_base64_bits);
  const __m512i high = _mm512_load_si512(rekey_base64_bits + 64);
  const __m512i pack = _mm512_load_si512(rekey_base64_pack);
  const size_t whole = count & ~(size_t)3;
  size_t taken = 0;
  while (taken < whole) {
    const size_t step = whole - taken < 64 ? whole - taken : 64;
    const __mmask64 read = ~(__mmask64)0 >> (64 - step);
    const __m512i text = _mm512_mask_loadu_epi8(_mm512_set1_epi8('A'), read, letters + taken);
    const __m512i bits = _mm512_permutex2var_epi8(low, text, high);
    // The table is looked up by seven bits: a byte with the eighth is no letter either.
    if (_mm512_movepi8_mask(_mm512_or_si512(bits, text)) != 0) return taken;
    const __m512i pairs = _mm512_maddubs_epi16(bits, _mm512_set1_epi32(0x01400140));
    const __m512i groups = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
    const __mmask64 written = ~(__mmask64)0 >> (64 - step / 4 * 3);
    _mm512_mask_storeu_epi8(bytes, written, _mm512_permutexvar_epi8(pack, groups));
    taken += step;
    bytes += step / 4 * 3;
  }
  return taken;
}

REKEY_VBMI static inline size_t rekey_base64_encode_vbmi(const uint8_t *bytes, size_t count, uint8_t *letters) {
  const __m512i spread = _mm512_load_si512(rekey_base64_spread);
  const __m512i alphabet = _mm512_load_si512(rekey_base64_letters);
  // Where each of eight pieces begins in its eight bytes, from the lowest bit.
  const __m512i pieces = _mm512_set1_epi64(0x3036242A1016040A);
  const size_t whole = count / 3 * 3;
  size_t taken = 0;
  while (taken < whole) {
    const size_t step = whole - taken < 48 ? whole - taken : 48;
    const __mmask64 read = ~(__mmask64)0 >> (64 - step);
    const __m512i text = _mm512_permutexvar_epi8(spread, _mm512_maskz_loadu_epi8(read, bytes + taken));
    const __m512i bits = _mm512_multishift_epi64_epi8(pieces, text);
    const __mmask64 written = ~(__mmask64)0 >> (64 - step / 3 * 4);
    _mm512_mask_storeu_epi8(letters, written, _mm512_permutexvar_epi8(bits, alphabet));
    taken += step;
    letters += step / 3 * 4;
  }
  return taken;
}

#endif
#endif
