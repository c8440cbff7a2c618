//! Tests guessing from statistics. For any bytes, the candidates are in order, and are the same each time.

use charpipe::codec::{ByteSink, decode_strictly, is_ebcdic};
use charpipe::detect::statistics::{Guess, Looks, MARGIN, MOST, WINDOW, guess, looks_like};
use charpipe::{Registry, Transcode};
use proptest::prelude::*;
use std::io::BufReader;

fn encoded(label: &str, text: &str) -> Vec<u8> {
    let codec = Registry::builtin().codec(label).unwrap();
    let mut encoder = codec.encoder().unwrap();
    let mut buffer = vec![0; 4 * text.len() + 64];
    let mut sink = ByteSink::new(&mut buffer);
    assert_eq!(encoder.feed(text, &mut sink).read, text.len());
    let _ = encoder.finish(&mut sink);
    sink.as_bytes().to_vec()
}

fn first(bytes: &[u8]) -> Option<String> {
    guess(bytes, true, &Registry::builtin()).candidates().first().map(|first| first.codec.clone())
}

#[test]
fn the_language_identifies_the_page() {
    let cases = [
        ("IBM273", "Die Prüfung der fälligen Beträge hat für Müller und Schröder größere Rückstände ergeben."),
        ("IBM297", "Le père a été invité à dîner chez son frère, où la soirée s'est très bien passée jusqu'à l'été."),
        ("IBM277", "Når året er gået, må både børn og forældre møde på skolen, også når det bliver større."),
        ("IBM1026", "Öğretmen öğrencilere güneşin doğuşunu gösterdi; çocuklar şaşkınlıkla gökyüzüne baktılar."),
        ("IBM870", "Należy przedłożyć zaświadczenie o płatnościach oraz książkę życzeń; błędów być nie może."),
        ("IBM875", "Η απάντηση για τη διεύθυνση και το υπόλοιπο του λογαριασμού θα σταλεί την ερχόμενη εβδομάδα."),
        ("IBM1025", "Ответ о состоянии счёта и остатке будет отправлен на указанный адрес на следующей неделе."),
        ("IBM424", "התשובה בדבר מצב החשבון והיתרה תישלח בשבוע הבא לכתובת הרשומה במשרד הראשי של החברה"),
        ("IBM933", "고객 번호와 주소는 다음 주에 보내 드리겠습니다. 답장을 기다립니다. 감사합니다."),
        ("IBM935", "客户的地址和电话号码下个星期寄给您，请等我们的答复，谢谢大家的帮助。"),
    ];
    for (page, text) in cases {
        assert_eq!(first(&encoded(page, text)).as_deref(), Some(page), "{text}");
    }
}

#[test]
fn brackets_distinguish_ibm1047_from_ibm037() {
    let text = "int main(void) { long list[10]; list[0] = 1; for (i = 1; i < 10; i++) list[i] = 2 * list[i - 1]; }";
    for page in ["IBM1047", "IBM037"] {
        assert_eq!(first(&encoded(page, text)).as_deref(), Some(page));
    }
}

#[test]
fn xml_without_a_declaration() {
    let text = "<order no='17'><item>Paper</item></order>";
    assert_eq!(first(&encoded("IBM037", text)).as_deref(), Some("IBM037"));
    assert_eq!(first(&encoded("IBM037", "  <!-- a few words --><a>b</a>")).as_deref(), Some("IBM037"));
}

#[test]
fn records_with_packed_decimals() {
    let mut bytes = Vec::new();
    for index in 0..40u8 {
        bytes.extend(encoded("IBM037", "CUSTOMER NAME                 MAIN STREET 12      SPRINGFIELD   "));
        bytes.extend([index, 0x12, 0x34, 0x5C, 0x00, 0x00, 0x00, 0x17, index, 0x3C]);
    }
    assert_eq!(first(&bytes).as_deref(), Some("IBM037"));
}

