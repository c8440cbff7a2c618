//! Tests every option on input of every kind, in pieces of any size, through every interface: the result is the same as
//! with one piece, and through a transcoder that has converted others before, what it is with a new one. The jobs and
//! inputs are random, from a fixed seed.

use crate::common::{self, Outcome, codecs, drive, drive_this, encode, sample, whole};
use charpipe::{Error, OptionValue, Transcode};
use std::io::{self, BufReader, Read, Write};

/// A pseudo-random number generator with a seed.
struct Dice(u64);

impl Dice {
    /// Returns a number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }
}

/// Values of the options whose value is text in a special format.
fn texts(option: &str) -> &'static [&'static str] {
    match option {
        "content-type" => {
            &["text/xml", "text/html; charset=koi8-r", "text/plain", "application/xml; charset=utf-16", ""]
        }
        "prescan" => &["0", "7", "60"],
        "fallback" => &["windows-1252", "UTF-8,windows-1252", "US-ASCII,UTF-8", "UTF-16LE,IBM037"],
        "records" | "to-records" => &["fb:3", "fb:8", "rdw", "rdw:exclusive", "rdw:le", "vb", "vbs", "u32", "u16"],
        "tape-file" => &["1", "2"],
        "columns" => &["1-2", "2-4,6-"],
        // More of them only matter for readers, which are tested elsewhere.
        "jobs" => &["1"],
        _ => panic!("a new option, {option}, needs values here"),
    }
}

/// Returns a job with some options, and what they are.
fn any_job(dice: &mut Dice, labels: &[String]) -> Option<(Transcode, String)> {
    let (mut job, mut what) = (Transcode::new(), String::new());
    for option in Transcode::OPTIONS {
        // Where input and output come from matters most, and records exclude most other things.
        let one_in = match option.name {
            "from" | "to" => 2,
            "mojibake" | "normalize" | "unmappable" | "malformed" | "fallback" => 3,
            "records" | "to-records" | "columns" | "tape-file" | "carriage-control" | "strict" => 12,
            _ => 6,
        };
        if dice.roll(one_in) > 0 {
            continue;
        }
        let value = match option.value {
            OptionValue::Word(words) => *dice.pick(words),
            OptionValue::WordOrLabel(words) if option.name == "malformed" => *dice.pick(words),
            OptionValue::WordOrLabel(_) => dice.pick(labels),
            OptionValue::Flag => "true",
            OptionValue::Labels | OptionValue::Text => dice.pick(texts(option.name)),
            _ => continue,
        };
        job = job.set(option.name, value).ok()?;
        what.push_str(&format!(" {}={value}", option.name));
    }
    job.transcoder().ok()?;
    Some((job, what))
}

const TEXTS: [&str; 11] = [
    "",
    "plain text\nof two lines\r\n",
    "naïve €漢字 😀 e\u{301}\u{323}か\u{309A}\u{85}\n",
    "<?xml version='1.0' encoding='ISO-8859-1'?><a b='é'>e\u{301}</a>",
    "  \n<?xml version=\"1.0\"?>\r\n<html><meta charset='x'/>é</html>",
    "<!DOCTYPE html>\n<meta charset=koi8-r><p>é\u{1}</p>",
    "<!-- comment --><p>",
    "\u{FEFF}marked é\u{304}",
    "q\u{304}\u{301}\u{344} ﬁ한\u{1112}\u{1161}\u{11AB}\u{1A}",
    "Lo\u{A7}m <?xm",
    "Ã©tÃ© ÃƒÂ¼ber\r\nÐ¿Ñ€Ð¸ 5 â‚¬Ã",
];

fn any_input(dice: &mut Dice, labels: &[String]) -> Vec<u8> {
    let text = format!("{}{}", dice.pick(&TEXTS), if dice.roll(3) == 0 { *dice.pick(&TEXTS) } else { "" });
    let label = if dice.roll(2) == 0 { "UTF-8" } else { dice.pick(labels).as_str() };
    let codec = charpipe::Registry::builtin().codec(label).unwrap();
    let mut input = encode(&*codec, &text);
    match dice.roll(5) {
        0 => (0..1 + dice.roll(4)).for_each(|_| {
            let at = dice.roll(input.len() + 1);
            input.insert(at, dice.roll(256) as u8);
        }),
        1 => input.truncate(dice.roll(input.len() + 1)),
        2 => {
            // Records with words that say their length.
            let pieces: Vec<Vec<u8>> = input.chunks(1 + dice.roll(9)).map(<[u8]>::to_vec).collect();
            input = pieces.iter().flat_map(|piece| [&[0, piece.len() as u8 + 4, 0, 0], &piece[..]].concat()).collect();
        }
        _ => {}
    }
    input
}

