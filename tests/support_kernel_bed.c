/* SPDX-License-Identifier: MIT
 *
 * The bed of kernel_bed.h: stores and streams made by hand, without solver or packing.
 */
#include "tests/kernel_bed.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double bed_random(uint64_t *state, double low, double high)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    const uint64_t bits = (*state * UINT64_C(2685821657736338717)) >> 11;
    return low + (high - low) * ((double)bits / 9007199254740992.0);
}

xpbd_pass bed_pass(void)
{
    return (xpbd_pass){
        .dt = 0.01f, .inverse_dt = 100.0f, .inverse_dt2 = 10000.0f, .relaxation = 1.0f};
}

const char *bed_name(uint32_t type, xpbd_isa isa, xpbd_layout layout, unsigned variant)
{
    static char name[96];
    snprintf(name, sizeof name, "%s %s %s variant %u",
             xpbd_constraint_type_info((xpbd_constraint_type)type)->name, xpbd_isa_name(isa),
             xpbd_layout_name(layout), variant);
    return name;
}

/* Corners of a jittered tetrahedron, so that no pose is degenerate. */
static void random_pose(uint64_t *state, float x[XPBD_CORNERS_MAX][3])
{
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < XPBD_CORNERS_MAX; k++) {
        for (int c = 0; c < 3; c++) {
            x[k][c] = (float)(corner[k % 4][c] + bed_random(state, -0.2, 0.2));
        }
    }
}

/* Few bits per coordinate, so that sums and products of them are exact. */
static void round_pose(float x[XPBD_CORNERS_MAX][3])
{
    for (int k = 0; k < XPBD_CORNERS_MAX; k++) {
        for (int c = 0; c < 3; c++) {
            x[k][c] = (float)(int)(64.0f * x[k][c]) / 64.0f;
        }
    }
}

bed_constraint bed_make(uint32_t type, double strain, uint64_t *state)
{
    bed_constraint made = {.compliance = (float)bed_random(state, 0.0, 1e-3),
                           .damping = (float)bed_random(state, 0.0, 0.01),
                           .stiffness = (float)bed_random(state, 0.0, 1.0),
                           .share = (float)bed_random(state, 0.1, 1.0)};
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    float rest_pose[XPBD_CORNERS_MAX][3];
    random_pose(state, made.x);
    if (strain == 0.0 && ops->settle) {
        round_pose(made.x);
        ops->settle(made.x);
    }
    random_pose(state, made.previous);
    random_pose(state, rest_pose);
    for (int k = 0; k < XPBD_CORNERS_MAX; k++) {
        made.inverse_mass[k] = (float)bed_random(state, 0.2, 3.0);
        for (int c = 0; c < 3; c++) {
            rest_pose[k][c] =
                (float)((1.0 - strain) * (double)made.x[k][c] + strain * (double)rest_pose[k][c]);
        }
    }
    for (int row = 0; row < XPBD_ROWS_MAX; row++) {
        made.lambda[row] = (float)bed_random(state, -0.1, 0.1);
    }
    ops->rest_of((const float(*)[3])rest_pose, made.rest);
    return made;
}

double bed_residual(uint32_t type, double C, double alpha, double lambda)
{
    const int side = xpbd_constraint_ops_of((xpbd_constraint_type)type)->side;
    if (side != 0 && lambda == 0.0) {
        return side < 0 ? fmax(C, 0.0) : fmin(C, 0.0);
    }
    return C + alpha * lambda;
}

bool bed_measure(uint32_t type, const float (*x)[3], const float *rest, double *C,
                 double (*gradient)[3])
{
    double p[XPBD_CORNERS_MAX][3];
    for (int k = 0; k < XPBD_CORNERS_MAX; k++) {
        for (int c = 0; c < 3; c++) {
            p[k][c] = (double)x[k][c];
        }
    }
    return xpbd_constraint_ops_of((xpbd_constraint_type)type)
        ->measure((const double(*)[3])p, rest, C, gradient);
}

typedef struct bed {
    xpbd_store store;
    xpbd_stream stream;
    uint32_t corners;
} bed;

static uint32_t bed_pack(uint32_t type, const float *rest, float packed[XPBD_REST_MAX])
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    const uint32_t n_rest = xpbd_constraint_type_info((xpbd_constraint_type)type)->n_rest;
    if (!ops->pack) {
        memcpy(packed, rest, n_rest * sizeof *packed);
        return n_rest;
    }
    ops->pack(rest, packed);
    return ops->n_packed;
}

