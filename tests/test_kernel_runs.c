/* SPDX-License-Identifier: MIT
 *
 * Groups that are runs, whose particles are read as a whole: of each kind and in each variant that
 * there are kernels for, on every instruction set and layout that has them, to the bit as the
 * scalar kernel, which knows no runs.
 */
#include "tests/support.h"

#include "base/memory.h"
#include "kernel/kernel.h"

#include <math.h>

enum { GROUPS = 3, LANES = GROUPS * XPBD_GROUP, SLOTS = 2 * LANES };

typedef struct bed {
    xpbd_memory memory;
    xpbd_arena arena;
    xpbd_store store;
    xpbd_stream stream;
} bed;

/* Corner c of the i-th of four constraints that follow each other, from the first one's place. */
static uint32_t offset_of(xpbd_run_kind kind, uint32_t i, uint32_t c)
{
    static const uint32_t halved[4] = {0, 1, 4, 5};
    switch (kind) {
    case XPBD_RUN_ZIPPED:
        return 2 * i + c;
    case XPBD_RUN_HALVED:
        return halved[i] + 2 * c;
    default:
        return i + c * LANES;
    }
}

/* Lanes k, k + 4, k + 8 and k + 12 are four in a row; the fours of a group go down. */
static void place(bed *b, xpbd_run_kind kind)
{
    const uint32_t length = kind == XPBD_RUN_ROWS ? 4 : 8;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t four = lane / XPBD_GROUP * 4 + (3 - lane % 4), i = lane % XPBD_GROUP / 4;
        for (uint32_t c = 0; c < 2; c++)
            b->stream.id[c][lane] =
                (four * length + offset_of(kind, i, c)) * (uint32_t)b->store.step;
    }
}

static float *values(bed *b, uint64_t *seed, float low, float high)
{
    float *made = xpbd_arena_zero(&b->arena, LANES, sizeof(float));
    for (uint32_t lane = 0; lane < LANES && made; lane++)
        made[lane] = kit_uniform(seed, low, high);
    return made;
}

static void make_bed(bed *b, xpbd_layout layout, xpbd_run_kind kind)
{
    uint64_t seed = 1;
    memset(b, 0, sizeof *b);
    xpbd_memory_init(&b->memory, NULL);
    b->arena.memory = &b->memory;
    assert_true(xpbd_store_init(&b->store, layout, SLOTS, 1, &b->arena));
    for (uint32_t i = 0; i < SLOTS; i++) {
        for (uint32_t c = 0; c < 4; c++)
            *xpbd_store_at(&b->store, b->store.position, i, c) =
                c == 3 && i % 7 == 3 ? 0.0f : kit_uniform(&seed, c == 3 ? 0.5f : -1, 1);
    }
    for (uint32_t c = 0; c < 2; c++)
        b->stream.id[c] = xpbd_arena_zero(&b->arena, LANES, sizeof(uint32_t));
    b->stream.n_groups = GROUPS;
    b->stream.rest[0] = values(b, &seed, 0.5f, 1);
    b->stream.compliance = values(b, &seed, 0, 1e-3f);
    b->stream.stiffness = values(b, &seed, 0, 1);
    b->stream.lambda[0] = values(b, &seed, -0.1f, 0.1f);
    assert_false(b->arena.failed);
    place(b, kind);
}

static void assert_same_bed(const bed *got, const bed *want, const char *name, uint32_t kind)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        for (uint32_t c = 0; c < 4; c++) {
            const float a = *xpbd_store_at(&got->store, got->store.position, i, c);
            const float b = *xpbd_store_at(&want->store, want->store.position, i, c);
            if (memcmp(&a, &b, sizeof a) != 0)
                fail_msg("%s, kind %u: place %u has %.9g instead of %.9g", name, kind, i, (double)a,
                         (double)b);
        }
    }
    assert_memory_equal(got->stream.lambda[0], want->stream.lambda[0], LANES * sizeof(float));
}

static uint32_t check_runs(uint32_t type, xpbd_isa isa, xpbd_layout layout, uint32_t kind,
                           unsigned variant)
{
    const xpbd_pass pass = {.dt = 0.01f, .inverse_dt = 100, .inverse_dt2 = 1e4f, .relaxation = 1};
    xpbd_project_fn *project =
        xpbd_kernels_find(isa, layout)->project[type][xpbd_project_run(variant, kind)];
    bed b, want;
    if (!project)
        return 0;
    make_bed(&b, layout, (xpbd_run_kind)kind);
    make_bed(&want, layout, (xpbd_run_kind)kind);
    for (uint32_t i = 0; i < SLOTS && variant & XPBD_VARIANT_EVEN; i++) {
        *xpbd_store_at(&b.store, b.store.position, i, 3) = 0.7f;
        *xpbd_store_at(&want.store, want.store.position, i, 3) = 0.7f;
    }
    project(&b.stream, &b.store, &pass, 0, GROUPS);
    xpbd_kernels_find(XPBD_ISA_scalar, layout)
        ->project[type][variant & ~(unsigned)XPBD_VARIANT_EVEN](&want.stream, &want.store, &pass, 0,
                                                                GROUPS);
    assert_same_bed(&b, &want, xpbd_isa_name(isa), kind);
    xpbd_arena_free(&b.arena);
    xpbd_arena_free(&want.arena);
    return 1;
}

