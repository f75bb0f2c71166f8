/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "bench/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "bench/text.h"

static volatile sig_atomic_t n_interrupts;

static void on_signal(int signal)
{
    (void)signal;
    if (n_interrupts > 0)
        _exit(BENCH_EXIT_INTERRUPTED);
    n_interrupts = 1;
    static const char TEXT[] = "\nstopping after this sample; once more to stop at once\n";
    ssize_t ignored = write(STDERR_FILENO, TEXT, sizeof TEXT - 1);
    (void)ignored;
}

void bench_interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

bool bench_interrupted(void)
{
    return n_interrupts > 0;
}
