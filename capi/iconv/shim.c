/*
 * iconv(3) by charpipe: a library with the functions of iconv, which other programs load with LD_PRELOAD. It tests
 * charpipe, and its C interface, with programs that were written for iconv. It is not a product: docs/c.md says why.
 *
 *     cc -shared -fPIC capi/iconv/shim.c -o libcharpipe_iconv.so $(pkg-config --cflags --libs charpipe)
 *     LD_PRELOAD=./libcharpipe_iconv.so git add file
 *
 * It follows POSIX: a call takes only input whose output it gave. Input that it cannot convert, has no space for, or
 * has only the beginning of, stays unread, and the state stays that before it. This is what charpipe_convert does.
 *
 * Where implementations differ:
 *
 *  - UTF-16, UTF-32 and so on without a byte order mark are big-endian, as in GNU libiconv.
 *  - //IGNORE drops malformed input and characters that the target lacks, and is not an error, as in GNU libiconv.
 *  - The result counts the characters that //TRANSLIT and //IGNORE replaced or dropped. Other irreversible conversions
 *    (several codes for one character) are not counted, because charpipe does not report them.
 */
#include <charpipe.h>

#include <errno.h>
#include <iconv.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

/* Space for what the first characters of a text become, with what comes before them: a byte order mark, a header. */
#define HEAD 64

/* The byte orders of a charset that has several: the names with each order, and the byte order marks. */
struct orders {
    size_t width;
    const char *names[2];
    const char *marks[2];
};

static const struct orders ORDERS[] = {
    {2, {"UTF-16BE", "UTF-16LE"}, {"\xFE\xFF", "\xFF\xFE"}},
    {4, {"UTF-32BE", "UTF-32LE"}, {"\0\0\xFE\xFF", "\xFF\xFE\0\0"}},
};

/* What an iconv_t points to. */
struct conversion {
    /* Streams at the beginning of a text: one, or one for each byte order of the source. */
    charpipe *starts[2];
    /* The byte orders of the source; null if it has only one. */
    const struct orders *orders;
    /* Where the text is. Null at its beginning. */
    charpipe *stream;
    /* What comes before the text in the output. */
    char head[HEAD];
    size_t head_len;
    /* Whether //TRANSLIT and //IGNORE were given. */
    int translits;
    int ignores;
};

/* --- Streams ------------------------------------------------------------------------------------------------------ */

/* Converts all of `input`. Returns the length of the output, or -1 if the input has an error. */
static long whole(charpipe *stream, const char *input, size_t len, char *output, size_t room) {
    size_t total = 0;
    int status;
    do {
        size_t read, written;
        status = charpipe_step(stream, input, len, &read, output + total, room - total, &written);
        input += read;
        len -= read;
        total += written;
    } while (status == CHARPIPE_NEED_ROOM && total < room);
    return status == CHARPIPE_NEED_INPUT ? (long)total : -1;
}

/*
 * Opens a stream of plain text: no label or newline changes. `policies` are options about errors, which are otherwise
 * not allowed. Returns NULL if a label is wrong.
 */
static charpipe *opened(const char *from, const char *to, const char *policies) {
    static const char form[] = "from=%s\nto=%s\nas=text\nrelabel=never\neol=keep\n%s";
    size_t room = sizeof form + strlen(from) + strlen(to) + strlen(policies);
    char *options = malloc(room);
    if (!options) return NULL;
    snprintf(options, room, form, from, to, policies);
    charpipe *stream = charpipe_open(options);
    free(options);
    if (stream && charpipe_error_code(stream)) {
        charpipe_free(stream);
        return NULL;
    }
    return stream;
}

/* Bytes, as many as there are in a few characters. */
struct bytes {
    char at[HEAD];
    size_t len;
};

/*
 * Gives the same characters to a new stream twice. Stores the second output, and what the first output has before that:
 * a byte order mark, a header. Returns whether it could.
 *
 * After this, the stream takes nothing that follows for a byte order mark or a declaration.
 */
static int begin(charpipe *stream, const char *input, size_t len, struct bytes *head, struct bytes *again) {
    long first = whole(stream, input, len, head->at, HEAD), second = whole(stream, input, len, again->at, HEAD);
    if (second < 0 || first < second) return 0;
    head->len = (size_t)(first - second);
    again->len = (size_t)second;
    return memcmp(head->at + head->len, again->at, again->len) == 0;
}

/* Finds what `text` is in a charset, and what comes before it. Returns whether it could. */
static int encode(const char *label, const char *text, struct bytes *head, struct bytes *encoded) {
    charpipe *stream = opened("UTF-8", label, "");
    int is_encoded = stream && begin(stream, text, strlen(text), head, encoded);
    charpipe_free(stream);
    return is_encoded;
}

/* Returns the byte orders of a charset whose texts begin with `head`. NULL if it has only one. */
static const struct orders *orders_of(const struct bytes *head) {
    for (size_t i = 0; i < sizeof ORDERS / sizeof *ORDERS; i++) {
        size_t width = ORDERS[i].width;
        if (head->len == width && memcmp(head->at, ORDERS[i].marks[0], width) == 0) return &ORDERS[i];
    }
    return NULL;
}

