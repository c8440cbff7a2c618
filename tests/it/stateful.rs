//! Tests the charsets that switch between sets: UTF-7, HZ and ISO-2022. Cuts of input and output are tested for all codecs
//! by `chunks.rs`.

use crate::common::{invariant, whole};
use charpipe::codec::decode_strictly;
use charpipe::{OnMalformed, Registry, Transcode};

fn read(name: &str, bytes: &[u8]) -> Option<String> {
    decode_strictly(&*Registry::builtin().codec(name).unwrap(), bytes)
}

fn write(name: &str, text: &str) -> Vec<u8> {
    let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(name).unwrap();
    let outcome = whole(&job, text.as_bytes());
    assert_eq!(outcome.error, None, "{name} {text:?}");
    outcome.output
}

/// Examples, most of them from the documents that define the charsets. All are written as they are read.
#[test]
fn examples() {
    for (name, bytes, text) in [
        ("UTF-7", &b"A+ImIDkQ."[..], "A≢Α."),
        ("UTF-7", b"Hi Mom -+Jjo--+ACE-", "Hi Mom -☺-!"),
        ("UTF-7", b"+ZeVnLIqe-", "日本語"),
        ("UTF-7", b"1 +- 1", "1 + 1"),
        ("UTF-7", b"+2D3eAA-", "😀"),
        ("UTF-7", b"+AKMAKw-1", "£+1"),
        ("UTF-7-IMAP", b"~peter/mail/&U,BTFw-/&ZeVnLIqe-", "~peter/mail/台北/日本語"),
        ("UTF-7-IMAP", b"R&-D", "R&D"),
        ("HZ-GB-2312", b"in GB.~{<:Ky2;S{#,NpJ)l6HK!#~}Bye.", "in GB.己所不欲，勿施於人。Bye."),
        ("HZ-GB-2312", b"~~{", "~{"),
        ("ISO-2022-KR", b"\x1B$)Ca\x0E0!3*\x0Fb", "a가나b"),
        ("ISO-2022-JP-1", b"\x1B$BF|K\\\x1B$(D01\x1B(B", "日本乄"),
        ("ISO-2022-JP-2", b"\x1B$AN*\x1B(B \x1B$(C0!\x1B(B", "为 가"),
        ("ISO-2022-JP-EXT", b"\x1B(I1\x1B(B", "ｱ"),
        ("ISO-2022-JP-2004", b"\x1B$(Q.!\x1B(B", "\u{4FF1}"),
        ("ISO-2022-CN", b"\x1B$)A\x0E=;\x0F \x1B$)G\x0EYO\x1B$*H\x1BN!!\x0F", "交 國乂"),
    ] {
        assert_eq!(read(name, bytes).as_deref(), Some(text), "{name}");
        assert_eq!(write(name, text), bytes, "{name} {text:?}: {}", String::from_utf8_lossy(&write(name, text)));
    }
}

/// What is read in more than one form.
#[test]
fn other_forms_are_read() {
    for (name, bytes, text) in [
        ("UTF-7", &b"+AEE"[..], "A"),
        ("UTF-7", b"+AEE-B+AEM", "ABC"),
        ("UTF-7", b"a!b+AEE!", "a!bA!"),
        ("HZ", b"a~\nb", "ab"),
        ("HZ", b"~{0!\n~~", "啊\n~"),
        ("HZ", b"~{~}~{0!~}", "啊"),
        // Without the announcement.
        ("ISO-2022-KR", b"\x0E0!\x0F", "가"),
        ("ISO-2022-JP-1", b"\x1B$@F|\x1B(J\\", "日¥"),
        ("ISO-2022-JP-1", b"\x1B$(BF|\x1B$(@F|\x1B(B", "日日"),
        ("ISO-2022-JP-2", b"\x1B$(AN*\x1B(I1\x1B(B", "为ｱ"),
        ("ISO-2022-JP-2", b"caf\x1B.A\x1BNi", "café"),
        ("ISO-2022-JP-2", b"\x1B.F\x1BNj", "κ"),
        ("ISO-2022-JP-3", b"\x1B$(Q.!\x1B$(O.!\x1B(B", "\u{4FF1}\u{4FF1}"),
    ] {
        assert_eq!(read(name, bytes).as_deref(), Some(text), "{name} {:?}", String::from_utf8_lossy(bytes));
    }
}