/// Tests mixtures of half-width katakana, letters of both cases, digits and kanji. The Japanese pages come in two
/// kinds: one has small letters at the codes at which the other has katakana. A guess that is called certain must be
/// right.
#[test]
fn katakana_pages_are_never_confused() {
    let kana = "ﾌﾈ ﾋﾉﾃﾞ ﾏｴ ﾐﾅﾄ ﾃﾞﾀ｡ ｽｲﾌ ﾖﾝｼﾞｭｳﾆﾝ ﾖｳﾓｳ ﾀﾞﾚ ﾀﾋﾞ ﾅｶﾞｻ ｼﾗﾅｲ｡ ﾓｳｼｺﾐ ﾏﾃﾞ､ ｳｹﾂｹﾏｾﾝ｡ ﾎｹﾝﾘｮｳ ﾊﾟｰｾﾝﾄ ﾄｼｮｶﾝ ﾅｺﾞﾔｼ ﾅｶｸ ｻｶｴ \
                ｲﾄｳ ﾏｻｵ､ ｺﾊﾞﾔｼ ﾐｷ､ ﾖｼﾀﾞ ｼｮｳﾃﾝ､ ﾌﾘｺﾐ ｻｷ ﾐｽﾞﾎ ｷﾞﾝｺｳ､ ｼｭｯｶ ﾁｭｳﾓﾝ ｻﾞｲｺ｡ ｶﾄｳ ﾋﾛｼ ﾜﾀﾅﾍﾞ ﾄｼｵ ﾔﾏﾓﾄ ｼｽﾞｺ ｻｯﾎﾟﾛｼ ﾌｸｵｶ ﾆｲｶﾞﾀ ﾒｸﾞﾐ ﾘｮｳｺ";
    let latin = "the name order of item city total balance paid customer street new old kaisha tanaka suzuki yamada";
    let kanji = "東京 千代田区 大阪市 北区 株式会社 請求書 納品書 合計金額 消費税 年月日 田中一郎";
    let [kana, latin, kanji] = [kana, latin, kanji].map(|words| words.split(' ').collect::<Vec<_>>());
    let mut state = 88_172_645_463_325_252u64;
    let mut dice = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % end
    };
    let single = ["IBM290", "IBM1027"];
    let mixed = ["IBM930", "IBM939", "IBM1390", "IBM1399", "IBM5026", "IBM5035"];
    // The shares of katakana, small letters, capitals, digits and kanji.
    let mixtures = [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 1, 0, 1, 0],
        [2, 2, 1, 1, 0],
        [2, 2, 0, 0, 1],
        [4, 1, 0, 1, 1],
        [0, 1, 0, 0, 1],
    ];
    let registry = Registry::builtin();
    let (mut all, mut right, mut wrong) = (0, 0, Vec::new());
    for page in single.into_iter().chain(mixed) {
        for (mixture, size) in mixtures.iter().flat_map(|mixture| [60, 120, 240, 500, 2000].map(|size| (mixture, size)))
        {
            for _ in 0..4 {
                let mut text = String::new();
                // Without any double bytes, the text would not show that the page is mixed.
                let few = if mixed.contains(&page) { 1 + size / 120 } else { 0 };
                (0..few).for_each(|_| text += kanji[dice(kanji.len())]);
                while text.chars().count() < size {
                    let mut pick = dice(mixture.iter().sum());
                    let kind = mixture
                        .iter()
                        .position(|share| {
                            pick < *share || {
                                pick -= share;
                                false
                            }
                        })
                        .unwrap();
                    match kind {
                        0 => text += kana[dice(kana.len())],
                        1 => text += latin[dice(latin.len())],
                        2 => text += &latin[dice(latin.len())].to_uppercase(),
                        3 => text += &dice(100_000).to_string(),
                        _ if single.contains(&page) => text += kana[dice(kana.len())],
                        _ => text += kanji[dice(kanji.len())],
                    }
                    text.push(' ');
                }
                let bytes = encoded(page, &text);
                let found = guess(&bytes, true, &registry);
                let decoded = |name: &str| decode_strictly(&*registry.codec(name).unwrap(), &bytes);
                let is_right = found.candidates().first().is_some_and(|first| decoded(&first.codec) == decoded(page));
                all += 1;
                right += usize::from(is_right);
                if !is_right && matches!(found, Guess::Certain(_)) {
                    wrong.push(format!("{page} {mixture:?} {size}: {found:?}\n{text}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {all} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(right * 100 >= all * 90, "{right} of {all}");
}

/// The digit that carries the sign of a zoned decimal is `{` to `I` or `}` to `R` on one page and an accented letter on
/// another, so it must not decide the guess.
#[test]
fn signed_zoned_decimals_do_not_identify_a_page() {
    let amounts =
        ["0000001940{", "0000011230{", "0000000007}", "000002505A", "0000333333{", "00000010000}", "0000009N"];
    for (before, after) in [("ACCOUNT ", " Y2024-01-31"), ("0000001", "0000000000{"), ("", "MARY MILLER       ")] {
        let record = |at: usize| format!("{before}{:05}{}{after}", at * 7, amounts[at % amounts.len()]);
        let text: String = (0..60).map(record).collect();
        let bytes = encoded("IBM037", &text);
        let found = guess(&bytes, true, &Registry::builtin());
        assert_eq!(found.candidates()[0].codec, "IBM037", "{text}");
        // If a page that reads them as letters is a candidate, the guess is ambiguous and the texts differ.
        let other = found.candidates().iter().find(|candidate| candidate.codec == "IBM273");
        assert!(matches!(found, Guess::Ambiguous(_)) || other.is_none(), "{found:?}");
        assert!(other.is_none_or(|other| !other.same_text));
    }
    // Neither does a leading sign.
    let bytes = encoded("IBM037", &"{0001940 NAME {0000007 CITY }0020000 ".repeat(30));
    assert_eq!(first(&bytes).as_deref(), Some("IBM037"));
}

/// If columns are given, only they are used for guessing, with input in any pieces.
#[test]
fn only_the_text_columns_are_used_for_guessing() {
    let mut bytes = Vec::new();
    for index in 0..200u32 {
        bytes.extend(encoded("IBM273", &format!("{:<24.24}", "Müller und Söhne, Straße")));
        // Binary numbers that would look like Chinese text.
        bytes.extend((0..16).map(|at| (index.wrapping_mul(0x9E37_79B9) >> (at % 8)) as u8 | 0xA1));
    }
    let job = Transcode::new().guess(true).records("fb:40".parse().unwrap());
    let convert = |job: &Transcode, piece: usize| {
        let mut out = Vec::new();
        let report = job.run(BufReader::with_capacity(piece, &bytes[..]), &mut out).unwrap();
        (report.from, out)
    };
    let columns = job.clone().columns("1-24".parse().unwrap());
    for piece in [1, 7, 40, 10_000] {
        let (from, out) = convert(&columns, piece);
        assert_eq!(from.as_deref(), Some("IBM273"));
        assert!(out.starts_with("Müller und Söhne, Straße\n".as_bytes()));
    }
}

/// A declaration in some columns of the records is found there, reported with its offset in the input, and corrected.
#[test]
fn a_declaration_in_columns() {
    let xml = "<?xml version=\"1.0\" encoding=\"IBM037\"?><a>text</a>";
    let encoded = encoded("IBM037", xml);
    let mut bytes = Vec::new();
    for chunk in encoded.chunks(70) {
        bytes.extend([0xFF, 0x00, 0x1C]);
        bytes.extend(chunk);
        bytes.resize(bytes.len().next_multiple_of(73), 0x40);
    }
    let job = Transcode::new().records("fb:73".parse().unwrap()).columns("4-".parse().unwrap());
    for piece in [1, 5, 73, 1000] {
        let mut out = Vec::new();
        let report = job.run(BufReader::with_capacity(piece, &bytes[..]), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), xml.replace("IBM037", "UTF-8") + "\n");
        let at = xml.find("IBM037").unwrap() as u64 + 3;
        assert_eq!(report.verdict.unwrap().declared_span, Some(at..at + 6));
    }
}

#[test]
fn candidates_that_give_the_same_text_are_marked() {
    let bytes = encoded("IBM037", "the quick brown fox jumps over the lazy dog and goes home");
    let Guess::Certain(candidates) = guess(&bytes, true, &Registry::builtin()) else { panic!() };
    assert_eq!(candidates[0].codec, "IBM037");
    assert!(candidates.iter().any(|candidate| candidate.codec == "IBM1047" && candidate.same_text));
    // The rest of a longer input may distinguish them.
    assert!(matches!(guess(&bytes, false, &Registry::builtin()), Guess::Ambiguous(_)));
}

#[test]
fn no_guess_from_too_few_bytes_or_without_text() {
    let registry = Registry::builtin();
    let cases: &[&[u8]] =
        &[b"", b"b\");\"", b"\xC1\xC2\xC3", b"plain text of ASCII, which is nothing to guess", b"\x1B$B"];
    for bytes in cases {
        assert_eq!(guess(bytes, true, &registry), Guess::Nothing, "{bytes:X?}");
    }
    for byte in 0..=255 {
        let bytes = [byte; 4096];
        let found = guess(&bytes, true, &registry);
        let is_one = |name: &str| registry.codec(name).is_ok_and(|codec| is_ebcdic(&*codec));
        assert!(found.candidates().iter().all(|candidate| !is_one(&candidate.codec)), "{byte:02X}");
    }
}

#[test]
fn unicode_without_a_byte_order_mark() {
    for label in ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"] {
        for text in [
            "Just a few words.",
            "Несколько слов по-русски",
            "日本語のテキスト、これは十分に長い文章です。 そして続きます。",
        ] {
            assert_eq!(first(&encoded(label, text)).as_deref(), Some(label), "{text}");
        }
    }
    assert_eq!(first("Grüße".as_bytes()).as_deref(), Some("UTF-8"));
}

#[test]
fn hints_for_input_that_could_not_be_converted() {
    let ebcdic = encoded("IBM037", "DEAR SIR, PLEASE FIND ENCLOSED OUR INVOICE.");
    assert_eq!(looks_like(&ebcdic), Some(Looks::Ebcdic));
    assert_eq!(looks_like(&encoded("UTF-16BE", "Dear sir, please")), Some(Looks::Utf16Be));
    assert_eq!(looks_like("Sehr geehrter Herr Müller, bitte finden Sie".as_bytes()), None);
    assert_eq!(looks_like(b""), None);
}

#[test]
fn a_registered_table_is_a_candidate() {
    let mut table = charpipe::codec::table::chart::parse(include_str!("../../codecs/IBM037.txt"), &|_| None).unwrap();
    table.name = "X-OURS".into();
    table.aliases.clear();
    let mut registry = Registry::builtin();
    registry.register_table(table).unwrap();
    let bytes = encoded("IBM037", "the quick brown fox jumps over the lazy dog and goes home");
    assert_eq!(guess(&bytes, true, &registry).candidates()[0].codec, "X-OURS");
}

#[test]
fn no_guess_with_an_empty_registry() {
    let bytes = encoded("IBM037", "the quick brown fox jumps over the lazy dog and goes home");
    for bytes in [&bytes[..], "Grüße".as_bytes(), b"a\0b\0c\0d\0e\0f\0g\0h\0"] {
        assert_eq!(guess(bytes, true, &Registry::empty()), Guess::Nothing);
    }
}

/// Generates bytes of several kinds: arbitrary ones, EBCDIC text, with shift codes, UTF-16.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let letters = prop::sample::select((0x40..=0xF9).chain([0x0E, 0x0F, 0x15, 0x25, 0x00]).collect::<Vec<u8>>());
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..600),
        prop::collection::vec(letters, 0..600),
        "[a-zA-Z äöüéèñ0-9.,!]{0,300}".prop_map(|text| encoded("IBM500", &text)),
        "[一-龥、。 ]{0,100}".prop_map(|text| text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn candidates_are_in_order(bytes in bytes(), complete: bool) {
        let registry = Registry::builtin();
        let found = guess(&bytes, complete, &registry);
        prop_assert_eq!(&found, &guess(&bytes, complete, &registry));
        let candidates = found.candidates();
        prop_assert_eq!(candidates.is_empty(), found == Guess::Nothing);
        prop_assert!(candidates.len() <= MOST);
        prop_assert!(candidates.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)));
        prop_assert!(candidates.windows(2).all(|pair| pair[0].score >= pair[1].score));
        prop_assert!(candidates.first().is_none_or(|first| first.same_text));
        for candidate in candidates {
            prop_assert!(registry.codec(&candidate.codec).is_ok());
            prop_assert_ne!(&*candidate.codec, "UTF-7");
        }
        if let (Guess::Certain(_), Some(first)) = (&found, candidates.first()) {
            let other = candidates.iter().find(|candidate| !candidate.same_text);
            prop_assert!(other.is_none_or(|other| other.score <= first.score * (1.0 - MARGIN) + 1e-6));
        }
        _ = looks_like(&bytes);
    }
}

