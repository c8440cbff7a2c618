//! UTF-EBCDIC through the command.

#[test]
fn the_command_reads_and_writes_utf_ebcdic() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let run = |args: &[&str], input: &[u8]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charpipe"));
        let mut child =
            command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
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
