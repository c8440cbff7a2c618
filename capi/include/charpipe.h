/*
 * charpipe.h: detects the encoding of a byte stream, converts it to UTF-8 or another encoding in constant memory, and
 * corrects the document's own label.
 *
 *     charpipe *stream = charpipe_open("to=UTF-8\nmalformed=replace");
 *     // charpipe_step for the input, charpipe_finish at its end; docs/c.md has a whole program
 *     charpipe_free(stream);
 *
 * Rules
 *
 * Threads. The library has no visible global state. Different threads may use different handles at the same time. A
 * handle may be used from any thread, but only from one thread at a time, even for functions that only return
 * something.
 *
 * Buffers. The library reads and writes a buffer only during the call that receives it. Input and output must not
 * overlap; if they do, the call fails with "usage". A buffer of length 0 never overlaps another one, and its pointer
 * may be null. Buffers may have any size: with one byte of output at a time, the output, the errors and their offsets
 * are the same.
 *
 * Texts of type `const char *` belong to the handle. Each is valid until the next call of the same
 * function, of charpipe_step, charpipe_finish, charpipe_reset or charpipe_free, with the same handle.
 *
 * Texts of type `char *` belong to the caller, who frees them with charpipe_free_text. Only
 * charpipe_names, charpipe_options, charpipe_chart, charpipe_explain, charpipe_records, charpipe_records_with,
 * charpipe_sniff, charpipe_fields and charpipe_schema return such texts. They return a null pointer only after a bug in charpipe.
 *
 * Texts are UTF-8 and end with a NUL. Offsets count bytes of the input from 0, including its byte order mark.
 *
 * Null pointers. Every function accepts a null handle: it then does nothing and returns CHARPIPE_ERROR, NULL, -1 or 0.
 * The lengths that charpipe_step and charpipe_finish store are then 0, and charpipe_error_code returns "no-handle".
 *
 * A handle must not be used after charpipe_free; this cannot be checked.
 *
 * Errors never end the program, with one exception: if the system has no memory left, the program is aborted. A bug in
 * charpipe gives the error "internal"; the handle can then only be reset or freed, and a message may appear on standard
 * error.
 */
#ifndef CHARPIPE_H
#define CHARPIPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It changes if programs have to be recompiled. */
#define CHARPIPE_ABI 1

/* A stream: a conversion or a detection, with its last error. */
typedef struct charpipe charpipe;

/* What a stream needs next. */
enum {
    CHARPIPE_NEED_INPUT = 0, /* all input was read, and all its output was written */
    CHARPIPE_NEED_ROOM = 1,  /* another call, with the rest of the input and room for output */
    CHARPIPE_DONE = 2,       /* nothing: all output was written; a detector has its verdict */
    CHARPIPE_BAD_CHAR = 3,   /* different input: charpipe_convert cannot convert the next character */
    CHARPIPE_ERROR = -1      /* see charpipe_error; nothing was read or written in this call */
};

/* Returns the CHARPIPE_ABI of the loaded library. */
uint32_t charpipe_abi(void);

/* Returns the version of the library, "0.2.0". The text is always valid. */
const char *charpipe_version(void);

/*
 * Opens a conversion. `options` has a line `name=value` for each option, with the names and values of the command's
 * long options. docs/reference/convert.md describes them, and charpipe_options lists them. Options that have no value
 * in the command have `true` or `false`; a name alone means `true`. `codec-file=PATH` adds the encoding in a table
 * file. NULL and "" mean the defaults: detect the encoding, write UTF-8, stop at the first error. Examples:
 *
 *     "from=IBM1047\nebcdic-nl=zos"         EBCDIC with the newlines of z/OS UNIX
 *     "malformed=replace\nunmappable=xml"   replace invalid input; write references for missing characters
 *     "from=IBM037\nrecords=fb:80"          records of 80 bytes as lines
 *
 * Returns a handle even if an option is invalid: charpipe_error then returns the error, and every step fails with it.
 * Returns NULL only after a bug in charpipe. Free the handle with charpipe_free.
 */
