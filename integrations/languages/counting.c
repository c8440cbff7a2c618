/*
 * Passes the calls of the examples to the real library, which the variable COUNTED names, and writes how many streams
 * they have opened and freed into the file that the variable COUNTS names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int opened, freed, steps;

static void *find(const char *name) {
    static void *library;
    if (!library) library = dlopen(getenv("COUNTED"), RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) abort();
    return found;
}
/* Not when the program ends: Go calls no functions then. */
static void write_counts(void) {
    FILE *file = fopen(getenv("COUNTS"), "w");
    if (!file) abort();
    fprintf(file, "%d opened, %d freed, %s\n", opened, freed, steps > 10 ? "in pieces" : "at once");
    fclose(file);
}

#define PASS(type, name, parameters, arguments, count) \
    type name parameters { count; return ((type(*) parameters)find(#name)) arguments; }

PASS(void *, charpipe_open, (const char *options), (options), (opened++, write_counts()))
PASS(void, charpipe_free, (void *stream), (stream), (freed++, write_counts()))
PASS(int, charpipe_step, (void *stream, const void *in, size_t in_len, size_t *read, void *out, size_t len, size_t *n),
     (stream, in, in_len, read, out, len, n), steps++)
PASS(int, charpipe_finish, (void *stream, void *out, size_t len, size_t *n), (stream, out, len, n), (void)0)
PASS(const char *, charpipe_error_code, (void *stream), (stream), (void)0)
PASS(const char *, charpipe_error_message, (void *stream), (stream), (void)0)
PASS(int64_t, charpipe_error_offset, (const void *stream), (stream), (void)0)
