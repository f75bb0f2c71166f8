/* SPDX-License-Identifier: MIT
 *
 * Sparse direct solves by KLU of SuiteSparse: LU with pivoting, as the systems are neither
 * symmetric nor definite, and without BLAS, so that results do not depend on which one is there.
 */
#include "reference/reference.h"

#include <klu.h>
#include <stdlib.h>

void ref_sparse_add(ref_sparse *A, uint32_t row, uint32_t column, double value)
{
    if (A->n_entries == A->room) {
        A->room = A->room ? 2 * A->room : 1024;
        A->entry = ref_grown(A->entry, A->room, sizeof *A->entry);
    }
    A->entry[A->n_entries++] = (struct ref_entry){row, column, value};
}

/* Compressed columns, rows in rising order: entries are placed by row, then by column. */
static int compress(const ref_sparse *A, int *start, int *row, double *value)
{
    const uint32_t n = A->n, m = A->n_entries;
    uint32_t *count = ref_zeroed(n + 1, sizeof *count);
    struct ref_entry *by_row = ref_zeroed(m, sizeof *by_row);
    struct ref_entry *by_column = ref_zeroed(m, sizeof *by_column);
    for (uint32_t i = 0; i < m; i++) {
        count[A->entry[i].row + 1]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        count[i + 1] += count[i];
    }
    for (uint32_t i = 0; i < m; i++) {
        by_row[count[A->entry[i].row]++] = A->entry[i];
    }
    for (uint32_t i = 0; i <= n; i++) {
        count[i] = 0;
    }
    for (uint32_t i = 0; i < m; i++) {
        count[by_row[i].column + 1]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        count[i + 1] += count[i];
    }
    for (uint32_t i = 0; i < m; i++) {
        by_column[count[by_row[i].column]++] = by_row[i];
    }
    int k = 0;
    for (uint32_t i = 0, column = 0; column < n; column++) {
        start[column] = k;
        for (; i < m && by_column[i].column == column; i++) {
            if (k > start[column] && row[k - 1] == (int)by_column[i].row) {
                value[k - 1] += by_column[i].value;
            } else {
                row[k] = (int)by_column[i].row;
                value[k++] = by_column[i].value;
            }
        }
    }
    start[n] = k;
    free(count);
    free(by_row);
    free(by_column);
    return k;
}

bool ref_sparse_solve(const ref_sparse *A, double *b)
{
    int *start = ref_zeroed(A->n + 1, sizeof *start);
    int *row = ref_zeroed(A->n_entries, sizeof *row);
    double *value = ref_zeroed(A->n_entries, sizeof *value);
    klu_common common;
    klu_defaults(&common);
    compress(A, start, row, value);
    klu_symbolic *symbolic = klu_analyze((int)A->n, start, row, &common);
    klu_numeric *numeric = symbolic ? klu_factor(start, row, value, symbolic, &common) : NULL;
    const bool solved = numeric && common.status == KLU_OK &&
                        klu_solve(symbolic, numeric, (int)A->n, 1, b, &common);
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    free(start);
    free(row);
    free(value);
    return solved;
}
