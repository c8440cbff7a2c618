/*
 * Converts standard input to standard output with the options in the arguments:
 *
 *     cc -I capi/include capi/examples/convert.c -o convert -L target/release -lcharpipe_capi
 *     ./convert from=IBM1047 ebcdic-nl=zos < members.txt
 *     ./convert --detect < members.txt
 *
 * The exit status is 0, or 1 after an error.
 */
#include <charpipe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the arguments as options, a line for each. The caller frees the text. */
static char *options_of(int count, char **arguments) {
    size_t len = 1;
    for (int i = 0; i < count; i++) len += strlen(arguments[i]) + 1;
    char *options = calloc(len, 1);
    for (int i = 0; options && i < count; i++) {
        strcat(options, arguments[i]);
        strcat(options, "\n");
    }
    return options;
}

/* Gives `input` to the stream and writes its output. Returns the last status. */
static int convert(charpipe *stream, const char *input, size_t len) {
    char output[16 * 1024];
    int status;
    do {
        size_t read = 0, written = 0;
        status = charpipe_step(stream, input, len, &read, output, sizeof output, &written);
        input += read;
        len -= read;
        fwrite(output, 1, written, stdout);
    } while (status == CHARPIPE_NEED_ROOM);
    return status;
}

/* Ends the input and writes the rest of the output. Returns the last status. */
static int finish(charpipe *stream) {
    char output[16 * 1024];
    int status;
    do {
        size_t written = 0;
        status = charpipe_finish(stream, output, sizeof output, &written);
        fwrite(output, 1, written, stdout);
    } while (status == CHARPIPE_NEED_ROOM);
    return status;
}

int main(int argc, char **argv) {
    int detects = argc > 1 && strcmp(argv[1], "--detect") == 0;
    char *options = options_of(argc - 1 - detects, argv + 1 + detects);
    charpipe *stream = detects ? charpipe_open_detector(options) : charpipe_open(options);
    free(options);

    int status = CHARPIPE_NEED_INPUT;
    char input[16 * 1024];
    size_t len;
    while (status == CHARPIPE_NEED_INPUT && (len = fread(input, 1, sizeof input, stdin)) > 0) {
        status = convert(stream, input, len);
    }
    if (status == CHARPIPE_NEED_INPUT) status = finish(stream);
    int is_written = fflush(stdout) == 0;
    if (status == CHARPIPE_ERROR) {
        fprintf(stderr, "%s: %s\n", charpipe_error_code(stream), charpipe_error_message(stream));
    } else if (detects) {
        printf("%s\n", charpipe_verdict(stream));
    }
    charpipe_free(stream);
    return status == CHARPIPE_ERROR || ferror(stdin) || !is_written || fflush(stdout) != 0;
}
