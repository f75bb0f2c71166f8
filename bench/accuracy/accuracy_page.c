/* SPDX-License-Identifier: MIT
 *
 * The page: what was measured and against what, the headline, what it says of each scheduler.
 */
#include "bench/accuracy/accuracy_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "<style>\n"
    "h1~h2{margin-top:36px}.facts{font-size:.85rem;color:var(--dim)}\n"
    ".head small{color:var(--dim);display:inline-block;min-width:7.5em;text-align:left;"
    "margin-left:6px}.head th.n{padding-right:9.5em}.head tr.scene "
    "td{padding-top:14px;font-weight:600}\n"
    ".best{font-weight:700;color:var(--good)}"
    "dt{font-weight:600;margin-top:10px}dd{margin:2px 0 0;max-width:75ch}\n"
    "details{margin-top:12px}summary{cursor:pointer;color:var(--c0)}\n"
    ".plain td,.plain th{white-space:nowrap}\n"
    /* Narrow: each scheduler a block, its times below it. */
    "@media(max-width:680px){.head tr.names{display:none}.head table,.head tbody{display:block}"
    ".head tr{display:grid;grid-template-columns:1fr 1fr 1fr;gap:2px 10px;padding:8px 0;"
    "border-bottom:1px solid var(--line)}.head td{border:0;padding:0}"
    ".head td:first-child{grid-column:1/4;font-weight:600}"
    ".head td.n{text-align:left;white-space:normal}"
    ".head small{display:block;margin:0;min-width:0}"
    ".head td[data-n]::before{content:attr(data-n);display:block;color:var(--dim);font-size:.75rem}"
    ".head tr.scene{border:0;padding-bottom:0;font-size:1.05rem}}\n"
    "</style>\n";

static const char intro[] =
    "<p>How long does a step of 1/60 s take until its result is good? Each scene moves "
    "for some steps; from the same state, each scheduler then takes one step with 1, 2, "
    "4, … substeps, and 1, 2, 4, … iterations in each, and numbers between where they "
    "decide. “4 × 3” means 4 substeps of 3 iterations. Two distances are measured, each "
    "the root mean square over all free particles, divided by how far they move in this "
    "step (10⁻²: a particle that moves 1 cm ends 0.1 mm off):</p>\n"
    "<dl><dt>error of the step</dt><dd>to the motion itself, which is the limit of "
    "implicit Euler for small substeps: the error of iterations and of the time step "
    "together. Substeps may be chosen freely. This is what a user sees.</dd>\n"
    "<dt>error of the solver</dt><dd>to implicit Euler with the same number of substeps, "
    "solved by Newton’s method: what iterations leave behind, and the small part of "
    "[XPBD16] eq. 8 that XPBD leaves out. Tables and plots show it for one "
    "substep.</dd></dl>\n"
    "<p>Both solutions come from Newton’s method in double precision, with exact second "
    "derivatives and a direct solver, and share no code with the library. The residuals "
    "are those of [XPBD16] eq. 8 and 9, from the positions and multipliers that the "
    "library returns: ‖g‖ = (gᵀM⁻¹g)<sup>½</sup> and ‖h‖ = (hᵀDh)<sup>½</sup>, D the "
    "inverse of the diagonal of ∇C M⁻¹ ∇Cᵀ + α̃, both over what they are at the predicted "
    "positions and λ = 0. (Energies that the reference has no rows for count in g, by "
    "their forces.)</p>\n";

static void write_facts(FILE *out, const bench_context *c, const acc_options *options,
                        const acc_result *results, size_t n)
{
    static const char *const key[] = {"cpu_model",       "compiler",           "libxpbd_build_type",
                                      "source_revision", "load_average_begin", "command_line"};
    fprintf(out, "<p class=facts>%u thread%s of each scheduler", options->threads,
            options->threads == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
        fprintf(out, "%s", i == 4 ? "; load average " : i == 2 || i == 3 ? ", " : "; ");
        val_write_text(out, bench_context_get(c, key[i]));
        fprintf(out, "%s", i == 2 ? " build" : "");
    }
    fprintf(out,
            ". Times are the least of at least %d samples that were taken in turn with those of "
            "all other rows of a scene; the median is in the notes of the points and in the "
            "tables.</p>\n",
            ACC_ROUNDS_LEAST);
    bool complete = n == options->scenes.n;
    for (size_t i = 0; i < n; i++) {
        complete = complete && results[i].complete;
    }
    if (!complete) {
        fprintf(out, "<p class=bad>Incomplete: stopped early, or a scene failed. What is here was "
                     "measured.</p>\n");
    }
    if (c->debug) {
        fprintf(out, "<p class=bad>A debug build: its times say nothing.</p>\n");
    }
}

