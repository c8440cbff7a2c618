//! Where it went wrong: every error has its place in the original input, in bytes from 0, byte order mark included.
//! What came before it is delivered.

use charpipe::{ErrorKind, OnUnmappable, Transcode};

fn main() -> Result<(), charpipe::Error> {
    // Ill-formed input.
    let damaged = include_bytes!("data/damaged-utf8.txt");
    let mut output = Vec::new();
    let error = Transcode::new().run(&damaged[..], &mut output).unwrap_err();
    println!("{error}");
    println!("before it: {:?}", String::from_utf8_lossy(&output));
    if let ErrorKind::Malformed { offset, bytes, .. } = error.kind() {
        assert_eq!(damaged[*offset as usize..][..bytes.len()], bytes[..]);
    }

    // A character that the target lacks. The offset is that of its first byte in the input, here UTF-16. (By default
    // XML gets a character reference for it.)
    let utf16 = include_bytes!("data/utf16le-bom.xml");
    let transcode = Transcode::new().to("IBM1047")?.unmappable(OnUnmappable::Fail);
    let error = transcode.run(&utf16[..], Vec::new()).unwrap_err();
    println!("{error}");
    let offset = error.offset().expect("the input is to blame") as usize;
    println!("the input there: {:02X?}", &utf16[offset..offset + 2]);

    // A name in the document that no codec answers to.
    let error = charpipe::transcode(&b"<?xml version='1.0' encoding='ISO-8895-1'?><a/>"[..], Vec::new()).unwrap_err();
    println!("{error}");
    Ok(())
}