#[test]
fn only_the_window_is_examined() {
    let mut bytes = encoded("IBM273", &"Die fälligen Beträge für Müller, größer als früher. ".repeat(1400));
    let before = guess(&bytes[..WINDOW], false, &Registry::builtin());
    bytes[WINDOW..].fill(0x3F);
    assert_eq!(guess(&bytes, true, &Registry::builtin()), before);
}

/// Signed zoned decimals have the bytes of braces, or of letters in national pages, at their ends. A certain guess is
/// correct.
#[test]
fn signed_numbers_are_never_evidence_of_a_page() {
    let words = ["SMITH JOHN", "MAIN STREET", "invoice paid", "Springfield", "balance due", "NEW YORK", "total"];
    let mut state = 88_172_645_463_325_252u64;
    let mut dice = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end as u64) as usize
    };
    let registry = Registry::builtin();
    for page in ["IBM037", "IBM1047", "IBM500", "IBM273", "IBM285", "IBM297", "IBM277", "IBM280"] {
        let codec = registry.codec(page).unwrap();
        for layout in 0..4 {
            let mut bytes = Vec::new();
            for _ in 0..40 {
                bytes.extend(encoded(page, &format!("{:12}", words[dice(words.len())])));
                let mut number: Vec<u8> = format!("{:05}", dice(300) * 10).bytes().map(|digit| digit | 0xF0).collect();
                let sign = if dice(2) == 0 { 0xC0 } else { 0xD0 };
                // The sign is in the last digit, in the first, or the number is that digit alone.
                match layout {
                    0 => number[4] = sign | number[4] & 0xF,
                    1 => number[0] = sign | number[0] & 0xF,
                    2 => number = [&number[..4], &[sign | number[4] & 0xF, 0x40, sign]].concat(),
                    _ => bytes.pop().map_or((), |_| number = vec![0xF1, 0xF2, sign, 0xC1, sign, 0x40, sign]),
                }
                bytes.extend(number);
                bytes.push(0x40);
            }
            for complete in [true, false] {
                if let Guess::Certain(found) = guess(&bytes, complete, &registry) {
                    let read = registry.codec(&found[0].codec).unwrap();
                    let (read, expected) = (decode_strictly(&*read, &bytes), decode_strictly(&*codec, &bytes));
                    assert_eq!(read, expected, "{page} {layout} {complete}: {found:?}");
                }
            }
        }
    }
}

