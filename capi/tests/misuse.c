/* Does what a C program must not do, as far as charpipe.h says what happens then. Prints `ok`. */
#include <charpipe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void check(int is_right, int line) {
    if (!is_right) {
        printf("line %d\n", line);
        failed = 1;
    }
}

#define CHECK(is_right) check(is_right, __LINE__)

static int is_code(charpipe *stream, const char *code) {
    const char *found = charpipe_error_code(stream);
    return found ? strcmp(found, code) == 0 : code[0] == 0;
}

static void null_handles(void) {
    size_t read = 0, written = 0;
    char byte = 'a';
    read = written = 9;
    CHECK(charpipe_step(NULL, &byte, 1, &read, &byte, 0, &written) == CHARPIPE_ERROR && read == 0 && written == 0);
    CHECK(charpipe_finish(NULL, &byte, 1, &written) == CHARPIPE_ERROR);
    read = written = 9;
    CHECK(charpipe_convert(NULL, &byte, 1, &read, &byte, 0, &written) == CHARPIPE_ERROR && read == 0 && written == 0);
    written = 9;
    CHECK(charpipe_value(NULL, &byte, 1, &byte, 0, &written) == CHARPIPE_ERROR && written == 0);
    CHECK(charpipe_end_text(NULL, &byte, 1, &written) == CHARPIPE_ERROR && charpipe_replaced(NULL) == 0);
    CHECK(is_code(NULL, "no-handle"));
    CHECK(charpipe_error(NULL) == NULL && charpipe_verdict(NULL) == NULL && charpipe_report(NULL) == NULL);
    CHECK(charpipe_error_offset(NULL) == -1 && charpipe_error_record(NULL) == 0);
    CHECK(charpipe_fork(NULL) == NULL && charpipe_pending(NULL) == 0);
    charpipe_reset(NULL);
    charpipe_free(NULL);
    charpipe_free_text(NULL);
}

static void null_buffers(charpipe *stream) {
    size_t read = 9, written = 9;
    char byte = 'a';
    CHECK(charpipe_step(stream, NULL, 3, &read, &byte, 1, &written) == CHARPIPE_ERROR && is_code(stream, "usage"));
    CHECK(read == 0 && written == 0);
    CHECK(charpipe_step(stream, &byte, 1, &read, NULL, 3, &written) == CHARPIPE_ERROR);
    CHECK(charpipe_step(stream, &byte, 1, NULL, &byte, 1, &written) == CHARPIPE_ERROR);
    CHECK(charpipe_finish(stream, &byte, 1, NULL) == CHARPIPE_ERROR);
    CHECK(charpipe_convert(stream, &byte, 1, NULL, &byte, 1, &written) == CHARPIPE_ERROR && is_code(stream, "usage"));
    CHECK(charpipe_convert(stream, NULL, 3, &read, &byte, 1, &written) == CHARPIPE_ERROR);
    CHECK(charpipe_end_text(stream, &byte, 1, NULL) == CHARPIPE_ERROR);
    CHECK(charpipe_value(stream, &byte, 1, &byte, 1, &written) == CHARPIPE_ERROR && is_code(stream, "usage"));
    CHECK(charpipe_value(stream, NULL, 3, &byte, 1, &written) == CHARPIPE_ERROR);
    CHECK(charpipe_value(stream, &byte, 1, NULL, 0, NULL) == CHARPIPE_ERROR);
    CHECK(charpipe_step(stream, &byte, 1, &read, &byte, 1, &written) == CHARPIPE_ERROR && is_code(stream, "usage"));
    CHECK(charpipe_step(stream, NULL, 0, &read, NULL, 0, &written) == CHARPIPE_NEED_INPUT && is_code(stream, ""));
}

/* Output buffers of one byte, each in memory of its own, so that a byte too many is found. */
static void one_byte_at_a_time(charpipe *stream) {
    static const char text[] = "gr\xC3\xBC\xC3\x9F";
    char output[16] = {0};
    size_t len = 0;
    int status = CHARPIPE_NEED_INPUT;
    for (size_t at = 0; at < 6;) {
        char *in = malloc(1), *out = malloc(1);
        size_t read = 0, written = 0;
        if (!in || !out) exit(1);
        *in = text[at];
        status = charpipe_step(stream, in, 1, &read, out, 1, &written);
        at += read;
        if (written && len < sizeof output) output[len++] = *out;
        free(in);
        free(out);
        CHECK(status >= 0);
    }
    do {
        char *out = malloc(1);
        size_t written = 0;
        if (!out) exit(1);
        status = charpipe_finish(stream, out, 1, &written);
        if (written && len < sizeof output) output[len++] = *out;
        free(out);
    } while (status == CHARPIPE_NEED_ROOM);
    CHECK(status == CHARPIPE_DONE && len == 4 && memcmp(output, "gr\xFC\xDF", 4) == 0);
}

