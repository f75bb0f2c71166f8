/* SPDX-License-Identifier: MIT
 *
 * What tests of kernel/rotation.h share: matrices that are made of a known rotation, and how often
 * a root was taken.
 */
#ifndef XPBD_TESTS_ROTATION_BED_H
#define XPBD_TESTS_ROTATION_BED_H

#include "tests/support.h"

#include <math.h>

/* A step of Newton's method takes one root, a search some twenty: so their number tells how many
 * steps there were, and whether they were in vain. */
static unsigned n_roots;

static inline double counted_root(double square)
{
    n_roots++;
    return sqrt(square);
}

#define sqrt counted_root
#include "kernel/rotation.h"
#undef sqrt

typedef double mat[3][3];
#define FIXED(m) ((const double(*)[3])(m))

static inline double uniform(uint64_t *seed, double low, double high)
{
    return low + (high - low) * ((double)(kit_random(seed) >> 11) * 0x1p-53);
}

static inline void random_quaternion(uint64_t *seed, double q[4])
{
    for (int k = 0; k < 4; k++)
        q[k] = uniform(seed, -1, 1);
    xpbd_rotation_normalize(q);
}

static inline void product(const mat a, const mat b, mat out)
{
    for (int k = 0; k < 9; k++) {
        const int i = k / 3, j = k % 3;
        out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    }
}

static inline void assert_matrix(const mat got, const mat want, double tolerance)
{
    for (int k = 0; k < 9; k++)
        assert_near(got[k / 3][k % 3], want[k / 3][k % 3], tolerance);
}

/* V diag(d) V^T with a random rotation V. */
static inline void stretched(uint64_t *seed, const double d[3], mat out)
{
    double q[4];
    mat V;
    random_quaternion(seed, q);
    xpbd_rotation_matrix(q, V);
    for (int k = 0; k < 9; k++) {
        out[k / 3][k % 3] = 0;
        for (int l = 0; l < 3; l++)
            out[k / 3][k % 3] += V[k / 3][l] * d[l] * V[k % 3][l];
    }
}

#endif
