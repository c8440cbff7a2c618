//! The part `charsets`: the charsets of East Asia, in texts of several forms, beside iconv and uconv.

use crate::Plan;
use crate::input::{BLOCK, times, write_repeated};
use crate::parts;
use crate::run::peak;
use crate::table::{Cells, Row, Table};
use crate::text::Kind;
use crate::tools::{Goal, Line, Tool, instruction_sets};
use charpipe::codec::{ByteSink, Codec, Stop};
use charpipe::{OnMalformed, Registry, Transcode};
use std::fs;
use std::io;
use std::path::Path;

const PEERS: &[Tool] = &[Tool::Iconv, Tool::Uconv];

/// At least so many times the speed of the faster peer, with AVX-512 and with less.
type Goals = (f64, f64);

const LEAST: Goals = (1.5, 1.5);
const WEB: Goals = (4.5, 2.7);

/// The charsets, a text for each, and the goals to UTF-8 and from it.
const CHARSETS: &[(&str, Kind, Goals, Goals)] = &[
    ("Shift_JIS", Kind::Japanese, WEB, WEB),
    ("EUC-JP", Kind::Japanese, WEB, WEB),
    ("EUC-KR", Kind::Korean, WEB, WEB),
    ("GBK", Kind::Cjk, WEB, WEB),
    ("GB18030", Kind::Cjk, WEB, WEB),
    ("Big5", Kind::Cjk, WEB, WEB),
    ("ISO-2022-JP", Kind::Japanese, (3.0, 3.0), (6.0, 6.0)),
    ("ISO-2022-JP-2", Kind::Japanese, LEAST, LEAST),
    ("ISO-2022-KR", Kind::Korean, (2.5, 2.5), (2.5, 2.5)),
    ("ISO-2022-CN", Kind::Cjk, LEAST, LEAST),
    ("HZ", Kind::Cjk, (2.5, 2.5), (2.5, 2.5)),
    ("UTF-7", Kind::Cjk, (1.8, 1.8), (1.8, 1.8)),
    ("IBM939", Kind::Japanese, LEAST, LEAST),
    ("IBM943", Kind::Japanese, LEAST, LEAST),
    ("windows-950", Kind::Cjk, LEAST, LEAST),
    ("EUC-TW", Kind::Cjk, LEAST, LEAST),
];

/// A conversion between two of them.
const DIRECT: (&str, &str, Kind, Goals) = ("IBM939", "Shift_JIS", Kind::Japanese, (2.5, 2.5));

/// The charsets in which iconv does not write the same: its tables of Big5 and EUC-TW have fewer characters, and in
/// ISO-2022-CN it writes a second SO where one of its buffers ends.
const DIFFERENT: [&str; 3] = ["Big5", "EUC-TW", "ISO-2022-CN"];

/// What a text looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Prose,
    /// Short runs between tags.
    Markup,
    /// English, with a line of prose now and then.
    Ascii,
    /// An emoji after every 45 characters, for charsets that have it.
    Emoji,
    /// Prose with a damaged byte in every few hundred, which all tools leave out. Only to UTF-8.
    Damaged,
}

impl Form {
    const ALL: [Form; 5] = [Form::Prose, Form::Markup, Form::Ascii, Form::Emoji, Form::Damaged];

    fn name(self) -> &'static str {
        match self {
            Form::Prose => "prose",
            Form::Markup => "markup",
            Form::Ascii => "mostly ASCII",
            Form::Emoji => "emoji",
            Form::Damaged => "damaged",
        }
    }

    /// Returns the text in this form.
    fn of(self, kind: Kind) -> String {
        let prose = kind.text(BLOCK);
        let chars = || prose.chars().enumerate();
        match self {
            Form::Prose | Form::Damaged => prose,
            Form::Markup => {
                let tag = |at: usize| if at.is_multiple_of(26) { "<b class=\"x\">" } else { "</b> " };
                chars()
                    .map(|(at, ch)| if at.is_multiple_of(13) { format!("{}{ch}", tag(at)) } else { ch.into() })
                    .collect()
            }
            Form::Ascii => {
                let english = Kind::English.text(BLOCK);
                let lines = english.lines().zip(prose.lines().cycle()).enumerate();
                lines.map(|(at, (line, other))| format!("{}\n", if at % 8 == 7 { other } else { line })).collect()
            }
            Form::Emoji => {
                chars().map(|(at, ch)| if at % 45 == 44 { format!("{ch}\u{1F600}") } else { ch.into() }).collect()
            }
        }
    }
}

