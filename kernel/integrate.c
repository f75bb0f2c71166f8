/* SPDX-License-Identifier: MIT
 *
 * The two ends of a substep, for every particle. Predict ([XPBD16] algorithm 1, line 1, with
 * external acceleration): v += dt (g + w f), x += dt v. Finish (line 17) is v = (x - x^n) / dt, in
 * the form v += (x - x~) / dt where x~ is the prediction, made again to the bit. In exact
 * arithmetic that is the same; in float it keeps the velocity of what the solve did not touch to
 * the last bit, and far from the origin it keeps what x + dt v rounds away.
 *
 * Particles of inverse mass 0 keep their velocity and move with it.
 *
 * Records need no transposition: w of a velocity is 0, so that w of what is added to a position is,
 * and the weight stays what it was.
 */
#include "kernel/project.h"

extern xpbd_integrate_fn XPBD_KERNEL_NAME(predict), XPBD_KERNEL_NAME(finish);

XPBD_INLINE vf4 step_along(vf4 x, vf4 v, vf dt)
{
    return (vf4){v_add(x.x, v_mul(dt, v.x)), v_add(x.y, v_mul(dt, v.y)), v_add(x.z, v_mul(dt, v.z)),
                 x.w};
}

XPBD_INLINE vf kick(vf v, vf dt, vf acceleration, vf w, vf force, vm movable)
{
    const vf a = v_add(acceleration, v_mul(w, force));
    return v_add(v, v_keep(movable, v_mul(dt, a)));
}

XPBD_INLINE void predict(const xpbd_store *store, const xpbd_pass *pass, size_t i, vf4 force)
{
    const vf dt = v_set(pass->dt);
    const vf w = v_load(store->inverse_mass + i);
    const vm movable = v_gt(w, v_set(0.0f));
    const vf4 x = range_load(store, store->position, i);
    vf4 v = range_load(store, store->velocity, i);
    v.x = kick(v.x, dt, v_set(pass->acceleration[0]), w, force.x, movable);
    v.y = kick(v.y, dt, v_set(pass->acceleration[1]), w, force.y, movable);
    v.z = kick(v.z, dt, v_set(pass->acceleration[2]), w, force.z, movable);
    range_store(store, store->previous, i, x);
    range_store(store, store->velocity, i, v);
    range_store(store, store->position, i, step_along(x, v, dt));
}

#ifdef XPBD_RECORDS
static void predict_records(const xpbd_store *store, const xpbd_pass *pass, size_t begin,
                            size_t end)
{
    const vf zero = v_set(0.0f), dt = v_set(pass->dt);
    const vf a = v_mul(dt, v_add(record_set(pass->acceleration), zero));
    for (size_t i = 4 * XPBD_GROUP * begin; i < 4 * XPBD_GROUP * end; i += XPBD_WIDTH) {
        const vf x = v_load(store->position + i);
        const vm movable = v_gt(record_w(x), zero);
        const vf v = v_add(v_load(store->velocity + i), v_keep(movable, a));
        v_store(store->previous + i, x);
        v_store(store->velocity + i, v);
        v_store(store->position + i, v_add(x, v_mul(dt, v)));
    }
}

static void finish_records(const xpbd_store *store, const xpbd_pass *pass, size_t begin, size_t end)
{
    const vf zero = v_set(0.0f), dt = v_set(pass->dt), inverse_dt = v_set(pass->inverse_dt);
    for (size_t i = 4 * XPBD_GROUP * begin; i < 4 * XPBD_GROUP * end; i += XPBD_WIDTH) {
        const vf x = v_load(store->position + i), v = v_load(store->velocity + i);
        const vm movable = v_gt(record_w(x), zero);
        const vf p = v_add(v_load(store->previous + i), v_mul(dt, v));
        v_store(store->velocity + i, v_add(v, v_keep(movable, v_mul(v_sub(x, p), inverse_dt))));
    }
}
#endif

void XPBD_KERNEL_NAME(predict)(const xpbd_store *store, const xpbd_pass *pass, uint32_t begin,
                               uint32_t end)
{
#ifdef XPBD_RECORDS
    if (!store->force) {
        predict_records(store, pass, begin, end);
        return;
    }
#endif
    const vf zero = v_set(0.0f);
    const vf4 none = {zero, zero, zero, zero};
    for (size_t i = (size_t)begin * XPBD_GROUP; i < (size_t)end * XPBD_GROUP; i += XPBD_WIDTH) {
        predict(store, pass, i, store->force ? range_load(store, store->force, i) : none);
    }
}

void XPBD_KERNEL_NAME(finish)(const xpbd_store *store, const xpbd_pass *pass, uint32_t begin,
                              uint32_t end)
{
#ifdef XPBD_RECORDS
    finish_records(store, pass, begin, end);
#else
    const vf dt = v_set(pass->dt), inverse_dt = v_set(pass->inverse_dt);
    for (size_t i = (size_t)begin * XPBD_GROUP; i < (size_t)end * XPBD_GROUP; i += XPBD_WIDTH) {
        const vm movable = v_gt(v_load(store->inverse_mass + i), v_set(0.0f));
        const vf4 x = range_load(store, store->position, i);
        vf4 v = range_load(store, store->velocity, i);
        const vf4 p = step_along(range_load(store, store->previous, i), v, dt);
        v.x = v_add(v.x, v_keep(movable, v_mul(v_sub(x.x, p.x), inverse_dt)));
        v.y = v_add(v.y, v_keep(movable, v_mul(v_sub(x.y, p.y), inverse_dt)));
        v.z = v_add(v.z, v_keep(movable, v_mul(v_sub(x.z, p.z), inverse_dt)));
        range_store(store, store->velocity, i, v);
    }
#endif
}
