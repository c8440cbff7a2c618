//! Tests the state of decoders and encoders as a number: at every cut, a new one that is set to that state and fed the
//! pending bytes continues in the same way as the old one.

use charpipe::Registry;
use charpipe::codec::{ByteSink, Codec, Decoder, Encoder, Stop, Utf8Sink, bytes_before};
use std::sync::Arc;

/// Characters of many scripts. Each codec gets those that it has.
const TEXT: &str = "aé日本~\n語ｱ한국\\+中文か\u{309A}x😀€\u{5D0}я-z日";

fn codecs() -> Vec<Arc<dyn Codec>> {
    let registry = Registry::builtin();
    let surface = registry.codec("IBM939,nl=zos").expect("a surface");
    registry.codecs().cloned().chain([surface]).collect()
}

/// Encodes the characters of `TEXT` that the codec has; returns them too.
fn encoded(codec: &dyn Codec) -> Option<(String, Vec<u8>)> {
    let mut text = String::new();
    let mut room = [0; 256];
    for ch in TEXT.chars() {
        let mut encoder = codec.encoder()?;
        let mut sink = ByteSink::new(&mut room);
        let fed = encoder.feed(ch.encode_utf8(&mut [0; 4]), &mut sink).stop;
        if fed == Stop::InputEmpty && encoder.finish(&mut sink) == Stop::InputEmpty {
            text.push(ch);
        }
    }
    let mut room = [0; 1024];
    let mut sink = ByteSink::new(&mut room);
    let mut encoder = codec.encoder()?;
    assert_eq!(encoder.feed(&text, &mut sink).stop, Stop::InputEmpty, "{}", codec.name());
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty, "{}", codec.name());
    let bytes = sink.as_bytes().to_vec();
    Some((text, bytes))
}

fn decode_rest(decoder: &mut dyn Decoder, mut src: &[u8]) -> String {
    let (mut text, mut room) = (String::new(), [0; 1024]);
    loop {
        let mut sink = Utf8Sink::new(&mut room);
        let step = decoder.feed(src, &mut sink);
        text.push_str(sink.as_str());
        src = &src[step.read..];
        match step.stop {
            Stop::InputEmpty => return text,
            Stop::OutputFull => {}
            Stop::Fault(_) => text.push('\u{FFFD}'),
        }
    }
}

fn encode_rest(encoder: &mut dyn Encoder, src: &str) -> Vec<u8> {
    let mut room = [0; 8192];
    let mut sink = ByteSink::new(&mut room);
    assert_eq!(encoder.feed(src, &mut sink).stop, Stop::InputEmpty);
    assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty);
    sink.as_bytes().to_vec()
}

#[test]
fn a_decoder_goes_on_at_every_cut() {
    for codec in codecs() {
        let name = codec.name();
        let Some((_, mut bytes)) = encoded(&*codec) else { continue };
        // Something malformed too.
        bytes.extend(b"\x0E\x41\xFFab\x1B$B\x30\x1B");
        for cut in 0..=bytes.len() {
            let mut decoder = codec.decoder();
            let begun = decode_rest(&mut *decoder, &bytes[..cut]);
            let state = decoder.state().unwrap_or_else(|| panic!("{name} has no state"));
            let pending = decoder.pending();
            let mut other = codec.decoder();
            assert!(other.set_state(state), "{name}: {state:X}");
            let _ = decode_rest(&mut *other, &bytes[cut - pending..cut]);
            assert_eq!((other.state(), other.pending()), (Some(state), pending), "{name} at {cut} after {begun:?}");
            let (left, right) = (decode_rest(&mut *decoder, &bytes[cut..]), decode_rest(&mut *other, &bytes[cut..]));
            assert_eq!(left, right, "{name} at {cut}, state {state:X}");
        }
        let mut decoder = codec.decoder();
        assert_eq!(decoder.state(), Some(0), "{name}");
        assert!(!decoder.set_state(u64::MAX), "{name}");
        assert_eq!(decoder.state(), Some(0), "{name}");
    }
}

