//! Compares the DOS code pages with the crates that they are taken from. `peers/tables.rs` compares them with ICU,
//! glibc and the JDK.
use charpipe::Registry;
use charpipe::codec::decode_strictly;
use codepage_437::{CP437_CONTROL, CP437_WINGDINGS};
use oem_cp::code_table::DECODING_TABLE_CP_MAP;
use oem_cp::code_table_type::TableType;

#[test]
fn tables_equal_those_of_the_crates() {
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

/// Every byte decodes to a character that encodes to the same byte, so no code point occurs twice in a page.
#[test]
fn every_byte_round_trips() {
    use charpipe::codec::{ByteSink, Stop};
    let registry = Registry::builtin();
    let names = DECODING_TABLE_CP_MAP.keys().map(u16::to_string).chain(["cp437-wingdings".to_owned()]);
    for name in names {
        let codec = registry.codec(&name).unwrap();
        let mut encoder = codec.encoder().unwrap();
        for byte in 0..=255u8 {
            let Some(text) = decode_strictly(&*codec, &[byte]) else { continue };
            let mut buffer = [0; 64];
            let mut sink = ByteSink::new(&mut buffer);
            assert_eq!(encoder.feed(&text, &mut sink).stop, Stop::InputEmpty);
            assert_eq!(sink.as_bytes(), [byte], "{name} {text:?}");
        }
    }
}
