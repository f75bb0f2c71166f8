/* SPDX-License-Identifier: MIT */
#include "bench/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (memory == NULL) {
        fputs("bench: out of memory\n", stderr);
        exit(BENCH_EXIT_WRONG);
    }
    return memory;
}

void *bench_alloc(size_t n, size_t size)
{
    return checked(calloc(n ? n : 1, size));
}

void *bench_realloc(void *memory, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size) {
        return checked(NULL);
    }
    const size_t bytes = n * size;
    return checked(realloc(memory, bytes > 0 ? bytes : 1));
}

char *bench_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(checked(malloc(size)), text, size);
}

static void append(bench_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    if (n > 0) {
        size_t need = text->length + (size_t)n + 1;
        if (need > text->capacity) {
            text->capacity = need * 2;
            text->data = bench_realloc(text->data, text->capacity, 1);
        }
        vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
        text->length += (size_t)n;
    }
    va_end(again);
}

void bench_text_add(bench_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(text, format, arguments);
    va_end(arguments);
}

void bench_text_free(bench_text *text)
{
    free(text->data);
    *text = (bench_text){0};
}

char *bench_vprint(const char *format, va_list arguments)
{
    bench_text text = {0};
    append(&text, format, arguments);
    return text.data ? text.data : bench_strdup("");
}

char *bench_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = bench_vprint(format, arguments);
    va_end(arguments);
    return text;
}

bool bench_list_has(const bench_list *list, const char *item)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i], item) == 0) {
            return true;
        }
    }
    return false;
}

void bench_list_add(bench_list *list, const char *item)
{
    list->items = bench_realloc(list->items, list->n + 1, sizeof *list->items);
    list->items[list->n++] = bench_strdup(item);
}

void bench_list_free(bench_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i]);
    }
    free(list->items);
    *list = (bench_list){0};
}

const char *bench_count(char buffer[32], uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    int out = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) {
            buffer[out++] = ',';
        }
        buffer[out++] = digits[i];
    }
    buffer[out] = '\0';
    return buffer;
}

char *bench_read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    bench_text text = {0};
    char chunk[4096];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk - 1, file)) > 0) {
        chunk[n] = '\0';
        bench_text_add(&text, "%s", chunk);
    }
    fclose(file);
    return text.data;
}
