//! The code pages of DOS against the crates that they are read out of, and against the `iconv` at hand.
#![cfg(feature = "dos")]

use charpipe::Registry;
use charpipe::codec::decode_strictly;
use codepage_437::{CP437_CONTROL, CP437_WINGDINGS};
use oem_cp::code_table::DECODING_TABLE_CP_MAP;
use oem_cp::code_table_type::TableType;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn tables_are_those_of_the_crates() {
    let registry = Registry::builtin();
    let mut count = 0;
    for (number, table) in DECODING_TABLE_CP_MAP.entries() {
        let codec = registry.codec(&number.to_string()).unwrap();
        for byte in 0..=255u8 {
            let expected = match (byte, table) {
                (0..0x80, _) => Some(byte.into()),
                (_, TableType::Complete(chars)) => Some(chars[usize::from(byte) - 0x80]),
                (_, TableType::Incomplete(chars)) => chars[usize::from(byte) - 0x80],
            };
            let found = decode_strictly(&*codec, &[byte]);
            assert_eq!(found, expected.map(String::from), "{} {byte:02X}", codec.name());
        }
        count += 1;
    }
    assert_eq!(count, 18);
    for (name, dialect) in [("IBM437", &CP437_CONTROL), ("cp437-wingdings", &CP437_WINGDINGS)] {
        let codec = registry.codec(name).unwrap();
        for byte in 0..=255u8 {
            let expected = dialect.decode(byte).to_string();
            assert_eq!(decode_strictly(&*codec, &[byte]), Some(expected), "{name} {byte:02X}");
        }
    }
}

/// No code point twice: what a byte is read as is written as that byte.
#[test]
fn every_byte_comes_back() {
    use charpipe::codec::{ByteSink, Stop};
    let registry = Registry::builtin();
    let names = DECODING_TABLE_CP_MAP.keys().map(u16::to_string).chain(["cp437-wingdings".to_owned()]);
    for name in names {
        let codec = registry.codec(&name).unwrap();
        let mut encoder = codec.encoder().unwrap();
        for byte in 0..=255u8 {
            let Some(text) = decode_strictly(&*codec, &[byte]) else { continue };
            let mut room = [0; 64];
            let mut sink = ByteSink::new(&mut room);
            assert_eq!(encoder.feed(&text, &mut sink).stop, Stop::InputEmpty);
            assert_eq!(sink.as_bytes(), [byte], "{name} {text:?}");
        }
    }
}

/// Where glibc differs; the documentation of `oem.rs` has it in words.
fn is_known(number: u16, byte: u8) -> bool {
    match number {
        864 => matches!(byte, 0x25 | 0x9B | 0x9C | 0x9F),
        869 => matches!(byte, 0x80..=0x85 | 0x87 | 0x93 | 0x94),
        874 => matches!(byte, 0x81..=0x84 | 0x86..=0x90 | 0x98..=0x9F),
        _ => false,
    }
}

/// Every byte of every page that `iconv` has; what differs is printed. glibc's must differ where it is known to.
#[test]
fn iconv() {
    let version = Command::new("iconv").arg("--version").output();
    let glibc = version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("GLIBC"));
    let registry = Registry::builtin();
    let mut found = Vec::new();
    for number in [437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869, 874] {
        let codec = registry.codec(&number.to_string()).unwrap();
        for byte in 0..=255u8 {
            let Some(theirs) = iconv_of(&format!("CP{number}"), byte) else {
                eprintln!("skipped: there is no iconv, or it lacks CP{number}");
                break;
            };
            let ours = decode_strictly(&*codec, &[byte]).unwrap_or_default();
            assert!(!glibc || (ours != theirs) == is_known(number, byte), "CP{number} {byte:02X}: {ours:?} {theirs:?}");
            if ours != theirs {
                let code = |text: &str| text.chars().next().map_or("-".to_owned(), |ch| format!("{:04X}", ch as u32));
                found.push(format!("CP{number} {byte:02X} {} {}", code(&ours), code(&theirs)));
            }
        }
    }
    eprintln!("{}", found.join("\n"));
}

/// What `iconv` reads a byte as, nothing where it is unassigned; `None` where it cannot be asked.
fn iconv_of(name: &str, byte: u8) -> Option<String> {
    let mut child = Command::new("iconv")
        .args(["-f", name, "-t", "UTF-8"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(&[byte]).ok()?;
    let output = child.wait_with_output().ok()?;
    let unknown = String::from_utf8_lossy(&output.stderr).contains("not supported");
    (!unknown).then(|| String::from_utf8(output.stdout).unwrap())
}
