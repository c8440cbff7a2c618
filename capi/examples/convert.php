<?php
// Converts standard input to standard output with the options in the arguments:
//
//     php convert.php from=IBM1047 ebcdic-nl=zos < members.txt
//
// It needs PHP's extension FFI. The exit status is 0, or 1 after an error.
$c = FFI::cdef('
    typedef struct charpipe charpipe;
    charpipe *charpipe_open(const char *options);
    int charpipe_step(charpipe *stream, const char *input, size_t input_len, size_t *read,
                      char *output, size_t output_len, size_t *written);
    int charpipe_finish(charpipe *stream, char *output, size_t output_len, size_t *written);
    const char *charpipe_error_code(charpipe *stream);
    const char *charpipe_error_message(charpipe *stream);
    int64_t charpipe_error_offset(const charpipe *stream);
    void charpipe_free(charpipe *stream);
', 'libcharpipe.so.1'); // macOS: libcharpipe.1.dylib

const NEED_INPUT = 0, NEED_ROOM = 1, ERROR = -1;
const SIZE = 16384;
$output = $c->new('char[' . SIZE . ']');
[$read, $written] = [$c->new('size_t'), $c->new('size_t')];
$stream = $c->charpipe_open(implode("\n", array_slice($argv, 1)));
$input = '';
do {
    // At the end of the file, the input is null.
    $status = $input === null
        ? $c->charpipe_finish($stream, $output, SIZE, FFI::addr($written))
        : $c->charpipe_step($stream, $input, strlen($input), FFI::addr($read), $output, SIZE, FFI::addr($written));
    fwrite(STDOUT, FFI::string($output, $written->cdata));
    if ($status === NEED_INPUT) {
        $input = feof(STDIN) ? null : fread(STDIN, SIZE);
    } elseif ($input !== null) {
        $input = substr($input, $read->cdata);
    }
} while ($status === NEED_INPUT || $status === NEED_ROOM);
if ($status === ERROR) {
    [$code, $message] = [$c->charpipe_error_code($stream), $c->charpipe_error_message($stream)];
    fwrite(STDERR, $code . ' at ' . $c->charpipe_error_offset($stream) . ": $message\n");
}
$c->charpipe_free($stream);
exit($status === ERROR ? 1 : 0);
