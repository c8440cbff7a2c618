//! Tests the first invariant: the result does not depend on how the input is cut or on the size of the output buffers.
//! Every registered codec is tested.

use crate::common;

use crate::common::{Stutter, TEXT, codecs, encode, invariant, sample, samples, whole};
use charpipe::codec::table::Way;
use charpipe::detect::Policy;
use charpipe::{Bom, Codec, Eol, Kind, OnMalformed, Registry, Relabel, Transcode};
use proptest::prelude::*;

#[test]
fn decoding() {
    for codec in sample::codecs("decoding") {
        for (index, input) in samples(&*codec).iter().enumerate() {
            for policy in [OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Escape] {
                let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(policy);
                let outcome = invariant(&job, input, &format!("{} sample {index} {policy:?}", codec.name()));
                assert!(std::str::from_utf8(&outcome.output).is_ok());
                assert!(policy == OnMalformed::Fail || outcome.error.is_none(), "{outcome:?}");
            }
        }
    }
}

#[test]
fn encoding() {
    for codec in sample::codecs("encoding") {
        for eol in [Eol::Keep, Eol::Crlf] {
            let job =
                Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(codec.name()).unwrap().eol(eol);
            let outcome = invariant(&job, TEXT.as_bytes(), &format!("to {} {eol:?}", codec.name()));
            if let Some(error) = outcome.error {
                // The first character of the text that the codec cannot write.
                let offset = outcome.offset.unwrap() as usize;
                let ch = TEXT[offset..].chars().next().unwrap();
                assert!(error.contains(&format!("U+{:04X}", ch as u32)), "{error}");
                let can = |ch: char| !encode(&*codec, ch.encode_utf8(&mut [0; 4])).is_empty();
                assert!(!can(ch) && TEXT[..offset].chars().all(can), "{}: {error}", codec.name());
            }
        }
    }
}

#[test]
fn detection_and_label() {
    for codec in sample::codecs("detection and label") {
        for target in ["UTF-8", "UTF-16", "X-ISO-10646-UCS-4-3412", "IBM037"] {
            let name = codec.info().xml_name.unwrap();
            for declaration in [
                format!("<?xml version='1.0' encoding='{name}' standalone='yes'?>\r\n<a>é</a>"),
                "<?xml version=\"1.0\"?><a/>".to_owned(),
                "<a/>".to_owned(),
            ] {
                let input = encode(&*codec, &declaration);
                let job = Transcode::new().target_encoding(target).unwrap();
                invariant(&job, &input, &format!("{name} to {target}: {declaration}"));
                invariant(&job.kind(Kind::Xml), &input, &format!("xml: {name} to {target}: {declaration}"));
            }
        }
    }
}

#[test]
fn stuttering_readers() {
    for codec in codecs() {
        let input = samples(&*codec).remove(2);
        let job = Transcode::new().source_encoding(codec.name()).unwrap().on_malformed(OnMalformed::Replace);
        let mut output = Vec::new();
        job.run(Stutter::new(&input), &mut output).unwrap();
        assert_eq!(output, whole(&job, &input).output, "{}", codec.name());
    }
}

#[test]
fn a_transcoder_can_be_reset_and_used_again() {
    for codec in codecs() {
        let job = Transcode::new().target_encoding(codec.name()).unwrap().on_malformed(OnMalformed::Replace);
        let mut transcoder = job.transcoder().unwrap();
        for input in [&b"\xFF\xFE<\0a\0"[..], b"<?xml version='1.0'?><a/>", b"\xE2\x82", b"plain"] {
            let all = &mut std::iter::repeat(usize::MAX);
            let buffer_sizes = &mut std::iter::repeat(1 << 16);
            let again = common::drive_this(&mut transcoder, input, all, buffer_sizes, false);
            assert_eq!(again, whole(&job, input), "{}", codec.name());
            transcoder.reset();
        }
    }
}

fn any_job() -> impl Strategy<Value = (Transcode, String)> {
    let names: Vec<String> = codecs().iter().map(|codec| codec.name().to_owned()).collect();
    let malformed =
        prop::sample::select(vec![OnMalformed::Fail, OnMalformed::Replace, OnMalformed::Drop, OnMalformed::Escape]);
    let eol = prop::sample::select(vec![Eol::Auto, Eol::Keep, Eol::Lf, Eol::Crlf, Eol::Nel]);
    let from = prop::option::of(prop::sample::select(names.clone()));
    let to = prop::sample::select(names);
    let bom = prop::sample::select(vec![Bom::Auto, Bom::Keep, Bom::Strip]);
    let relabel = prop::sample::select(vec![Relabel::Auto, Relabel::Never]);
    let kind = prop::option::of(prop::sample::select(vec![Kind::Xml, Kind::Text]));
    let policy = prop::sample::select(Policy::ALL.to_vec());
    let content_type = prop::option::of(prop::sample::select(vec![
        "text/xml",
        "application/xml",
        "text/html; charset=koi8-r",
        "text/plain",
        "application/xml; charset=utf-16",
        "",
    ]));
    let detection = (policy, content_type, any::<bool>(), prop::option::of(0usize..60));
    (from, to, malformed, eol, bom, relabel, kind, any::<bool>(), detection).prop_map(
        |(from, to, malformed, eol, bom, relabel, kind, strict, (policy, content_type, guess, prescan))| {
            let what = format!("{from:?} {to} {malformed:?} {eol:?} {bom:?} {relabel:?} {kind:?} {strict}");
            let what = format!("{what} {policy:?} {content_type:?} {guess} {prescan:?}");
            let mut job = Transcode::new()
                .target_encoding(&to)
                .unwrap()
                .on_malformed(malformed)
                .eol(eol)
                .bom(bom)
                .relabel(relabel);
            if let Some(from) = from {
                job = job.source_encoding(&from).unwrap();
            }
            if let Some(kind) = kind {
                job = job.kind(kind);
            }
            if let Some(value) = content_type {
                job = job.content_type(value);
            }
            if let Some(bytes) = prescan {
                job = job.prescan(bytes);
            }
            (job.strict(strict).policy(policy).guess(guess), what)
        },
    )
}

