/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that a launch hands on to the next: to touch a fresh page first costs more than to clear a used one. Only blocks
 * of the same size are used again, so that a sanitizer still sees where each ends. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core.h"

enum { KEPT = 512, ALIGNMENT = 64 };
static const size_t KEPT_BYTES = (size_t)96 << 20, MAPPED_BYTES = (size_t)16 << 20; /* together; from where not kept */

/* In front of every block, so that it keeps the alignment. */
typedef union {
    size_t bytes;
    char pad[ALIGNMENT];
} head;

static struct {
    head *block[KEPT]; /* oldest first */
    u32 count;
    size_t bytes;
} kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static head *forget(u32 index)
{
    head *h = kept.block[index];
    kept.bytes -= h->bytes;
    memmove(&kept.block[index], &kept.block[index + 1], (--kept.count - index) * sizeof *kept.block);
    return h;
}

static head *used_before(size_t bytes)
{
    head *found = NULL;
    pthread_mutex_lock(&lock);
    for (u32 i = kept.count; i-- > 0 && !found;)
        if (kept.block[i]->bytes == bytes) found = forget(i);
    pthread_mutex_unlock(&lock);
    return found;
}

/* Far larger than what of it is touched, as a rule; large pages, since each first touch costs. */
static head *mapped(size_t bytes)
{
    head *h = mmap(NULL, bytes + sizeof *h, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (h == MAP_FAILED) return NULL;
#if defined(MADV_HUGEPAGE)
    madvise(h, bytes + sizeof *h, MADV_HUGEPAGE);
#endif
    return h;
}

static head *fresh(size_t bytes)
{
    void *p = NULL;
    return posix_memalign(&p, ALIGNMENT, bytes + sizeof(head)) ? NULL : p;
}

void *pool_take(size_t bytes)
{
    head *h = bytes >= MAPPED_BYTES ? mapped(bytes) : used_before(bytes);
    if (!h) h = fresh(bytes);
    if (!h) return NULL;
    h->bytes = bytes;
    return h + 1;
}

void *pool_zeros(size_t bytes)
{
    void *p = pool_take(bytes);
    if (p && bytes < MAPPED_BYTES) memset(p, 0, bytes);
    return p;
}

void pool_give(void *p)
{
    if (!p) return;
    head *h = (head *)p - 1;
    if (h->bytes >= MAPPED_BYTES) { munmap(h, h->bytes + sizeof *h); return; }
    pthread_mutex_lock(&lock);
    while (kept.count == KEPT || (kept.count && kept.bytes + h->bytes > KEPT_BYTES)) free(forget(0));
    kept.block[kept.count++] = h;
    kept.bytes += h->bytes;
    pthread_mutex_unlock(&lock);
}