charpipe *charpipe_open(const char *options);

/*
 * Opens a detection. It reads input in the same way as a conversion, and writes nothing. charpipe_step returns
 * CHARPIPE_DONE as soon as there is a verdict, in most cases after at most 64 KiB; charpipe_verdict returns it.
 */
charpipe *charpipe_open_detector(const char *options);

/*
 * Reads bytes from `input`, writes bytes to `output`, and stores both counts. Call it until it has read all input.
 *
 * All output before an error is written before the error is returned. The error stays until charpipe_reset, except for
 * "usage": an invalid call (with a null pointer, for example) changes nothing, and the next valid call clears its
 * error.
 */
int charpipe_step(charpipe *stream, const void *input, size_t input_len, size_t *read,
                  void *output, size_t output_len, size_t *written);

/*
 * Reads whole characters from `input`, writes them to `output`, and stores the number of bytes, as iconv does. It stops
 * before a character that it cannot convert, and stays in the state before it. It is intended for short input: once the
 * encoding is known, a call for a few characters allocates no memory. Returns
 *
 *   CHARPIPE_NEED_INPUT  if it has read all input, or if the rest is the beginning of a character
 *   CHARPIPE_NEED_ROOM   if the output of the next character does not fit
 *   CHARPIPE_BAD_CHAR    if the next character is malformed, or is not in the target, and the options do not allow that.
 *                        The stream has no error and can continue after that character
 *   CHARPIPE_ERROR       if there is an error, or if the stream cannot go back from here: see charpipe_fork
 *
 * While detection is still examining the beginning of the input, those bytes count as the beginning of a character.
 */
int charpipe_convert(charpipe *stream, const void *input, size_t input_len, size_t *read,
                     void *output, size_t output_len, size_t *written);

/*
 * Ends a text after charpipe_convert, so that another one in the same encoding can begin: writes the bytes that return
 * to the initial shift state. Returns CHARPIPE_NEED_INPUT on success, CHARPIPE_NEED_ROOM if these bytes do not fit, and
 * CHARPIPE_ERROR in the same cases as charpipe_convert or if output is pending; in the last two cases nothing has
 * changed. The report continues. To detect the encoding again, use charpipe_reset.
 */
int charpipe_end_text(charpipe *stream, void *output, size_t output_len, size_t *written);

/* Returns how many characters that the target lacks were replaced or dropped so far. */
uint64_t charpipe_replaced(const charpipe *stream);

/* Ends the input, and writes the rest of the output. Call it until it returns CHARPIPE_DONE. */
int charpipe_finish(charpipe *stream, void *output, size_t output_len, size_t *written);

/*
 * Converts a whole input, and stores the length of the output: the same as charpipe_reset, charpipe_step and
 * charpipe_finish together. It is intended for many short values with the same options: after the first ones, a plain
 * text of up to 4096 bytes allocates no memory. Returns
 *
 *   CHARPIPE_DONE        if all was converted
 *   CHARPIPE_NEED_ROOM   if the output does not fit: call it again with more room
 *   CHARPIPE_ERROR       if there is an error; `output` has the output before it, as far as it fits
 */
int charpipe_value(charpipe *stream, const void *input, size_t input_len, void *output, size_t output_len,
                   size_t *written);

/*
 * Returns an independent copy of a conversion, at the same position. With a copy from before a step, a program can go
 * back if the output was too long or the input had an error. Free the copy with charpipe_free.
 *
 * Returns NULL if there cannot be a copy at this point: the last step returned CHARPIPE_NEED_ROOM or CHARPIPE_ERROR,
 * the input is finished, the input or the output consists of records, or several fallbacks are still possible.
 */
charpipe *charpipe_fork(const charpipe *stream);

/*
 * Returns how many of the bytes read cannot be converted before more input arrives: an unfinished character, or the
 * beginning of the input while detection is still examining it. The output so far covers all bytes before them.
 */
