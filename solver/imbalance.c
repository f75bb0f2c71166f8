/* SPDX-License-Identifier: MIT
 *
 * g = M (x - x~) - grad C^T lambda ([XPBD16] eq. 8, x~ with the external forces as in algorithm 1)
 * of the last substep, in double precision and by the types' plain descriptions. lambda is what the
 * solver says, gradients are those where the particles ended: x has added up corrections along
 * gradients on the way, so that g is not quite 0 where h is (docs/VALIDATION.md).
 */
#include "solver/imbalance.h"

#include "solver/check.h"
#include "solver/measure.h"

#include <math.h>

/* M (x - x~) of what has a mass, as it is in the store. */
static void begin(const xpbd_world *world, double (*g)[3])
{
    const xpbd_store *store = &world->build.store;
    const float *w = world->model.inverse_mass.data;
    for (uint32_t i = 0; i < world->model.n_particles; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t slot = world->build.rank[i];
            const double x = (double)*xpbd_store_at(store, store->position, slot, c);
            const double goal = (double)*xpbd_store_at(store, world->build.prediction, slot, c);
            g[i][c] = w[i] > 0.0f ? (x - goal) / (double)w[i] : 0.0;
        }
    }
}

static void subtract(const xpbd_measure *measure, uint32_t element, double (*g)[3])
{
    const xpbd_constraint_info *info =
        xpbd_constraint_type_info((xpbd_constraint_type)measure->type);
    const xpbd_set *set = &measure->world->model.sets[measure->type];
    const uint32_t n = info->n_particles;
    const uint32_t *p =
        (const uint32_t *)set->particles.data + ((size_t)measure->first + element) * n;
    float lambda[XPBD_ROWS_MAX];
    double C[XPBD_ROWS_MAX], gradient[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
    xpbd_measure_lambda(measure, info->rows_per_element ? element : 0, lambda);
    xpbd_measure_element(measure, element, C, gradient);
    for (uint32_t row = 0; row < info->n_rows; row++) {
        for (uint32_t k = 0; k < n; k++) {
            for (uint32_t c = 0; c < 3; c++) {
                g[p[k]][c] -= (double)lambda[row] * gradient[row * n + k][c];
            }
        }
    }
}

void xpbd_imbalance(const xpbd_world *world, xpbd_diagnostics *out)
{
    const float *w = world->model.inverse_mass.data;
    double(*g)[3] = world->build.imbalance, sum = 0.0;
    uint32_t n = 0;
    if (!world->built || !world->stepped || !world->build.predicted) {
        return;
    }
    begin(world, g);
    for (uint32_t type = 0; type < XPBD_CONSTRAINT_TYPE_COUNT; type++) {
        const xpbd_set *set = &world->model.sets[type];
        for (uint32_t i = 0; i < set->count; i++) {
            if (xpbd_column_at(set, XPBD_COLUMN_enabled, i) > 0.0f && !xpbd_set_lacks(set, i)) {
                const xpbd_measure measure = xpbd_measure_begin(world, type, i);
                for (uint32_t e = 0; e < measure.elements.n; e++) {
                    subtract(&measure, e, g);
                }
            }
        }
    }
    const double per = (double)world->build.pass.inverse_dt2;
    for (uint32_t i = 0; i < world->model.n_particles; i++) {
        if (w[i] > 0.0f) {
            const double square = g[i][0] * g[i][0] + g[i][1] * g[i][1] + g[i][2] * g[i][2];
            const double force = per * sqrt(square);
            if (!(force <= out->imbalance_max)) {
                out->imbalance_max = force;
                out->imbalance_particle = i;
            }
            sum += force * force;
            n++;
        }
    }
    out->imbalance_rms = n > 0 ? sqrt(sum / n) : 0.0;
    out->has_imbalance = true;
}
