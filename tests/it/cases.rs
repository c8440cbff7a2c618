//! Runs the cases of `spec/cases` in the library: whole, in pieces through a transcoder, a reader and a writer, and
//! with several jobs.

use crate::suite::{Case, cases, rows_cases};
use charpipe::{Error, OptionValue, Report, Transcode};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn job(case: &Case) -> Result<Transcode, Error> {
    case.options.iter().try_fold(Transcode::new(), |job, (name, value)| job.set(name, value))
}

fn check(case: &Case, how: &str, output: &[u8], report: &Report, error: Option<&Error>) {
    let error = error.map(|error| serde_json::to_value(error).unwrap());
    case.check(how, output, &serde_json::to_value(report).unwrap(), error.as_ref());
}

/// Runs a transcoder over pieces of `piece` bytes, with buffers for `len` bytes of output.
fn step_by_step(case: &Case, job: &Transcode, piece: usize, len: usize) {
    let mut transcoder = job.clone().count_lines(true).transcoder().unwrap();
    let (mut output, mut buffer) = (Vec::new(), vec![0; len]);
    let mut pieces = case.input.chunks(piece).peekable();
    let error = loop {
        let Some(mut piece) = pieces.next().or(case.input.is_empty().then_some(&[])) else { break None };
        let is_last = pieces.peek().is_none();
        let step = loop {
            let step = transcoder.step(piece, &mut buffer, is_last);
            let Ok(step) = step else { break Err(step.unwrap_err()) };
            output.extend_from_slice(&buffer[..step.written]);
            piece = &piece[step.read..];
            match step.state {
                charpipe::Status::NeedRoom => {}
                charpipe::Status::NeedInput => break Ok(false),
                charpipe::Status::Done => break Ok(true),
            }
        };
        match step {
            Ok(false) => {}
            Ok(true) => break None,
            Err(error) => break Some(error),
        }
    };
    check(case, &format!("in pieces of {piece}, {len}"), &output, transcoder.report(), error.as_ref());
}

fn run(case: &Case, job: &Transcode, how: &str) {
    let (mut transcoder, mut output) = (job.transcoder().unwrap(), Vec::new());
    let mut error = transcoder.run(&mut &case.input[..], &mut output).err();
    transcoder.locate(&case.input[..], error.as_mut()).unwrap();
    check(case, how, &output, transcoder.report(), error.as_ref());
}

fn own(error: &std::io::Error) -> Error {
    error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()).unwrap_or_else(|| panic!("{error:?}")).clone()
}

fn read(case: &Case, job: &Transcode, size: usize) {
    let mut reader = job.clone().count_lines(true).reader(BufReader::with_capacity(size, &case.input[..])).unwrap();
    let mut output = Vec::new();
    let error = reader.read_to_end(&mut output).err().map(|error| own(&error));
    check(case, &format!("read, {size} bytes at a time"), &output, reader.report(), error.as_ref());
}

/// Writes pieces to a writer. It takes its report with it at the end, so only the output and the error are compared.
fn write(case: &Case, job: &Transcode, size: usize) {
    let mut writer = job.clone().count_lines(true).writer(Vec::new()).unwrap();
    let failed = case.input.chunks(size).find_map(|piece| writer.write_all(piece).err());
    let (output, error) = match failed {
        Some(error) => (writer.get_ref().clone(), Some(own(&error))),
        None => match writer.finish() {
            Ok(output) => (output, None),
            Err(error) => {
                let own = error.error().clone();
                (error.into_writer().get_ref().clone(), Some(own))
            }
        },
    };
    assert_eq!(output, case.output, "{}, written {size} bytes at a time", case.name);
    let place = |error: &Value| ["code", "offset", "line", "column"].map(|key| error[key].clone());
    let error = error.map(|error| place(&serde_json::to_value(&error).unwrap()));
    assert_eq!(error, case.error.as_ref().map(place), "{}, written {size} bytes at a time", case.name);
}

#[test]
fn conversions() {
    let found = cases(root(), "convert.jsonl", "library");
    assert!(found.left_out.is_empty(), "the library can do everything: {:?}", found.left_out);
    for case in &found.cases {
        let job = job(case).and_then(|job| job.validate().map(|()| job));
        if let Some(code) = &case.refused {
            assert_eq!(job.err().map(|error| error.code()), Some(&**code), "{}", case.name);
            continue;
        }
        let job = job.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        run(case, &job, "whole");
        for (piece, len) in [(1, 4096), (2, 1), (3, 70), (7, 7), (usize::MAX, 2)] {
            step_by_step(case, &job, piece, len);
        }
        for size in [1, 2, 3, 7, 4096] {
            read(case, &job, size);
            write(case, &job, size);
        }
        for (jobs, block) in [(1, 256 << 10), (3, 1), (3, 7), (3, 256 << 10)] {
            let job = job.clone().jobs(NonZeroUsize::new(jobs).unwrap()).block_bytes(block);
            run(case, &job, &format!("{jobs} jobs, blocks of {block}"));
        }
    }
    assert!(found.cases.len() > 200, "{}", found.cases.len());
}

/// Who adds an option, or a word to one, adds a case.
#[test]
fn every_option_and_every_word_has_a_case() {
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in cases(root(), "convert.jsonl", "library").cases {
        for (name, value) in case.options.into_iter().filter(|_| case.refused.is_none()) {
            used.entry(name).or_default().insert(value);
        }
    }
    for option in Transcode::OPTIONS {
        let values = used.remove(option.name).unwrap_or_else(|| panic!("no case has the option {}", option.name));
        let (OptionValue::Word(words) | OptionValue::WordOrLabel(words)) = option.value else { continue };
        for word in words {
            assert!(values.contains(*word), "no case has {}={word}", option.name);
        }
    }
    assert!(used.is_empty(), "there are no such options: {used:?}");
}

#[test]
fn names_are_unique() {
    let conversions = cases(root(), "convert.jsonl", "library").cases.into_iter().map(|case| case.name);
    let jobs = rows_cases(root(), "rows.jsonl", "library").0.into_iter().map(|case| case.name);
    for names in [conversions.collect::<Vec<_>>(), jobs.collect()] {
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