/// Western European text is read in the usual page, though others have the same letters and a language that fits
/// better.
#[cfg(all(feature = "guess", feature = "whatwg"))]
#[test]
fn the_most_usual_page_of_the_same_text_wins() {
    for text in [
        "José Müller;Köln",
        "Günther;Köln\nJürgen;Düsseldorf\n",
        "Günther",
        "id;name;city\n1;Jürgen Groß;Köln\n2;Zoë Böhm;Würzburg\n",
        "Les élèves français sont arrivés à l'école.",
        "año;niño;mañana\n2024;Peña;Córdoba\n",
        "Ærøskøbing, Århus, Øresund",
        "Göteborg och Malmö är städer i Sverige.",
        "Hyvää päivää, mitä kuuluu? Jyväskylä;Äänekoski\n",
    ] {
        let found = guess(&encoded("windows-1252", text), true, &Registry::builtin());
        let candidates = found.candidates();
        assert_eq!(candidates[0].codec, "windows-1252", "{text}: {candidates:?}");
        // Further pages of the same text are not a reason to doubt.
        let job = Transcode::new().guess(true);
        let report = job.run(&encoded("windows-1252", text)[..], std::io::sink()).unwrap();
        let notes = report.verdict.unwrap().diagnostics;
        assert!(notes.iter().all(|note| !note.message.contains("ISO-8859-15")), "{text}: {notes:?}");
    }
    // Letters that windows-1252 lacks decide for another page.
    assert_eq!(first(&encoded("windows-1250", "Żółć;Łódź;Gdańsk\nŚwięto;Źródło\n")).as_deref(), Some("windows-1250"));
    assert_eq!(first(&encoded("windows-1254", "Şişli;İstanbul;Ağrı\nIğdır;Çeşme\n")).as_deref(), Some("windows-1254"));
}