/*
 * Returns the options that //TRANSLIT and //IGNORE stand for. With both, `?` is written for what has no approximation.
 */
static const char *policies(const struct conversion *conversion) {
    if (!conversion->ignores) return conversion->translits ? "unmappable=translit" : "";
    return conversion->translits ? "unmappable=translit\nmalformed=drop" : "unmappable=drop\nmalformed=drop";
}

/* Opens one stream, and moves it past `text`. Returns NULL if it cannot. */
static charpipe *open_past(struct conversion *conversion, const char *from, const char *to, const char *text) {
    struct bytes head, encoded, again;
    if (!encode(from, text, &head, &encoded)) return NULL;
    charpipe *stream = opened(from, to, policies(conversion));
    if (stream && begin(stream, encoded.at, encoded.len, &head, &again)) {
        conversion->head_len = head.len;
        memcpy(conversion->head, head.at, head.len);
        return stream;
    }
    charpipe_free(stream);
    return NULL;
}

/* Opens the streams of a conversion. Returns whether it could. */
static int open_streams(struct conversion *conversion, const char *from, const char *to) {
    /* No two charsets lack all of these: digits, spaces, Braille. */
    static const char *const TEXTS[] = {"0000", "    ", "\xE2\xA0\xBF\xE2\xA0\xBF\xE2\xA0\xBF\xE2\xA0\xBF"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS && !conversion->starts[0]; i++) {
        struct bytes head, encoded;
        if (!encode(from, TEXTS[i], &head, &encoded)) continue;
        const struct orders *orders = orders_of(&head);
        conversion->orders = orders;
        conversion->starts[0] = open_past(conversion, orders ? orders->names[0] : from, to, TEXTS[i]);
        if (!orders || !conversion->starts[0]) continue;
        conversion->starts[1] = open_past(conversion, orders->names[1], to, TEXTS[i]);
    }
    return conversion->starts[0] && (!conversion->orders || conversion->starts[1]);
}

/* How many characters were replaced or dropped since the beginning of the text. */
static size_t replaced(const struct conversion *conversion) {
    int is_counted = conversion->translits || conversion->ignores;
    return is_counted ? (size_t)charpipe_replaced(conversion->stream) : 0;
}

/* --- One call of iconv -------------------------------------------------------------------------------------------- */

/* The buffers of the caller. */
struct buffers {
    char *in;
    size_t in_left;
    char *out;
    size_t out_left;
};

/* Begins a text, if that is not done: chooses the byte order of the input, and writes what comes before the text. */
static int begin_text(struct conversion *conversion, struct buffers *buffers) {
    if (conversion->stream) return 0;
    const struct orders *orders = conversion->orders;
    size_t mark_len = 0;
    int order = 0;
    if (orders) {
        if (buffers->in_left < orders->width) return EINVAL;
        order = memcmp(buffers->in, orders->marks[1], orders->width) == 0;
        if (memcmp(buffers->in, orders->marks[order], orders->width) == 0) mark_len = orders->width;
    }
    if (buffers->out_left < conversion->head_len) return E2BIG;
    conversion->stream = charpipe_fork(conversion->starts[order]);
    if (!conversion->stream) return ENOMEM;
    memcpy(buffers->out, conversion->head, conversion->head_len);
    buffers->in += mark_len;
    buffers->in_left -= mark_len;
    buffers->out += conversion->head_len;
    buffers->out_left -= conversion->head_len;
    return 0;
}

/* Converts as much as possible. Returns 0 or the error. */
static int convert(struct conversion *conversion, struct buffers *buffers) {
    int error = buffers->in_left ? begin_text(conversion, buffers) : 0;
    if (error || !buffers->in_left) return error;
    size_t read, written;
    int status = charpipe_convert(conversion->stream, buffers->in, buffers->in_left, &read, buffers->out,
                                  buffers->out_left, &written);
    buffers->in += read;
    buffers->in_left -= read;
    buffers->out += written;
    buffers->out_left -= written;
    switch (status) {
        case CHARPIPE_NEED_INPUT: return buffers->in_left ? EINVAL : 0;
        case CHARPIPE_NEED_ROOM: return E2BIG;
        default: return EILSEQ;
    }
}

/*
 * Ends the text and keeps the stream for the next one, unless that has to choose a byte order or to write a head. Returns
 * the status; CHARPIPE_ERROR if the stream cannot be kept.
 */
static int end_text(struct conversion *conversion, struct buffers *buffers) {
    if (conversion->orders || conversion->head_len) return CHARPIPE_ERROR;
    size_t written;
    int status = charpipe_end_text(conversion->stream, buffers->out, buffers->out_left, &written);
    buffers->out += written;
    buffers->out_left -= written;
    return status;
}

/* Forgets the text. */
static void forget(struct conversion *conversion) {
    char end[HEAD];
    struct buffers none = {NULL, 0, end, sizeof end};
    if (!conversion->stream || end_text(conversion, &none) == CHARPIPE_NEED_INPUT) return;
    charpipe_free(conversion->stream);
    conversion->stream = NULL;
}