size_t charpipe_pending(const charpipe *stream);

/* Begins another stream with the same options. The handle may be in any state. */
void charpipe_reset(charpipe *stream);

/* Frees the handle and the texts that belong to it. Does nothing with NULL. */
void charpipe_free(charpipe *stream);

/*
 * Return JSON with the keys of `charpipe detect --json` and of `charpipe --report`. The verdict is NULL until there is
 * one. The report covers the stream so far, and is NULL for a detector; it also has the key "error".
 */
const char *charpipe_verdict(charpipe *stream);
const char *charpipe_report(charpipe *stream);

/*
 * Return the last error; NULL if there is none. The JSON has the keys "code", "message" (without the position),
 * "offset", "line" and "column", and if they apply, "record", "bytes" (in hex) and "char". The code is a short name
 * that never changes: "malformed", "unmappable", "unknown-label" ... The text of charpipe_error_message is for users,
 * and begins with the position.
 */
const char *charpipe_error(charpipe *stream);
const char *charpipe_error_code(charpipe *stream);
const char *charpipe_error_message(charpipe *stream);

/* Returns the offset of the last error in the input; -1 if it has no position. */
int64_t charpipe_error_offset(const charpipe *stream);

/*
 * Return the position of the last error. In text, this is the line and the column in characters, both from 1 (0 if
 * there are no lines), and the record is 0. In an input of records, it is the record and the column in bytes, and the
 * line is 0.
 */
uint64_t charpipe_error_line(const charpipe *stream);
uint64_t charpipe_error_record(const charpipe *stream);
uint64_t charpipe_error_column(const charpipe *stream);

/*
 * Return lists as JSON, which the caller frees. Encodings have the keys "name", "aliases", "decode", "encode",
 * "source", "description", "ebcdic" and "single_byte". Options have the keys "name", "value" ("word", "label",
 * "labels", "flag" or "text") and "words".
 */
char *charpipe_names(void);
char *charpipe_options(void);

/*
 * Returns the code chart of an encoding as JSON, which the caller frees: {"codec", "lead", "single_byte", "cells"}.
 * There are 256 cells, one for each byte that may follow the `lead` bytes: the text of the byte; {"leads": true} if
 * more bytes follow it; or null. `lead` includes the shift code if one is needed. An unknown label gives {"error"}.
 */
char *charpipe_chart(const char *label, const void *lead, size_t lead_len);

/*
 * Returns the meaning of each byte as JSON, which the caller frees: {"codec", "cells"}. A cell is [bytes, text]. The
 * text is null for malformed bytes, and 0 for shift codes. If `is_last` is 0, an unfinished character at the end has no
 * cell. The result takes about 12 times as much memory as the input.
 */
char *charpipe_explain(const char *label, const void *input, size_t len, int is_last);

/*
 * Returns the positions of records of the shape `shape` ("fb:80", "rdw", "vb" ...) as JSON, which the caller frees:
 * {"records", "read", "error"}. A record is a list of pieces [offset, length]. `read` is the end of the last whole
 * record.
 */
char *charpipe_records(const char *shape, const void *input, size_t len, int is_last);

/*
 * Returns the record shapes that an input may have, by its first bytes, as JSON, which the caller frees:
 * {"hypotheses"}, the best first, each with "shape", "survives" and "why".
 */
char *charpipe_sniff(const void *input, size_t len, int is_last);

