/* SPDX-License-Identifier: MIT
 *
 * Proves that the lane in which a constraint sits has no say: separate pairs, 1 to 33 of them, in
 * any order, with a degenerate one in any place, on every instruction set and layout. Pairs that
 * share nothing must come out as when each was alone.
 */
#include "support.h"

#include <math.h>

enum { MOST = 33 };
typedef float two_points[2][3];

/* Run every layout and available instruction set; the callback checks one world. */
typedef void (*check_fn)(const xpbd_world_def *def, const void *data);

static void on_every_kernel(check_fn check, const void *data)
{
    const char *isa, *layout, *scheduler;
    for (uint32_t s = 0; (scheduler = xpbd_scheduler_name(s)); s++) {
        if (!strcmp(scheduler, "jacobi-chebyshev"))
            continue; /* its safeguard looks at all constraints of a scene at once */
        for (uint32_t i = 0; (isa = xpbd_isa_name(i)); i++) {
            for (uint32_t l = 0; (layout = xpbd_layout_name(l)) && xpbd_isa_available(i); l++) {
                xpbd_world_def def = kit_def(scheduler);
                def.isa = isa;
                def.layout = layout;
                def.acceleration[1] = -9.81f;
                check(&def, data);
            }
        }
    }
}

static const float rest = 1.25f;

static xpbd_world *make(const xpbd_world_def *def, const kit_scene *s)
{
    const float soft = 1e-4f, damped = 2.0f;
    xpbd_world *w = kit_create(def);
    kit_add_particles(w, s->n_particles, (const float(*)[3])s->x, s->w);
    xpbd_constraints c = {.particles = s->pair[0],
                          .rest = &rest,
                          .rest_stride = XPBD_SAME,
                          .compliance = &soft,
                          .compliance_stride = XPBD_SAME,
                          .damping = &damped,
                          .damping_stride = XPBD_SAME};
    assert_ok(xpbd_world_add_constraints(w, XPBD_DISTANCE, s->n_pairs, &c, NULL));
    return w;
}

/* Each pair on its own, on the scalar kernel. */
static void solve_alone(const kit_scene *all, two_points *out)
{
    for (uint32_t i = 0; i < all->n_pairs; i++) {
        uint32_t pair[1][2] = {{0, 1}};
        const kit_scene one = {2, 1, all->x + 2 * i, all->w + 2 * i, pair};
        xpbd_world_def def = kit_def("serial-gs");
        def.isa = "scalar";
        def.layout = "soa";
        def.acceleration[1] = -9.81f;
        xpbd_world *w = make(&def, &one);
        kit_steps(w, 3, 1.0 / 60);
        assert_ok(xpbd_world_read_positions(w, 0, 2, out[i][0], 0));
        xpbd_world_destroy(w);
    }
}

typedef struct lanes {
    kit_scene scene;
    two_points want[MOST];
} lanes;

static void check_counts_and_places(const xpbd_world_def *def, const void *data)
{
    const lanes *l = data;
    uint32_t pair[MOST][2];
    for (uint32_t n = 1; n <= MOST; n++) {
        kit_scene some = {2 * n, n, l->scene.x, l->scene.w, pair};
        for (uint32_t turn = 0; turn < n; turn += n < 18 ? 5 : 11) {
            for (uint32_t i = 0; i < n; i++)
                memcpy(pair[(i + turn) % n], l->scene.pair[i], sizeof pair[0]);
            xpbd_world *w = make(def, &some);
            kit_steps(w, 3, 1.0 / 60);
            float(*got)[3] = kit_positions(w);
            for (uint32_t i = 0; i < n; i++)
                assert_same_floats(got[2 * i], l->want[i][0], 6);
            free(got);
            xpbd_world_destroy(w);
        }
    }
}

static void test_X04_a_constraint_has_the_same_bits_in_every_place(void **state)
{
    lanes l = {.scene = kit_pairs(MOST, 4)};
    (void)state;
    solve_alone(&l.scene, l.want);
    on_every_kernel(check_counts_and_places, &l);
    kit_scene_free(&l.scene);
}

/* Pair k of 16 coincides: it is skipped and falls freely, the others do not notice. With rest
 * length 0 and with 1.25, with compliance and damping. */
