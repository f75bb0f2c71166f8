/* SPDX-License-Identifier: MIT
 *
 * Faults of a mesh: their texts, their counts, the one line about all of them, and the refusal.
 */
#include "builders/builder.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *what, *repair;
} rows[] = {
#define XPBD_FAULT(ID, what, repair) {what, repair},
#include "xpbd/faults.def"
#undef XPBD_FAULT
};

const char *xpbd_fault_text(xpbd_fault fault)
{
    return (unsigned)fault < XPBD_FAULT_COUNT ? rows[fault].what : NULL;
}

const char *xpbd_fault_repair(xpbd_fault fault)
{
    return (unsigned)fault < XPBD_FAULT_COUNT ? rows[fault].repair : NULL;
}

void xpbd_builder_fault(xpbd_builder *builder, xpbd_fault fault, uint32_t element)
{
    xpbd_build_report *report = &builder->built->report;
    report->count[fault]++;
    if (element < report->first[fault])
        report->first[fault] = element;
    if (builder->options->on_fault)
        builder->options->on_fault(builder->options->on_fault_user, fault, element);
}

__attribute__((format(printf, 3, 4))) static void append(xpbd_build_report *report, size_t *used,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(report->text + *used, sizeof report->text - *used, format, arguments);
    va_end(arguments);
    if (n > 0)
        *used += (size_t)n;
    if (*used >= sizeof report->text)
        *used = sizeof report->text - 1;
}

/* "2 elements name a vertex twice" would need a plural of each row: the count comes first instead.
 */
static void write_line(xpbd_build_report *report)
{
    size_t used = 0;
    if (report->n_welded > 0)
        append(report, &used, "%u welded", report->n_welded);
    for (uint32_t i = 0; i < XPBD_FAULT_COUNT; i++) {
        if (report->count[i] > 0)
            append(report, &used, "%s%u x %s (first: %u)", used ? "; " : "", report->count[i],
                   rows[i].what, report->first[i]);
    }
}

xpbd_status xpbd_builder_judge(xpbd_builder *builder)
{
    xpbd_build_report *report = &builder->built->report;
    write_line(report);
    for (uint32_t i = 0; i < XPBD_FAULT_COUNT; i++) {
        if (report->count[i] > 0 && builder->options->policy[i] == XPBD_FAULT_REFUSE)
            return xpbd_builder_fail(builder, XPBD_ERROR_MESH_FAULT, report->first[i], i,
                                     "%s %u %s; %u in all",
                                     i == XPBD_FAULT_UNUSED ? "vertex" : "element",
                                     report->first[i], rows[i].what, report->count[i]);
    }
    return XPBD_OK;
}