/// A pound sign and an apostrophe of the Macintosh are half-width katakana in Shift_JIS, but no one writes one alone.
#[cfg(all(feature = "guess", feature = "whatwg"))]
#[test]
fn single_signs_are_not_katakana() {
    for text in ["It used to sell for £825. That is not bad for a £2 bet.", "Fish £4, chips £2 or both for £5.50"]
    {
        assert_eq!(first(&encoded("windows-1252", text)).as_deref(), Some("windows-1252"), "{text}");
    }
    for text in ["ﾃｽﾄ ﾃﾞｰﾀ 12 ｺｰﾄﾞ 345 ﾅﾏｴ ﾔﾏﾀﾞ ﾀﾛｳ", "1 ｱ 2 ｲ ﾃｽﾄ ﾃﾞｰﾀ ｺｰﾄﾞ ﾅﾏｴ ﾔﾏﾀﾞ ﾀﾛｳ"]
    {
        assert_eq!(first(&encoded("Shift_JIS", text)).as_deref(), Some("Shift_JIS"), "{text}");
    }
}

/// The pages of Western Europe have the same letters in other places, so a list of names is not proof of one.
#[test]
fn names_of_many_languages_are_no_certain_page() {
    let listing = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/records/listing.fba")).unwrap();
    let found = guess(&listing, true, &Registry::builtin());
    assert!(matches!(found, Guess::Ambiguous(_)), "{found:?}");
    assert!(found.candidates().iter().any(|candidate| candidate.codec == "IBM037"), "{found:?}");
}
