//! Tests UTF-EBCDIC with the command.

use crate::common::process::piped_through;
use std::process::Command;

#[test]
fn the_command_reads_and_writes_utf_ebcdic() {
    let run = |args: &[&str], input: &[u8]| {
        let output = piped_through(Command::new(env!("CARGO_BIN_EXE_charpipe")).args(args), input);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        output.stdout
    };
    let document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>Ünïcode 漢字 😀 [x]</a>\n";
    let bytes = run(&["-t", "UTF-EBCDIC"], document.as_bytes());
    let found = run(&["detect"], &bytes);
    assert_eq!(
        String::from_utf8_lossy(&found),
        "<stdin>: UTF-EBCDIC (xml; rule rfc7303:declaration; begins with 4C 6F A7 94; declared \"UTF-EBCDIC\" at bytes \
         30..40)\n"
    );
    assert_eq!(String::from_utf8(run(&[], &bytes)).unwrap(), document);
    // Its byte order mark is removed if the encoding is named.
    assert_eq!(run(&["-f", "CCSID1210"], b"\xDD\x73\x66\x73\xC1\x15"), b"A\n");
}
