/*
 * Reads an XML document in any encoding with libxml2, and prints the names of its elements and the text between them:
 *
 *     cc -I capi/include $(xml2-config --cflags) capi/examples/xml.c -o xml \
 *         -L target/release -lcharpipe_capi $(xml2-config --libs)
 *     ./xml examples/data/hello-ibm1047.xml
 *
 * libxml2 knows few EBCDIC pages, and reads none of them with NEL as the end of a line. charpipe stands between the
 * file and the parser: the parser gets UTF-8, with an encoding declaration that says so.
 */
#include <charpipe.h>
#include <libxml/xmlreader.h>
#include <stdio.h>

struct source {
    FILE *file;
    charpipe *stream;
    char bytes[4096]; /* input that was read from the file and not yet taken */
    size_t begin, end;
    int status;
};

/* Called by libxml2: fills `room` with the next bytes of the document. Returns how many, 0 at the end, -1 for an error. */
static int read_document(void *context, char *room, int len) {
    struct source *source = context;
    size_t written = 0;
    while (written == 0 && source->status >= 0 && source->status != CHARPIPE_DONE) {
        if (source->begin == source->end && !feof(source->file)) {
            source->begin = 0;
            source->end = fread(source->bytes, 1, sizeof source->bytes, source->file);
            if (ferror(source->file)) return -1;
        }
        if (source->begin < source->end) {
            size_t read = 0;
            source->status = charpipe_step(source->stream, source->bytes + source->begin, source->end - source->begin,
                                           &read, room, (size_t)len, &written);
            source->begin += read;
        } else {
            source->status = charpipe_finish(source->stream, room, (size_t)len, &written);
        }
    }
    if (source->status == CHARPIPE_ERROR) {
        fprintf(stderr, "%s\n", charpipe_error_message(source->stream));
        return -1;
    }
    return (int)written;
}

static int print_document(xmlTextReaderPtr reader) {
    int status;
    while ((status = xmlTextReaderRead(reader)) == 1) {
        int type = xmlTextReaderNodeType(reader);
        if (type == XML_READER_TYPE_ELEMENT) printf("<%s>\n", (const char *)xmlTextReaderConstName(reader));
        if (type == XML_READER_TYPE_TEXT) printf("%s\n", (const char *)xmlTextReaderConstValue(reader));
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: xml FILE\n");
        return 2;
    }
    struct source source = {.file = fopen(argv[1], "rb"), .status = CHARPIPE_NEED_INPUT};
    if (!source.file) {
        perror(argv[1]);
        return 3;
    }
    source.stream = charpipe_open("as=xml");
    xmlTextReaderPtr reader = xmlReaderForIO(read_document, NULL, &source, argv[1], NULL, XML_PARSE_NONET);
    int status = reader ? print_document(reader) : -1;
    xmlFreeTextReader(reader);
    xmlCleanupParser();
    charpipe_free(source.stream);
    fclose(source.file);
    return status == 0 ? 0 : 1;
}