static void test_runs_give_the_same_bits(void **state)
{
    static const unsigned variants[] = {0, XPBD_VARIANT_FIRST, XPBD_VARIANT_STIFF,
                                        XPBD_VARIANT_FIRST | XPBD_VARIANT_STIFF};
    uint32_t n = 0, n_even = 0;
    (void)state;
    for (uint32_t k = 0; k < XPBD_CONSTRAINT_TYPE_COUNT * XPBD_ISA_COUNT * XPBD_LAYOUT_COUNT; k++) {
        const uint32_t type = k / (XPBD_ISA_COUNT * XPBD_LAYOUT_COUNT);
        const xpbd_isa isa = (xpbd_isa)(k / XPBD_LAYOUT_COUNT % XPBD_ISA_COUNT);
        const xpbd_layout layout = (xpbd_layout)(k % XPBD_LAYOUT_COUNT);
        if (!xpbd_constraint_ops_of((xpbd_constraint_type)type)->runs || !xpbd_cpu_has(isa))
            continue;
        for (uint32_t kind = XPBD_RUN_ROWS; kind < XPBD_RUN_KINDS; kind++) {
            for (uint32_t i = 0; i < COUNT_OF(variants); i++) {
                n += check_runs(type, isa, layout, kind, variants[i]);
                n_even += check_runs(type, isa, layout, kind, variants[i] | XPBD_VARIANT_EVEN);
            }
        }
    }
    print_message("%u kernels compared, and %u for even weights\n", n, n_even);
    /* on aos4 with 8 lanes or more, in all kinds and variants or in none */
    assert_true(n % (3 * COUNT_OF(variants)) == 0);
    assert_true(n_even % (3 * COUNT_OF(variants)) == 0);
    if (xpbd_cpu_has(XPBD_ISA_avx2))
        assert_true(n > 0 && n_even > 0);
}

/* Positions that are no numbers must not make the weights so: a guard brings positions back. */
static void test_weights_stay_whatever_becomes_of_positions(void **state)
{
    static const unsigned variants[] = {0, XPBD_VARIANT_EVEN};
    const xpbd_pass pass = {.dt = 0.01f, .inverse_dt = 100, .inverse_dt2 = 1e4f, .relaxation = 1};
    (void)state;
    for (uint32_t k = 0; k < XPBD_ISA_COUNT * XPBD_RUN_KINDS * 2 * 3; k++) {
        static const float odd[] = {INFINITY, NAN, 3e38f};
        const xpbd_isa isa = (xpbd_isa)(k / (XPBD_RUN_KINDS * 6));
        const uint32_t kind = k / 6 % XPBD_RUN_KINDS;
        const unsigned at = kind == XPBD_RUN_NONE ? 0 : xpbd_project_run(variants[k % 2], kind);
        bed b;
        if (!xpbd_cpu_has(isa))
            continue;
        xpbd_project_fn *project =
            xpbd_kernels_find(isa, XPBD_LAYOUT_aos4)->project[XPBD_DISTANCE][at];
        if (!project)
            continue;
        make_bed(&b, XPBD_LAYOUT_aos4, (xpbd_run_kind)kind);
        for (uint32_t i = 0; i < SLOTS; i++) {
            *xpbd_store_at(&b.store, b.store.position, i, 3) = 0.7f;
            *xpbd_store_at(&b.store, b.store.position, i, i % 3) = odd[k / 2 % 3];
        }
        project(&b.stream, &b.store, &pass, 0, GROUPS);
        for (uint32_t i = 0; i < SLOTS; i++) {
            const float w = *xpbd_store_at(&b.store, b.store.position, i, 3);
            if (!(w >= 0.7f && w <= 0.7f))
                fail_msg("%s, kind %u: place %u weighs %.9g", xpbd_isa_name(isa), kind, i,
                         (double)w);
        }
        xpbd_arena_free(&b.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_give_the_same_bits),
        cmocka_unit_test(test_weights_stay_whatever_becomes_of_positions),
    };
    return RUN_GROUP("kernel_runs", tests);
}
