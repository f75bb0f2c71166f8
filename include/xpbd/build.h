/* SPDX-License-Identifier: MIT
 *
 * Builders: from a mesh and a material to particles and constraints. Everything here is made of the
 * calls in xpbd.h, and what it adds is read and changed with them.
 *
 *     xpbd_triangles_def def = xpbd_default_triangles_def();
 *     def.young_modulus = 1e6f, def.thickness = 1e-3f, def.area_density = 0.3f;
 *     xpbd_built built;
 *     status = xpbd_build_triangles(world, &mesh, &def, &built);    built.report.text says the rest
 *
 * Resolution  Compliances follow from engineering values and the shape of each element, such that
 *             the behaviour does not depend on how fine the mesh is; the formula is with each
 *             choice below. What edges can not do (Poisson's ratio) is said there too.
 * Faults      What is wrong with an element (faults.def) is repaired or refused, as the caller
 *             chooses for each kind, and always counted in the report with the index of the first.
 *             An element has no area or volume where twice its area is below 2e-6 of the square of
 *             its longest edge, six times its volume below 2e-6 of the cube, or its height below
 * the rounding of its coordinates: sizes are compared with the element, not with a constant. Order
 * Particles keep the order of the vertices; constraints are in the order of the elements, edges in
 * that of (lower end, higher end). Nothing depends on addresses.
 *
 * Papers: [GELDER98] Van Gelder 1998 (stiffness in proportion to area / length^2), [KIM12] Kim,
 * Chentanez, Mueller 2012 (tethers); docs/PAPERS.md. What has no key here is derived in place.
 */
#ifndef XPBD_BUILD_H
#define XPBD_BUILD_H

#include "xpbd/xpbd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- the mesh -- */

/** As xpbd_particles: arrays stay the caller's, strides are in bytes, 0 means tightly packed. */
typedef struct xpbd_build_mesh {
    uint32_t n_vertices;
    const float *position; /* [n_vertices][3] m, at rest */
    size_t position_stride;
    uint32_t n_elements;
    const uint32_t *elements; /* [n_elements][2, 3 or 4] vertices of a segment, triangle or
                                 tetrahedron. Null in a polyline: each vertex to the next */
    size_t elements_stride;
    uint32_t n_pinned;
    const uint32_t *pinned; /* [n_pinned] vertices that get an inverse mass of 0 */
    uint32_t *particle_of;  /* out [n_vertices] particle of each vertex, or null: not wanted */
} xpbd_build_mesh;

/* --------------------------------------------------------------------------------- faults -- */

typedef enum xpbd_fault {
#define XPBD_FAULT(ID, what, repair) XPBD_FAULT_##ID,
#include "xpbd/faults.def"
#undef XPBD_FAULT
    XPBD_FAULT_COUNT
} xpbd_fault;

typedef enum xpbd_fault_policy {
    XPBD_FAULT_REPAIR, /* as the row of faults.def says, and go on */
    XPBD_FAULT_REFUSE, /* ERROR_MESH_FAULT, and the world stays as it was */
    XPBD_FAULT_POLICY_COUNT
} xpbd_fault_policy;

/** Describe a fault ("names a vertex twice") and its repair ("skipped"). Null for no fault. */
XPBD_API const char *xpbd_fault_text(xpbd_fault fault);
XPBD_API const char *xpbd_fault_repair(xpbd_fault fault);

/** What was found, of all kinds, also where the build was refused for one of them. */
typedef struct xpbd_build_report {
    uint32_t count[XPBD_FAULT_COUNT]; /* elements; NON_MANIFOLD: edges (points of a polyline) that
                                         more than two elements share; UNUSED: vertices */
    uint32_t first[XPBD_FAULT_COUNT]; /* lowest element, or vertex for UNUSED; UINT32_MAX if none */
    uint32_t n_welded;                /* vertices that became the particle of another one */
    uint32_t n_edges;                 /* distinct edges of the elements that are kept */
    uint32_t n_inner_edges;           /* of triangles: shared by two */
    uint32_t n_boundary_edges;        /* of triangles: of one only. A closed surface has none */
    char text[256];                   /* all of it in one line; empty where nothing was found */
} xpbd_build_report;

/* -------------------------------------------------------------------------------- results -- */

/** Constraints [first, first + count) of one type. */
typedef struct xpbd_built_range {
    xpbd_constraint_type type;
    uint32_t first, count;
} xpbd_built_range;

/** What was added, and what was found on the way. On failure the counts are 0. */
typedef struct xpbd_built {
    uint32_t first_particle, n_particles;
    xpbd_built_range stretch; /* edges, or the elements of a FEM type */
    xpbd_built_range bend;
    xpbd_built_range volume;
    xpbd_built_range tethers;
    xpbd_build_report report;
    xpbd_error error; /* status XPBD_OK, or what the call was refused for and where */
} xpbd_built;

/* -------------------------------------------------------------------------------- options -- */

