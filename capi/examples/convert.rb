# Converts standard input to standard output with the options in the arguments:
#
#     ruby convert.rb from=IBM1047 ebcdic-nl=zos < members.txt
#
# The exit status is 0, or 1 after an error.
require "fiddle/import"

module C
  extend Fiddle::Importer
  dlload "libcharpipe.so.1" # macOS: libcharpipe.1.dylib
  extern "void *charpipe_open(const char *)"
  extern "int charpipe_step(void *, const void *, size_t, size_t *, void *, size_t, size_t *)"
  extern "int charpipe_finish(void *, void *, size_t, size_t *)"
  extern "const char *charpipe_error_code(void *)"
  extern "const char *charpipe_error_message(void *)"
  extern "int64_t charpipe_error_offset(const void *)"
  extern "void charpipe_free(void *)"
end

NEED_INPUT, NEED_ROOM, ERROR = 0, 1, -1
SIZE = 16_384
[$stdin, $stdout].each(&:binmode)
stream = C.charpipe_open(ARGV.join("\n"))
begin
  input, output = "", "\0" * SIZE
  read, written = Array.new(2) { [0].pack("J") } # each is a size_t
  begin
    # At the end of the file, the input is nil.
    status = if input
      C.charpipe_step(stream, input, input.bytesize, read, output, SIZE, written)
    else
      C.charpipe_finish(stream, output, SIZE, written)
    end
    $stdout.write(output.byteslice(0, written.unpack1("J")))
    input = status == NEED_INPUT ? $stdin.read(SIZE) : input&.byteslice(read.unpack1("J")..)
  end while [NEED_INPUT, NEED_ROOM].include?(status)
  if status == ERROR
    code, message = C.charpipe_error_code(stream), C.charpipe_error_message(stream)
    abort "#{code} at #{C.charpipe_error_offset(stream)}: #{message.to_s.force_encoding("UTF-8")}"
  end
ensure
  C.charpipe_free(stream)
end
