//! Prints the outcome of one input: the messages on standard error, and the line of `--check`.

use crate::args::Convert;
use crate::convert::ended::{Ended, Failure};
use crate::convert::outcome::Outcome;
use crate::ending::Ending;
use crate::escape::{harmless, printable};
use crate::files::file_path::FilePath;
use crate::files::name::Name;
use crate::messages::hints::{self, HintContext};
use crate::messages::{self, Count, InWords, Place, say, say_count, say_problem};
use charpipe::Hex;
use charpipe::{
    CutRecord, Error, Faults, Kind, OnControl, OnMalformed, OnUnmappable, RepairedAt, Report, UnmappableAt,
};

/// Prints the messages about the input `name`, the error last. A check prints no counts here: they are in its line.
pub(crate) fn say_outcome(outcome: &Outcome, args: &Convert, name: &Name, path: &FilePath) {
    let (quiet, verbose) = (args.messages.quiet, args.messages.verbose);
    for note in &outcome.notes {
        say(format_args!("{name}: {note}"));
    }
    if verbose && let Some(verdict) = &outcome.report.verdict {
        say(format_args!("{name}: {}", InWords { verdict, verbose }));
    }
    let has_verdict = outcome.ended.has_begun() || matches!(outcome.ended, Ended::LeftAlone(_));
    if !quiet && has_verdict {
        messages::say_diagnostics(name, &outcome.report.diagnostics, outcome.ended.error(), outcome.advice.as_deref());
        if !args.many.check {
            say_counts(name, &outcome.report, args);
        }
    }
    if verbose && matches!(outcome.ended, Ended::LeftAlone(_)) {
        say(format_args!("{name}: binary, left alone"));
    }
    say_error(outcome, args, name, path);
}

fn say_error(outcome: &Outcome, args: &Convert, name: &Name, path: &FilePath) {
    let Some(ending) = outcome.ended.early() else { return };
    let start = Some(Place::byte(0));
    ending.say(name, &path.text(), |failure| match failure {
        Failure::NoShape(why) => say_problem(name, start, &printable(&why.to_string()), hints::for_shape(why)),
        Failure::HasBackup(why) => say_problem(name, start, &printable(&why.to_string()), ""),
        Failure::NoOutput(error) => {
            say_problem(&outcome.output, None, &format_args!("cannot open for writing: {error}"), "");
        }
        Failure::Stuck(error) => say_failure(outcome, error, args, name),
    });
}

/// Prints an error in the data, or in reading it, with a hint and the bytes around it.
fn say_failure(outcome: &Outcome, error: &Error, args: &Convert, name: &Name) {
    let verdict = outcome.report.verdict.as_ref();
    let is_xml = verdict.is_some_and(|verdict| verdict.kind == Kind::Xml);
    let carries_gaps = args.records.carries_gaps();
    let as_references = is_xml && !carries_gaps && args.on_unmappable().is_none();
    let context = HintContext { as_references, carries_gaps, advice: outcome.advice.clone(), len: outcome.len };
    messages::say_fault(name, error, &outcome.report, &context);
    let codec = verdict.and_then(|verdict| verdict.codec.as_deref());
    messages::show_bytes(error, outcome.piece.as_ref(), codec);
}

/// Prints what the policies let pass and, with `--verbose`, each place and what else was done.
fn say_counts(name: &Name, report: &Report, args: &Convert) {
    let verbose = args.messages.verbose;
    say_malformed(name, report, args);
    say_unmappable(name, report, args);
    let (became, all_became) = match args.controls {
        OnControl::Drop => ("dropped", "dropped"),
        _ => ("replaced by a space", "replaced by spaces"),
    };
    if let Some(controls) = &report.controls {
        say_changed(name, controls, became, verbose);
        let became = if controls.count == 1 { became } else { all_became };
        say_count(name, controls.count, "control character", "control characters", became);
    }
    say_repairs(name, report, verbose);
    say_records(name, report, verbose);
    if !verbose {
        return;
    }
    if report.passed {
        say(format_args!("{name}: not recognised as text; copied"));
    }
    if let Some(records) = report.records {
        say(format_args!("{name}: {} in", Count(records, "record")));
    }
    if let Some(records) = report.records_out {
        say(format_args!("{name}: {} out", Count(records, "record")));
    }
    if let Some(label) = &report.relabelled {
        match &label.from {
            Some(from) => say(format_args!("{name}: label {from:?} changed to {:?}", label.to)),
            None => say(format_args!("{name}: label {:?} added", label.to)),
        }
    }
    let (read, written) = (Count(report.bytes_in, "byte"), Count(report.bytes_out, "byte"));
    say(format_args!("{name}: {read} in, {written} out in {}", report.to));
}