/// One row: from where to where, and the two texts.
struct Job {
    from: &'static str,
    to: &'static str,
    form: Form,
    goals: Goals,
    source: Vec<u8>,
    /// What charpipe has to write; `None` if that is not known.
    expected: Option<Vec<u8>>,
}

/// Returns the characters of the text that each of the charsets has, in each of them.
fn in_each<const N: usize>(charsets: [&str; N], text: &str) -> (String, [Vec<u8>; N]) {
    let mut kept = text.to_owned();
    // What one of them lacks, or reads as something else, is left out for all of them.
    for charset in charsets {
        let codec = Registry::builtin().codec(charset).expect("a built-in codec");
        let (bytes, had) = encoded(&*codec, &kept);
        let read =
            Transcode::new().source_encoding(charset).expect("a label").on_malformed(OnMalformed::Drop).decode(&bytes);
        let read = read.expect("what the encoder wrote").into_owned();
        kept = if read == had { had } else { had.chars().filter(|ch| ch.is_ascii() || is_plain(*ch)).collect() };
    }
    let made =
        charsets.map(|charset| encoded(&*Registry::builtin().codec(charset).expect("a built-in codec"), &kept).0);
    (kept, made)
}

/// Returns whether all charsets agree on a character: kana, hangul and ideographs.
fn is_plain(ch: char) -> bool {
    matches!(ch, '\u{3041}'..='\u{30F6}' | '\u{4E00}'..='\u{9FA5}' | '\u{AC00}'..='\u{D7A3}')
}

/// Encodes what the charset has of the text, and returns that as well.
fn encoded(codec: &dyn Codec, text: &str) -> (Vec<u8>, String) {
    let (mut encoder, mut read, mut had) = (codec.encoder().expect("one that encodes"), 0, String::new());
    let mut buffer = vec![0; 4 * text.len() + 64];
    let mut sink = ByteSink::new(&mut buffer);
    while read < text.len() {
        let step = encoder.feed(&text[read..], &mut sink);
        let lacking = if let Stop::Fault(fault) = step.stop { fault.ch.len_utf8() } else { 0 };
        had.push_str(&text[read..read + step.read - lacking]);
        read += step.read;
    }
    // Returns to single bytes if the charset has shift codes, so that the block can be repeated.
    assert!(encoder.finish(&mut sink) == Stop::InputEmpty, "the buffer is large enough");
    let len = sink.written();
    buffer.truncate(len);
    (buffer, had)
}