/// One error for each maximal subpart, and nothing valid is lost, however the input is cut.
#[test]
fn malformed_input() {
    for (name, bytes, text) in [
        // A sign without base64; half a pair at the end and before another character; a digit too many; no ASCII.
        ("UTF-7", &b"a+!b"[..], "a�!b"),
        ("UTF-7", b"+2D0-x", "�x"),
        ("UTF-7", b"+2D0AQQ-x", "�Ax"),
        ("UTF-7", b"+3gA-x", "�x"),
        ("UTF-7", b"+AEEA-x", "A�x"),
        ("UTF-7", b"+AEE", "A"),
        ("UTF-7", b"+A", "�"),
        ("UTF-7", b"a\xE9\\", "a��"),
        ("UTF-7-IMAP", b"&AEE!", "A�"),
        // Half a pair before a line end, and at the end; a pair without a character; an unknown escape.
        ("HZ", b"~{0!0\n0!", "啊�\n0!"),
        ("HZ", b"~{0!0", "啊�"),
        ("HZ", b"~{0\x800!~}", "��啊"),
        ("HZ", b"~{*!~}", "�"),
        ("HZ", b"~a", "�a"),
        ("ISO-2022-KR", b"\x0E0\x0Fa", "�a"),
        ("ISO-2022-KR", b"\x1B$)Da", "�Da"),
        ("ISO-2022-KR", b"\xB0", "�"),
        ("ISO-2022-JP-1", b"\x1B$B\x7C!\x1B(Ba", "�a"),
        ("ISO-2022-JP-1", b"\x0E\x0F\x1B", "���"),
        // G2 is forgotten at the end of the line; nothing was designated to G1.
        ("ISO-2022-JP-2", b"\x1B.A\n\x1BNi", "\n�Ni"),
        ("ISO-2022-CN", b"\x0Ea", "�a"),
        ("ISO-2022-CN", b"\x1B$)A\x0E=;\n=;", "交\n=;"),
    ] {
        let job = Transcode::new().source_encoding(name).unwrap().on_malformed(OnMalformed::Replace);
        let outcome = invariant(&job, bytes, &format!("{name} {:?}", String::from_utf8_lossy(bytes)));
        assert_eq!(outcome.text(), text, "{name} {:?}", String::from_utf8_lossy(bytes));
    }
}

/// Characters that would be read as codes of the charset, and those that it lacks.
#[test]
fn unmappable_characters() {
    for (name, ch) in [
        ("ISO-2022-KR", '\x0E'),
        ("ISO-2022-CN", '\x1B'),
        ("ISO-2022-JP-1", '가'),
        ("HZ", '가'),
        ("ISO-2022-CN", '가'),
        ("ISO-2022-JP-EXT", '😀'),
    ] {
        let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(name).unwrap();
        let outcome = whole(&job, format!("a{ch}").as_bytes());
        assert_eq!((outcome.offset, outcome.output.ends_with(b"a")), (Some(1), true), "{name} {ch:?}");
    }
}

/// All that a charset can write is read as the same text, one character to a line and all in one.
#[test]
fn round_trips() {
    for name in [
        "UTF-7",
        "UTF-7-IMAP",
        "HZ",
        "ISO-2022-KR",
        "ISO-2022-CN",
        "ISO-2022-CN-EXT",
        "ISO-2022-JP-1",
        "ISO-2022-JP-2",
        "ISO-2022-JP-3",
        "ISO-2022-JP-2004",
        "ISO-2022-JP-EXT",
    ] {
        let codec = Registry::builtin().codec(name).unwrap();
        let can =
            |ch: &char| charpipe::codec::decode_strictly(&*codec, &crate::common::encode(&*codec, &ch.to_string()));
        let all = (' '..'\u{30000}').filter(|ch| can(ch).is_some_and(|text| text == ch.to_string()));
        let chars: Vec<char> = all.step_by(if crate::common::sample::is_full() { 1 } else { 7 }).collect();
        assert!(chars.len() > 900, "{name}: {}", chars.len());
        let (line, lines): (String, String) =
            (chars.iter().collect(), chars.iter().map(|ch| format!("{ch}\n")).collect());
        assert_eq!(read(name, &write(name, &line)).as_deref(), Some(&*line), "{name}");
        if name != "UTF-7-IMAP" {
            assert_eq!(read(name, &write(name, &lines)).as_deref(), Some(&*lines), "{name}");
        }
    }
}

/// Two characters that share a code, and the first of them by itself.
#[test]
fn two_characters_with_one_code() {
    for name in ["ISO-2022-JP-3", "ISO-2022-JP-2004", "EUC-JIS-2004", "Shift_JIS-2004"] {
        let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(name).unwrap();
        for text in ["か\u{309A}", "か", "かか\u{309A}き", "æ\u{300}æ", "˥˩˥"] {
            let outcome = invariant(&job, text.as_bytes(), &format!("{name} {text:?}"));
            assert_eq!(outcome.error, None, "{name} {text:?}");
            assert_eq!(read(name, &outcome.output).as_deref(), Some(text), "{name} {text:?}");
        }
        let [one, two] = ["か\u{309A}", "かか"].map(|text| write(name, text).len());
        assert!(one < two, "{name}: the pair has a code of its own");
    }
}
