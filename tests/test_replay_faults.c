/* SPDX-License-Identifier: MIT
 *
 * Proves that a record that is not as it was written is refused with the place, and that one whose
 * sums are right, but whose words are not, gets an answer and no more memory than it has bytes.
 */
#include "support_heap.h"
#include "support_bytes.h"

#include "solver/codec_sum.h"

/* What a record can have, one call of each kind that has arrays, and a step after each. */
static kit_bytes make_record(void)
{
    static const float x[2][3] = {{1, 2, 3}, {2, 2, 3}}, v[3] = {1, 0, 0}, mass = 2, alpha = 1e-3f;
    static const float zero, tau = 0.1f, offset[3] = {0.01f, 0, 0};
    static const uint32_t ids[4] = {0, 1, 2, 3}, sizes[2] = {3, 1};
    xpbd_world_def def = kit_def(NULL);
    xpbd_world *w = kit_spring(&def, 2, 1e-3f, 0);
    assert_ok(xpbd_world_record_start(w));
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_add_particles(w, 2,
                                       &(xpbd_particles){.position = x[0],
                                                         .velocity = v,
                                                         .velocity_stride = XPBD_SAME,
                                                         .inverse_mass = &mass,
                                                         .inverse_mass_stride = XPBD_SAME},
                                       NULL));
    const xpbd_constraints clusters = {
        .particles = ids, .sizes = sizes, .compliance = &alpha, .compliance_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(w, XPBD_SHAPE_MATCH, 2, &clusters, NULL));
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_set_constraints(w, XPBD_SHAPE_MATCH, 0, 2,
                                         &(xpbd_constraints){.damping_time = &tau,
                                                             .damping_time_stride = XPBD_SAME,
                                                             .element_rest = x[0],
                                                             .element_rest_stride = XPBD_SAME}));
    assert_ok(xpbd_world_enable_constraints(w, XPBD_DISTANCE, 0, 1, false));
    assert_ok(xpbd_world_set_forces(w, 1, 1, v, 0));
    kit_steps(w, 1, 0.01);
    assert_ok(xpbd_world_set_inverse_masses(w, 3, 1, &zero, 0));
    assert_ok(xpbd_world_move_particles(w, 3, 1, offset, 0));
    assert_ok(xpbd_world_set_solver(w, 2, 2));
    assert_ok(xpbd_world_remove_particles(w, 2, 1, NULL));
    assert_ok(xpbd_world_compact(w, NULL, NULL));
    kit_steps(w, 2, 0.01);
    kit_bytes r = kit_bytes_of(w, xpbd_world_read_record);
    xpbd_world_destroy(w);
    return r;
}

static void test_damaged_records_are_refused(void **state)
{
    xpbd_world_def def = kit_def(NULL);
    xpbd_replay_report report;
    xpbd_error error;
    uint64_t seed = 2;
    kit_bytes r = make_record();
    (void)state;
    for (size_t at = 0; at < r.size; at += 1 + kit_random(&seed) % 19) {
        unsigned char *copy = malloc(at + 1);
        memcpy(copy, r.bytes, at + 1);
        assert_status(xpbd_replay(at, copy, &def, &report, &error), XPBD_ERROR_RECORD);
        free(copy);
        const unsigned char bits = (unsigned char)(1 + kit_random(&seed) % 255);
        r.bytes[at] ^= bits;
        const xpbd_status status = xpbd_replay(r.size, r.bytes, &def, &report, &error);
        assert_true(status == XPBD_ERROR_RECORD || status == XPBD_ERROR_SNAPSHOT);
        if (!strstr(error.text, "byte"))
            fail_msg("no place in \"%s\"", error.text);
        r.bytes[at] ^= bits;
    }
    assert_status(xpbd_replay(r.size, NULL, NULL, &report, &error), XPBD_ERROR_NULL);
    assert_status(xpbd_replay(r.size, r.bytes, NULL, NULL, NULL), XPBD_ERROR_NULL);
    free(r.bytes);
}

static size_t size_of_section(const kit_bytes *r, size_t at)
{
    return XPBD_SECTION_NAME + 8 + 4 * (size_t)xpbd_word_at(r->bytes + at + XPBD_SECTION_NAME);
}

/* Where the sections begin that have words, behind the snapshot, which has a test of its own. */
static uint32_t find_sections(const kit_bytes *r, size_t *begin, uint32_t most)
{
    uint32_t n = 0;
    for (size_t at = 32; at < r->size; at += size_of_section(r, at) + 8) {
        if (at > 32 && n < most && size_of_section(r, at) > XPBD_SECTION_NAME + 8)
            begin[n++] = at;
    }
    return n;
}