/// The library's own error inside an I/O error.
fn own(error: &io::Error) -> &Error {
    error.get_ref().and_then(|inner| inner.downcast_ref()).unwrap_or_else(|| panic!("{error:?}"))
}

fn outcome(output: Vec<u8>, error: Option<&Error>, report: &charpipe::Report) -> Outcome {
    Outcome {
        output,
        offset: error.and_then(Error::offset),
        error: error.map(Error::to_string),
        verdict: format!("{:?}", report.verdict.as_ref()),
        faults: common::faults(report),
        bytes_in: report.bytes_in,
    }
}

/// Reads through a reader whose input comes in pieces of `size` bytes.
fn read(job: &Transcode, input: &[u8], size: usize) -> Outcome {
    let mut reader = job.reader(BufReader::with_capacity(size, input)).unwrap();
    let mut output = Vec::new();
    let error = reader.read_to_end(&mut output).err();
    outcome(output, error.as_ref().map(own), reader.report())
}

/// Writes pieces of `size` bytes to a writer, and flushes it after each.
fn write(job: &Transcode, input: &[u8], size: usize) -> Outcome {
    let mut writer = job.writer(Vec::new()).unwrap();
    for piece in input.chunks(size) {
        if let Err(error) = writer.write_all(piece).and_then(|()| writer.flush()) {
            return outcome(writer.get_ref().clone(), Some(own(&error)), writer.report());
        }
    }
    match writer.finish() {
        // Its report is gone with the writer; that of another run is compared elsewhere.
        Ok(output) => {
            let report = job.run(input, io::sink()).unwrap();
            outcome(output, None, &report)
        }
        Err(error) => {
            let what = error.error().clone();
            let writer = error.into_writer();
            outcome(writer.get_ref().clone(), Some(&what), writer.report())
        }
    }
}

/// Calls `test` with so many random jobs, and the options of each. They are drawn with the dice, as are its inputs, for
/// which it gets the labels.
fn any_jobs(seed: u64, count: usize, mut test: impl FnMut(&mut Dice, &[String], &Transcode, &str)) {
    let labels: Vec<String> = codecs().iter().map(|codec| codec.name().to_owned()).collect();
    let dice = &mut Dice(seed);
    let mut done = 0;
    while done < sample::tenth(count) {
        let Some((job, what)) = any_job(dice, &labels) else { continue };
        done += 1;
        test(dice, &labels, &job, &what);
    }
}

#[test]
fn every_option_in_any_pieces() {
    any_jobs(20_260_101, 40_000, |dice, labels, job, what| {
        for _ in 0..2 {
            let input = any_input(dice, labels);
            let expected = whole(job, &input);
            let sizes = [1, 1 + dice.roll(5), 1 + dice.roll(40)];
            for size in sizes {
                let how = format!("{what}, {input:02X?}, in pieces of {size}");
                let buffers = [0, 1 + dice.roll(9), 200];
                let mut buffers = buffers.iter().copied().cycle();
                let late_eof = dice.roll(2) == 0;
                let found = drive(job, &input, &mut std::iter::repeat(size), &mut buffers, late_eof);
                assert_eq!(found, expected, "{how}");
                assert_eq!(read(job, &input, size), expected, "{how}, read");
                assert_eq!(write(job, &input, size), expected, "{how}, written and flushed");
            }
        }
    });
}

#[test]
fn every_option_after_other_inputs() {
    any_jobs(20_261_128, 20_000, |dice, labels, job, what| {
        let mut transcoder = job.transcoder().unwrap();
        let mut inputs: Vec<Vec<u8>> = (0..4).map(|_| any_input(dice, labels)).collect();
        inputs.extend([&b"plain ascii\n"[..], b"caf\xE9 x\n", b"d\xC3\xA9j\xC3\xA0\n"].map(Vec::from));
        let mut before: Vec<String> = Vec::new();
        for _ in 0..10 {
            let input = dice.pick(&inputs);
            let (cut, room) = (*dice.pick(&[1, 3, 16, usize::MAX]), *dice.pick(&[7, 64, 1 << 16]));
            let late_eof = dice.roll(2) == 0;
            let how = format!("{input:02X?} in pieces of {cut}, with room for {room}, late end: {late_eof}");
            transcoder.reset();
            let mut rooms = std::iter::repeat(room);
            let found = drive_this(&mut transcoder, input, &mut std::iter::repeat(cut), &mut rooms, late_eof);
            assert_eq!(found, whole(job, input), "{what}, {how}, after {before:#?}");
            before.push(how);
        }
    });
}
