//! The plain form of the command line, `charpipe [convert|detect] [OPTIONS] [FILE]...` with the options that each command
//! lists in `PLAIN`. It is parsed here, without clap: defining all options takes longer than converting a short file, and
//! takes 400 KiB of memory.
//!
//! Everything else is left to clap, including all errors and options with unusual values. So this parser prints no
//! messages, and a test compares the two parsers.

use crate::args::named::NamedOptions;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The options that were typed, and the FILEs. An option means the same in each command that has it.
#[derive(Default)]
pub(super) struct Plain {
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) output: Option<PathBuf>,
    pub(super) output_dir: Option<PathBuf>,
    /// The suffix of the backup, empty for none.
    pub(super) in_place: Option<OsString>,
    pub(super) jobs: Option<String>,
    pub(super) drop: bool,
    pub(super) recursive: bool,
    pub(super) quiet: bool,
    pub(super) brief: bool,
    pub(super) json: bool,
    pub(super) files: Vec<OsString>,
}

impl Plain {
    /// Returns the options that the library has too, in the order of `Transcode::OPTIONS`, as for clap.
    pub(super) fn named(&self) -> NamedOptions {
        let options = [("from", &self.from), ("to", &self.to), ("jobs", &self.jobs)];
        NamedOptions::new(options.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))))
    }
}

/// Parses the arguments after a command that has the options `known`. Returns `None` if clap has to.
pub(super) fn parse(args: &[OsString], known: &[&str]) -> Option<Plain> {
    let mut plain = Plain::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let Some(option) = arg.to_str().filter(|arg| arg.len() > 1 && arg.starts_with('-')) else {
            plain.files.push(if arg == "-" { arg.clone() } else { value(arg)?.to_owned() });
            continue;
        };
        let (name, attached) = split(option)?;
        let name = long(name);
        if !known.contains(&name) {
            return None;
        }
        let mut wanted = || attached.map(OsStr::new).or_else(|| value(args.next()?));
        // As with clap, the last value counts.
        match name {
            "--from" => plain.from = Some(wanted()?.to_str()?.to_owned()),
            "--to" => plain.to = Some(wanted()?.to_str()?.to_owned()),
            "--output" => plain.output = Some(wanted()?.into()),
            "--output-dir" => plain.output_dir = Some(wanted()?.into()),
            // A second one is left to clap, which checks both.
            "--jobs" if plain.jobs.is_none() => plain.jobs = Some(wanted()?.to_str()?.to_owned()),
            "--in-place" => plain.in_place = Some(attached.unwrap_or_default().into()),
            _ if attached.is_some() => return None,
            "-c" => plain.drop = true,
            "--recursive" => plain.recursive = true,
            "--quiet" => plain.quiet = true,
            "--brief" => plain.brief = true,
            "--json" => plain.json = true,
            _ => return None,
        }
    }
    Some(plain)
}

/// Returns the long name of an option that has one.
fn long(name: &str) -> &str {
    match name {
        "-f" | "--from-code" => "--from",
        "-t" | "--to-code" => "--to",
        "-o" => "--output",
        "-r" => "--recursive",
        "-q" => "--quiet",
        "-b" => "--brief",
        name => name,
    }
}

/// Splits `--name=VALUE` and `-nVALUE` into the option and its value; other options have no value yet. Returns `None` for
/// `--name=`, `-n=VALUE`, and a letter that is not ASCII.
fn split(option: &str) -> Option<(&str, Option<&str>)> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) if name.starts_with("--") => return (!value.is_empty()).then_some((name, Some(value))),
        None if option.starts_with("--") => return Some((option, None)),
        _ => option.split_at_checked(2)?,
    };
    (!value.starts_with('=')).then_some((name, Some(value).filter(|value| !value.is_empty())))
}

