/*
 * Uses the tables: decodes from and encodes to every encoding (or every Nth, where N is the argument), guesses and
 * repairs. For a tool that looks for memory that is lost: tables that are made once are kept until the program ends, and
 * this must not look like a loss. Prints `ok`.
 */
#include <charpipe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void convert(const char *options, const void *input, size_t len) {
    char output[4096];
    size_t read = 0, written = 0;
    charpipe *stream = charpipe_open(options);
    if (charpipe_step(stream, input, len, &read, output, sizeof output, &written) == CHARPIPE_NEED_INPUT)
        charpipe_finish(stream, output, sizeof output, &written);
    charpipe_report(stream);
    charpipe_error(stream);
    charpipe_free(stream);
}

int main(int argc, char **argv) {
    int every = argc > 1 ? atoi(argv[1]) : 1;
    static const char text[] = "<?xml version='1.0'?><a>Gr\xC3\xBC\xC3\x9F\x65, \xE6\x97\xA5\xE6\x9C\xAC \xE2\x82\xAC</a>\r\n";
    unsigned char bytes[256];
    char options[512];
    for (int i = 0; i < 256; i++) bytes[i] = (unsigned char)i;
    char *names = charpipe_names();
    int count = 0;
    for (char *at = names; (at = strstr(at, "\"name\":\"")) != NULL; count++) {
        at += strlen("\"name\":\"");
        int len = (int)strcspn(at, "\"");
        if (count % every != 0) continue;
        snprintf(options, sizeof options, "from=%.*s\nmalformed=replace\nnormalize=nfc\nto=UTF-16", len, at);
        convert(options, bytes, sizeof bytes);
        snprintf(options, sizeof options, "from=UTF-8\nunmappable=translit\nto=%.*s", len, at);
        convert(options, text, strlen(text));
    }
    charpipe_free_text(names);
    charpipe_free_text(charpipe_options());
    charpipe_free_text(charpipe_chart("IBM939", "\x45", 1));
    charpipe_free_text(charpipe_explain("IBM1047", text, strlen(text), 1));
    charpipe_free_text(charpipe_sniff(text, strlen(text), 1));
    convert("guess=true\nlabels=whatwg\nmojibake=repair", "M\xC3\x83\xC2\xBCller, 5 \xC3\xA2\xE2\x80\x9A\xC2\xAC\n", 24);
    convert("guess=true", bytes + 128, 64);
    convert("guess=true", "\xC8\x85\x93\x93\x96\x40\xC8\x85\x93\x93\x96\x6B\x40\xA6\x96\x99\x93\x84\x25", 19);
    puts(count > 200 ? "ok" : "the names cannot be read");
    return 0;
}
