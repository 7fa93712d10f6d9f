/* SPDX-License-Identifier: Apache-2.0 */
/* Vector memory transfers, once the addresses of the lanes are known. */
#ifndef VMEM_H
#define VMEM_H
#include "core.h"

/* How a lane's bytes become register dwords, and back. */
enum conversion { WHOLE, UBYTE, SBYTE, USHORT, SSHORT, D16_LOW = 8, D16_HIGH = 16 };
enum atomic_op { AT_ADD, AT_SUB, AT_RSUB, AT_SMIN, AT_UMIN, AT_SMAX, AT_UMAX, AT_AND, AT_OR, AT_XOR, AT_SWAP, AT_INC, AT_DEC,
                 AT_ADD_F32, AT_PK_ADD_F16, AT_PK_ADD_BF16, AT_ADD_F64, AT_CMPSWAP, AT_ADD_X2 };

typedef struct {
    u64 address[LANE_COUNT];
    u64 active;   /* lanes that execute */
    u64 in_range; /* of those, lanes that reach memory wholly; the others read 0 and write nothing, but */
    u64 partial;  /* of the others these reach it with their first `words` dwords */
    u8 words[LANE_COUNT];
} lanes;

/* Bytes of an access of `bytes` with which the lane reaches memory. */
static inline u32 reached(const lanes *at, u32 lane, u32 bytes)
{
    if (at->in_range >> lane & 1) return bytes;
    return at->partial >> lane & 1 ? 4u * at->words[lane] : 0;
}

/* Dwords of the lanes in `mask` to image[lane][dwords], zeros for the others. */
#define COLLECT(NAME, ADDRESS) \
    static void NAME(u32 *restrict image, const u8 *restrict memory, const ADDRESS *address, u64 mask, u32 dwords) \
    { \
        if (mask == ~(u64)0 && dwords == 4) { LANES memcpy(image + 4 * l, memory + address[l], 16); return; } \
        if (mask == ~(u64)0 && dwords == 2) { LANES memcpy(image + 2 * l, memory + address[l], 8); return; } \
        if (mask == ~(u64)0 && dwords == 1) { LANES memcpy(image + l, memory + address[l], 4); return; } \
        memset(image, 0, LANE_COUNT * 4 * dwords); \
        for (; mask; mask &= mask - 1) { \
            u32 l = (u32)__builtin_ctzll(mask); \
            for (u32 i = 0; i < dwords; i++) memcpy(image + dwords * l + i, memory + address[l] + 4 * i, 4); \
        } \
    }
/* image[lane][dwords] to rows[dwords][lane]. */
void to_rows(u32 (*restrict rows)[LANE_COUNT], const u32 *restrict image, u32 dwords);

void vmem_load(wave *w, const ins *I, const opdef *def, const lanes *at);
void vmem_store(wave *w, const ins *I, const opdef *def, const lanes *at);
void vmem_atomic(wave *w, const ins *I, const opdef *def, const lanes *at);
void vmem_to_lds(wave *w, const ins *I, const opdef *def, const lanes *at);

/* Adds what the lanes reach of `a`, or of whatever lies there where they share no allocation. */
void count_requests(wave *w, const lanes *at, const allocation *a, u32 bytes, enum request kind);

u32 convert_in(u32 raw, u32 conversion, u32 old);
u32 atomic_result(enum atomic_op op, u32 old, u32 value, u32 compare);
#endif
