/* SPDX-License-Identifier: MIT
 *
 * The way from a constraint in the model to its type's plain description.
 */
#include "solver/measure.h"

#include <math.h>
#include <string.h>

static void read_element(const xpbd_elements *elements, uint32_t element, double (*x)[3],
                         float *element_rest)
{
    const xpbd_measure *m = (const xpbd_measure *)(const void *)elements;
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)m->type);
    const xpbd_set *set = &m->world->model.sets[m->type];
    const size_t at = (size_t)m->first + element;
    const uint32_t *p = (const uint32_t *)set->particles.data + at * info->n_particles;
    const xpbd_view view = xpbd_view_positions(m->world);
    for (uint32_t k = 0; k < info->n_particles; k++) {
        for (uint32_t c = 0; c < 3; c++) {
            x[k][c] = (double)*xpbd_view_at(&view, p[k], c);
        }
    }
    if (element_rest && info->n_element_rest > 0) {
        memcpy(element_rest, (const float *)set->element_rest.data + at * info->n_element_rest,
               info->n_element_rest * sizeof(float));
    }
}

static const float *rest_of(const xpbd_measure *m)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)m->type);
    const float *rest = m->world->model.sets[m->type].rest.data;
    return rest ? rest + (size_t)m->index * info->n_rest : NULL;
}

xpbd_measure xpbd_measure_begin(const xpbd_world *world, uint32_t type, uint32_t index)
{
    const xpbd_constraint_info *info = xpbd_constraint_type_info((xpbd_constraint_type)type);
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)type);
    const xpbd_set *set = &world->model.sets[type];
    const uint32_t first = xpbd_set_element(set, index);
    const uint32_t n = xpbd_set_element(set, index + 1) - first;
    xpbd_measure m = {.elements = {n, read_element},
                      .world = world,
                      .type = type,
                      .index = index,
                      .first = first,
                      .n_records = info->rows_per_element ? n : 1,
                      .regular = true};
    if (info->variable) {
        m.regular = ops->fit(&m.elements, rest_of(&m), m.fit);
    }
    return m;
}

bool xpbd_measure_element(const xpbd_measure *measure, uint32_t element, double *C,
                          double (*gradient)[3])
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)measure->type);
    double x[XPBD_CORNERS_MAX][3];
    float element_rest[XPBD_ELEMENT_REST_MAX];
    read_element(&measure->elements, element, x, element_rest);
    if (!ops->fit) {
        return ops->measure((const double(*)[3])x, rest_of(measure), C, gradient);
    }
    ops->element(measure->fit, (const double(*)[3])x, element_rest, C, gradient);
    return measure->regular;
}

void xpbd_measure_lambda(const xpbd_measure *measure, uint32_t record, float *lambda)
{
    const xpbd_constraint_info *info =
        xpbd_constraint_type_info((xpbd_constraint_type)measure->type);
    const xpbd_build *build = &measure->world->build;
    memset(lambda, 0, info->n_rows * sizeof *lambda);
    const xpbd_set *set = &measure->world->model.sets[measure->type];
    if (!measure->world->stepped || xpbd_set_lacks(set, measure->index)) {
        return;
    }
    const xpbd_tuples tuples = xpbd_world_tuples(measure->world);
    const uint32_t slot = build->packing.slot[tuples.first[measure->type] + measure->index];
    const uint32_t lane = info->rows_per_element
                              ? build->units[measure->type].first_group[slot] * XPBD_GROUP + record
                              : slot;
    for (uint32_t row = 0; row < info->n_rows; row++) {
        lambda[row] = build->streams[measure->type].lambda[row][lane];
    }
}

/* C^T matrix^-1 C by elimination; the matrix is symmetric and positive. */
static double quadratic(double matrix[XPBD_ROWS_MAX * XPBD_ROWS_MAX], const double *C, uint32_t n)
{
    double y[XPBD_ROWS_MAX], sum = 0.0;
    memcpy(y, C, n * sizeof *y);
    for (uint32_t k = 0; k < n; k++) {
        const double pivot = matrix[k * n + k];
        if (!(pivot > 0.0)) {
            continue; /* a row without compliance stores no energy */
        }
        for (uint32_t i = k + 1; i < n; i++) {
            const double factor = matrix[i * n + k] / pivot;
            for (uint32_t j = k; j < n; j++) {
                matrix[i * n + j] -= factor * matrix[k * n + j];
            }
            y[i] -= factor * y[k];
        }
        sum += y[k] * y[k] / pivot;
    }
    return sum;
}

bool xpbd_measure_is_slack(const xpbd_measure *measure, const float *lambda, const double *C)
{
    const int side = xpbd_constraint_ops_of((xpbd_constraint_type)measure->type)->side;
    const bool allowed = side < 0 ? C[0] <= 0.0 : side > 0 && C[0] >= 0.0;
    return allowed && !(fabsf(lambda[0]) > 0.0f);
}

double xpbd_measure_residual(const xpbd_measure *measure, const float *lambda, double alpha_dt,
                             double *C)
{
    const xpbd_constraint_ops *ops = xpbd_constraint_ops_of((xpbd_constraint_type)measure->type);
    const uint32_t n = xpbd_constraint_type_info((xpbd_constraint_type)measure->type)->n_rows;
    if (xpbd_measure_is_slack(measure, lambda, C)) {
        memset(C, 0, n * sizeof *C);
        return 0.0;
    }
    double square = 0.0, matrix[XPBD_ROWS_MAX * XPBD_ROWS_MAX] = {0};
    for (uint32_t row = 0; row < n; row++) {
        square += C[row] * C[row];
        matrix[row * n + row] = 1.0;
    }
    if (ops->compliance) {
        double copy[XPBD_ROWS_MAX * XPBD_ROWS_MAX];
        ops->compliance(rest_of(measure), matrix);
        memcpy(copy, matrix, sizeof copy);
        square = quadratic(copy, C, n);
    }
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t k = 0; k < n; k++) {
            C[row] += alpha_dt * matrix[row * n + k] * (double)lambda[k];
        }
    }
    return square;
}

void xpbd_measure_force(const xpbd_measure *measure, uint32_t element, double inverse_dt2,
                        double (*force)[3])
{
    const xpbd_constraint_info *info =
        xpbd_constraint_type_info((xpbd_constraint_type)measure->type);
    const uint32_t n = info->n_particles;
    if (xpbd_set_lacks(&measure->world->model.sets[measure->type], measure->index)) {
        memset(force, 0, n * sizeof *force); /* whatever its gradient is */
        return;
    }
    float lambda[XPBD_ROWS_MAX];
    double C[XPBD_ROWS_MAX], gradient[XPBD_ROWS_MAX * XPBD_CORNERS_MAX][3];
    xpbd_measure_lambda(measure, info->rows_per_element ? element : 0, lambda);
    xpbd_measure_element(measure, element, C, gradient);
    for (uint32_t k = 0; k < 3 * n; k++) {
        double sum = 0.0;
        for (uint32_t row = 0; row < info->n_rows; row++) {
            sum += (double)lambda[row] * gradient[row * n + k / 3][k % 3];
        }
        force[k / 3][k % 3] = sum * inverse_dt2;
    }
}
