/*
 * Measures short calls of iconv, through charpipe's shim and through glibc: `short SHIM` prints the nanoseconds and the
 * allocations of a call, and `short SHIM FROM TO LEN CALLS` only makes calls through the shim, to count instructions.
 *
 * Both convert the same text in turn, and the output must be the same. A time is the least of many rounds. Fails if a
 * call of the shim allocates.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST 65536
#define ROUNDS 200

/* --- Allocations -------------------------------------------------------------------------------------------------- */

static unsigned long allocations;

void *__libc_malloc(size_t len);
void *__libc_calloc(size_t count, size_t len);
void *__libc_realloc(void *place, size_t len);
void *__libc_memalign(size_t alignment, size_t len);

void *malloc(size_t len) {
    allocations++;
    return __libc_malloc(len);
}

void *calloc(size_t count, size_t len) {
    allocations++;
    return __libc_calloc(count, len);
}

void *realloc(void *place, size_t len) {
    allocations++;
    return __libc_realloc(place, len);
}

int posix_memalign(void **place, size_t alignment, size_t len) {
    allocations++;
    *place = __libc_memalign(alignment, len);
    return *place ? 0 : 12;
}

/* --- The two libraries -------------------------------------------------------------------------------------------- */

struct library {
    iconv_t (*open)(const char *to, const char *from);
    size_t (*convert)(iconv_t cd, char **in, size_t *in_left, char **out, size_t *out_left);
    int (*close)(iconv_t cd);
};

static struct library shim;
static const struct library glibc = {iconv_open, iconv, iconv_close};

static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (found) return found;
    fprintf(stderr, "no %s in the shim\n", name);
    exit(2);
}

static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    *(void **)&shim.open = function(library, "iconv_open");
    *(void **)&shim.convert = function(library, "iconv");
    *(void **)&shim.close = function(library, "iconv_close");
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

/* What is converted: `len` bytes of whole characters, in `calls` calls a round. */
struct text {
    const char *bytes;
    size_t len, calls;
};

static char output[4 * LONGEST];