/* Whether no other scheduler is faster. */
static bool is_best(const acc_result *r, const acc_options *options, const acc_row *row,
                    acc_error kind, double target)
{
    bool best = true;
    for (size_t i = 0; i < options->schedulers.n; i++) {
        const acc_row *other = acc_fastest(r, options->schedulers.items[i], kind, target, 0.0f);
        best = best && !(other && other->ms_min < row->ms_min);
    }
    return best;
}

static void write_cell(FILE *out, const acc_result *r, const acc_options *options,
                       const char *scheduler, acc_error kind, int t)
{
    const acc_row *row = acc_fastest(r, scheduler, kind, acc_target[t], 0.0f);
    fprintf(out, "<td class=n data-n='%s'>", acc_target_text[t]);
    if (row) {
        char *setting = acc_setting_text(r, row, "×");
        fprintf(out, "<span%s>%.3g ms</span> <small>%s</small>",
                is_best(r, options, row, kind, acc_target[t]) ? " class=best" : "", row->ms_min,
                setting);
        free(setting);
        return;
    }
    const double least = acc_least(r, scheduler, kind);
    fprintf(out, "<span class=dim>not reached");
    if (isfinite(least)) {
        fprintf(out, " <small>(%.2g)</small>", least);
    }
    fprintf(out, "</span>");
}

static const char *failure_of(const acc_result *r, const char *scheduler)
{
    for (size_t i = 0; i < r->n_series; i++) {
        if (strcmp(r->series[i].scheduler, scheduler) == 0 && r->series[i].error[0]) {
            return r->series[i].error;
        }
    }
    return NULL;
}

static void write_scheduler(FILE *out, const acc_options *options, const acc_result *r,
                            const char *name, acc_error kind)
{
    const char *failure = failure_of(r, name);
    fprintf(out, "<tr><td>%s", name);
    if (failure) {
        fprintf(out, "<td colspan=%d class=bad>", ACC_TARGETS);
        val_write_text(out, failure);
    }
    for (int t = 0; t < ACC_TARGETS && !failure; t++) {
        write_cell(out, r, options, name, kind, t);
    }
    fprintf(out, "\n");
}

static void write_headline(FILE *out, const acc_options *options, const acc_result *results,
                           size_t n, acc_error kind)
{
    fprintf(out, "<div class='table head'><table><tr class=names><th>scheduler");
    for (int t = 0; t < ACC_TARGETS; t++) {
        fprintf(out, "<th class=n>%s", acc_target_text[t]);
    }
    fprintf(out, "\n");
    for (size_t i = 0; i < n; i++) {
        const char *scene = results[i].problem.name;
        fprintf(out, "<tr class=scene><td colspan=%d><a href='#%s'>%s</a>\n", ACC_TARGETS + 1,
                scene, scene);
        for (size_t k = 0; k < options->schedulers.n; k++) {
            write_scheduler(out, options, &results[i], options->schedulers.items[k], kind);
        }
    }
    fprintf(out, "</table></div>\n");
}

static void write_verdicts(FILE *out, const acc_options *options, const acc_result *results,
                           size_t n)
{
    fprintf(out,
            "<h2>Does it pay?</h2>\n<p>Of the error of the step; times against those of %s.</p>"
            "\n<dl>\n",
            acc_standard());
    for (size_t k = 0; k < options->schedulers.n; k++) {
        char *text = acc_verdict(results, n, options->schedulers.items[k]);
        fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", options->schedulers.items[k], text);
        free(text);
    }
    fprintf(out, "</dl>\n");
}

static void write_headlines(FILE *out, const acc_options *options, const acc_result *results,
                            size_t n)
{
    fprintf(out,
            "<h2>Time to accuracy of the step</h2>\n<p>The fastest number of substeps × "
            "iterations, and ω, that comes that near to the motion itself. Green is the fastest "
            "scheduler. In brackets, where none comes that near: the least error of all that "
            "were tried, up to steps that take %.3g ms.</p>\n",
            1e3 * acc_plan_of(options).step_s);
    write_headline(out, options, results, n, ACC_FRAME);
    write_verdicts(out, options, results, n);
    fprintf(out,
            "<h2>Time to accuracy of the solver</h2>\n<p>The same to implicit Euler’s step of "
            "1/60 s, with one substep: what a scheduler is worth as a solver of equations. XPBD "
            "itself ends at a distance from it ([XPBD16] section 4 drops terms), so that many "
            "iterations need not reach what a few substeps do.</p>\n");
    write_headline(out, options, results, n, ACC_STEP);
}

void acc_page_write(FILE *out, const bench_context *context, const acc_options *options,
                    const acc_result *results, size_t n)
{
    val_begin_page(out, "libxpbd: time to accuracy");
    fprintf(out, "%s<h1>libxpbd: how long until it is right?</h1>\n%s", style, intro);
    write_facts(out, context, options, results, n);
    if (n > 0) {
        write_headlines(out, options, results, n);
    }
    for (size_t i = 0; i < n; i++) {
        acc_page_scene(out, options, &results[i]);
    }
    val_end_page(out);
}