static void after_the_end(charpipe *stream) {
    size_t read = 9, written = 9;
    char room[8];
    CHECK(charpipe_step(stream, "a", 1, &read, room, sizeof room, &written) == CHARPIPE_ERROR && is_code(stream, "usage"));
    CHECK(charpipe_finish(stream, room, sizeof room, &written) == CHARPIPE_DONE);
    charpipe_reset(stream);
    CHECK(charpipe_step(stream, "ab\xFF", 3, &read, room, sizeof room, &written) >= 0);
    int status;
    do {
        status = charpipe_finish(stream, room, sizeof room, &written);
    } while (status == CHARPIPE_NEED_ROOM);
    CHECK(status == CHARPIPE_ERROR && is_code(stream, "malformed"));
    CHECK(charpipe_error_offset(stream) == 2);
    CHECK(charpipe_step(stream, "a", 1, &read, room, sizeof room, &written) == CHARPIPE_ERROR);
}

/* A copy outlives the original, and there is none of a stream that has ended. */
static void copies(void) {
    size_t read = 0, written = 0;
    char room[8];
    charpipe *stream = charpipe_open("from=UTF-8\nto=IBM939");
    CHECK(charpipe_step(stream, "\xE6\x9C\xAC", 3, &read, room, sizeof room, &written) >= 0);
    charpipe *copy = charpipe_fork(stream);
    CHECK(copy != NULL && charpipe_pending(copy) == charpipe_pending(stream));
    charpipe_free(stream);
    CHECK(charpipe_finish(copy, room, sizeof room, &written) == CHARPIPE_DONE);
    CHECK(charpipe_fork(copy) == NULL);
    charpipe_free(copy);
}

/* Texts that the caller frees. */
static void lists(void) {
    static const char *const labels[] = {NULL, "", "no such", "IBM939", "\xFF"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        char *texts[] = {
            charpipe_chart(labels[i], NULL, 0),
            charpipe_chart(labels[i], NULL, 1),
            charpipe_chart(labels[i], "\x0E\x45", 2),
            charpipe_explain(labels[i], "\x0E\x45", 2, 1),
            charpipe_explain(labels[i], NULL, 2, 1),
            charpipe_records(labels[i], "\x00\x05\x00\x00", 4, 0),
            charpipe_records_with(labels[i], "A 1 2 text", 10, "\xC1", 1),
            charpipe_records_with("records=rdw", NULL, i, NULL, i),
            charpipe_fields(labels[i], "A 1 2 text", 10, "\xC1", 1),
            charpipe_fields(NULL, NULL, i, NULL, i),
            charpipe_schema(labels[i], "A 1 2 text", 10, "avro"),
            charpipe_schema(NULL, NULL, i, labels[i]),
        };
        for (size_t at = 0; at < sizeof texts / sizeof *texts; at++) {
            CHECK(texts[at] && texts[at][0] == '{');
            charpipe_free_text(texts[at]);
        }
        charpipe *rows[] = {
            charpipe_open_rows(labels[i], "A 1 2 text", 10),
            charpipe_open_rows(NULL, NULL, i),
        };
        for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
            CHECK(rows[at] && !charpipe_verdict(rows[at]));
            charpipe_free(rows[at]);
        }
    }
    char *texts[] = {charpipe_sniff(NULL, 0, 1), charpipe_sniff("\x00\x05\x00\x00z", 5, 1), charpipe_names()};
    for (size_t at = 0; at < sizeof texts / sizeof *texts; at++) {
        CHECK(texts[at] != NULL);
        charpipe_free_text(texts[at]);
    }
}

/* A wrong option is the error of the handle, whatever is called. */
static void wrong_options(void) {
    char byte = 'a';
    size_t read, written;
    charpipe *stream = charpipe_open("bom=yes");
    CHECK(is_code(stream, "bad-option"));
    CHECK(charpipe_step(stream, &byte, 1, NULL, NULL, 0, NULL) == CHARPIPE_ERROR && is_code(stream, "bad-option"));
    charpipe_reset(stream);
    CHECK(charpipe_step(stream, &byte, 1, &read, NULL, 0, &written) == CHARPIPE_ERROR && is_code(stream, "bad-option"));
    CHECK(read == 0 && written == 0);
    charpipe_free(stream);
}

int main(void) {
    CHECK(charpipe_abi() == CHARPIPE_ABI);
    null_handles();
    charpipe *stream = charpipe_open("from=UTF-8\nto=ISO-8859-1");
    null_buffers(stream);
    one_byte_at_a_time(stream);
    after_the_end(stream);
    charpipe_free(stream);
    copies();
    wrong_options();
    lists();
    char *options = charpipe_options();
    CHECK(options && strstr(options, "\"ebcdic-nl\""));
    charpipe_free_text(options);
    if (!failed) puts("ok");
    return failed;
}
