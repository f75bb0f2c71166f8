/* SPDX-License-Identifier: MIT
 *
 * Rotations of clusters: the polar factor of sum a r^T by Higham's iteration R = (R + R^-T) / 2, no
 * code in common with the library's quaternions.
 */
#include "reference/reference.h"

#include <math.h>
#include <string.h>

/* The cofactors: det(A) A^-T. */
static void cofactors(const double A[9], double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            out[3 * i + j] = A[3 * r + c] * A[3 * s + d] - A[3 * r + d] * A[3 * s + c];
        }
    }
}

static double norm_of(const double A[9])
{
    double square = 0.0;
    for (int k = 0; k < 9; k++) {
        square += A[k] * A[k];
    }
    return sqrt(square);
}

/* R: in A, out its polar factor. The cofactors have the same one, and are what is missing where all
 * members lie in a plane. False where they are on a line, or inside out. */
static bool make_rotation(double R[9])
{
    double cofactor[9], change = 1.0;
    const double size = norm_of(R);
    cofactors(R, cofactor);
    for (int k = 0; k < 9; k++) {
        R[k] = R[k] / size + cofactor[k] / (size * size);
    }
    for (int step = 0; step < 100 && change > 1e-15; step++) {
        double next[9];
        cofactors(R, cofactor);
        const double det = R[0] * cofactor[0] + R[1] * cofactor[1] + R[2] * cofactor[2];
        if (!(det > 0.0)) {
            return false;
        }
        for (int k = 0; k < 9; k++) {
            next[k] = 0.5 * (R[k] + cofactor[k] / det);
            cofactor[k] = next[k] - R[k];
        }
        change = norm_of(cofactor);
        memcpy(R, next, sizeof next);
    }
    return true;
}

void ref_fit_clusters(ref_system *s)
{
    for (uint32_t n = 0; n < s->n_clusters; n++) {
        const struct ref_cluster *c = &s->cluster[n];
        ref_element *member = &s->element[c->first_element];
        double middle[3] = {0.0, 0.0, 0.0}, R[9] = {0.0};
        for (uint32_t i = 0; i < c->count; i++) {
            for (int k = 0; k < 3; k++) {
                middle[k] += s->x[member[i].corner[0]][k] / c->count;
            }
        }
        for (uint32_t i = 0; i < c->count; i++) {
            for (int k = 0; k < 9; k++) {
                R[k] += (s->x[member[i].corner[0]][k / 3] - middle[k / 3]) * member[i].rest[k % 3];
            }
        }
        if (!make_rotation(R)) {
            continue;
        }
        memcpy(s->x[c->center], middle, sizeof middle);
        memset(s->x[c->turn], 0, sizeof s->x[c->turn]);
        for (uint32_t i = 0; i < c->count; i++) {
            memcpy(member[i].rest + 3, R, sizeof R);
        }
    }
}

void ref_turn_clusters(ref_system *s)
{
    for (uint32_t n = 0; n < s->n_clusters; n++) {
        const struct ref_cluster *c = &s->cluster[n];
        double *t = s->x[c->turn];
        const double part = 1.0 / (1.0 + 0.25 * (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]));
        for (uint32_t i = 0; i < c->count; i++) {
            double *R = s->element[c->first_element + i].rest + 3;
            for (int column = 0; column < 3; column++) {
                const double a[3] = {R[column], R[3 + column], R[6 + column]};
                double once[3], twice[3];
                for (int k = 0; k < 3; k++) {
                    once[k] = t[(k + 1) % 3] * a[(k + 2) % 3] - t[(k + 2) % 3] * a[(k + 1) % 3];
                }
                for (int k = 0; k < 3; k++) {
                    twice[k] =
                        t[(k + 1) % 3] * once[(k + 2) % 3] - t[(k + 2) % 3] * once[(k + 1) % 3];
                    R[3 * k + column] = a[k] + part * (once[k] + 0.5 * twice[k]);
                }
            }
        }
        memset(t, 0, 3 * sizeof *t);
    }
}
