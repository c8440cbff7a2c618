//! Tests the charsets that switch between sets: UTF-7, HZ and ISO-2022. Cuts of input and output are tested for all
//! codecs by `chunks.rs`.

use crate::common::{invariant, sample, whole};
use charpipe::codec::{ByteSink, Codec, MIN_ROOM, Stop, decode_strictly, drive};
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

/// The steps of Marsaglia's xorshift generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    fn one_of<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

const STATEFUL: [&str; 11] = [
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
];

/// Decodes pieces of these lengths, with this much room, and returns the text with a mark at each fault, and the
/// states.
fn decode(codec: &dyn Codec, bytes: &[u8], piece: usize, room: usize) -> (String, Option<u64>) {
    let (mut decoder, mut text) = (codec.decoder(), String::new());
    let mut room = vec![0; room];
    for piece in bytes.chunks(piece) {
        let is_done = drive(&mut *decoder, piece, false, &mut room, |step| {
            text.push_str(step.text);
            if let Some(fault) = step.fault {
                text.push_str(&format!("<{},{}>", fault.len, fault.after));
            }
            true
        });
        assert!(is_done);
    }
    (text, decoder.state())
}

/// Converts a long text in both directions: some tables are built for one, and then used for short ones too.
fn build_tables(codec: &dyn Codec) {
    let text = "a 한국어 中文 日本語\n".repeat(8000);
    let bytes = encode(codec, &text, text.len(), 1 << 20);
    decode(codec, &bytes, bytes.len(), 1 << 20);
}

/// Runs of whole characters are decoded as the same bytes one by one. The texts are random, mostly good, and damaged.
#[test]
fn runs_are_decoded_as_single_bytes() {
    const PARTS: &[&[u8]] = &[
        b"\x0E",
        b"\x0F",
        b"\n",
        b"\r",
        b"~{",
        b"~}",
        b"~\n",
        b"~~",
        b"~",
        b"+",
        b"-",
        b"&",
        b"+-",
        b"&-",
        b"\x1B(B",
        b"\x1B(J",
        b"\x1B(I",
        b"\x1B$B",
        b"\x1B$@",
        b"\x1B$(D",
        b"\x1B$(Q",
        b"\x1B$(P",
        b"\x1B$A",
        b"\x1B$(C",
        b"\x1B.A",
        b"\x1B.F",
        b"\x1BN",
        b"\x1BO",
        b"\x1B$)C",
        b"\x1B$)A",
        b"\x1B$)G",
        b"\x1B$*H",
        b"\x1B$+I",
        b"\x1B",
        b"\x1B$(O.!",
        b"+ZeVnLIqe-",
        b"&ZeVnLIqe-",
        b"+ZeVnLIqe",
        b"+2D3eAA",
        b"2D3eAA",
        b"+2D0-",
        b"+2D3eAABh2D3eAQBi2D0AYw-",
        b"+AGE-a+AGEAYg b+AGEAYgBj-&AGEAYgBjAGQ-",
        b"!!!!",
        b" ",
        b"plain text in a row, long ",
        b"\x80",
        b"\xFF",
        b"ZeVnLIqeZeVnLIqeZeVnLIqe",
        b"=;0!=;0!",
        b"\0",
        b"\x7F",
        b"\\",
        b",/+",
    ];
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for name in STATEFUL {
        let codec = Registry::builtin().codec(name).unwrap();
        build_tables(&*codec);
        for _ in 0..sample::tenth(3000) {
            let mut bytes = Vec::new();
            while bytes.len() < 300 {
                match dice.below(4) {
                    0 => bytes.extend((0..dice.below(12)).map(|_| 0x21 + dice.below(94) as u8)),
                    1 => bytes.extend((0..2 * dice.below(9)).map(|_| 0x30 + dice.below(30) as u8)),
                    2 => bytes.extend((0..dice.below(20)).map(|_| b'A' + dice.below(26) as u8)),
                    _ => bytes.extend(dice.one_of(PARTS)),
                }
            }
            let expected = decode(&*codec, &bytes, 1, MIN_ROOM);
            let (piece, room) = (1 + dice.below(150), MIN_ROOM + dice.below(200));
            assert_eq!(decode(&*codec, &bytes, bytes.len(), 2000), expected, "{name} {bytes:?}");
            assert_eq!(decode(&*codec, &bytes, piece, room), expected, "{name} {piece} {room} {bytes:?}");
        }
    }
}