/* With sums that are right, words that are not: nothing happens but an answer. */
static void test_no_word_is_believed(void **state)
{
    static const uint32_t values[] = {0, 1, 7, 0x7fc00000, UINT32_MAX};
    uint64_t seed = 9;
    kit_bytes r = make_record();
    size_t begin[64];
    const uint32_t n_sections = find_sections(&r, begin, COUNT_OF(begin));
    heap h = {0};
    const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
    xpbd_world_def def = kit_def(NULL);
    (void)state;
    assert_in_range(n_sections, 4, COUNT_OF(begin));
    def.allocator = &allocator;
    for (uint32_t k = 0; k < 200; k++) {
        kit_bytes forged = {r.size, malloc(r.size)};
        memcpy(forged.bytes, r.bytes, r.size);
        const size_t at = begin[kit_random(&seed) % n_sections], n = size_of_section(&r, at);
        const size_t word = (n - XPBD_SECTION_NAME - 8) / 4;
        unsigned char *to = forged.bytes + at + XPBD_SECTION_NAME + 8 +
                            4 * (kit_random(&seed) % (word < 40 ? word : 40));
        const uint32_t value = values[k % COUNT_OF(values)];
        for (int b = 0; b < 4; b++)
            to[b] = (unsigned char)(value >> (8 * b));
        const uint64_t sum = xpbd_sum_of(forged.bytes + at, n);
        for (int b = 0; b < 8; b++)
            forged.bytes[at + n + (size_t)b] = (unsigned char)(sum >> (8 * b));
        xpbd_replay_report report;
        (void)xpbd_replay(forged.size, forged.bytes, &def, &report, NULL);
        assert_int_equal(h.n_live, 0);
        assert_true(h.largest < 16 << 20);
        free(forged.bytes);
    }
    free(r.bytes);
}

/* Some calls at the end of each substep, and there the record as it is then. */
static bool set_some(void *user, xpbd_world *world, uint32_t substep)
{
    const float v[3] = {0.1f * (float)substep, 1, 0};
    kit_bytes *r = user;
    for (int k = 0; k < 20; k++)
        assert_ok(xpbd_world_set_velocities(world, 1, 1, v, 0));
    free(r->bytes);
    *r = kit_bytes_of(world, xpbd_world_read_record);
    return true;
}

static void check_runs(const kit_bytes *r, uint64_t n_steps)
{
    const xpbd_world_def def = kit_def(NULL);
    xpbd_replay_report report;
    xpbd_error error;
    if (xpbd_replay(r->size, r->bytes, &def, &report, &error) != XPBD_OK)
        fail_msg("%s", error.text);
    assert_false(report.differs);
    assert_int_equal(report.n_steps, n_steps);
}

/* Calls from inside a step mean nothing without the step: a record that runs out of memory among
 * them, or is read there, ends before. */
static void test_a_record_has_no_half_of_a_step(void **state)
{
    (void)state;
    bool lost = true;
    for (uint64_t k = 1; lost; k++) {
        heap h = {0};
        const xpbd_allocator allocator = {heap_alloc, heap_free, &h};
        xpbd_world_def def = kit_def(NULL);
        kit_bytes inside = {0};
        def.allocator = &allocator;
        def.substeps = 3;
        xpbd_world *w = kit_spring(&def, 2, 1e-3f, 0);
        assert_ok(xpbd_world_record_start(w));
        kit_steps(w, 1, 0.01);
        assert_ok(xpbd_world_set_substep_callback(w, set_some, &inside));
        h.fail_at = h.n_requests + k;
        kit_steps(w, 1, 0.01);
        lost = h.n_requests >= h.fail_at;
        h.fail_at = 0;
        check_runs(&inside, 1);
        assert_status(xpbd_world_record_stop(w), lost ? XPBD_ERROR_MEMORY : XPBD_OK);
        kit_bytes r = kit_bytes_of(w, xpbd_world_read_record);
        check_runs(&r, lost ? 1 : 2);
        free(r.bytes);
        free(inside.bytes);
        xpbd_world_destroy(w);
        assert_int_equal(h.n_live, 0);
        assert_true(k > 2 || lost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_records_are_refused),
        cmocka_unit_test(test_no_word_is_believed),
        cmocka_unit_test(test_a_record_has_no_half_of_a_step),
    };
    return RUN_GROUP("replay_faults", tests);
}
