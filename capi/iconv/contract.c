/*
 * Tests iconv(3) as POSIX defines it: `contract [EVERY]`. Converts samples that are cut at every place, or at one in
 * EVERY, with space for any number of bytes. Prints `ok`, or the lines of this file at which something is wrong.
 */
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAILED ((size_t)-1)
#define MOST 128

/* How many checks failed. */
static int failed;

static void check(int is_right, int line, const char *what) {
    if (is_right) return;
    printf("line %d: %s\n", line, what);
    failed++;
}

#define CHECK(is_right, what) check(is_right, __LINE__, what)

/* A text in one charset and in another, where the other ends in its initial state. */
static const struct sample {
    const char *from, *to;
    size_t len;
    const char *input;
    size_t output_len;
    const char *output;
} SAMPLES[] = {
#define TEXT(text) sizeof text - 1, text
    {"IBM1047", "UTF-8", TEXT("\xC8\x85\x93\x93\x96\x15\x4A\xAD"), TEXT("Hello\xC2\x85\xC2\xA2[")},
    {"UTF-8", "IBM1047", TEXT("Hello\xC2\x85\xC2\xA2["), TEXT("\xC8\x85\x93\x93\x96\x15\x4A\xAD")},
    /* Shift codes, one of which changes nothing. */
    {"IBM939", "UTF-8", TEXT("\xC1\x0E\x45\x66\x43\x41\x0F\x0F\xC2\x0E\x45\x62\x0F"),
     TEXT("A\xE6\x9C\xAC\xE3\x80\x82""B\xE6\x97\xA5")},
    {"UTF-8", "IBM939", TEXT("A\xE6\x9C\xAC\xE6\x97\xA5""B\xE6\x97\xA5"),
     TEXT("\xC1\x0E\x45\x66\x45\x62\x0F\xC2\x0E\x45\x62\x0F")},
    {"IBM939", "ISO-2022-JP", TEXT("\xC1\x0E\x45\x66\x45\x62\x0F\xC2\x0E\x45\x62\x0F"),
     TEXT("A\033$BK\\F|\033(BB\033$BF|\033(B")},
    {"ISO-2022-JP", "UTF-8", TEXT("A\033$BK\\F|\033(BB\033$BF|\033(B"),
     TEXT("A\xE6\x9C\xAC\xE6\x97\xA5""B\xE6\x97\xA5")},
    {"UTF-8", "ISO-2022-KR", TEXT("a\xED\x95\x9C""b\xED\x95\x9C"), TEXT("\033$)Ca\x0EGQ\x0F""b\x0EGQ\x0F")},
    {"UTF-8", "UTF-7", TEXT("a\xC3\xA9\xE2\x82\xAC""b\xC3\xA9"), TEXT("a+AOkgrA-b+AOk-")},
    {"GB18030", "UTF-8", TEXT("a\xC8\xD5\x94\x39\xFC\x36"), TEXT("a\xE6\x97\xA5\xF0\x9F\x98\x80")},
    {"Shift_JIS", "EUC-JP", TEXT("a\x93\xFA\xB1\x96{"), TEXT("a\xC6\xFC\x8E\xB1\xCB\xDC")},
    /* One code for two characters: the first waits for the second. */
    {"UTF-8", "EUC-JISX0213", TEXT("\xE3\x81\x8B\xE3\x82\x9A\xE3\x81\x8B""a\xE3\x81\x8B"),
     TEXT("\xA4\xF7\xA4\xAB""a\xA4\xAB")},
    {"UTF-8", "IBM1390", TEXT("\xE3\x81\x8B\xE3\x82\x9A\xE3\x81\x8B""a\xE3\x81\x8B"),
     TEXT("\x0E\xEC\xB5\x44\x86\x0F\x62\x0E\x44\x86\x0F")},
    {"Big5-HKSCS", "UTF-8", TEXT("\x88\x62\x88\x66""a"), TEXT("\xC3\x8A\xCC\x84\xC3\x8A""a")},
    {"UTF-16", "UTF-8", TEXT("\xFF\xFE<\0\xAC\x20\x3D\xD8\x00\xDE"), TEXT("<\xE2\x82\xAC\xF0\x9F\x98\x80")},
    {"UTF-16", "UTF-8", TEXT("\xFE\xFF\0<\x20\xAC"), TEXT("<\xE2\x82\xAC")},
    {"UTF-16", "UTF-8", TEXT("\0a"), TEXT("a")},
    {"UTF-32", "UTF-8", TEXT("\xFF\xFE\0\0a\0\0\0"), TEXT("a")},
    {"UTF-8", "UTF-16", TEXT("<\xF0\x9F\x98\x80"), TEXT("\xFE\xFF\0<\xD8\x3D\xDE\x00")},
    /* No byte order mark: the name says the byte order. And no declaration. */
    {"UTF-16LE", "UTF-8", TEXT("\xFF\xFE""a\0"), TEXT("\xEF\xBB\xBF""a")},
    {"UTF-8", "UTF-16BE", TEXT("\xEF\xBB\xBF""a"), TEXT("\xFE\xFF\0a")},
    {"ISO-8859-1", "UTF-8", TEXT("<?xml version='1.0' encoding='x'?>\xE9"),
     TEXT("<?xml version='1.0' encoding='x'?>\xC3\xA9")},
    {"ISO-8859-1", "UTF-8", TEXT("\xFE"), TEXT("\xC3\xBE")},
};