/*
 * Returns the fields of a record as JSON, which the caller frees: {"codec", "record", "lengths", "length", "type",
 * "fields", "cut", "error"}. `layout` is the text of a COBOL copybook or of a field list. `record` is one record
 * without its header. `options` has a line for each option, with the names, values and defaults of `charpipe rows`:
 * "from=IBM1047\nwhen=TYPE=A: ORDER". docs/reference/rows.md describes them. These have a meaning for one record:
 * layout-format, replacing, decimal-comma, record-name, count-map, float, byte-order, zoned-signs, when, varchar,
 * null-indicator, groups, from, select, trim, on-bad, empty-is-null, loose-numbers, malformed, short-records, overlong,
 * filler, exact, controls, record-newlines, dates, underscores, and codec-file=PATH, which adds the encoding in a table
 * file.
 *
 * "record" is the name of the record in the layout, or null. "lengths" are the lengths of the shortest and the longest
 * record, "length" is the length of this one, and "type" is its type; the latter two are null if they are not known.
 *
 * A field has "name", "offset" (in the record, from 0), "length", "kind", "picture", "value" (always text, even for a
 * number; null if there is none) and "error" (null, or "code" and "message"), for example if the record ends before the
 * field.
 *
 * The "error" of the result is not null if a field is bad (the first one; not with on-bad=null), if the record cannot
 * be read to its end, or if it is longer than the layout ("longer-than-layout", unless overlong=cut). It has "code",
 * "message", "offset" (in the record), "bytes" and "field", which is null if the error is not in a field. "cut" is true
 * if fields are missing because there are more than 10,000, or because the values before them take more than 16 MiB.
 *
 * If the layout is invalid, the result is {"error"}, with "code", "message", "line" and "column" (from 1, or null).
 */
char *charpipe_fields(const char *options, const void *layout, size_t layout_len, const void *record, size_t len);

/*
 * Opens a conversion of records to rows, as `charpipe rows` does it: with format=csv, the default, CSV with a header, and
 * with format=jsonl JSON lines, both in UTF-8; with format=arrow an Arrow IPC stream, which lacks its last eight bytes, the
 * mark of the end, if there is an error.
 *
 * `layout` is the text of a COBOL copybook or of a field list. `options` has a line for each option, with the names,
 * values and defaults of `charpipe rows`, except for those that need files: copy-path, to-records, binary-range, jobs,
 * and the column `file` of add-columns. format, formulas and quote-empty are among them.
 *
 * The handle is used as that of charpipe_open: charpipe_step for the input, charpipe_finish at its end, charpipe_error,
 * charpipe_report, charpipe_reset and charpipe_free. The report has the keys of `charpipe rows --report`. There is no
 * verdict. An error in the layout or in an option is the error of the handle from the beginning.
 */
charpipe *charpipe_open_rows(const char *options, const void *layout, size_t layout_len);

/*
 * Does what charpipe_records does for a whole input, with the options of `charpipe rows`: records=SHAPE, skip-head,
 * skip-tail, record-prefix, record-suffix, tape-file, length-field, length-map. The latter two need a layout, which may
 * be empty otherwise. With a layout, its options are accepted too. The result has the key "shape" besides.
 */
char *charpipe_records_with(
    const char *options, const void *layout, size_t layout_len, const void *input, size_t len);

/*
 * Returns the columns that the rows of a layout have, and their types, as JSON, which the caller frees: {"schema"}, a
 * text for another program. `layout` is the text of a COBOL copybook or of a field list. `format` is one of duckdb,
 * postgresql, db2, sqlite (a CREATE TABLE), json-schema, avro and spark: see --schema in docs/reference/rows.md. The
 * schema of Arrow is not text, so only the command and Python can write it. `options` has a line for each option, with
 * the names, values and defaults of `charpipe rows`. These have a meaning for a schema: layout-format, replacing,
 * decimal-comma, record-name, count-map, float, byte-order, zoned-signs, when, parent, varchar, null-indicator, groups,
 * from, select, on-bad, filler, add-columns, dates, integers, underscores, and codec-file=PATH.
 *
 * If the layout, the format or an option is invalid, the result is {"error"}, with "code" and "message"; an error in a
 * layout has "line" and "column" (from 1, or null).
 */
char *charpipe_schema(const char *options, const void *layout, size_t layout_len, const char *format);

/* Frees a text that one of these functions returned as `char *`. Does nothing with NULL. */
void charpipe_free_text(char *text);

#ifdef __cplusplus
}
#endif

#endif
