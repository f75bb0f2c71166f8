/* SPDX-License-Identifier: MIT
 *
 * The numbers in mesh files. Their syntax is checked here, so that strtod() only ever sees plain
 * decimals (it would take "nan", "inf" and "0x1p3" too); it is used for its correct rounding. The
 * caller has switched this thread to the C locale.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/mesh_text.h"

static size_t digits(xpbd_mesh_word word, size_t from)
{
    size_t n = from;
    while (n < word.length && word.begin[n] >= '0' && word.begin[n] <= '9')
        n++;
    return n - from;
}

static size_t sign(xpbd_mesh_word word, size_t from)
{
    return from < word.length && (word.begin[from] == '+' || word.begin[from] == '-');
}

static bool is_decimal(xpbd_mesh_word word)
{
    size_t at = sign(word, 0);
    size_t whole = digits(word, at);
    at += whole;
    size_t fraction = 0;
    if (at < word.length && word.begin[at] == '.') {
        fraction = digits(word, at + 1);
        at += 1 + fraction;
    }
    if (whole + fraction == 0)
        return false;
    if (at < word.length && (word.begin[at] == 'e' || word.begin[at] == 'E')) {
        at += 1 + sign(word, at + 1);
        size_t exponent = digits(word, at);
        if (!exponent)
            return false;
        at += exponent;
    }
    return at == word.length;
}

bool xpbd_mesh_word_is(xpbd_mesh_word word, const char *text)
{
    return word.length == strlen(text) && !memcmp(word.begin, text, word.length);
}

size_t xpbd_mesh_word_integer(xpbd_mesh_word word, int64_t *value)
{
    size_t from = sign(word, 0);
    size_t n = digits(word, from);
    int64_t sum = 0;
    for (size_t i = from; i < from + n; i++) {
        int64_t digit = word.begin[i] - '0';
        sum = sum > (INT64_MAX - digit) / 10 ? INT64_MAX : sum * 10 + digit;
        if (sum == INT64_MAX)
            break;
    }
    *value = from && word.begin[0] == '-' ? -sum : sum;
    return n ? from + n : 0;
}

xpbd_mesh_quote xpbd_mesh_word_quote(xpbd_mesh_word word)
{
    xpbd_mesh_quote quote = {{0}};
    size_t room = sizeof quote.text - 4;
    for (size_t i = 0; i < word.length && i < room; i++) {
        char c = word.begin[i];
        quote.text[i] = c >= 0x20 && c < 0x7f ? c : '?';
    }
    if (word.length > room)
        memcpy(quote.text + room, "...", 4);
    return quote;
}

static bool decimal(xpbd_mesh_text *text, const char *what, xpbd_mesh_word *word)
{
    if (!xpbd_mesh_text_word(text, word))
        return xpbd_mesh_text_fail(text, "%s is missing", what);
    if (!is_decimal(*word))
        return xpbd_mesh_text_fail(text, "%s '%s' is not a finite decimal number", what,
                                   xpbd_mesh_word_quote(*word).text);
    return true;
}

bool xpbd_mesh_text_float(xpbd_mesh_text *text, const char *what, float *value)
{
    xpbd_mesh_word word;
    if (!decimal(text, what, &word))
        return false;
    char *stop = NULL;
    *value = (float)strtod(word.begin, &stop);
    if (stop != word.begin + word.length)
        return xpbd_mesh_text_fail(text, "%s '%s' can not be read", what,
                                   xpbd_mesh_word_quote(word).text);
    if (!isfinite(*value))
        return xpbd_mesh_text_fail(text, "%s '%s' is too large for a 32-bit float", what,
                                   xpbd_mesh_word_quote(word).text);
    return true;
}

bool xpbd_mesh_text_pass(xpbd_mesh_text *text, const char *what)
{
    xpbd_mesh_word word;
    return decimal(text, what, &word);
}

bool xpbd_mesh_text_whole(xpbd_mesh_text *text, const char *what, uint64_t *value)
{
    xpbd_mesh_word word;
    if (!xpbd_mesh_text_word(text, &word))
        return xpbd_mesh_text_fail(text, "%s is missing", what);
    int64_t number = 0;
    size_t n = xpbd_mesh_word_integer(word, &number);
    if (!n || n != word.length || number < 0)
        return xpbd_mesh_text_fail(text, "%s '%s' is not a whole number from 0 on", what,
                                   xpbd_mesh_word_quote(word).text);
    *value = (uint64_t)number;
    return true;
}

bool xpbd_mesh_text_count(xpbd_mesh_text *text, const char *what, uint32_t *count)
{
    uint64_t value = 0;
    if (!xpbd_mesh_text_whole(text, what, &value))
        return false;
    /* The shortest row is a digit and a line end. */
    uint64_t most = ((uint64_t)(text->end - text->at) + 1) / 2;
    if (value > most)
        return xpbd_mesh_text_fail(text, "%s is %llu, but the rest of the file is only %llu bytes",
                                   what, (unsigned long long)value,
                                   (unsigned long long)(text->end - text->at));
    *count = (uint32_t)value;
    return true;
}
