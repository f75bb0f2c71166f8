/* SPDX-License-Identifier: MIT
 *
 * Cutting polygons by clipping ears. Tolerances are relative to the ear and the origin is moved to
 * the first corner, so that small faces far from the origin are cut like any others. A polygon
 * that crosses itself has no right answer; it still gives n - 2 triangles.
 */
#include <float.h>
#include <math.h>

#include "scenes/mesh_build.h"

static double turn(const xpbd_mesh_corner *a, const xpbd_mesh_corner *b, const xpbd_mesh_corner *c)
{
    return (b->x - a->x) * (c->y - b->y) - (b->y - a->y) * (c->x - b->x);
}

static double square(const xpbd_mesh_corner *a, const xpbd_mesh_corner *b)
{
    return (b->x - a->x) * (b->x - a->x) + (b->y - a->y) * (b->y - a->y);
}

/* The same threshold as that of xpbd_mesh_has_area(), so that no clipped ear is dropped later. */
static void judge(xpbd_mesh_corner *ring, uint32_t k)
{
    const xpbd_mesh_corner *a = &ring[ring[k].previous], *b = &ring[k], *c = &ring[ring[k].next];
    double longest = fmax(square(a, b), fmax(square(b, c), square(c, a)));
    ring[k].pointed = turn(a, b, c) > 4.0 * FLT_EPSILON * longest;
    ring[k].blocker = k;
}

/* Project on the coordinate plane that the polygon's normal (Newell's sum) is steepest to. */
static bool project(const float *points, const uint32_t *corners, uint32_t n,
                    xpbd_mesh_corner *ring)
{
    const float *origin = points + 3 * (size_t)corners[0];
    double normal[3] = {0.0, 0.0, 0.0}, longest = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        const float *p = points + 3 * (size_t)corners[k];
        const float *q = points + 3 * (size_t)corners[k + 1 < n ? k + 1 : 0];
        double a[3], b[3];
        for (size_t i = 0; i < 3; i++) {
            a[i] = (double)p[i] - (double)origin[i];
            b[i] = (double)q[i] - (double)origin[i];
        }
        normal[0] += a[1] * b[2] - a[2] * b[1];
        normal[1] += a[2] * b[0] - a[0] * b[2];
        normal[2] += a[0] * b[1] - a[1] * b[0];
        longest = fmax(longest, a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    }
    size_t axis = 0;
    for (size_t i = 1; i < 3; i++)
        axis = fabs(normal[i]) > fabs(normal[axis]) ? i : axis;
    if (fabs(normal[axis]) <= 4.0 * FLT_EPSILON * longest)
        return false;
    size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    double flip = normal[axis] < 0.0 ? -1.0 : 1.0;
    for (uint32_t k = 0; k < n; k++) {
        const float *p = points + 3 * (size_t)corners[k];
        ring[k] = (xpbd_mesh_corner){.x = flip * ((double)p[u] - (double)origin[u]),
                                     .y = (double)p[v] - (double)origin[v],
                                     .next = k + 1 < n ? k + 1 : 0,
                                     .previous = k ? k - 1 : n - 1};
    }
    return true;
}

static bool same_place(const xpbd_mesh_corner *a, const xpbd_mesh_corner *b)
{
    return a->x == b->x && a->y == b->y;
}

/* Only corners that are not pointed can be the first to reach into an ear. Corners at the same
 * place as one of the ear's are where a hole was joined to the outline: they do not block. */
static bool blocks(const xpbd_mesh_corner *ring, uint32_t k, uint32_t other)
{
    const xpbd_mesh_corner *a = &ring[ring[k].previous], *b = &ring[k], *c = &ring[ring[k].next];
    const xpbd_mesh_corner *p = &ring[other];
    if (p->pointed || p == a || p == b || p == c)
        return false;
    return turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0 &&
           !same_place(p, a) && !same_place(p, b) && !same_place(p, c);
}

/* What blocked the ear last time is asked first: it mostly still does. */
static bool is_ear(xpbd_mesh_corner *ring, uint32_t k)
{
    if (!ring[k].pointed)
        return false;
    uint32_t blocker = ring[k].blocker;
    if (blocker != k && blocks(ring, k, blocker))
        return false;
    for (uint32_t other = ring[ring[k].next].next; other != ring[k].previous;
         other = ring[other].next) {
        if (blocks(ring, k, other)) {
            ring[k].blocker = other;
            return false;
        }
    }
    return true;
}

bool xpbd_mesh_cut_polygon(const float *points, const uint32_t *corners, uint32_t n,
                           xpbd_mesh_corner *ring, uint32_t *triangles)
{
    if (!project(points, corners, n, ring))
        return false;
    for (uint32_t k = 0; k < n; k++)
        judge(ring, k);
    uint32_t k = 1, left = n, tried = 0;
    while (left > 2) {
        if (left > 3 && tried < left && !is_ear(ring, k)) {
            k = ring[k].next;
            tried++;
            continue;
        }
        uint32_t a = ring[k].previous, c = ring[k].next;
        *triangles++ = corners[a];
        *triangles++ = corners[k];
        *triangles++ = corners[c];
        ring[a].next = c;
        ring[c].previous = a;
        ring[k].pointed = true; /* gone: it blocks nothing any more */
        judge(ring, a);
        judge(ring, c);
        k = c;
        left--;
        tried = 0;
    }
    return true;
}