/// Returns the argument if it is clearly a value or a FILE: not empty, and unlike an option.
fn value(arg: &OsStr) -> Option<&OsStr> {
    let bytes = arg.as_encoded_bytes();
    (!bytes.is_empty() && bytes[0] != b'-').then_some(arg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command, command, parse_plain};

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    /// Every line that is taken here means the same to clap.
    #[test]
    fn clap_agrees() {
        let words = [
            "-f",
            "-t",
            "-o",
            "-c",
            "-q",
            "-r",
            "-b",
            "-v",
            "--from",
            "--to",
            "--output",
            "--json",
            "--jobs",
            "2",
            "IBM037",
            "file",
            "-",
            "auto",
            "",
            "--",
            "é",
            "-fIBM037",
            "-t=é",
            "--from=",
            "--to-code=a=b",
            "--in-place",
            "--in-place=é",
            "--in-place=",
            "--output-dir",
            "--output-dir=-",
            "--jobs=0",
            "-é",
            "-qr",
        ];
        // All lines of up to three of these are tried, and all of up to two of `words`.
        let common =
            ["-f", "-t", "-o", "-c", "--from", "--to", "IBM037", "file", "-", "--output", "auto", "-v", "", "--", "é"];
        let mut lines: Vec<Vec<&str>> = vec![vec![]];
        for len in 1..=3 {
            let shorter: Vec<Vec<&str>> = lines.iter().filter(|line| line.len() == len - 1).cloned().collect();
            lines.extend(shorter.iter().flat_map(|line| common.iter().map(move |word| [&line[..], &[*word]].concat())));
        }
        lines.extend(words.iter().map(|word| vec![*word]));
        lines.extend(words.iter().flat_map(|first| words.iter().map(move |second| vec![*first, *second])));
        for line in [
            "-f IBM037 -t UTF-16LE a b",
            "-c -f a b -c -t c",
            "a -f IBM037 - -t UTF-8 -o out c",
            "-f a -f b -o c -o d",
            "--to x --from y z",
            "-fa --from=b --from-code c file",
            "-q -r a --in-place=.old --in-place b -q",
            "--jobs=+03 -r a --output-dir out",
            "--jobs 2 -t b -f a",
            "--jobs=0 --jobs=2",
            "--jobs 2 --jobs 3",
            "-f a -b file -r -q",
            "--json -r -fa - file",
        ] {
            lines.push(line.split(' ').collect());
        }
        let mut plain = [0; 2];
        for (at, name) in ["convert", "detect"].into_iter().enumerate() {
            for line in &lines {
                let args: Vec<OsString> = [&name].into_iter().chain(line).map(OsString::from).collect();
                let Some(parsed) = parse_plain(&args) else { continue };
                plain[at] += 1;
                let argv = std::iter::once(OsString::from("charpipe")).chain(args);
                let matches = command().try_get_matches_from(argv).unwrap_or_else(|error| panic!("{line:?}: {error}"));
                let Cli { command } = clap::FromArgMatches::from_arg_matches(&matches).unwrap();
                let shown = |command: &Command| match command {
                    Command::Convert(convert) => format!("{convert:?}"),
                    Command::Detect(detect) => format!("{detect:?}"),
                    _ => panic!("{line:?}"),
                };
                assert_eq!(shown(&parsed), shown(&command), "{name} {line:?}");
            }
        }
        assert!(plain[0] > 700 && plain[1] > 200, "{plain:?}");
    }

    #[test]
    fn what_is_left_to_clap() {
        for line in [
            "convert -v",
            "convert --",
            "convert -f",
            "convert -f -",
            "convert -f=IBM037",
            "convert --from=",
            "convert -o -",
            "convert -f -t",
            "convert --jobs 0",
            "convert --jobs many",
            "convert --jobs many --jobs 2",
            "convert -h",
            "convert -ab",
            "convert -cf a",
            "convert -c -v",
            "convert -b",
            "convert --json",
            "convert -o a --in-place",
            "convert -o a --output-dir b",
            "convert --in-place= a",
            "detect -t a",
            "detect -c",
            "detect -o a",
            "detect --jobs 2",
            "detect --in-place",
            "detect --json -b",
            "rows -q",
            "list",
        ] {
            assert!(parse_plain(&args(line)).is_none(), "{line}");
        }
        assert!(parse_plain(&["convert".into(), "".into()]).is_none());
        assert!(parse_plain(&["convert".into(), "-f".into(), "".into()]).is_none());
    }

    /// What people type most.
    #[test]
    fn what_needs_no_clap() {
        for line in
            ["-f IBM037 file", "-fIBM037 -tUTF-8 -q file", "--from=IBM037 --in-place=.old file", "-r a --output-dir b"]
        {
            assert!(parse_plain(&args(&format!("convert {line}"))).is_some(), "{line}");
        }
        assert!(parse_plain(&args("detect -b file")).is_some());
    }
}