/** What all builders have in common. */
typedef struct xpbd_build_options {
    uint32_t cookie; /* set by the default function of the definition it is part of */
    xpbd_fault_policy policy[XPBD_FAULT_COUNT]; /* default: repair all */
    /* Called for each fault, or null: elements in ascending order kind by kind. */
    void (*on_fault)(void *user, xpbd_fault fault, uint32_t element);
    void *on_fault_user;

    bool weld;           /* vertices within weld_distance become one particle, and so do chains of
                            such vertices: the outcome does not depend on the order of the file. It
                            is at the member with the lowest (x, y, z). Default false */
    float weld_distance; /* m; default 0: equal coordinates only (0 and -0 are equal) */

    bool tethers; /* from each particle to the pinned one that is nearest along edges, as long
                     as that way: XPBD_TETHER, compliance 0 ([KIM12]). Default false */
    float tether_factor; /* times that length, at least 1; default 1 */

    /* Damping of a material that answers to stress by strain + tau strain rate, tau = zeta / (pi
     * f): whatever the mesh, a vibration of frequency f has the damping ratio zeta, others in
     * proportion to their frequency (stiffness-proportional damping). It is damping_time. */
    float damping_ratio;     /* zeta; 1 is critical. Default 0 */
    float damping_frequency; /* f in Hz; default 1 */

    const xpbd_allocator *allocator; /* of memory during the call; null: the C library's */
} xpbd_build_options;

/* ------------------------------------------------------------------- sheets from triangles -- */

typedef enum xpbd_sheet_stretch {
    XPBD_SHEET_NO_STRETCH,
    /* XPBD_DISTANCE along each edge, alpha = |e|^2 / (E h A), A the area of its triangles
     * ([GELDER98]). Averaged over directions this is an isotropic membrane of modulus E whose
     * Poisson's ratio is 1/3 whatever poisson_ratio says: with c = k |e|^2 / A for all three edges
     * the energy is 3/16 c (2 tr eps^2 + (tr eps)^2) per area, so that E h = c. A mesh of
     * equilateral triangles has exactly that; one of right triangles, pulled along its grid, is
     * stiffer by 0 to 20 % at every resolution */
    XPBD_SHEET_EDGES,
    XPBD_SHEET_FEM /* XPBD_TRI_FEM in each triangle, alpha = 1 / (E h): exact in uniform strain */
} xpbd_sheet_stretch;

/** Across inner edges; edges of one triangle, or of more than two, do not bend. Of a triangle pair
 *  with the areas A1 and A2 at the edge e, k = D |e|^2 / (A1 + A2), D = E h^3 / (12 (1 - nu^2)).
 *  On equilateral meshes (k = 2 D / sqrt(3)) and along the lines of a grid of right
 *  triangles a cylinder of curvature c then has D c^2 / 2 per area. The factor 3 that is found with
 *  3 |e|^2 / (A1 + A2) makes the mean of the discrete Laplacian right, and that energy 3 times too
 *  large. Across the diagonals of a grid k is up to 3 times too stiff: no choice of k is exact in
 *  all directions there. */
typedef enum xpbd_sheet_bend {
    XPBD_SHEET_NO_BEND,
    XPBD_SHEET_DIHEDRAL,  /* XPBD_BEND_DIHEDRAL, alpha = 1 / k; keeps the angles of the mesh */
    XPBD_SHEET_ISOMETRIC, /* XPBD_BEND_ISOMETRIC, alpha = 3 / D: the same in small angles, faster;
                             of a mesh that is not flat it keeps how much it is bent only */
    XPBD_SHEET_BEND_DISTANCE /* XPBD_DISTANCE between the corners off the edge. From flat its force
                                grows with the third power of the angle: its alpha gives it the
                                energy k / 2 at a fold of 1 rad, and small folds are free */
} xpbd_sheet_bend;

typedef struct xpbd_triangles_def {
    xpbd_build_options options;
    xpbd_sheet_stretch stretch; /* default edges */
    xpbd_sheet_bend bend;       /* default dihedral */
    float young_modulus;        /* E, Pa; default 1e6 */
    float poisson_ratio;        /* nu in [0, 0.49]; default 0.3 */
    float thickness;            /* h, m; default 1e-3 */
    float area_density;         /* kg/m^2, a third of each triangle to each corner; default 0.3 */
    float bend_factor;          /* times D: woven cloth bends more easily than a plate of its
                                   stretch and thickness; default 1 */
    /* FEM only. E and nu are of the warp; nu^2 weft_ratio < 1. */
    float weft_ratio;  /* E across the warp / E along it; default 1 */
    float shear_ratio; /* shear modulus / E / (2 (1 + nu)), that of an isotropic sheet; default 1 */
    float warp[3]; /* direction of the warp, laid into each triangle's plane; default (1, 0, 0) */
} xpbd_triangles_def;

XPBD_API xpbd_triangles_def xpbd_default_triangles_def(void);

