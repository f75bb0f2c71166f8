/* SPDX-License-Identifier: MIT */
#include "fuzz_forge.h"

#include "solver/codec_sum.h"
#include "solver/record.h"

enum { HEADER = 32, BEFORE = XPBD_SECTION_NAME + 8, AFTER = 8, FEW = 3 };

static void put_word(uint8_t *to, uint32_t word)
{
    for (int k = 0; k < 4; k++)
        to[k] = (uint8_t)(word >> (8 * k));
}

static void put_long(uint8_t *to, uint64_t value)
{
    put_word(to, (uint32_t)value);
    put_word(to + 4, (uint32_t)(value >> 32));
}

/* Where the word behind a text is. */
static size_t behind_text(const uint8_t *bytes, size_t n, size_t at)
{
    const uint64_t length = at + 4 <= n ? xpbd_word_at(bytes + at) : 0;
    return at + 4 + (size_t)(length + 3) / 4 * 4;
}

static void make_few(uint8_t *bytes, size_t n, size_t at)
{
    if (at + 4 <= n && xpbd_word_at(bytes + at) > FEW)
        put_word(bytes + at, xpbd_word_at(bytes + at) % FEW + 1);
}

/* The words of one section. */
static void forge_section(const uint8_t *name, uint8_t *bytes, size_t n)
{
    size_t at = 0;
    if (!strncmp((const char *)name, "world", XPBD_SECTION_NAME)) {
        at = behind_text(bytes, n, behind_text(bytes, n, 0) + 4); /* scheduler, custom, ordering */
    } else if (!strncmp((const char *)name, XPBD_RECORD_START, XPBD_SECTION_NAME) ||
               !strncmp((const char *)name, "load", XPBD_SECTION_NAME)) {
        if (n > 8 && xpbd_word_at(bytes) <= n - 8)
            fuzz_forge(bytes + 8, xpbd_word_at(bytes));
        return;
    } else if (strncmp((const char *)name, "set_solver", XPBD_SECTION_NAME) != 0) {
        return;
    }
    make_few(bytes, n, at);
    make_few(bytes, n, at + 4);
}

void fuzz_forge(uint8_t *bytes, size_t size)
{
    uint32_t n_sections = 0;
    size_t at = HEADER;
    while (at < size && size - at >= BEFORE + AFTER) {
        const uint64_t words = xpbd_word_at(bytes + at + XPBD_SECTION_NAME);
        if (words > (size - at - BEFORE - AFTER) / 4)
            break;
        const size_t n = BEFORE + 4 * (size_t)words;
        put_word(bytes + at + XPBD_SECTION_NAME + 4, 0);
        forge_section(bytes + at, bytes + at + BEFORE, n - BEFORE);
        put_long(bytes + at + n, xpbd_sum_of(bytes + at, n));
        at += n + AFTER;
        n_sections++;
    }
    if (size >= HEADER) {
        put_word(bytes + 12, n_sections);
        put_long(bytes + 16, size);
        put_long(bytes + HEADER - 8, xpbd_sum_of(bytes, HEADER - 8));
    }
}