/* What a run gave so far. */
struct run {
    iconv_t cd;
    const struct sample *sample;
    size_t taken, given;
    char output[MOST];
    /* How much output there was when so much of the input was taken, plus 1; 0 if it was never taken like that. */
    size_t *given_at;
};

/*
 * Calls iconv with input up to `end`, and space for `room` bytes that the caller owns. Checks that it kept to its
 * buffers, and that the output stands for what was taken: the same input always has the same output. Returns the error.
 */
static int step(struct run *run, size_t end, size_t room, int is_end) {
    size_t len = end - run->taken, in_left = len, out_left = room;
    char *input = malloc(len + 1), *output = malloc(room + 1), *in = input, *out = output;
    if (!input || !output) exit(1);
    memcpy(input, run->sample->input + run->taken, len);
    memset(output, 0x55, room + 1);
    size_t result =
        is_end ? iconv(run->cd, NULL, NULL, &out, &out_left) : iconv(run->cd, &in, &in_left, &out, &out_left);
    int error = result == FAILED ? errno : 0;
    CHECK(in == input + (len - in_left) && out == output + (room - out_left), run->sample->from);
    CHECK(output[room] == 0x55 && in_left <= len && out_left <= room, run->sample->from);
    CHECK(error != 0 || in_left == 0 || is_end, "it stopped without a reason");
    size_t given = room - out_left;
    if (run->given + given > MOST) exit(1);
    memcpy(run->output + run->given, output, given);
    run->given += given;
    run->taken += len - in_left;
    if (!is_end) {
        size_t *known = &run->given_at[run->taken];
        /* What comes before the text may be written before anything is taken. */
        CHECK(run->taken == 0 || *known == 0 || *known == run->given + 1, run->sample->to);
        *known = run->given + 1;
    }
    free(input);
    free(output);
    return error;
}

/* Converts a sample whose input is cut at `cut`, with space for `room` bytes at a time, or more if nothing fits. */
static void convert(const struct sample *sample, iconv_t cd, size_t cut, size_t room, size_t *given_at) {
    struct run run = {cd, sample, 0, 0, {0}, given_at};
    size_t end = cut, space = room;
    int failed_before = failed;
    for (;;) {
        int is_end = run.taken == sample->len;
        size_t taken = run.taken, given = run.given;
        int error = step(&run, end, space, is_end);
        if (is_end && error == 0) break;
        CHECK(error == 0 || error == E2BIG || error == EINVAL, sample->to);
        CHECK(error != EINVAL || end < sample->len, "the input is whole");
        if (error != E2BIG) end = sample->len;
        space = error == E2BIG && taken == run.taken && given == run.given ? space + 1 : room;
        if (failed > failed_before || space > MOST) break;
    }
    CHECK(run.given == sample->output_len && memcmp(run.output, sample->output, run.given) == 0, sample->from);
    /* The text has ended: there is nothing to write, however often one asks. */
    for (size_t more = 0; more < 6 && failed == failed_before; more += 5) {
        CHECK(step(&run, run.taken, more, 1) == 0 && run.given == sample->output_len, "after the end");
    }
    if (failed > failed_before) printf("%s to %s, cut at %zu, space %zu\n", sample->from, sample->to, cut, room);
}

