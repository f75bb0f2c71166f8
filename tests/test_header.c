/* SPDX-License-Identifier: MIT
 *
 * Proves that the public headers stand alone, draw no warning from strict compilers, bring no
 * macros but their own, and that every declared function is there to link.
 */
#pragma GCC diagnostic error "-Wpedantic"
#pragma GCC diagnostic error "-Wcast-qual"
#pragma GCC diagnostic error "-Wundef"
#include "xpbd/build.h"
#include "xpbd/scheduler.h"
#include "xpbd/xpbd.h"

/* Twice: guarded. The tables leave no helper macro behind. */
#include "xpbd/build.h"
#include "xpbd/scheduler.h"
#include "xpbd/xpbd.h"

#if defined(XPBD_STATUS) || defined(XPBD_CONSTRAINT) || defined(XPBD_FAULT)
#error "a table's macro is still defined after the header"
#endif
#if defined(SIMDE_VERSION) || defined(HWLOC_API_VERSION) || defined(_OMP_H)
#error "a public header pulls in the header of another library"
#endif
#if defined(assert) || defined(printf) || defined(HUGE_VAL)
#error "a public header pulls in more than it needs"
#endif

#include "support.h"

typedef void (*any_function)(void);

static void test_every_function_of_the_header_links(void **state)
{
    const any_function functions[] = {
        (any_function)xpbd_version,
        (any_function)xpbd_status_name,
        (any_function)xpbd_status_text,
        (any_function)xpbd_constraint_type_info,
        (any_function)xpbd_scheduler_name,
        (any_function)xpbd_scheduler_summary,
        (any_function)xpbd_layout_name,
        (any_function)xpbd_isa_name,
        (any_function)xpbd_isa_available,
        (any_function)xpbd_ordering_name,
        (any_function)xpbd_pinning_name,
        (any_function)xpbd_default_world_def,
        (any_function)xpbd_world_create,
        (any_function)xpbd_world_destroy,
        (any_function)xpbd_world_error,
        (any_function)xpbd_world_add_particles,
        (any_function)xpbd_world_add_constraints,
        (any_function)xpbd_world_reserve,
        (any_function)xpbd_world_set_constraints,
        (any_function)xpbd_world_enable_constraints,
        (any_function)xpbd_world_set_positions,
        (any_function)xpbd_world_set_velocities,
        (any_function)xpbd_world_set_inverse_masses,
        (any_function)xpbd_world_set_forces,
        (any_function)xpbd_world_move_particles,
        (any_function)xpbd_world_set_solver,
        (any_function)xpbd_world_set_tolerance,
        (any_function)xpbd_world_set_acceleration,
        (any_function)xpbd_world_set_threads,
        (any_function)xpbd_world_prepare,
        (any_function)xpbd_world_step,
        (any_function)xpbd_world_set_substep_callback,
        (any_function)xpbd_world_add_particle_port,
        (any_function)xpbd_world_add_constraint_port,
        (any_function)xpbd_world_read_port,
        (any_function)xpbd_world_set_budget,
        (any_function)xpbd_world_read_report,
        (any_function)xpbd_world_clear_ports,
        (any_function)xpbd_world_read_positions,
        (any_function)xpbd_world_read_velocities,
        (any_function)xpbd_world_read_lambdas,
        (any_function)xpbd_world_read_forces,
        (any_function)xpbd_world_read_broken,
        (any_function)xpbd_world_hash,
        (any_function)xpbd_world_summarize,
        (any_function)xpbd_world_explain,
        (any_function)xpbd_world_diagnose,
        (any_function)xpbd_fault_text,
        (any_function)xpbd_fault_repair,
        (any_function)xpbd_default_triangles_def,
        (any_function)xpbd_build_triangles,
        (any_function)xpbd_default_tetrahedra_def,
        (any_function)xpbd_build_tetrahedra,
        (any_function)xpbd_build_surface,
        (any_function)xpbd_default_polyline_def,
        (any_function)xpbd_build_polyline,
        (any_function)xpbd_plan_run,
        (any_function)xpbd_plan_run_stage,
        (any_function)xpbd_plan_run_strip,
        (any_function)xpbd_member_barrier,
        (any_function)xpbd_member_share,
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(functions); i++)
        assert_true(functions[i] != NULL);
}

/* Bindings from other languages count on these. */
static void test_structs_have_no_surprising_layout(void **state)
{
    (void)state;
    assert_int_equal(offsetof(xpbd_world_def, cookie), 0);
    assert_int_equal(offsetof(xpbd_scheduler, cookie), 0);
    assert_int_equal(offsetof(xpbd_triangles_def, options.cookie), 0);
    assert_int_equal(offsetof(xpbd_tetrahedra_def, options.cookie), 0);
    assert_int_equal(offsetof(xpbd_polyline_def, options.cookie), 0);
    assert_int_equal(sizeof(xpbd_block), 16);
    assert_int_equal(sizeof(xpbd_stage), 24);
    assert_int_equal(sizeof(xpbd_particles), 3 * (sizeof(void *) + sizeof(size_t)));
    assert_int_equal(sizeof(((xpbd_error *)0)->text), 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function_of_the_header_links),
        cmocka_unit_test(test_structs_have_no_surprising_layout),
    };
    return RUN_GROUP("header", tests);
}
