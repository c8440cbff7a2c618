//! Tests the repair of text that was decoded with the wrong charset, as a stage of conversions.

use crate::common::{drive_this, invariant};
use charpipe::{Eol, OnControl, OnMojibake, OnUnmappable, Relabel, Report, Transcode};

fn repair() -> Transcode {
    Transcode::new().on_mojibake(OnMojibake::Repair)
}

/// Resolves `\u{HEX}`.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hex, rest) = part.split_once('}').unwrap();
        result.push(char::from_u32(u32::from_str_radix(hex, 16).unwrap()).unwrap());
        result.push_str(rest);
    }
    result
}

fn cases() -> impl Iterator<Item = (String, String, &'static str)> {
    let lines = include_str!("../../spec/mojibake.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let [before, after, pages, why] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        (unescaped(before), unescaped(after), if why.is_empty() { pages } else { why })
    })
}

fn run(job: &Transcode, input: &[u8]) -> (Vec<u8>, Report) {
    let mut output = Vec::new();
    let report = job.run(input, &mut output).unwrap();
    (output, report)
}

#[test]
fn every_case_of_the_file() {
    let job = repair().source_encoding("UTF-8").unwrap();
    let mut count = 0;
    for (before, after, why) in cases() {
        assert_eq!(job.decode(before.as_bytes()).unwrap(), after, "{why}: {before}");
        // Repaired text is not changed again.
        assert_eq!(job.decode(after.as_bytes()).unwrap(), after, "{why}: again");
        count += 1;
    }
    assert!(count >= 100, "{count}");
}

/// The same output, report and offsets, however the input is cut; from any charset, and to one that lacks characters.
#[test]
fn the_cut_does_not_matter() {
    for (index, (before, _, why)) in cases().enumerate().filter(|(index, _)| index % 7 == 0) {
        let utf16: Vec<u8> = before.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let job = repair().source_encoding("UTF-8").unwrap();
        invariant(&job, before.as_bytes(), why);
        invariant(&job.clone().target_encoding("US-ASCII").unwrap(), before.as_bytes(), why);
        if index % 2 == 0 {
            invariant(&repair().source_encoding("UTF-16BE").unwrap(), &utf16, why);
            let counted = job.target_encoding("ISO-8859-2").unwrap().on_unmappable(OnUnmappable::Escape);
            invariant(&counted.eol(Eol::Crlf).on_control(OnControl::Space), before.as_bytes(), why);
        }
    }
}

/// A run without an end needs no memory, and is the same for any cut.
#[test]
fn long_runs() {
    let damaged = "Ð´Ð°".repeat(30_000);
    let (output, report) = run(&repair().source_encoding("UTF-8").unwrap(), damaged.as_bytes());
    assert_eq!(String::from_utf8(output).unwrap(), "да".repeat(30_000));
    assert_eq!(report.mojibake.unwrap().count, 60_000);
    // It is valid in a page, and nothing that anybody writes.
    let lines = "├┤┼┐".repeat(30_000);
    let (output, report) = run(&repair().source_encoding("UTF-8").unwrap(), lines.as_bytes());
    assert!(output == lines.into_bytes());
    assert_eq!(report.mojibake.unwrap().count, 0);
}

#[test]
fn the_report_lists_repairs() {
    let text = "cafÃ© ÃƒÂ¼ber 5 â‚¬, café";
    let (output, report) = run(&repair(), text.as_bytes());
    assert_eq!(String::from_utf8(output).unwrap(), "café über 5 €, café");
    let mojibake = report.mojibake.unwrap();
    let first: Vec<_> = mojibake.first.iter().map(|at| (at.offset, &*at.before, &*at.after)).collect();
    assert_eq!(mojibake.count, 3);
    assert_eq!(first, [(3, "Ã©", "é"), (8, "ÃƒÂ¼", "ü"), (22, "â‚¬", "€")]);
    // Offsets are those of the input.
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let report = run(&repair().source_encoding("UTF-16LE").unwrap(), &utf16).1;
    let offsets: Vec<u64> = report.mojibake.unwrap().first.iter().map(|at| at.offset).collect();
    assert_eq!(offsets, [6, 12, 32]);
    // The others are only counted.
    let many = run(&repair(), "cafÃ© ".repeat(50).as_bytes()).1.mojibake.unwrap();
    assert_eq!((many.count, many.first.len()), (50, 16));
    assert_eq!(run(&repair(), "café".as_bytes()).1.mojibake.unwrap().count, 0);
    assert_eq!(run(&Transcode::new(), text.as_bytes()).1.mojibake, None);
}

/// A transcoder that is used again lists the repairs of each input.
#[test]
fn each_input_has_its_own_report() {
    let mut transcoder = repair().transcoder().unwrap();
    for _ in 0..3 {
        let (mut cuts, mut sizes) = (std::iter::repeat(2), std::iter::repeat(64));
        let outcome = drive_this(&mut transcoder, "cafÃ©".as_bytes(), &mut cuts, &mut sizes, false);
        let mojibake = transcoder.report().mojibake.clone().unwrap();
        assert_eq!((mojibake.count, mojibake.first.len(), outcome.text()), (1, 1, "café"));
        transcoder.reset();
    }
}

/// The label is corrected as without the option.
#[test]
fn labels_stay_true() {
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a b=\"cafÃ©\">5 â‚¬</a>";
    let job = repair().target_encoding("windows-1252").unwrap();
    let outcome = invariant(&job, xml.as_bytes(), "xml");
    let expected = b"<?xml version=\"1.0\" encoding=\"windows-1252\"?><a b=\"caf\xE9\">5 \x80</a>";
    assert_eq!(outcome.output, expected);
    let kept = invariant(&repair().relabel(Relabel::Never), xml.as_bytes(), "kept");
    assert_eq!(kept.text(), "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a b=\"café\">5 €</a>");
}

/// The other stages see what is repaired, and line endings on both sides of it stay two.
#[test]
fn other_stages_come_after() {
    let job = repair().eol(Eol::Lf);
    assert_eq!(invariant(&job, "a\r\nÃ©\r\n\rÃ©\n".as_bytes(), "eol").text(), "a\né\n\né\n");
    // They see what was held back, too.
    let text = "Ã\u{85}xyz à\u{85}à\u{85} Ð\r\nÃ\u{80}";
    for eol in [Eol::Lf, Eol::Crlf, Eol::Nel] {
        invariant(&repair().eol(eol), text.as_bytes(), "eol");
    }
    for policy in [OnControl::Space, OnControl::Drop, OnControl::Error, OnControl::Xml] {
        invariant(&repair().on_control(policy), text.as_bytes(), "controls");
    }
    #[cfg(feature = "normalize")]
    {
        let job = repair().normalize(charpipe::Normalization::Nfd);
        let outcome = invariant(&job, "cafÃ© fÃ¼r".as_bytes(), "nfd");
        assert_eq!(outcome.text(), "cafe\u{301} fu\u{308}r");
        let job = repair().normalize(charpipe::Normalization::Nfc);
        assert_eq!(invariant(&job, "cafeÌ\u{81} x".as_bytes(), "nfc").text(), "café x");
        assert_eq!(run(&job, "cafeÌ\u{81} x".as_bytes()).1.mojibake.unwrap().count, 1);
    }
}