/** Add a sheet.
 *  mesh   in   elements are triangles, of any winding
 *  def    in   or null for the defaults
 *  built  out  never null: what a repair dropped has to be told somewhere
 *  Returns     XPBD_OK; ERROR_NULL, ERROR_COOKIE, ERROR_COUNT, ERROR_STRIDE, ERROR_POSITION,
 *              ERROR_VERTEX_INDEX, ERROR_MESH_FAULT, ERROR_MATERIAL, ERROR_BUILD_OPTION,
 *              ERROR_REST (a length or its square is beyond float), ERROR_DAMPING (so is the
 *              damping), ERROR_MEMORY. After any of them the world is what it was
 *  Cost        O(vertices + elements); tethers O(edges log edges) */
XPBD_API xpbd_status xpbd_build_triangles(xpbd_world *world, const xpbd_build_mesh *mesh,
                                          const xpbd_triangles_def *def, xpbd_built *built);

/* ---------------------------------------------------------------- solids from tetrahedra -- */

typedef enum xpbd_solid_model {
    /* XPBD_DISTANCE along each edge, alpha = |e|^2 / (E V), V the volume of its tetrahedra
     * ([GELDER98]): averaged over directions a solid of modulus E whose Poisson's ratio is 1/4
     * whatever poisson_ratio says (6/30 c (2 tr eps^2 + (tr eps)^2) per volume, E = c). Cubes cut
     * in six have more edges along their axes and are stiffer there, by 5 to 10 % */
    XPBD_SOLID_EDGES,
    /* The same with c = 5 E / (4 (1 + nu)), which is the right shear modulus, and XPBD_TET_VOLUME,
     * alpha = V / kappa with kappa = lambda - mu, for what it lacks in bulk: nu > 1/4. Cubes
     * cut in six are stiffer along their axes by 20 % */
    XPBD_SOLID_EDGES_AND_VOLUMES,
    XPBD_SOLID_NEO_HOOKEAN, /* XPBD_TET_NEO_HOOKEAN, alpha = 1 / mu; nu > 0 */
    XPBD_SOLID_STVK         /* XPBD_TET_STVK, alpha = 1 / E */
} xpbd_solid_model;

typedef struct xpbd_tetrahedra_def {
    xpbd_build_options options;
    xpbd_solid_model model; /* default neo-Hookean */
    float young_modulus;    /* E, Pa; default 1e5 */
    float poisson_ratio;    /* nu in [0, 0.49]; default 0.3 */
    float density;          /* kg/m^3, a quarter of each tetrahedron to each corner; default 1000 */
} xpbd_tetrahedra_def;

XPBD_API xpbd_tetrahedra_def xpbd_default_tetrahedra_def(void);

/** Add a solid. Elements are tetrahedra; (b - a) x (c - a) . (d - a) > 0 is the right way round.
 *  Parameters, statuses and cost as xpbd_build_triangles() */
XPBD_API xpbd_status xpbd_build_tetrahedra(xpbd_world *world, const xpbd_build_mesh *mesh,
                                           const xpbd_tetrahedra_def *def, xpbd_built *built);

/** Find the surface of a tetrahedral mesh: the faces of one element only, corners anticlockwise
 *  seen from outside whichever way the element is wound, in the order of the elements. Elements
 *  that name a vertex twice or repeat one before them are left out.
 *  mesh       in   pinned and particle_of are not looked at
 *  capacity   in   triangles that fit into `triangles`
 *  triangles  out  [capacity][3] vertices; may be null where capacity is 0
 *  n          out  how many there are, also where that is more than capacity
 *  Returns         XPBD_OK; ERROR_NULL, ERROR_COUNT, ERROR_STRIDE, ERROR_POSITION,
 *                  ERROR_VERTEX_INDEX, ERROR_MEMORY
 *  Cost            O(vertices + elements) */
XPBD_API xpbd_status xpbd_build_surface(const xpbd_build_mesh *mesh,
                                        const xpbd_allocator *allocator, uint32_t capacity,
                                        uint32_t *triangles, uint32_t *n);

/* -------------------------------------------------------------------- rods from polylines -- */

/** A round rod of area A = pi r^2 and I = pi r^4 / 4. XPBD_DISTANCE along each segment,
 *  alpha = L / (E A). XPBD_BEND_ANGLE where two segments meet, alpha = (L1 + L2) / (2 E I); where
 *  more meet the rod does not bend (fault NON_MANIFOLD). */
typedef struct xpbd_polyline_def {
    xpbd_build_options options;
    bool bend;           /* default true */
    float young_modulus; /* E, Pa; default 1e7 */
    float radius;        /* r, m; default 5e-3 */
    float line_density;  /* kg/m, half of each segment to each end; default 0.1 */
    float bend_factor;   /* times I: a rope of fibres bends more easily than a rod; default 1 */
} xpbd_polyline_def;

XPBD_API xpbd_polyline_def xpbd_default_polyline_def(void);

/** Add rods. Elements are segments, or null for one chain through all vertices; closed loops and
 *  several pieces are fine. Parameters, statuses and cost as xpbd_build_triangles() */
XPBD_API xpbd_status xpbd_build_polyline(xpbd_world *world, const xpbd_build_mesh *mesh,
                                         const xpbd_polyline_def *def, xpbd_built *built);

#ifdef __cplusplus
}
#endif
#endif