/// Encodes pieces of this many characters, with this much room, and returns the bytes with a mark at each fault.
fn encode(codec: &dyn Codec, text: &str, piece: usize, room: usize) -> Vec<u8> {
    let (mut encoder, mut bytes) = (codec.encoder().unwrap(), Vec::new());
    let mut room = vec![0; room];
    let ends: Vec<usize> =
        text.char_indices().map(|(at, _)| at).skip(piece).step_by(piece).chain([text.len()]).collect();
    let mut from = 0;
    for end in ends {
        while from < end {
            let mut sink = ByteSink::new(&mut room);
            let step = encoder.feed(&text[from..end], &mut sink);
            bytes.extend(sink.as_bytes());
            from += step.read;
            if let Stop::Fault(fault) = step.stop {
                bytes.extend(format!("<{:?}>", fault.ch).as_bytes());
            }
        }
    }
    loop {
        let mut sink = ByteSink::new(&mut room);
        let stop = encoder.finish(&mut sink);
        bytes.extend(sink.as_bytes());
        if stop == Stop::InputEmpty {
            return bytes;
        }
    }
}

/// Runs of characters are encoded as the same characters one by one.
#[test]
fn runs_are_encoded_as_single_characters() {
    const PARTS: &[&str] = &[
        "a",
        "plain text in a row, and more of it",
        "\n",
        "\r\n",
        "~",
        "+",
        "&",
        "-",
        "é",
        "ΑΒΓ",
        "日本語",
        "한국어",
        "中文",
        "國乂",
        "か\u{309A}",
        "か",
        "æ\u{300}",
        "˩˥",
        "😀",
        "𠀋",
        "\x1B",
        "\x0E",
        "\u{FFFD}",
        "ｱｲｳ",
        "¥",
        "‾",
        "!\"#",
        "日",
        "Ж",
        "\0",
    ];
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for name in STATEFUL {
        let codec = Registry::builtin().codec(name).unwrap();
        build_tables(&*codec);
        for _ in 0..sample::tenth(3000) {
            let mut text = String::new();
            while text.len() < 300 {
                let from = [0x20, 0x3041, 0x4E00, 0xAC00, 0x400, 0x20000][dice.below(6)];
                match dice.below(3) {
                    0 => text.extend((0..dice.below(12)).filter_map(|_| char::from_u32(from + dice.below(90) as u32))),
                    _ => text.push_str(dice.one_of(PARTS)),
                }
            }
            let expected = encode(&*codec, &text, 1, MIN_ROOM - 1);
            let (piece, room) = (1 + dice.below(60), MIN_ROOM + dice.below(200));
            assert_eq!(encode(&*codec, &text, text.len(), 4000), expected, "{name} {text:?}");
            assert_eq!(encode(&*codec, &text, piece, room), expected, "{name} {piece} {room} {text:?}");
        }
    }
}

/// Pairs that glibc or ICU do not read, or read as another character, are read but not written.
#[test]
fn chinese_that_others_do_not_read_is_not_written() {
    for name in ["ISO-2022-CN", "ISO-2022-CN-EXT"] {
        let codec = Registry::builtin().codec(name).unwrap();
        let drops = |text: &str| {
            let job = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(name).unwrap();
            let outcome = whole(&job.on_unmappable(charpipe::OnUnmappable::Drop), text.as_bytes());
            decode_strictly(&*codec, &outcome.output).unwrap()
        };
        for (pair, text) in [("!&", "‧"), ("'!", "⼀"), ("$>", "⑻"), ("BC", "〇")] {
            let found = read(name, format!("\x1B$)G\x0E{pair}\x0F").as_bytes()).unwrap();
            assert_eq!(found.chars().count(), 1, "{pair} {text}");
            assert_eq!(drops(&found), "", "{pair}: {found}");
        }
        assert_eq!(read(name, b"\x1B$)A\x0E#'\x0F").as_deref(), Some("＇"));
        // Alone, among Chinese, and in a long text, which is written by tables.
        let long = "中国＇字".repeat(2000);
        assert_eq!(drops("＇"), "");
        assert_eq!(drops(&long), "中国字".repeat(2000));
        assert_eq!(drops("壹一‵字"), "壹一字");
    }
}