static void check_degenerate_lane(const xpbd_world_def *def, const void *data)
{
    const lanes *l = data;
    for (uint32_t k = 0; k < 16; k++) {
        kit_scene s = l->scene;
        float kept[3];
        memcpy(kept, s.x[2 * k + 1], sizeof kept);
        memcpy(s.x[2 * k + 1], s.x[2 * k], sizeof kept);
        for (int zero = 0; zero < 2; zero++) {
            xpbd_world *w = make(def, &s);
            const float nought = 0;
            if (zero)
                assert_ok(xpbd_world_set_constraints(w, XPBD_DISTANCE, k, 1,
                                                     &(xpbd_constraints){.rest = &nought}));
            kit_steps(w, 3, 1.0 / 60);
            float(*got)[3] = kit_positions(w);
            for (uint32_t i = 0; i < 16; i++)
                if (i != k)
                    assert_same_floats(got[2 * i], l->want[i][0], 6);
            assert_same_floats(got[2 * k], got[2 * k + 1], 3);
            assert_near(got[2 * k][0], s.x[2 * k][0], 0.0);
            assert_near(got[2 * k][2], s.x[2 * k][2], 0.0);
            /* 6 g dt^2, three sums rounded below 64 m */
            assert_near(got[2 * k][1], (double)s.x[2 * k][1] - 6 * 9.81 / 3600, 3 * 0x1p-18);
            assert_near(kit_lambda(w, k), 0.0, 0.0);
            free(got);
            xpbd_world_destroy(w);
        }
        memcpy(s.x[2 * k + 1], kept, sizeof kept);
    }
}

static void test_X02_a_degenerate_lane_does_not_touch_the_others(void **state)
{
    lanes l = {.scene = kit_pairs(16, 4)};
    (void)state;
    solve_alone(&l.scene, l.want);
    on_every_kernel(check_degenerate_lane, &l);
    kit_scene_free(&l.scene);
}

/* Attachments: one particle each, so any number of them fits a group. */
static void check_attachments(const xpbd_world_def *def, const void *data)
{
    const kit_scene *s = data;
    const float soft = 1e-3f, damped = 1.0f;
    for (uint32_t n = 1; n <= MOST; n += 4) {
        uint32_t lone[MOST];
        float target[MOST][3], got[3], want[3];
        for (uint32_t i = 0; i < n; i++) {
            lone[i] = n - 1 - i;
            memcpy(target[i], s->x[2 * lone[i] + 1], sizeof target[i]);
        }
        xpbd_world *w = kit_create(def);
        kit_add_particles(w, n, (const float(*)[3])s->x, s->w);
        xpbd_constraints c = {.particles = lone,
                              .rest = target[0],
                              .compliance = &soft,
                              .compliance_stride = XPBD_SAME,
                              .damping = &damped,
                              .damping_stride = XPBD_SAME};
        assert_ok(xpbd_world_add_constraints(w, XPBD_ATTACH, n, &c, NULL));
        kit_steps(w, 3, 1.0 / 60);
        for (uint32_t i = 0; i < n; i += 3) {
            const uint32_t zero = 0;
            xpbd_world_def alone = kit_def("serial-gs");
            alone.isa = "scalar";
            alone.layout = "soa";
            alone.acceleration[1] = def->acceleration[1];
            xpbd_world *one = kit_create(&alone);
            kit_add_particles(one, 1, (const float(*)[3])(s->x + lone[i]), s->w + lone[i]);
            c = (xpbd_constraints){
                .particles = &zero, .rest = target[i], .compliance = &soft, .damping = &damped};
            assert_ok(xpbd_world_add_constraints(one, XPBD_ATTACH, 1, &c, NULL));
            kit_steps(one, 3, 1.0 / 60);
            kit_position(w, lone[i], got);
            kit_position(one, 0, want);
            assert_same_floats(got, want, 3);
            xpbd_world_destroy(one);
        }
        xpbd_world_destroy(w);
    }
}

static void test_X04_an_attachment_has_the_same_bits_in_every_place(void **state)
{
    kit_scene s = kit_pairs(MOST, 6);
    (void)state;
    on_every_kernel(check_attachments, &s);
    kit_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_X04_a_constraint_has_the_same_bits_in_every_place),
        cmocka_unit_test(test_X02_a_degenerate_lane_does_not_touch_the_others),
        cmocka_unit_test(test_X04_an_attachment_has_the_same_bits_in_every_place),
    };
    return RUN_GROUP("lanes", tests);
}