#[test]
fn an_encoder_goes_on_at_every_cut() {
    for codec in codecs() {
        let name = codec.name();
        let Some((text, whole)) = encoded(&*codec) else { continue };
        for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut encoder = codec.encoder().expect("it encoded");
            let mut room = [0; 1024];
            let mut sink = ByteSink::new(&mut room);
            assert_eq!(encoder.feed(&text[..cut], &mut sink).stop, Stop::InputEmpty);
            let begun = sink.as_bytes().to_vec();
            let state = encoder.state().unwrap_or_else(|| panic!("{name} has no state"));
            let pending = encoder.pending();
            let mut other = codec.encoder().expect("it encoded");
            assert!(other.set_state(state), "{name}: {state:X}");
            let rest = encode_rest(&mut *other, &text[cut - pending..]);
            assert_eq!([&begun[..], &rest[..]].concat(), whole, "{name} at {cut}, state {state:X}");
            if let Some(mut fork) = encoder.fork() {
                let rest = encode_rest(&mut *fork, &text[cut..]);
                assert_eq!([&begun[..], &rest[..]].concat(), whole, "{name} at {cut}, a fork");
            } else {
                assert!(encoder.is_stateless(), "{name} cannot be forked");
            }
        }
        let mut encoder = codec.encoder().expect("it encoded");
        assert_eq!(encoder.state(), Some(0), "{name}");
        assert!(!encoder.set_state(u64::MAX), "{name}");
        assert_eq!(encoder.state(), Some(0), "{name}");
    }
}

/// However long the text is, the bytes before a character decode to the text before it.
#[test]
fn the_bytes_before_a_character() {
    for codec in codecs() {
        let name = codec.name();
        let Some((text, _)) = encoded(&*codec) else { continue };
        let text = text.repeat(20);
        let src = encode_rest(&mut *codec.encoder().expect("it encoded"), &text);
        for (at, _) in text.char_indices().step_by(13) {
            let used = bytes_before(&*codec.decoder(), &src, at);
            let decoded = decode_rest(&mut *codec.decoder(), &src[..used]);
            assert!(text[..at].starts_with(&decoded) || decoded.starts_with(&text[..at]), "{name} at {at}");
            // Codes of several characters are not cut.
            assert!(decoded.len() < at + 8 && decoded.len() >= at, "{name} at {at}: {}", decoded.len());
        }
    }
}

/// A decoder that is reset in any state continues as a new one would.
#[test]
fn reset_decoders() {
    for codec in codecs() {
        let Some((_, bytes)) = encoded(&*codec) else { continue };
        let expected = decode_rest(&mut *codec.decoder(), &bytes);
        for cut in 0..=bytes.len() {
            let mut decoder = codec.decoder();
            decode_rest(&mut *decoder, &bytes[..cut]);
            decoder.reset();
            assert_eq!(decoder.pending(), 0, "{} at {cut}", codec.name());
            assert_eq!(decode_rest(&mut *decoder, &bytes), expected, "{} at {cut}", codec.name());
        }
    }
}

/// However little room there is, nothing is read that is not written: not even after a character that the charset
/// lacks, when ISO-2022-JP holds back the escape sequence to ASCII.
#[test]
fn encoders_with_little_room() {
    let text = "aあ\u{E000}い\u{E000}bカ\u{E000}\u{E001}c";
    for label in ["ISO-2022-JP", "Shift_JIS", "EUC-JP", "IBM939"] {
        let Ok(codec) = Registry::builtin().codec(label) else { continue };
        let encode = |room: usize| {
            let (mut encoder, mut bytes, mut read, mut lacks) = (codec.encoder().unwrap(), Vec::new(), 0, 0);
            // Alternately with this little room, and with enough.
            for turn in 0.. {
                let mut room = vec![0; if turn % 2 == 0 { room } else { 64 }];
                let mut sink = ByteSink::new(&mut room);
                let step = encoder.feed(&text[read..], &mut sink);
                read += step.read;
                bytes.extend_from_slice(sink.as_bytes());
                match step.stop {
                    Stop::InputEmpty => break,
                    Stop::Fault(_) => lacks += 1,
                    Stop::OutputFull => {}
                }
            }
            let mut room = [0; 64];
            let mut sink = ByteSink::new(&mut room);
            assert_eq!(encoder.finish(&mut sink), Stop::InputEmpty, "{label}");
            bytes.extend_from_slice(sink.as_bytes());
            (bytes, lacks)
        };
        let expected = encode(64);
        for room in 0..12 {
            assert_eq!(encode(room), expected, "{label} with room for {room}");
        }
    }
}