fn any_input() -> impl Strategy<Value = Vec<u8>> {
    let names: Vec<String> = codecs().iter().map(|codec| codec.name().to_owned()).collect();
    let text = prop::string::string_regex(
        "(<\\?xml version=['\"]1.0['\"]( encoding=['\"][A-Za-z0-9-]{0,10}['\"])?\\?>)?[a-c<>\r\n\u{85}é€漢😀]{0,40}",
    )
    .unwrap();
    let encoded = (prop::sample::select(names), text)
        .prop_map(|(name, text)| encode(&*Registry::builtin().codec(&name).unwrap(), &text));
    let bom = prop::sample::select(vec![&b""[..], b"\xFE\xFF", b"\xFF\xFE", b"\0\0\xFE\xFF", b"\xEF\xBB\xBF"]);
    let noise = prop::collection::vec(any::<u8>(), 0..6);
    let html = "<meta charset=koi8-r>é<meta content='text/html; charset=utf-8' http-equiv=content-type>".as_bytes();
    prop_oneof![
        1 => (0..html.len()).prop_map(|len| html[..len].to_vec()),
        6 => (bom, encoded, noise, any::<prop::sample::Index>()).prop_map(|(bom, mut text, noise, at)| {
            let at = at.index(text.len() + 1);
            text.splice(at..at, noise);
            [bom, &text].concat()
        }),
        3 => prop::collection::vec(any::<u8>(), 0..60),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_job_on_any_input_in_any_pieces(
        (job, what) in any_job(),
        input in any_input(),
        cuts in prop::collection::vec(0usize..20, 1..10),
        buffer_sizes in prop::collection::vec(0usize..140, 1..10),
        late_eof in any::<bool>(),
    ) {
        prop_assume!(cuts.iter().any(|cut| *cut > 0) && buffer_sizes.iter().any(|size| *size > 0));
        let pieces =
            common::drive(&job, &input, &mut cuts.iter().copied().cycle(), &mut buffer_sizes.iter().copied().cycle(), late_eof);
        prop_assert_eq!(pieces, whole(&job, &input), "{}", what);
    }

    /// Text that a decoder returned without errors can be encoded, and decodes to the same text again.
    #[test]
    fn round_trip(index in any::<prop::sample::Index>(), input in prop::collection::vec(any::<u8>(), 0..80)) {
        let codecs = codecs();
        let name = codecs[index.index(codecs.len())].name();
        let there = Transcode::new().source_encoding(name).unwrap().relabel(Relabel::Never).on_malformed(OnMalformed::Drop);
        let text = whole(&there, &input).output;
        let back = Transcode::new().source_encoding("UTF-8").unwrap().target_encoding(name).unwrap().relabel(Relabel::Never).bom(Bom::Strip);
        let bytes = whole(&back, &text);
        let text = String::from_utf8(text).unwrap();
        let half_width = |ch| ('\u{FF61}'..='\u{FF9F}').contains(&ch);
        if bytes.error.is_some() && READ_MORE.contains(&name) || name == "ISO-2022-JP" && text.contains(half_width) {
            return Ok(());
        }
        if let Some(offset) = bytes.offset && is_one_way(&*codecs[index.index(codecs.len())], &text[offset as usize..]) {
            return Ok(());
        }
        prop_assert_eq!(bytes.error, None, "{}", name);
        let again = whole(&there.clone().source_encoding(codecs_explicit(name)).unwrap(), &bytes.output);
        prop_assert_eq!(String::from_utf8(again.output).unwrap(), text, "{}", name);
    }
}

/// Returns whether the codec's table can only decode the first character of the text, not encode it.
fn is_one_way(codec: &dyn Codec, text: &str) -> bool {
    let Some(table) = codec.info().table() else { return false };
    let of_it = table.mappings.iter().filter(|mapping| text.starts_with(mapping.ch));
    let ways: Vec<Way> = of_it.map(|mapping| mapping.way).collect();
    ways.contains(&Way::ToText) && !ways.iter().any(|way| matches!(way, Way::RoundTrip | Way::ToBytes))
}

/// Codecs that decode more than they encode: UCS-2 decodes UTF-16 and cannot write characters beyond the Basic
/// Multilingual Plane; the encoders of the web charsets write only common characters (ISO-2022-JP writes half-width
/// katakana as full-width).
const READ_MORE: [&str; 6] = ["ISO-10646-UCS-2", "Big5", "EUC-JP", "gb18030", "GBK", "Shift_JIS"];

/// Returns the codec that writes the same as `name` without a byte order mark.
fn codecs_explicit(name: &str) -> &str {
    match name {
        "UTF-16" | "ISO-10646-UCS-2" => "UTF-16BE",
        "UTF-32" | "ISO-10646-UCS-4" => "UTF-32BE",
        name => name,
    }
}