static void samples(size_t every) {
    for (size_t i = 0; i < sizeof SAMPLES / sizeof *SAMPLES; i++) {
        const struct sample *sample = &SAMPLES[i];
        size_t given_at[MOST] = {0};
        iconv_t cd = iconv_open(sample->to, sample->from);
        CHECK(cd != (iconv_t)-1, sample->from);
        if (cd == (iconv_t)-1) continue;
        int failed_before = failed;
        for (size_t cut = 0; cut <= sample->len; cut += every) {
            for (size_t room = 0; room < 9 && failed == failed_before; room++) convert(sample, cd, cut, room, given_at);
            if (failed == failed_before) convert(sample, cd, cut, MOST, given_at);
        }
        CHECK(iconv_close(cd) == 0, sample->from);
    }
}

/* Input with an error at `at`, which skips `skip` bytes and goes on in the same state. */
static const struct fault {
    const char *from, *to;
    size_t len;
    const char *input;
    size_t at, skip;
    int error;
    size_t output_len;
    const char *output;
} FAULTS[] = {
    {"UTF-8", "UTF-16LE", TEXT("ab\xFF""c"), 2, 1, EILSEQ, TEXT("a\0b\0c\0")},
    {"UTF-8", "IBM1047", TEXT("a\xE2\x28""b"), 1, 1, EILSEQ, TEXT("\x81\x4D\x82")},
    {"UTF-8", "US-ASCII", TEXT("a\xE2\x82\xAC""b"), 1, 3, EILSEQ, TEXT("ab")},
    {"UTF-8", "UTF-16BE", TEXT("a\xE2\x82"), 1, 2, EINVAL, TEXT("\0a")},
    {"UTF-8", "UTF-16BE", TEXT("\xF0\x9F\x98"), 0, 3, EINVAL, TEXT("")},
    /* The input stays in pairs, and so does the output. */
    {"IBM939", "UTF-8", TEXT("\x0E\x45\x66\x41\x00\x45\x62\x0F"), 3, 2, EILSEQ, TEXT("\xE6\x9C\xAC\xE6\x97\xA5")},
    {"UTF-8", "IBM939", TEXT("\xE6\x9C\xAC\xD6\x90\xE6\x97\xA5"), 3, 2, EILSEQ, TEXT("\x0E\x45\x66\x45\x62\x0F")},
    {"IBM939", "UTF-8", TEXT("\xC1\x0E\x45"), 2, 1, EINVAL, TEXT("A")},
    {"ISO-2022-JP", "UTF-8", TEXT("\033$BK\\\xFF\xFF""F|\033(B"), 5, 2, EILSEQ, TEXT("\xE6\x9C\xAC\xE6\x97\xA5")},
    {"ISO-2022-JP", "UTF-8", TEXT("a\033$"), 1, 2, EINVAL, TEXT("a")},
    {"UTF-8", "ISO-2022-JP", TEXT("\xE6\x9C\xAC\xD6\x90\xE6\x97\xA5"), 3, 2, EILSEQ, TEXT("\033$BK\\F|\033(B")},
    {"UTF-16", "UTF-8", TEXT("\xFF"), 0, 1, EINVAL, TEXT("")},
    {"UTF-16LE", "UTF-8", TEXT("a\0\x3D\xD8"), 2, 2, EINVAL, TEXT("a")},
    {"Shift_JIS", "UTF-8", TEXT("\x93"), 0, 1, EINVAL, TEXT("")},
};

static void faults(void) {
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        const struct fault *fault = &FAULTS[i];
        int failed_before = failed;
        char output[MOST], *in = (char *)fault->input, *out = output;
        size_t in_left = fault->len, out_left = sizeof output;
        iconv_t cd = iconv_open(fault->to, fault->from);
        /* The same again, if one asks again. */
        for (int time = 0; time < 2; time++) {
            size_t result = iconv(cd, &in, &in_left, &out, &out_left);
            CHECK(result == FAILED && errno == fault->error, fault->from);
            CHECK(in == fault->input + fault->at && in_left == fault->len - fault->at, fault->from);
        }
        in += fault->skip;
        in_left -= fault->skip;
        CHECK(iconv(cd, &in, &in_left, &out, &out_left) == 0 && in_left == 0, fault->from);
        CHECK(iconv(cd, NULL, NULL, &out, &out_left) == 0, fault->from);
        size_t len = sizeof output - out_left;
        CHECK(len == fault->output_len && memcmp(output, fault->output, len) == 0, fault->to);
        if (failed > failed_before) printf("%s to %s: fault %zu\n", fault->from, fault->to, i);
        CHECK(iconv_close(cd) == 0, fault->from);
    }
}

