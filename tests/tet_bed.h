/* SPDX-License-Identifier: MIT
 *
 * One tetrahedron on the bed of single kernels: its corners moved by a given F.
 */
#ifndef XPBD_TESTS_TET_BED_H
#define XPBD_TESTS_TET_BED_H

#include "tests/kernel_bed.h"

#include <string.h>

static const float unit_tet[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static inline double volume_of(const float (*x)[3])
{
    double e[3][3];
    for (int k = 0; k < 9; k++) {
        e[k / 3][k % 3] = (double)x[k / 3 + 1][k % 3] - (double)x[0][k % 3];
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

/* The corners of unit_tet moved by F (rows), in lane 0; the other lanes are at rest. */
static inline void place(uint32_t type, const double F[3][3], double size,
                         bed_constraint in[BED_LANES])
{
    uint64_t seed = 1;
    for (int lane = 0; lane < BED_LANES; lane++) {
        in[lane] = bed_make(type, 0.0, &seed);
    }
    float rest_pose[4][3];
    for (int k = 0; k < 12; k++) {
        const int c = k % 3;
        double sum = 0.0;
        for (int j = 0; j < 3; j++) {
            sum += F[c][j] * (double)unit_tet[k / 3][j];
        }
        in[0].x[k / 3][c] = (float)(size * sum);
        rest_pose[k / 3][c] = (float)size * unit_tet[k / 3][c];
        in[0].inverse_mass[k / 3] = 1.0f;
    }
    in[0].compliance = 0.0f;
    xpbd_constraint_ops_of((xpbd_constraint_type)type)
        ->rest_of((const float(*)[3])rest_pose, in[0].rest);
}

static inline void project(uint32_t type, bed_constraint in[BED_LANES], bed_result out[BED_LANES])
{
    const xpbd_pass pass = bed_pass();
    bed_run(type, XPBD_ISA_scalar, XPBD_LAYOUT_soa, XPBD_VARIANT_FIRST, &pass, in, out);
}

#endif