/* Converts the text once. Returns the length of the output. */
static size_t call(const struct library *library, iconv_t cd, const struct text *text) {
    char *in = (char *)text->bytes, *out = output;
    size_t in_left = text->len, out_left = sizeof output;
    if (library->convert(cd, &in, &in_left, &out, &out_left) == (size_t)-1) {
        perror("iconv");
        exit(1);
    }
    return sizeof output - out_left;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Returns the nanoseconds of one call in this round. */
static double round_of(const struct library *library, iconv_t cd, const struct text *text) {
    double start = now();
    for (size_t i = 0; i < text->calls; i++) call(library, cd, text);
    return (now() - start) / (double)text->calls;
}

static iconv_t opened(const struct library *library, const char *from, const char *to) {
    iconv_t cd = library->open(to, from);
    if (cd != (iconv_t)-1) return cd;
    fprintf(stderr, "cannot open %s to %s\n", from, to);
    exit(1);
}

/* Makes a text of at most `most` bytes by repeating `sample`. It ends with a whole character. For 1: one character. */
static struct text text_of(const char *from, const char *sample, size_t most) {
    static char bytes[LONGEST + 64];
    char *unit = (char *)sample, once[64], *to = once;
    size_t left = strlen(sample), room = sizeof once;
    /* One character, as UTF-8, and then all of the sample. */
    size_t first = 1;
    while (((unsigned char)sample[first] & 0xC0) == 0x80) first++;
    if (most <= 1) left = first;
    iconv_t cd = opened(&glibc, "UTF-8", from);
    iconv(cd, &unit, &left, &to, &room);
    iconv_close(cd);
    size_t len = 0, once_len = sizeof once - room;
    do {
        memcpy(bytes + len, once, once_len);
        len += once_len;
    } while (len < most);
    if (most > 1) {
        /* Find the end of the last whole character. */
        char *in = bytes, *out = output;
        size_t in_left = most, out_left = sizeof output;
        cd = opened(&glibc, from, "UTF-8");
        iconv(cd, &in, &in_left, &out, &out_left);
        iconv_close(cd);
        len = most - in_left;
    }
    return (struct text){bytes, len, most < LONGEST ? 2000 : 4};
}

/* --- The table ---------------------------------------------------------------------------------------------------- */

static const struct pair {
    const char *from, *to, *sample;
} PAIRS[] = {
    {"ISO-8859-1", "UTF-8", "\xC3\xA9" "clair "},
    {"UTF-8", "ISO-8859-1", "\xC3\xA9" "clair "},
    {"IBM1047", "UTF-8", "\xC3\xA9" "clair "},
    {"UTF-8", "IBM1047", "\xC3\xA9" "clair "},
    {"UTF-8", "UTF-16LE", "\xC3\xA9" "clair "},
    {"UTF-16LE", "UTF-8", "\xC3\xA9" "clair "},
    {"SHIFT_JIS", "UTF-8", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"UTF-8", "EUC-JP", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"EUC-JP", "UTF-8", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"IBM939", "UTF-8", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"UTF-8", "IBM939", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"ISO-2022-JP", "UTF-8", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"UTF-8", "ISO-2022-JP", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"UTF-8", "GB18030", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"UTF-8", "EUC-KR", "\xED\x95\x9C" "abc\xEA\xB5\xAD"},
    {"UTF-8", "BIG5", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"UTF-8", "IBM943", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
    {"IBM943", "UTF-8", "\xE6\x97\xA5" "abc\xE6\x9C\xAC"},
};

/* Measures one row. Returns how many allocations a call of the shim makes. */
static double row(const struct pair *pair, size_t most) {
    static char expected[sizeof output];
    struct text text = text_of(pair->from, pair->sample, most);
    iconv_t ours = opened(&shim, pair->from, pair->to), theirs = opened(&glibc, pair->from, pair->to);
    double best[2] = {1e18, 1e18};
    /* The first call may allocate, and write shift codes. */
    call(&shim, ours, &text);
    call(&glibc, theirs, &text);
    size_t len = call(&glibc, theirs, &text);
    memcpy(expected, output, len);
    if (call(&shim, ours, &text) != len || memcmp(expected, output, len) != 0) {
        printf("%s to %s: the output is not that of glibc\n", pair->from, pair->to);
        exit(1);
    }
    unsigned long before = allocations;
    for (int i = 0; i < 100; i++) call(&shim, ours, &text);
    double allocated = (double)(allocations - before) / 100;
    for (int i = 0; i < ROUNDS; i++) {
        double times[2] = {round_of(&shim, ours, &text), round_of(&glibc, theirs, &text)};
        for (int side = 0; side < 2; side++) best[side] = times[side] < best[side] ? times[side] : best[side];
    }
    printf("%-12s %-12s %6zu %12.1f %12.1f %8.2f\n", pair->from, pair->to, text.len, best[0], best[1], allocated);
    shim.close(ours);
    glibc.close(theirs);
    return allocated;
}

/* Makes as many calls as `arguments` say: FROM TO LEN CALLS. */
static int only_calls(char **arguments) {
    const struct pair *pair = PAIRS, *end = PAIRS + sizeof PAIRS / sizeof *PAIRS;
    while (pair < end && (strcmp(pair->from, arguments[0]) || strcmp(pair->to, arguments[1]))) pair++;
    if (pair == end) return 2;
    size_t most = strtoul(arguments[2], NULL, 10);
    if (most > LONGEST) return 2;
    struct text text = text_of(pair->from, pair->sample, most);
    iconv_t cd = opened(&shim, pair->from, pair->to);
    size_t calls = strtoul(arguments[3], NULL, 10);
    while (calls--) call(&shim, cd, &text);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 6) {
        fprintf(stderr, "usage: short SHIM [FROM TO LEN CALLS]\n");
        return 2;
    }
    load(argv[1]);
    if (argc == 6) return only_calls(argv + 2);
    static const size_t LENGTHS[] = {1, 16, 64, 256, 1024, LONGEST};
    double most = 0;
    printf("%-12s %-12s %6s %12s %12s %8s\n", "from", "to", "bytes", "charpipe, ns", "glibc, ns", "allocs");
    for (size_t len = 0; len < sizeof LENGTHS / sizeof *LENGTHS; len++) {
        for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
            double allocated = row(&PAIRS[i], LENGTHS[len]);
            most = allocated > most ? allocated : most;
        }
    }
    if (most > 0) printf("a call allocates\n");
    return most > 0;
}
