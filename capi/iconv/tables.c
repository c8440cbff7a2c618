/*
 * Prints the tables of charsets as the iconv of this process has them: `tables EVERY CHARSET...`. Each sequence of up
 * to three bytes and each character is converted alone, from the initial state.
 *
 *     CHARSET < 8140 3000         these bytes become these characters
 *     CHARSET > 3000 8140         this character becomes these bytes
 *
 * The characters are those that bytes of the charset become, and one in EVERY others of the Basic Multilingual Plane. A
 * charset that is not known has the line `CHARSET unknown`.
 */
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 64
#define LONGEST 3

/*
 * Converts all of `input`, and ends the text. Returns the length of the output; -1 after an error, which is in errno.
 */
static int convert(iconv_t cd, const unsigned char *input, size_t len, unsigned char output[ROOM]) {
    char *in = (char *)input, *out = (char *)output;
    size_t out_left = ROOM;
    iconv(cd, NULL, NULL, NULL, NULL);
    if (iconv(cd, &in, &len, &out, &out_left) == (size_t)-1) return -1;
    if (iconv(cd, NULL, NULL, &out, &out_left) == (size_t)-1) return -1;
    return ROOM - (int)out_left;
}

static void print_hex(const unsigned char *bytes, int len) {
    for (int i = 0; i < len; i++) printf("%02X", bytes[i]);
}

/* The characters of the Basic Multilingual Plane, and whether bytes of the charset become them. */
static char is_decoded[0x10000];

/* Prints the code points of `len` bytes of UTF-32BE. */
static void print_chars(const unsigned char *output, int len) {
    for (int i = 0; i < len; i += 4) {
        unsigned code = (unsigned)output[i + 1] << 16 | (unsigned)output[i + 2] << 8 | output[i + 3];
        printf(" %X", code);
        if (code < sizeof is_decoded) is_decoded[code] = 1;
    }
    putchar('\n');
}

/* Prints all characters whose bytes begin with the first `len` of `bytes`. */
static void decode(const char *name, iconv_t cd, unsigned char *bytes, int len) {
    for (int byte = 0; byte < 256; byte++) {
        unsigned char output[ROOM];
        bytes[len] = (unsigned char)byte;
        int made = convert(cd, bytes, (size_t)len + 1, output);
        if (made > 0) {
            printf("%s < ", name);
            print_hex(bytes, len + 1);
            print_chars(output, made);
        } else if (made < 0 && errno == EINVAL && len + 1 < LONGEST) {
            decode(name, cd, bytes, len + 1);
        }
    }
}

/* Prints the bytes of the characters. */
static void encode(const char *name, iconv_t cd, unsigned every) {
    for (unsigned code = 0; code < sizeof is_decoded; code++) {
        int is_surrogate = code >= 0xD800 && code < 0xE000;
        if (is_surrogate || (!is_decoded[code] && code % every != 0)) continue;
        unsigned char input[4] = {0, 0, (unsigned char)(code >> 8), (unsigned char)code}, output[ROOM];
        int made = convert(cd, input, sizeof input, output);
        if (made <= 0) continue;
        printf("%s > %X ", name, code);
        print_hex(output, made);
        putchar('\n');
    }
}

int main(int argc, char **argv) {
    unsigned every = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    for (int i = 2; i < argc; i++) {
        unsigned char bytes[LONGEST];
        iconv_t from = iconv_open("UTF-32BE", argv[i]), to = iconv_open(argv[i], "UTF-32BE");
        if (from == (iconv_t)-1 || to == (iconv_t)-1) {
            printf("%s unknown\n", argv[i]);
        } else {
            memset(is_decoded, 0, sizeof is_decoded);
            decode(argv[i], from, bytes, 0);
            encode(argv[i], to, every ? every : 1);
        }
        if (from != (iconv_t)-1) iconv_close(from);
        if (to != (iconv_t)-1) iconv_close(to);
    }
    return 0;
}
