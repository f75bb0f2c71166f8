/* SPDX-License-Identifier: MIT
 *
 * The reader of result files, and of one in four that it took the page that is made of it, which
 * takes longer than all the rest.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream() */

#include "fuzz.h"

#include "bench/report/report.h"

#include <math.h>

static void check_rows(const report *r)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        const report_row *row = &r->rows[i];
        FUZZ_CHECK(row->file < r->n_files && row->machine < r->n_machines);
        FUZZ_CHECK(row->n == 0 || (row->min > 0 && row->min <= row->median));
        FUZZ_CHECK(row->n == 0 || (row->median <= row->p95 && isfinite(row->p95)));
        FUZZ_CHECK(row->unit > 0 || row->n == 0);
    }
}

/* Markup in a result file must not become markup of the page. */
static void check_page(const report *r)
{
    char *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    FUZZ_CHECK(out);
    report_write(r, out);
    FUZZ_CHECK(fclose(out) == 0);
    FUZZ_CHECK(size > 0 && !strstr(page, "<evil"));
    free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report r;
    report_load_bytes(&r, "a.json", data, size);
    FUZZ_CHECK(r.n_files + r.refused.n == 1);
    if (r.n_files == 0) {
        FUZZ_CHECK(r.n_rows == 0 && !strncmp(r.refused.items[0], "a.json: ", 8));
    } else {
        check_rows(&r);
        fuzz_taken++;
        if (size % 4 == 3)
            check_page(&r);
    }
    report_free(&r);
    return 0;
}
