// SPDX-License-Identifier: MIT
//
// The hanging cloth of ../c/cloth.c in C++17: a world that frees itself, errors as exceptions.
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include <xpbd/xpbd.h>

namespace
{

struct free_world {
    void operator()(xpbd_world *world) const
    {
        xpbd_world_destroy(world);
    }
};
using world_pointer = std::unique_ptr<xpbd_world, free_world>;

world_pointer make_world(const xpbd_world_def &def)
{
    xpbd_world *world = nullptr;
    xpbd_error error;
    if (xpbd_world_create(&def, &world, &error) != XPBD_OK)
        throw std::runtime_error(error.text);
    return world_pointer(world);
}

void check(const world_pointer &world, xpbd_status status)
{
    if (status != XPBD_OK)
        throw std::runtime_error(xpbd_world_error(world.get())->text);
}

void simulate()
{
    constexpr uint32_t n = 32;
    std::vector<std::array<float, 3>> x;
    std::vector<std::array<uint32_t, 2>> springs;
    for (uint32_t i = 0; i < n * n; i++) {
        x.push_back({static_cast<float>(i % n) / n, 0, static_cast<float>(i / n) / n});
        if (i % n < n - 1)
            springs.push_back({i, i + 1});
        if (i / n < n - 1)
            springs.push_back({i, i + n});
    }
    std::vector<float> w(x.size(), 1000.0f); // 1/kg
    w[0] = w[n - 1] = 0;

    auto def = xpbd_default_world_def();
    def.substeps = 20, def.iterations = 1;
    const auto world = make_world(def);

    xpbd_particles particles = {};
    particles.position = x[0].data();
    particles.inverse_mass = w.data();
    check(world, xpbd_world_add_particles(world.get(), n * n, &particles, nullptr));

    const float compliance = 1e-6f; // m/N
    xpbd_constraints constraints = {};
    constraints.particles = springs[0].data();
    constraints.compliance = &compliance;
    constraints.compliance_stride = XPBD_SAME;
    check(world,
          xpbd_world_add_constraints(world.get(), XPBD_DISTANCE,
                                     static_cast<uint32_t>(springs.size()), &constraints, nullptr));

    for (int step = 0; step < 120; step++)
        check(world, xpbd_world_step(world.get(), 1.0 / 60));
    check(world, xpbd_world_read_positions(world.get(), 0, n * n, x[0].data(), 0));
    std::printf("after 2 s the middle of the lower edge is at %.2f m, state %016llx\n",
                static_cast<double>(x[n * n - n / 2][1]),
                static_cast<unsigned long long>(xpbd_world_hash(world.get())));
}

} // namespace

int main()
{
    try {
        simulate();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
