/* SPDX-License-Identifier: MIT
 *
 * How good a state is, in double precision and by the constraint types' plain descriptions: the
 * solver's kernels are not asked about themselves.
 */
#include "solver/check.h"
#include "solver/imbalance.h"
#include "solver/measure.h"

#include <math.h>

static void diagnose_particles(const xpbd_world *world, xpbd_diagnostics *out)
{
    const xpbd_view x = xpbd_view_positions(world), v = xpbd_view_velocities(world);
    const float *inverse_mass = world->model.inverse_mass.data;
    for (uint32_t i = 0; i < world->model.n_particles; i++) {
        double p[3], u[3];
        bool finite = true;
        for (uint32_t c = 0; c < 3; c++) {
            const float xc = *xpbd_view_at(&x, i, c), vc = *xpbd_view_at(&v, i, c);
            finite = finite && xpbd_is_finite(xc) && xpbd_is_finite(vc);
            p[c] = (double)xc;
            u[c] = (double)vc;
        }
        if (!finite && !xpbd_model_lacks(&world->model, i)) {
            out->first_nonfinite = out->n_nonfinite == 0 ? i : out->first_nonfinite;
            out->n_nonfinite++;
        }
        if (inverse_mass[i] > 0.0f) {
            const double m = 1.0 / (double)inverse_mass[i];
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t a = (c + 1) % 3, b = (c + 2) % 3;
                out->kinetic_energy += 0.5 * m * u[c] * u[c];
                out->momentum[c] += m * u[c];
                out->angular_momentum[c] += m * (p[a] * u[b] - p[b] * u[a]);
            }
        }
    }
}

typedef struct tally {
    double sum_squares;
    uint64_t n_rows;
} tally;

static bool is_movable(const xpbd_world *world, uint32_t type, uint32_t i)
{
    const xpbd_tuples tuples = xpbd_world_tuples(world);
    const float *inverse_mass = world->model.inverse_mass.data;
    uint32_t n;
    const uint32_t *p = xpbd_tuples_at(&tuples, type, i, &n);
    bool movable = false;
    for (uint32_t k = 0; k < n && !movable; k++) {
        movable = inverse_mass[p[k]] > 0.0f;
    }
    return movable;
}

static void diagnose_constraint(const xpbd_world *world, uint32_t type, uint32_t i,
                                xpbd_diagnostics *out, tally *sums)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const xpbd_set *set = &world->model.sets[type];
    /* As the solver does: a stiffness stands in place of a compliance. */
    const bool stiff = xpbd_column_at(set, XPBD_COLUMN_stiffness, i) >= 0.0f;
    const double alpha = stiff ? 0.0 : (double)xpbd_column_at(set, XPBD_COLUMN_compliance, i);
    const double alpha_dt = world->stepped ? alpha * (double)world->build.pass.inverse_dt2 : 0.0;
    float lambda[XPBD_ROWS_MAX];
    double C[XPBD_ROWS_MAX], gradient[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3], square = 0.0;
    double C_square = 0.0;
    bool degenerate = false;
    const xpbd_measure measure = xpbd_measure_begin(world, type, i);
    for (uint32_t record = 0; record < measure.n_records; record++) {
        xpbd_measure_lambda(&measure, record, lambda);
        const bool regular = xpbd_measure_element(&measure, record, C, gradient);
        degenerate = degenerate || !(regular || xpbd_measure_is_slack(&measure, lambda, C));
        C_square += xpbd_measure_residual(&measure, lambda, alpha_dt, C);
        for (uint32_t row = 0; row < info->n_rows; row++) {
            square += C[row] * C[row];
            /* Not |C| > max: a NaN has to be seen. */
            if (!(fabs(C[row]) <= out->residual_max)) {
                out->residual_max = fabs(C[row]);
                out->worst_type = (int32_t)type;
                out->worst_index = i;
            }
        }
    }
    sums->sum_squares += square;
    sums->n_rows += (uint64_t)info->n_rows * measure.n_records;
    if (alpha > 0.0) {
        out->constraint_energy += 0.5 * C_square / alpha;
    }
    if (degenerate && out->n_degenerate++ == 0) {
        out->first_degenerate_type = (int32_t)type;
        out->first_degenerate_index = i;
    }
    if (!is_movable(world, type, i) && !(alpha > 0.0) && C_square > 0.0 &&
        out->n_infeasible++ == 0) {
        out->first_infeasible_type = (int32_t)type;
        out->first_infeasible_index = i;
    }
}

xpbd_status xpbd_world_diagnose(const xpbd_world *world, xpbd_diagnostics *diagnostics)
{
    if (!world) {
        return XPBD_ERROR_NULL;
    }
    if (!diagnostics) {
        return xpbd_fail(world, XPBD_ERROR_NULL, -1, 0, 0.0, "diagnostics is null");
    }
    *diagnostics = (xpbd_diagnostics){
        .worst_type = -1, .first_degenerate_type = -1, .first_infeasible_type = -1};
    fenv_t caller;
    xpbd_team_enter_float(&caller);
    diagnose_particles(world, diagnostics);
    tally sums = {0};
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_set *set = &world->model.sets[type];
        for (uint32_t i = 0; i < set->count; i++) {
            if (xpbd_column_at(set, XPBD_COLUMN_enabled, i) > 0.0f && !xpbd_set_lacks(set, i)) {
                diagnose_constraint(world, type, i, diagnostics, &sums);
            }
        }
    }
    if (sums.n_rows > 0) {
        diagnostics->residual_rms = sqrt(sums.sum_squares / (double)sums.n_rows);
    }
    xpbd_imbalance(world, diagnostics);
    diagnostics->n_iterations = world->progress.n_iterations;
    diagnostics->n_unfinished = world->progress.n_unfinished;
    diagnostics->sweep_residual = (double)world->progress.residual;
    xpbd_team_leave_float(&caller);
    return XPBD_OK;
}
