/* SPDX-License-Identifier: MIT
 *
 * One queue: a task, how many times it is to be called, and how many calls are over. Threads sleep
 * between two of them.
 */
#include "pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    void (*task)(void *context, uint32_t worker);
    void *context;
    uint32_t count, next, finished; /* of this task: in all, taken, returned */
    bool stop;
    uint32_t n_threads;
    pthread_t threads[];
};

/* Call the task as long as there are indices left. The mutex is held before and after. */
static void help(pool *p)
{
    while (p->next < p->count) {
        const uint32_t index = p->next++;
        pthread_mutex_unlock(&p->mutex);
        p->task(p->context, index);
        pthread_mutex_lock(&p->mutex);
        if (++p->finished == p->count) {
            pthread_cond_signal(&p->done);
        }
    }
}

static void *run(void *user)
{
    pool *p = user;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop) {
        help(p);
        if (!p->stop) {
            pthread_cond_wait(&p->work, &p->mutex);
        }
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

pool *pool_start(uint32_t n)
{
    pool *p = calloc(1, sizeof *p + n * sizeof *p->threads);
    if (!p) {
        return NULL;
    }
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    while (p->n_threads + 1 < n) {
        if (pthread_create(&p->threads[p->n_threads], NULL, run, p) != 0) {
            pool_stop(p);
            return NULL;
        }
        p->n_threads++;
    }
    return p;
}

void pool_stop(pool *p)
{
    pthread_mutex_lock(&p->mutex);
    p->stop = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->mutex);
    for (uint32_t i = 0; i < p->n_threads; i++) {
        pthread_join(p->threads[i], NULL);
    }
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

void pool_for(void *user, uint32_t count, void (*task)(void *context, uint32_t worker),
              void *context)
{
    pool *p = user;
    pthread_mutex_lock(&p->mutex);
    p->task = task;
    p->context = context;
    p->count = count;
    p->next = p->finished = 0;
    pthread_cond_broadcast(&p->work);
    help(p);
    while (p->finished < p->count) {
        pthread_cond_wait(&p->done, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
}
