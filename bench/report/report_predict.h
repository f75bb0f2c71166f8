/* SPDX-License-Identifier: MIT
 *
 * A small model of a step's time over the thread count. The plan of a scene says how its work can
 * be divided; what a barrier and an exchange of particles cost is fitted to what was measured on
 * two and more threads.
 *
 *     T(p) = max(W(p), M(p)) + n_barriers B (p - 1) + E sum over stages without strips of
 *            w (1 - 1/p) / p
 *
 *     W(p)  work: the largest share of each stage, at the rate of one thread
 *     M(p)  memory: bytes that do not fit the caches, at the bandwidth of p threads
 *     B     barrier: all threads add to one counter, one after the other. Slabs that wait for their
 *           neighbours alone have none
 *     E     exchange: in a stage without strips any thread may have written the particles last
 *
 * Sockets beyond the first: arrivals at the barrier and exchanged lines cost PREDICT_FAR times as
 * much from the other one, and each has a bandwidth of its own.
 */
#ifndef BENCH_REPORT_REPORT_PREDICT_H
#define BENCH_REPORT_REPORT_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Assumed, not measured: cores of a socket, and how much further the other socket is. */
#define PREDICT_SOCKET 64
#define PREDICT_FAR    2.5

typedef struct predict_stage {
    double work, strips; /* lane groups; strips 0: any cut */
    double count;        /* stages like it */
} predict_stage;

/** One iteration of a scene with a scheduler. */
typedef struct predict_plan {
    predict_stage stages[64];
    size_t n;
    bool wave; /* slabs wait for their neighbours alone, without barriers */
} predict_plan;

typedef struct predict_model {
    double barrier_ns, exchange_ns; /* B, and E per lane group */
    size_t n_rows;                  /* that they were fitted to */
} predict_model;

/** What is known of a row. */
typedef struct predict_case {
    predict_plan plan;
    double one_ns;   /* an iteration on one thread */
    double bytes;    /* moved in an iteration */
    double in_cache; /* 1: the scene fits the caches of the threads that work on it */
    double bandwidth_one, bandwidth_most, threads_most; /* bytes per ns */
} predict_case;

/** A measured time of a case. */
typedef struct predict_sample {
    const predict_case *what;
    double threads, ns;
} predict_sample;

/** Read "work:strips*count,...", with ~ behind it for a wave, as //bench:all writes it. False where
 * it is no plan. */
bool predict_plan_read(const char *text, predict_plan *plan);
/** The part of W and M, in ns of an iteration. */
double predict_work(const predict_case *what, double threads);
/** Fit B and E. False where nothing was measured on two threads. */
bool predict_fit(const predict_sample *samples, size_t n, predict_model *model);
/** T(p). */
double predict_time(const predict_model *model, const predict_case *what, double threads);

#endif
