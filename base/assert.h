/* SPDX-License-Identifier: MIT
 *
 * XPBD_ASSERT: for what only our own mistake can break. User mistakes are statuses. It stops the
 * program in debug builds and is nothing in release builds.
 */
#ifndef XPBD_BASE_ASSERT_H
#define XPBD_BASE_ASSERT_H

#ifndef NDEBUG
#define XPBD_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define XPBD_ASSERT(condition) ((void)sizeof(condition))
#endif

#endif
