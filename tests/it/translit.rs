//! Tests approximations of characters that the target lacks (`spec/translit.md`).

use crate::common::process::piped_through;
use crate::common::{installed, invariant, vectors};
use charpipe::codec::decode_strictly;
use charpipe::{Kind, OnUnmappable, Transcode};
use std::collections::BTreeMap;
use std::process::Command;

fn to(label: &str) -> Transcode {
    Transcode::new().target_encoding(label).unwrap().on_unmappable(OnUnmappable::Translit)
}

/// The target's own characters stay, and what it lacks is approximated.
#[test]
fn only_what_the_target_lacks_is_approximated() {
    for (label, text, expected) in [
        ("US-ASCII", "Łódź “5 €”", &b"Lodz \"5 EUR\""[..]),
        ("ISO-8859-1", "Łódź “5 €”", b"L\xF3dz \"5 EUR\""),
        ("ISO-8859-2", "Łódź “5 €”", b"\xA3\xF3d\xBC \"5 EUR\""),
        // The page has one-way mappings for the full-width forms.
        ("IBM037", "a！é", b"\x81\x5A\x51"),
        ("IBM1047", "…", b"\x4B\x4B\x4B"),
        ("US-ASCII", "1½ e\u{301}", b"1 1/2  e"),
        // Longer than the sixteen characters that a codec takes as one replacement.
        ("US-ASCII", "\u{1FAF0}!", b":hand_with_index_finger_and_thumb_crossed:!"),
    ] {
        let outcome = invariant(&to(label), text.as_bytes(), text);
        assert_eq!((&outcome.output[..], &outcome.error), (expected, &None), "{label} {text}");
    }
}

#[test]
fn each_is_counted_with_its_place() {
    let report = to("US-ASCII").run("a€\u{E000}é".as_bytes(), std::io::sink()).unwrap();
    let seen: Vec<(u64, char)> = report.unmappable.first.iter().map(|fault| (fault.offset, fault.ch)).collect();
    assert_eq!(seen, [(1, '€'), (4, '\u{E000}'), (7, 'é')]);
}

/// Neither a one-way mapping nor the substitute becomes a control character. IBM's pages for the PC write pictures such as
/// U+263A as control characters, and most substitutes are U+001A.
#[test]
fn nothing_becomes_a_control_character() {
    let text: String = ('\u{A0}'..'\u{3100}').chain('\u{FB00}'..'\u{FFFE}').chain('\u{1F600}'..'\u{1F610}').collect();
    let text: String = text.chars().filter(|ch| !ch.is_control()).collect();
    for codec in crate::common::sample::codecs("translit") {
        if codec.encoder().is_none() || codec.name() == "IBM1137" {
            continue;
        }
        let job = Transcode::new().registry(charpipe::Registry::builtin()).on_unmappable(OnUnmappable::Translit);
        let Ok(job) = job.target_encoding(codec.name()) else { continue };
        let mut output = Vec::new();
        if job.run(text.as_bytes(), &mut output).is_err() {
            // A charset without `?` and without a substitute that can be seen.
            continue;
        }
        let Some(read) = decode_strictly(&*codec, &output) else { continue };
        let control = read.chars().find(|ch| ch.is_control());
        assert_eq!(control, None, "{}", codec.name());
    }
}

/// In a document, an approximation must not look like markup.
#[test]
fn markup_stays_markup() {
    let xml = "<?xml version='1.0'?><a b=\"“x”\" c='‘y’'>« 1 &lt; 2 »—é<!-- “—é” --><?p “é”?><![CDATA[«é»]]></a>";
    let outcome = invariant(&to("US-ASCII"), xml.as_bytes(), xml);
    let expected = "<?xml version='1.0' encoding='US-ASCII'?><a b=\"&quot;x&quot;\" c='&#39;y&#39;'>\
                    &lt;&lt; 1 &lt; 2 &gt;&gt;--e<!-- ??e? --><?p ?e??><![CDATA[?e?]]></a>";
    assert_eq!(outcome.text(), expected);
    let html = "<p title=\"“x”\">«é»</p>";
    let outcome = invariant(&to("US-ASCII").kind(Kind::Html), html.as_bytes(), html);
    assert_eq!(outcome.text(), "<p title=\"&quot;x&quot;\">&lt;&lt;e&gt;&gt;</p>");
}

/// glibc's own test of its transliteration (`intl/tst-translit.c`), and every character for which its C locale has an
/// approximation: ours is the same, or `spec/translit.tsv` has the difference.
#[test]
fn as_glibc_where_the_locale_does_not_matter() {
    let of = |text: &str| {
        let mut output = Vec::new();
        to("US-ASCII").run(text.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    };
    assert_eq!(of("«©Æß»"), "<<(C)AEss>>");
    assert_eq!(of("½×½=¼"), " 1/2 x 1/2 = 1/4 ");
    let differences: BTreeMap<String, (String, String)> = vectors::rows("translit.tsv")
        .iter()
        .map(|row| {
            let get = |column| row.get(column).unwrap_or_default().trim_matches('|').to_owned();
            (get("character"), (get("ours"), get("glibc")))
        })
        .collect();
    let version = |text: &[u8]| String::from_utf8_lossy(text).lines().next().unwrap_or_default().contains("2.36");
    let is_known = Command::new("iconv").arg("--version").output().is_ok_and(|output| version(&output.stdout));
    if !is_known || !installed("iconv", &["iconv", "--version"]) {
        crate::common::skipped("glibc 2.36 is not installed");
        return;
    }
    let all: Vec<char> = ('\u{A0}'..'\u{30000}').collect();
    let lines: String = all.iter().flat_map(|ch| [*ch, '\n']).collect();
    let mut command = Command::new("iconv");
    command.args(["-f", "UTF-8", "-t", "ASCII//TRANSLIT"]).env("LC_ALL", "C");
    let theirs = String::from_utf8(piped_through(&mut command, lines.as_bytes()).stdout).unwrap();
    let mut count = 0;
    let writes = std::env::var_os("CHARPIPE_WRITE_TRANSLIT").is_some();
    let mut page =
        "# Written by tests/it/translit.rs; see translit.md. Text stands between two bars.\ncharacter\tours\tglibc\n"
            .to_owned();
    for (ch, theirs) in all.iter().zip(theirs.split('\n')).filter(|(_, theirs)| *theirs != "?") {
        count += 1;
        let ours = of(&ch.to_string());
        let key = format!("{:04X}", *ch as u32);
        if writes && ours != theirs {
            page += &format!("{key}\t|{ours}|\t|{theirs}|\n");
        }
        match differences.get(&key).filter(|_| !writes) {
            Some(listed) => assert_eq!((&ours, theirs), (&listed.0, &*listed.1), "{key}"),
            None => assert!(writes || ours == theirs, "{key} is not listed: {ours:?}, {theirs:?}"),
        }
    }
    assert!(count > 1600, "{count}");
    if writes {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/spec/translit.tsv"), page).unwrap();
    }
}