fn say_malformed(name: &Name, report: &Report, args: &Convert) {
    let read_as = report.read_as.as_ref().map(|label| format!("read as {label}"));
    let became = match args.on_malformed() {
        _ if read_as.is_some() => read_as.as_deref().unwrap_or_default(),
        OnMalformed::Drop => "dropped",
        OnMalformed::Escape => "escaped",
        _ => "replaced",
    };
    for found in report.malformed.first.iter().filter(|_| args.messages.verbose) {
        let place = Place::new(found.offset, found.record, found.position);
        say(format_args!("{name}: {place}: {} {became}", Hex(&found.bytes)));
    }
    say_count(name, report.malformed.count, "malformed sequence", "malformed sequences", became);
}

fn say_unmappable(name: &Name, report: &Report, args: &Convert) {
    if report.unmappable.count == 0 {
        return;
    }
    let to = &report.to;
    for found in report.unmappable.first.iter().filter(|_| args.messages.verbose) {
        say(format_args!("{name}: {}: U+{:04X} is not in {to}", place_of(found), found.ch as u32));
    }
    let became = match args.on_unmappable() {
        Some(OnUnmappable::Replace) => "replaced",
        Some(OnUnmappable::Drop) if args.approximates() => "written as something similar, or dropped",
        Some(OnUnmappable::Drop) => "dropped",
        Some(OnUnmappable::Escape) => "escaped",
        Some(OnUnmappable::Translit) => "written as something similar",
        // Without the option, XML gets references, and all else fails but for what is similar.
        None if args.uses_best_fit() => {
            match report.verdict.as_ref().is_some_and(|verdict| verdict.kind == Kind::Xml) {
                true => "written as something similar, or as references",
                false => "written as something similar",
            }
        }
        _ => "written as references",
    };
    let (one, many) = (format!("character not in {to} was"), format!("characters not in {to} were"));
    say_count(name, report.unmappable.count, &one, &many, became);
}

/// Prints newlines that were changed so that each record is one line, and records that were cut.
fn say_records(name: &Name, report: &Report, verbose: bool) {
    if let Some(newlines) = &report.record_newlines {
        say_changed(name, newlines, "replaced by a space", verbose);
        let (one, many) = ("newline within a record replaced by a space", "newlines within records replaced by spaces");
        say_count(name, newlines.count, one, many, "");
    }
    if let Some(cut) = report.records_cut.as_ref().filter(|cut| cut.count > 0) {
        for CutRecord { offset, record, bytes, position, .. } in cut.first.iter().filter(|_| verbose) {
            let (place, lost) = (Place::new(*offset, None, *position), Count(*bytes, "byte"));
            say(format_args!("{name}: {place}: record {record} of the output was cut: {lost} lost"));
        }
        let records = if cut.count == 1 { "record was" } else { "records were" };
        let lost = Count(cut.bytes, "byte");
        say(format_args!("{name}: {} {records} too long and cut: {lost} lost", cut.count));
    }
}

/// Prints how much damaged text was repaired and, with `verbose`, the first of it.
fn say_repairs(name: &Name, report: &Report, verbose: bool) {
    let Some(mojibake) = &report.mojibake else { return };
    for RepairedAt { offset, before, after, record, position, .. } in mojibake.first.iter().filter(|_| verbose) {
        say(format_args!("{name}: {}: {before:?} repaired to {after:?}", Place::new(*offset, *record, *position)));
    }
    say_count(name, mojibake.count, "damaged character", "damaged characters", "repaired");
}

/// With `verbose`, prints each of the first characters that were changed.
fn say_changed(name: &Name, changed: &Faults<UnmappableAt>, became: &str, verbose: bool) {
    for found in changed.first.iter().filter(|_| verbose) {
        say(format_args!("{name}: {}: U+{:04X} {became}", place_of(found), found.ch as u32));
    }
}

fn place_of(found: &UnmappableAt) -> Place {
    Place::new(found.offset, found.record, found.position)
}

/// Returns the line of `--check`: what the input would become.
pub(crate) fn check_line(outcome: &Outcome, name: &Name) -> String {
    let report = &outcome.report;
    if let Ended::LeftAlone(_) = outcome.ended {
        return harmless(&format!("{name}: binary, left alone\n"));
    }
    let mut line = format!("{name}: {} -> {}", report.from.as_deref().unwrap_or("unknown"), report.to);
    line += &check_ending(&outcome.ended);
    if let Some(label) = &report.relabelled {
        match &label.from {
            Some(from) => line.push_str(&format!(", label {from:?} -> {:?}", label.to)),
            None => line.push_str(&format!(", label {:?} added", label.to)),
        }
    }
    if outcome.ended.has_begun() {
        line.push_str(&format!(", {} -> {} bytes", report.bytes_in, report.bytes_out));
        for (count, what) in outcome.counts() {
            line.push_str(&format!(", {count} {what}"));
        }
    }
    line.push('\n');
    harmless(&line)
}

/// Returns the part of the line of `--check` about an error, or about a file that would not change.
fn check_ending(ended: &Ended) -> String {
    if let Ended::Unchanged = ended {
        return ", unchanged".to_owned();
    }
    let Some(error) = ended.early().and_then(Ending::object) else { return String::new() };
    let place = error.place().filter(|_| ended.has_begun());
    let place = place.map_or_else(String::new, |place| format!(" at {place}"));
    format!(", fails{place} ({})", error.code)
}