/* Ends the text: writes what leads back to the initial state, and goes there. Returns 0 or the error. */
static int finish(struct conversion *conversion, struct buffers *buffers) {
    if (!conversion->stream) return 0;
    switch (end_text(conversion, buffers)) {
        case CHARPIPE_NEED_INPUT: return 0;
        case CHARPIPE_NEED_ROOM: return E2BIG;
    }
    charpipe *before = charpipe_fork(conversion->stream);
    size_t given = 0, written;
    int status;
    do {
        status = charpipe_finish(conversion->stream, buffers->out + given, buffers->out_left - given, &written);
        given += written;
    } while (status == CHARPIPE_NEED_ROOM && written);
    charpipe_free(conversion->stream);
    conversion->stream = NULL;
    if (status == CHARPIPE_NEED_ROOM) {
        conversion->stream = before;
        return E2BIG;
    }
    charpipe_free(before);
    buffers->out += given;
    buffers->out_left -= given;
    return status == CHARPIPE_DONE ? 0 : EILSEQ;
}

/* --- The functions of iconv --------------------------------------------------------------------------------------- */

/* Returns the name of a charset, without what follows `//`. The caller frees it. */
static char *charset(const char *label) {
    const char *suffix = strstr(label, "//");
    char *name = suffix ? strndup(label, (size_t)(suffix - label)) : strdup(label);
    const char *other = NULL;
    if (!name) return NULL;
    if (strcmp(name, "") == 0 || strcasecmp(name, "char") == 0) other = nl_langinfo(CODESET);
    if (strcasecmp(name, "wchar_t") == 0) other = *(const char *)&(wchar_t){1} ? "UTF-32LE" : "UTF-32BE";
    if (!other) return name;
    free(name);
    return strdup(other);
}

/* Returns whether a label has this suffix, in any case. */
static int has_suffix(const char *label, const char *suffix) {
    for (const char *at = strstr(label, "//"); at; at = strstr(at + 2, "//")) {
        if (strncasecmp(at + 2, suffix, strlen(suffix)) == 0) return 1;
    }
    return 0;
}

static void release(struct conversion *conversion) {
    charpipe_free(conversion->stream);
    charpipe_free(conversion->starts[0]);
    charpipe_free(conversion->starts[1]);
    free(conversion);
}

int iconv_close(iconv_t handle) {
    if (!handle || handle == (iconv_t)-1) {
        errno = EBADF;
        return -1;
    }
    release(handle);
    return 0;
}

iconv_t iconv_open(const char *to, const char *from) {
    struct conversion *conversion = calloc(1, sizeof *conversion);
    char *source = charset(from), *target = charset(to);
    int error = ENOMEM;
    if (conversion && source && target) {
        conversion->translits = has_suffix(to, "TRANSLIT");
        conversion->ignores = has_suffix(to, "IGNORE");
        /* A newline would begin another option. */
        int is_label = !strchr(source, '\n') && !strchr(target, '\n');
        error = is_label && open_streams(conversion, source, target) ? 0 : EINVAL;
    }
    free(source);
    free(target);
    if (!error) return conversion;
    if (conversion) release(conversion);
    errno = error;
    return (iconv_t)-1;
}

size_t iconv(iconv_t handle, char **in, size_t *in_left, char **out, size_t *out_left) {
    struct conversion *conversion = handle;
    if (!conversion || handle == (iconv_t)-1) {
        errno = EBADF;
        return (size_t)-1;
    }
    int is_end = !in || !*in;
    if (is_end && (!out || !*out)) {
        forget(conversion);
        return 0;
    }
    struct buffers buffers = {is_end ? NULL : *in, is_end ? 0 : *in_left, *out, *out_left};
    size_t earlier = replaced(conversion);
    int error = is_end ? finish(conversion, &buffers) : convert(conversion, &buffers);
    if (!is_end) {
        *in = buffers.in;
        *in_left = buffers.in_left;
    }
    *out = buffers.out;
    *out_left = buffers.out_left;
    if (error) {
        errno = error;
        return (size_t)-1;
    }
    return is_end ? 0 : replaced(conversion) - earlier;
}

/* --- The names that GNU libiconv has for them --------------------------------------------------------------------- */

iconv_t libiconv_open(const char *to, const char *from) { return iconv_open(to, from); }

size_t libiconv(iconv_t handle, char **in, size_t *in_left, char **out, size_t *out_left) {
    return iconv(handle, in, in_left, out, out_left);
}

int libiconv_close(iconv_t handle) { return iconv_close(handle); }

/* Says whether //TRANSLIT and //IGNORE were given, and refuses everything else. The numbers are those of libiconv. */
int libiconvctl(iconv_t handle, int request, void *argument) {
    enum { TRIVIALP = 0, GET_TRANSLITERATE = 1, GET_DISCARD_ILSEQ = 3 };
    const struct conversion *conversion = handle;
    switch (request) {
        case TRIVIALP: *(int *)argument = 0; return 0;
        case GET_TRANSLITERATE: *(int *)argument = conversion->translits; return 0;
        case GET_DISCARD_ILSEQ: *(int *)argument = conversion->ignores; return 0;
        default: errno = EINVAL; return -1;
    }
}
