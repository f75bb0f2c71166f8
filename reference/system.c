/* SPDX-License-Identifier: MIT
 *
 * Particles and constraints of the reference, its energies and accelerations.
 */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

void *ref_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

void *ref_grown(void *memory, size_t count, size_t size)
{
    memory = realloc(memory, count * size);
    if (!memory) {
        abort();
    }
    return memory;
}

/* The room after which `count` elements and `more` fit. */
static uint32_t room_for(uint32_t room, uint32_t count, uint32_t more)
{
    while (room < count + more) {
        room = room ? 2 * room : 64;
    }
    return room;
}

ref_system *ref_make(void)
{
    return ref_zeroed(1, sizeof(ref_system));
}

void ref_free(ref_system *s)
{
    free(s->x);
    free(s->v);
    free(s->w);
    free(s->massless);
    free(s->force);
    free(s->lambda);
    free(s->constraint);
    free(s->element);
    free(s->cluster);
    free(s);
}

uint32_t ref_add_particle(ref_system *s, const double x[3], const double v[3], double w)
{
    const uint32_t room = room_for(s->particle_room, s->n_particles, 1), i = s->n_particles++;
    if (room != s->particle_room) {
        s->particle_room = room;
        s->x = ref_grown(s->x, room, sizeof *s->x);
        s->v = ref_grown(s->v, room, sizeof *s->v);
        s->w = ref_grown(s->w, room, sizeof *s->w);
        s->massless = ref_grown(s->massless, room, sizeof *s->massless);
        s->force = ref_grown(s->force, room, sizeof *s->force);
    }
    memcpy(s->x[i], x, sizeof s->x[i]);
    memset(s->v[i], 0, sizeof s->v[i]);
    if (v) {
        memcpy(s->v[i], v, sizeof s->v[i]);
    }
    memset(s->force[i], 0, sizeof s->force[i]);
    s->w[i] = w;
    s->massless[i] = false;
    return i;
}

static void add_element(ref_system *s, xpbd_constraint_type type, uint32_t constraint,
                        const uint32_t *corner, uint32_t n_corners, const double *rest,
                        uint32_t n_rest)
{
    const uint32_t room = room_for(s->element_room, s->n_elements, 1);
    if (room != s->element_room) {
        s->element_room = room;
        s->element = ref_grown(s->element, room, sizeof *s->element);
    }
    ref_element *e = &s->element[s->n_elements++];
    *e = (ref_element){.type = type, .constraint = constraint};
    memcpy(e->corner, corner, n_corners * sizeof *corner);
    if (n_rest) {
        memcpy(e->rest, rest, n_rest * sizeof *rest);
    }
}

static ref_constraint *add(ref_system *s, xpbd_constraint_type type, uint32_t n_rows,
                           double compliance)
{
    uint32_t room = room_for(s->constraint_room, s->n_constraints, 1);
    if (room != s->constraint_room) {
        s->constraint_room = room;
        s->constraint = ref_grown(s->constraint, room, sizeof *s->constraint);
    }
    room = room_for(s->row_room, s->n_rows, n_rows);
    if (room != s->row_room) {
        s->row_room = room;
        s->lambda = ref_grown(s->lambda, room, sizeof *s->lambda);
    }
    ref_constraint *c = &s->constraint[s->n_constraints++];
    *c = (ref_constraint){.type = type,
                          .row = s->n_rows,
                          .n_rows = (int)n_rows,
                          .side = ref_side(type),
                          .stiffness = compliance > 0.0 ? 1.0 / compliance : 0.0};
    for (uint32_t r = 0; r < n_rows; r++) {
        s->lambda[s->n_rows++] = 0.0;
    }
    return c;
}

/* The numbers of particles and rest values per type are part of the public interface. */
static const struct {
    uint32_t corners, rest, rows;
} size_of[] = {
#define XPBD_CONSTRAINT(ID, name, particles, rest, rows, ...) {particles, rest, rows},
#include "xpbd/constraints.def"
#undef XPBD_CONSTRAINT
};

uint32_t ref_add_constraint(ref_system *s, xpbd_constraint_type type, const uint32_t *corner,
                            const double *rest, double compliance)
{
    const uint32_t n_rows = ref_is_energy(type) ? 0 : size_of[type].rows;
    ref_constraint *c = add(s, type, n_rows, compliance);
    double matrix[REF_ROWS * REF_ROWS];
    if (n_rows) {
        ref_compliance(type, rest, matrix);
    }
    for (uint32_t k = 0; k < n_rows * n_rows; k++) {
        c->compliance[k / n_rows][k % n_rows] = compliance * matrix[k];
    }
    add_element(s, type, s->n_constraints - 1, corner, size_of[type].corners, rest,
                size_of[type].rest);
    return s->n_constraints - 1;
}

