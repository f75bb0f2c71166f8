/* SPDX-License-Identifier: MIT
 *
 * Numbers out of bytes, and what holds for every world.
 */
#include "fuzz.h"

#include <float.h>
#include <math.h>

/* Runs are short and many: what is freed need not be kept out of use for long. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=16:max_malloc_fill_size=0";
}

uint64_t fuzz_taken;

static const float odd[] = {0.0f,    -0.0f,    1e-30f,   FLT_MIN,   1e-45f, 1e10f,
                            FLT_MAX, -FLT_MAX, INFINITY, -INFINITY, NAN,    1e20f,
                            1e-10f,  -1e-10f,  16777216, -1.0f};

static float odd_number(fuzz_bytes *in)
{
    in->odd = true;
    return odd[fuzz_below(in, sizeof odd / sizeof odd[0])];
}

float fuzz_number(fuzz_bytes *in)
{
    const uint32_t byte = fuzz_byte(in);
    return byte >= 240 ? odd_number(in) : (float)byte / 40.0f - 3.0f;
}

float fuzz_amount(fuzz_bytes *in)
{
    const uint32_t byte = fuzz_byte(in);
    return byte >= 240 ? odd_number(in) : (float)byte / 80.0f;
}

void fuzz_check_error(const xpbd_error *error, xpbd_status status)
{
    FUZZ_CHECK((uint32_t)status < XPBD_STATUS_COUNT && status != XPBD_OK);
    FUZZ_CHECK(error->status == status);
    FUZZ_CHECK(error->text[0] && memchr(error->text, 0, sizeof error->text));
    FUZZ_CHECK(!strchr(error->text, '\n'));
}

static void one_after_the_other(void *user, uint32_t count,
                                void (*task)(void *context, uint32_t worker), void *context)
{
    (void)user;
    for (uint32_t i = count; i > 0; i--)
        task(context, i - 1);
}

xpbd_world_def fuzz_def(uint32_t workers)
{
    static const xpbd_task_system hosts[] = {{one_after_the_other, NULL, 1},
                                             {one_after_the_other, NULL, 2}};
    xpbd_world_def def = xpbd_default_world_def();
    def.isa = "scalar";
    def.threads = (int32_t)workers;
    def.task_system = &hosts[workers > 1];
    return def;
}

static bool all_finite(const float *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Particles whose position or velocity is no number, without those that were removed. */
static uint32_t count_lost(const xpbd_world *world, uint32_t n)
{
    uint32_t n_lost = 0;
    for (uint32_t i = 0; i < n; i++) {
        float x[3], v[3];
        bool removed;
        FUZZ_CHECK(xpbd_world_read_positions(world, i, 1, x, 0) == XPBD_OK);
        FUZZ_CHECK(xpbd_world_read_velocities(world, i, 1, v, 0) == XPBD_OK);
        FUZZ_CHECK(xpbd_world_read_removed(world, -1, i, 1, &removed) == XPBD_OK);
        n_lost += !removed && (!all_finite(x, 3) || !all_finite(v, 3));
    }
    return n_lost;
}

/* Removed ones among n of a type, -1: particles. */
static uint32_t count_removed(const xpbd_world *world, int32_t type, uint32_t n)
{
    uint32_t n_removed = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool removed;
        FUZZ_CHECK(xpbd_world_read_removed(world, type, i, 1, &removed) == XPBD_OK);
        n_removed += removed;
    }
    return n_removed;
}

/* Of constraints, one at a time. */
static void check_results(const xpbd_world *world, uint32_t type, uint32_t n)
{
    const xpbd_constraint_type t = (xpbd_constraint_type)type;
    static float values[1 << 16];
    bool removed;
    for (uint32_t i = 0; i < n; i++) {
        FUZZ_CHECK(xpbd_world_read_lambdas(world, t, i, 1, values, 0) == XPBD_OK);
        FUZZ_CHECK(xpbd_world_read_removed(world, (int32_t)type, i, 1, &removed) == XPBD_OK);
        for (uint32_t k = 0; removed && k < xpbd_constraint_type_info(t)->n_rows; k++)
            FUZZ_CHECK(values[k] == 0);
        FUZZ_CHECK(xpbd_world_read_forces(world, t, i, 1, values, 0) == XPBD_OK);
    }
    FUZZ_CHECK(xpbd_world_read_lambdas(world, t, n, 1, values, 0) == XPBD_ERROR_RANGE);
}

static void check_broken(const xpbd_world *world, const xpbd_world_summary *summary)
{
    xpbd_broken broken[64];
    uint32_t n;
    FUZZ_CHECK(xpbd_world_read_broken(world, 64, broken, &n) == XPBD_OK);
    for (uint32_t k = 0; k < n && k < 64; k++)
        FUZZ_CHECK(broken[k].index < summary->n_constraints[broken[k].type]);
}

static void check_text(const xpbd_world *world)
{
    char text[64];
    size_t needed = 0;
    FUZZ_CHECK(xpbd_world_explain(world, text, sizeof text, &needed) == XPBD_OK);
    FUZZ_CHECK(needed > 0 && memchr(text, 0, sizeof text));
}

bool fuzz_check_world(const xpbd_world *world)
{
    xpbd_world_summary s;
    xpbd_diagnostics d;
    xpbd_step_report r;
    FUZZ_CHECK(xpbd_world_summarize(world, &s) == XPBD_OK);
    FUZZ_CHECK(xpbd_world_diagnose(world, &d) == XPBD_OK);
    FUZZ_CHECK(xpbd_world_read_report(world, &r) == XPBD_OK);
    FUZZ_CHECK(d.n_nonfinite == count_lost(world, s.n_particles));
    FUZZ_CHECK(d.n_nonfinite == 0 || d.first_nonfinite < s.n_particles);
    FUZZ_CHECK(d.worst_type >= -1 && d.worst_type < XPBD_CONSTRAINT_TYPE_COUNT);
    FUZZ_CHECK(d.worst_type < 0 || d.worst_index < s.n_constraints[d.worst_type]);
    FUZZ_CHECK(s.n_removed_particles == count_removed(world, -1, s.n_particles));
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const uint32_t n = s.n_constraints[type];
        FUZZ_CHECK(s.n_removed_constraints[type] == count_removed(world, (int32_t)type, n));
        check_results(world, type, n);
    }
    check_broken(world, &s);
    check_text(world);
    FUZZ_CHECK(xpbd_world_hash(world) != 0);
    return d.n_nonfinite == 0;
}
