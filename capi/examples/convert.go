// Converts standard input to standard output with the options in the arguments:
//
//	go run convert.go from=IBM1047 ebcdic-nl=zos < members.txt
//
// It needs a C compiler and pkg-config. The exit status is 0, or 1 after an error.
package main

// #cgo pkg-config: charpipe
// #include <charpipe.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unsafe"
)

func convert(options string, in io.Reader, out io.Writer) error {
	text := C.CString(options)
	stream := C.charpipe_open(text)
	C.free(unsafe.Pointer(text))
	defer C.charpipe_free(stream)

	var buffer, output [16384]byte
	var read, written C.size_t
	var status C.int = C.CHARPIPE_NEED_INPUT
	from, to := 0, 0 // what is left of the input in the buffer
	for ended := false; status == C.CHARPIPE_NEED_INPUT || status == C.CHARPIPE_NEED_ROOM; {
		if status == C.CHARPIPE_NEED_INPUT {
			count, err := in.Read(buffer[:])
			if err != nil && err != io.EOF {
				return err
			}
			from, to, ended = 0, count, count == 0 && err == io.EOF
		}
		if ended {
			status = C.charpipe_finish(stream, unsafe.Pointer(&output), C.size_t(len(output)), &written)
		} else {
			status = C.charpipe_step(stream, unsafe.Add(unsafe.Pointer(&buffer), from), C.size_t(to-from), &read,
				unsafe.Pointer(&output), C.size_t(len(output)), &written)
			from += int(read)
		}
		if _, err := out.Write(output[:written]); err != nil {
			return err
		}
	}
	if status == C.CHARPIPE_ERROR {
		return fmt.Errorf("%s at %d: %s", C.GoString(C.charpipe_error_code(stream)),
			C.charpipe_error_offset(stream), C.GoString(C.charpipe_error_message(stream)))
	}
	return nil
}

func main() {
	if err := convert(strings.Join(os.Args[1:], "\n"), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