/// Returns the jobs of a charset: each form to UTF-8 and from it.
fn jobs_of((charset, kind, to_utf8, from_utf8): (&'static str, Kind, Goals, Goals)) -> Vec<Job> {
    let mut jobs = Vec::new();
    for form in Form::ALL {
        let form_of = form.of(kind);
        // Of the many ideographs, those that texts in these charsets mostly consist of.
        let (text, bytes) = match charset {
            // What iconv and uconv have as well.
            "Big5" => in_each(["windows-950", charset], &form_of),
            "ISO-2022-CN" => in_each(["HZ", charset], &form_of),
            "EUC-TW" => in_each(["windows-950", charset], &form_of),
            _ => in_each(["UTF-8", charset], &form_of),
        };
        let [_, bytes] = bytes;
        if form == Form::Emoji && !text.contains('\u{1F600}') {
            continue;
        }
        let decodes = Job { from: charset, to: "UTF-8", form, goals: to_utf8, source: bytes, expected: None };
        if form == Form::Damaged {
            let mut source = decodes.source;
            source.iter_mut().skip(100).step_by(331).for_each(|byte| *byte = 0xFF);
            jobs.push(Job { source, ..decodes });
            continue;
        }
        let text = text.into_bytes();
        let expected = Some(decodes.source.clone());
        jobs.push(Job { expected: Some(text.clone()), ..decodes });
        jobs.push(Job { from: "UTF-8", to: charset, form, goals: from_utf8, source: text, expected });
    }
    jobs
}

fn direct() -> Job {
    let (from, to, kind, goals) = DIRECT;
    let (_, [source, expected]) = in_each([from, to], &Form::Prose.of(kind));
    Job { from, to, form: Form::Prose, goals, source, expected: Some(expected) }
}

impl Job {
    fn name(&self) -> String {
        format!("{} → {}, {}", self.from, self.to, self.form.name())
    }

    fn line(&self, tool: Tool, file: &Path) -> Vec<Line> {
        let leaves_out = self.form == Form::Damaged;
        tool.converts_all(self.from, self.to, leaves_out, Some(file)).into_iter().collect()
    }

    /// Compares what charpipe writes with what is expected; returns a message if they differ.
    fn difference(&self, plan: &Plan, repeated: usize, file: &Path) -> io::Result<Option<String>> {
        let Some(expected) = &self.expected else { return Ok(None) };
        let output = plan.path().join("own");
        if let Err(error) = peak(&self.line(Tool::Charpipe, file)[0], Some(&output)) {
            return Ok(Some(format!("{}: {error}", self.name())));
        }
        // ISO-2022-KR is announced once.
        let rest = expected.strip_prefix(b"\x1B$)C").unwrap_or(expected).repeat(repeated - 1);
        let is_same = fs::read(&output)? == [&expected[..], &rest].concat();
        fs::remove_file(output)?;
        if !is_same {
            return Ok(Some(format!("{}: wrong output", self.name())));
        }
        // The library made what is expected, so another program has to agree.
        let is_comparable = self.form == Form::Prose && ![self.from, self.to].iter().any(|it| DIFFERENT.contains(it));
        match &self.line(Tool::Iconv, file)[..] {
            [iconv] if is_comparable && plan.has(Tool::Iconv) => {
                parts::difference(plan, &self.name(), &self.line(Tool::Charpipe, file)[0], iconv)
            }
            _ => Ok(None),
        }
    }
}

/// The variable that names the charsets to measure, separated by commas.
const ONLY: &str = "CHARPIPE_BENCH_CHARSETS";

/// Returns all jobs, or those of the charsets that the variable names.
fn jobs() -> impl Iterator<Item = Job> {
    let only = std::env::var(ONLY).ok();
    let is_asked = move |name| only.as_ref().is_none_or(|only| only.split(',').any(|it| name == it));
    let is_direct = is_asked(DIRECT.0) || is_asked(DIRECT.1);
    let charsets = CHARSETS.iter().filter(move |(charset, ..)| is_asked(charset));
    charsets.flat_map(|charset| jobs_of(*charset)).chain(is_direct.then(direct))
}

pub(crate) fn charsets(plan: &Plan) -> io::Result<Vec<String>> {
    let tools: Vec<Tool> = [Tool::Charpipe].iter().chain(PEERS).copied().filter(|tool| plan.has(*tool)).collect();
    let mut table = Table::of(&tools, Cells::Speed);
    if plan.measures {
        table.print_head("Charsets of East Asia, files to /dev/null");
    }
    let (mut failures, file, sets) = (Vec::new(), plan.path().join("input"), instruction_sets());
    for job in jobs() {
        let repeated = times(&job.source, plan.mib);
        let len = write_repeated(&file, &job.source, repeated)?;
        failures.extend(job.difference(plan, repeated, &file)?);
        // Prose with each instruction set, the other forms with the best.
        let measured = if job.form == Form::Prose { sets.len() } else { 1 };
        // What a peer lacks is left empty.
        let has = |tool: &Tool| job.line(*tool, &file).iter().any(|line| peak(line, None).is_ok());
        let peers: Vec<Tool> = tools.iter().copied().filter(|tool| plan.measures && has(tool)).collect();
        for (index, isa) in sets.iter().enumerate().take(measured).filter(|_| plan.measures) {
            let line = |tool: &Tool| match tool {
                Tool::Charpipe => job.line(*tool, &file).into_iter().map(|line| line.with_isa(isa)).collect(),
                // Without vectors there is no goal.
                tool if (index > 0 && isa == "scalar") || !peers.contains(tool) => Vec::new(),
                tool => job.line(*tool, &file),
            };
            let goals = if job.form == Form::Prose { job.goals } else { LEAST };
            let goal = match &**isa {
                "avx512" => Goal::Faster(goals.0, PEERS),
                "scalar" => Goal::None,
                _ => Goal::Faster(goals.1, PEERS),
            };
            let (name, columns) = (format!("{} ({isa})", job.name()), tools.iter().map(line).collect());
            table.add(Row { name, len, columns, goal }, plan.rounds)?;
        }
    }
    fs::remove_file(file)?;
    if plan.measures {
        table.print_times();
        table.print_missed();
        failures.extend(table.print_peaks());
    }
    Ok(failures)
}
