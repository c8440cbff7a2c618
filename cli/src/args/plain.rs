//! The plain form of the command line, `charpipe [-c] [-f LABEL] [-t LABEL] [-o PATH] [FILE]...`, which is parsed here,
//! without clap: defining all options takes longer than converting a short file, and 400 KiB of memory.
//!
//! Everything else is left to clap, including all errors and options with unusual values. So this parser prints no
//! messages, and a test compares the two parsers.

use crate::args::convert::{Convert, Plain};
use std::ffi::{OsStr, OsString};

/// Parses the arguments after `charpipe convert`. Returns `None` if clap has to.
pub(super) fn parse(args: &[OsString]) -> Option<Convert> {
    let mut plain = Plain::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        // As in clap, the last value counts.
        match arg.to_str() {
            Some("-f" | "--from") => plain.from = Some(value(args.next()?)?.to_str()?.to_owned()),
            Some("-t" | "--to") => plain.to = Some(value(args.next()?)?.to_str()?.to_owned()),
            Some("-o" | "--output") => plain.output = Some(value(args.next()?)?.into()),
            Some("-c") => plain.drop = true,
            Some("-") => plain.files.push(arg.clone()),
            _ => plain.files.push(value(arg)?.to_owned()),
        }
    }
    Some(Convert::plain(plain))
}

/// Returns the argument if it is clearly a value: not empty, and unlike an option.
fn value(arg: &OsStr) -> Option<&OsStr> {
    let bytes = arg.as_encoded_bytes();
    (!bytes.is_empty() && bytes[0] != b'-').then_some(arg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command, command};

    /// Every line that is taken here means the same to clap.
    #[test]
    fn clap_agrees() {
        let words =
            ["-f", "-t", "-o", "-c", "--from", "--to", "IBM037", "file", "-", "--output", "auto", "-v", "", "--", "é"];
        let mut lines: Vec<Vec<&str>> = vec![vec![]];
        // All lines of up to three words, and longer ones that take every third step.
        for len in 1..=3 {
            let longest: Vec<Vec<&str>> = lines.iter().filter(|line| line.len() == len - 1).cloned().collect();
            for (line, word) in longest.iter().flat_map(|line| words.iter().map(move |word| (line, word))) {
                lines.push(line.iter().chain([word]).copied().collect());
            }
        }
        for line in [
            "-f IBM037 -t UTF-16LE a b",
            "-c -f a b -c -t c",
            "a -f IBM037 - -t UTF-8 -o out c",
            "-f a -f b -o c -o d",
            "--to x --from y z",
        ] {
            lines.push(line.split(' ').collect());
        }
        let mut plain = 0;
        for line in lines {
            let args: Vec<OsString> = line.iter().map(OsString::from).collect();
            let Some(parsed) = parse(&args) else { continue };
            plain += 1;
            let argv = ["charpipe", "convert"].map(OsString::from).into_iter().chain(args);
            let matches = command().try_get_matches_from(argv).unwrap_or_else(|error| panic!("{line:?}: {error}"));
            let Ok(Cli { command: Command::Convert(by_clap) }) = clap::FromArgMatches::from_arg_matches(&matches)
            else {
                panic!("{line:?}");
            };
            assert_eq!(format!("{parsed:?}"), format!("{by_clap:?}"), "{line:?}");
        }
        assert!(plain > 150, "{plain}");
    }

    #[test]
    fn what_is_left_to_clap() {
        for line in [
            "-v",
            "--",
            "-f",
            "-f -",
            "-fIBM037",
            "--from=IBM037",
            "-o -",
            "-f -t",
            "--jobs 2",
            "-h",
            "-ab",
            "-cf a",
            "-c -v",
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert!(parse(&args).is_none(), "{line}");
        }
        assert!(parse(&["".into()]).is_none() && parse(&["-f".into(), "".into()]).is_none());
    }
}
