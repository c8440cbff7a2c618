/* Runs a fuzz target on a machine for which libFuzzer is not built: `TARGET COUNT FILE...` gives it each file, and then
   COUNT inputs that are made from the files, the same ones on every run. `.ci/seeds` builds and runs it. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest file, and the longest input that is made. */
enum { MOST = 1 << 12, LONG = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The crate libfuzzer-sys refers to it; only targets with a mutator of their own call it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
    (void)data, (void)most;
    return size;
}

static uint32_t below(uint32_t limit) {
    static uint64_t state = 0x9E3779B97F4A7C15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % limit;
}

/* The target must not see beyond its input, so each has memory of its own. */
static void run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s COUNT FILE...\n", argv[0]);
        return 2;
    }
    LLVMFuzzerInitialize(&argc, &argv);
    int files = argc - 2, count = atoi(argv[1]);
    uint8_t(*seeds)[MOST] = calloc(files, MOST);
    size_t *sizes = calloc(files, sizeof *sizes);
    for (int i = 0; i < files; i++) {
        FILE *file = fopen(argv[i + 2], "rb");
        if (!file) {
            perror(argv[i + 2]);
            return 2;
        }
        sizes[i] = fread(seeds[i], 1, MOST, file);
        if (fgetc(file) != EOF) {
            fprintf(stderr, "%s is too long\n", argv[i + 2]);
            return 2;
        }
        fclose(file);
        run(seeds[i], sizes[i]);
    }
    for (int i = 0; i < count; i++) {
        uint8_t input[MOST];
        int seed = below(files);
        size_t size = below(4) ? sizes[seed] : below(LONG);
        memset(input, 0, MOST);
        memcpy(input, seeds[seed], sizes[seed]);
        for (uint32_t changes = 1 + below(8); size && changes; changes--) {
            input[below(size)] = below(256);
        }
        run(input, size);
    }
    printf("%d files and %d inputs made from them\n", files, count);
}