uint32_t ref_add_mesh_volume(ref_system *s, uint32_t n_triangles, const uint32_t (*triangle)[3],
                             double rest_volume, double compliance)
{
    ref_constraint *c = add(s, XPBD_MESH_VOLUME, 1, compliance);
    c->offset = rest_volume;
    c->compliance[0][0] = compliance;
    for (uint32_t t = 0; t < n_triangles; t++) {
        add_element(s, XPBD_MESH_VOLUME, s->n_constraints - 1, triangle[t], 3, NULL, 0);
    }
    return s->n_constraints - 1;
}

uint32_t ref_add_shape_match(ref_system *s, uint32_t n, const uint32_t *member,
                             const double (*rest)[3], double compliance)
{
    const uint32_t first = s->n_constraints, room = room_for(s->cluster_room, s->n_clusters, 1);
    if (room != s->cluster_room) {
        s->cluster_room = room;
        s->cluster = ref_grown(s->cluster, room, sizeof *s->cluster);
    }
    double middle[3] = {0.0, 0.0, 0.0}, mass = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        mass += s->w[member[i]] > 0.0 ? 1.0 / s->w[member[i]] : 0.0;
        for (int k = 0; k < 3; k++) {
            middle[k] += rest[i][k] / n;
        }
    }
    struct ref_cluster *c = &s->cluster[s->n_clusters++];
    c->center = ref_add_particle(s, middle, NULL, mass > 0.0 ? 1.0 / mass : 1.0);
    c->turn = ref_add_particle(s, (const double[3]){0.0, 0.0, 0.0}, NULL, s->w[c->center]);
    s->massless[c->center] = s->massless[c->turn] = true;
    c->first_element = s->n_elements;
    c->count = n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t corner[3] = {member[i], c->center, c->turn};
        double data[REF_REST] = {[3] = 1.0, [7] = 1.0, [11] = 1.0}; /* R0 = 1 */
        ref_constraint *constraint = add(s, XPBD_SHAPE_MATCH, 3, compliance);
        for (int k = 0; k < 3; k++) {
            data[k] = rest[i][k] - middle[k];
            constraint->compliance[k][k] = compliance;
        }
        add_element(s, XPBD_SHAPE_MATCH, s->n_constraints - 1, corner, 3, data, REF_REST);
    }
    ref_fit_clusters(s);
    return first;
}

/* Springs of one row, or energies; what the explicit integrators are for. */
static double force_of(const ref_constraint *c, const ref_rows *rows)
{
    const double C = rows->C[0] - c->offset;
    if ((c->side < 0 && C < 0.0) || (c->side > 0 && C > 0.0)) {
        return 0.0;
    }
    return c->n_rows ? C * c->stiffness : c->stiffness;
}

/* The rows of an element as it is now, and its force. */
static double evaluate(const ref_system *s, const ref_element *element, ref_rows *rows)
{
    double x[REF_CORNERS][3];
    for (int i = 0; i < REF_CORNERS; i++) {
        memcpy(x[i], s->x[element->corner[i]], sizeof x[i]);
    }
    ref_evaluate(element->type, (const double(*)[3])x, element->rest, rows);
    return force_of(&s->constraint[element->constraint], rows);
}

void ref_acceleration(const ref_system *s, double (*a)[3])
{
    for (uint32_t i = 0; i < s->n_particles; i++) {
        for (int k = 0; k < 3; k++) {
            a[i][k] = s->w[i] > 0.0 ? s->gravity[k] + s->w[i] * s->force[i][k] : 0.0;
        }
    }
    for (uint32_t e = 0; e < s->n_elements; e++) {
        const ref_element *element = &s->element[e];
        ref_rows rows;
        const double f = evaluate(s, element, &rows);
        for (int i = 0; i < rows.n_variables; i++) {
            const uint32_t p = element->corner[i / 3];
            a[p][i % 3] -= s->w[p] * f * rows.gradient[0][i];
        }
    }
}

double ref_energy(const ref_system *s)
{
    double energy = 0.0;
    for (uint32_t i = 0; i < s->n_particles; i++) {
        for (int k = 0; k < 3 && s->w[i] > 0.0 && !s->massless[i]; k++) {
            energy += (0.5 * s->v[i][k] * s->v[i][k] - s->gravity[k] * s->x[i][k]) / s->w[i];
        }
    }
    for (uint32_t e = 0; e < s->n_elements; e++) {
        const ref_element *element = &s->element[e];
        ref_rows rows;
        const double f = evaluate(s, element, &rows);
        energy += ref_is_energy(element->type) ? f * rows.C[0] : 0.5 * f * rows.C[0];
    }
    return energy;
}