/* Without space for the shift back, nothing is written, and the state stays. Without output, the state is forgotten. */
static void resets(void) {
    char output[MOST], *in = (char *)"\xE6\x9C\xAC", *out = output;
    size_t in_left = 3, out_left = 3;
    iconv_t cd = iconv_open("IBM939", "UTF-8");
    CHECK(iconv(cd, &in, &in_left, &out, &out_left) == 0 && out_left == 0, "three bytes fit");
    for (int time = 0; time < 2; time++) {
        CHECK(iconv(cd, NULL, NULL, &out, &out_left) == FAILED && errno == E2BIG && out == output + 3, "no space");
    }
    out_left = 1;
    CHECK(iconv(cd, NULL, NULL, &out, &out_left) == 0 && out == output + 4 && output[3] == 0x0F, "shift in");
    in = (char *)"\xE6\x9C\xAC";
    in_left = 3;
    out_left = MOST - 4;
    CHECK(iconv(cd, &in, &in_left, &out, &out_left) == 0 && memcmp(output + 4, "\x0E\x45\x66", 3) == 0, "shift out");
    char *none = NULL;
    CHECK(iconv(cd, &none, NULL, NULL, NULL) == 0 && iconv(cd, NULL, NULL, &none, NULL) == 0, "forget");
    CHECK(iconv(cd, NULL, NULL, &out, &out_left) == 0 && out == output + 7, "nothing to shift back from");
    iconv_close(cd);
}

/* Returns what iconv returned for a text to ASCII with these suffixes. */
static size_t to_ascii(const char *suffixes, const char *text, const char *expected) {
    char label[64], output[MOST], *in = (char *)text, *out = output;
    size_t in_left = strlen(text), out_left = sizeof output;
    snprintf(label, sizeof label, "ASCII%s", suffixes);
    iconv_t cd = iconv_open(label, "UTF-8");
    size_t result = iconv(cd, &in, &in_left, &out, &out_left);
    size_t len = sizeof output - out_left;
    CHECK(in_left == 0 && len == strlen(expected) && memcmp(output, expected, len) == 0, suffixes);
    iconv_close(cd);
    return result;
}

static void suffixes(void) {
    CHECK(to_ascii("//TRANSLIT", "caf\xC3\xA9 5 \xE2\x82\xAC", "cafe 5 EUR") == 2, "two characters are not the same");
    CHECK(to_ascii("//IGNORE", "a\xC3\xA9\xFF""b", "ab") == 1, "one character is dropped");
    CHECK(to_ascii("//TRANSLIT//IGNORE", "\xC3\xA9\xFF", "e") == 1, "both");
    CHECK(to_ascii("//translit", "abc", "abc") == 0, "nothing is replaced");
}

static void labels(void) {
    static const char *const WRONG[] = {"no such charset", "UTF-8\nbom=add"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        errno = 0;
        CHECK(iconv_open(WRONG[i], "UTF-8") == (iconv_t)-1 && errno == EINVAL, WRONG[i]);
        CHECK(iconv_open("UTF-8", WRONG[i]) == (iconv_t)-1 && errno == EINVAL, WRONG[i]);
    }
    /* The charset of the locale; and wide characters. */
    static const char *const RIGHT[] = {"", "char", "//IGNORE", "WCHAR_T"};
    for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
        iconv_t cd = iconv_open(RIGHT[i], "UTF-8");
        CHECK(cd != (iconv_t)-1, RIGHT[i]);
        if (cd != (iconv_t)-1) iconv_close(cd);
    }
    /* What failed to open. */
    iconv_t wrong = iconv_open("UTF-8", "no such charset");
    CHECK(iconv(wrong, NULL, NULL, NULL, NULL) == FAILED && errno == EBADF, "not open");
}

int main(int argc, char **argv) {
    size_t every = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    samples(every ? every : 1);
    faults();
    resets();
    suffixes();
    labels();
    if (!failed) puts("ok");
    return failed != 0;
}