static void fill(bed *b, uint32_t type, const xpbd_constraint_info *info, unsigned variant,
                 const bed_constraint in[BED_LANES])
{
    for (uint32_t lane = 0; lane < BED_LANES; lane++) {
        for (uint32_t k = 0; k < b->corners; k++) {
            /* Corners of a constraint far apart, as in a mesh. */
            const uint32_t slot = k * BED_LANES + (lane * 7) % BED_LANES;
            b->stream.id[k][lane] = slot * (uint32_t)b->store.step;
            for (uint32_t c = 0; c < 3; c++) {
                *xpbd_store_at(&b->store, b->store.position, slot, c) = in[lane].x[k][c];
                *xpbd_store_at(&b->store, b->store.previous, slot, c) = in[lane].previous[k][c];
            }
            *xpbd_store_at(&b->store, b->store.position, slot, 3) = in[lane].inverse_mass[k];
            b->store.inverse_mass[slot] = in[lane].inverse_mass[k];
        }
        float packed[XPBD_REST_MAX];
        const uint32_t n_packed = bed_pack(type, in[lane].rest, packed);
        for (uint32_t k = 0; k < n_packed; k++) {
            b->stream.rest[k][lane] = packed[k];
        }
        for (uint32_t k = 0; k < info->n_rows; k++) {
            b->stream.lambda[k][lane] = in[lane].lambda[k];
        }
        b->stream.compliance[lane] = in[lane].compliance;
        if (variant & XPBD_VARIANT_DAMPED) {
            b->stream.damping[lane] = in[lane].damping;
        }
        if (variant & XPBD_VARIANT_STIFF) {
            b->stream.stiffness[lane] = in[lane].stiffness;
        }
        b->stream.share[lane] = in[lane].share;
    }
}

static void take(const bed *b, const xpbd_constraint_info *info, bed_result out[BED_LANES])
{
    memset(out, 0, BED_LANES * sizeof *out);
    for (uint32_t lane = 0; lane < BED_LANES; lane++) {
        for (uint32_t k = 0; k < b->corners; k++) {
            const size_t correction =
                ((size_t)(lane / XPBD_GROUP) * b->corners + k) * XPBD_GROUP + lane % XPBD_GROUP;
            for (uint32_t c = 0; c < 3; c++) {
                out[lane].x[k][c] = b->store.position[b->stream.id[k][lane] + c * b->store.plane];
                out[lane].correction[k][c] = b->stream.correction[4 * correction + c];
            }
            if (b->stream.correction[4 * correction + 3] != 0.0f) {
                out[lane].correction[k][0] = NAN; /* what is no record {x, y, z, 0} is none */
            }
        }
        for (uint32_t k = 0; k < info->n_rows; k++) {
            out[lane].lambda[k] = b->stream.lambda[k][lane];
        }
    }
}

void bed_run(uint32_t type, xpbd_isa isa, xpbd_layout layout, unsigned variant,
             const xpbd_pass *pass, const bed_constraint in[BED_LANES], bed_result out[BED_LANES])
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    xpbd_memory memory;
    xpbd_memory_init(&memory, NULL);
    xpbd_arena arena = {.memory = &memory};
    bed b = {.corners = info->n_particles};
    bool ok = xpbd_store_init(&b.store, layout, b.corners * BED_LANES, 1, &arena);
    b.stream.n_groups = BED_GROUPS;
    for (uint32_t k = 0; k < b.corners; k++) {
        b.stream.id[k] = xpbd_arena_zero(&arena, BED_LANES, sizeof(uint32_t));
    }
    for (uint32_t k = 0; k < XPBD_REST_MAX; k++) {
        b.stream.rest[k] = xpbd_arena_zero(&arena, BED_LANES, sizeof(float));
    }
    for (uint32_t k = 0; k < info->n_rows; k++) {
        b.stream.lambda[k] = xpbd_arena_zero(&arena, BED_LANES, sizeof(float));
    }
    b.stream.compliance = xpbd_arena_zero(&arena, BED_LANES, sizeof(float));
    b.stream.damping = xpbd_arena_zero(&arena, BED_LANES, sizeof(float));
    b.stream.stiffness = xpbd_arena_zero(&arena, BED_LANES, sizeof(float));
    b.stream.share = xpbd_arena_zero(&arena, BED_LANES, sizeof(float));
    b.stream.correction = xpbd_arena_zero(&arena, 4 * BED_LANES * b.corners, sizeof(float));
    if (ok && !arena.failed) {
        fill(&b, type, info, variant, in);
        xpbd_kernels_find(isa, layout)
            ->project[type][variant](&b.stream, &b.store, pass, 0, BED_GROUPS);
        take(&b, info, out);
    }
    xpbd_arena_free(&arena);
}
