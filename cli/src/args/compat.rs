//! Habits of iconv, uconv and recode users: label suffixes, which work here too, and options, for which a message names
//! the replacement.

use charpipe::Transcode;
use charpipe::rows::RowsJob;

/// The suffixes of a label, which follow `//` in iconv.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Suffixes {
    /// `//TRANSLIT`: a character that the target lacks is replaced by something similar.
    pub(crate) translit: bool,
    /// `//IGNORE`: malformed input and unmappable characters are dropped, as in glibc.
    pub(crate) ignore: bool,
    /// `//NON_IDENTICAL_DISCARD` of GNU libiconv: unmappable characters are dropped.
    pub(crate) discard: bool,
}

/// Which option a label belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    From,
    To,
}

/// Splits a label from its suffixes: `ASCII//TRANSLIT//IGNORE`, `ASCII//translit,ignore`, `ASCII//`.
pub(crate) fn split(label: &str, side: Side) -> Result<(&str, Suffixes), String> {
    let Some((plain, suffixes)) = label.split_once("//") else { return Ok((label, Suffixes::default())) };
    let mut found = Suffixes::default();
    for suffix in suffixes.split(['/', ',']).filter(|suffix| !suffix.is_empty()) {
        match &*suffix.to_ascii_uppercase() {
            "TRANSLIT" => found.translit = true,
            "IGNORE" => found.ignore = true,
            "NON_IDENTICAL_DISCARD" => found.discard = true,
            _ => {
                return Err(format!("unknown suffix {suffix:?}; use //TRANSLIT, //IGNORE or //NON_IDENTICAL_DISCARD"));
            }
        }
    }
    if side == Side::From && (found.translit || found.discard) {
        let name = if found.translit { "TRANSLIT" } else { "NON_IDENTICAL_DISCARD" };
        return Err(format!("//{name} applies to the output; put it after the label of --to"));
    }
    if found.translit && found.discard {
        return Err("//TRANSLIT and //NON_IDENTICAL_DISCARD cannot be used together".to_owned());
    }
    if plain.is_empty() {
        return Err(format!("{label:?} has no encoding before the `//`"));
    }
    Ok((plain, found))
}

/// Options of other converters, and what to use here instead.
const OPTIONS: &[(&[&str], &str)] = &[
    // GNU libiconv.
    (&["--byte-subst"], "use --malformed escape, which writes \\xNN for each byte, or --malformed replace"),
    (&["--unicode-subst"], "use --unmappable escape, which writes \\u{HEX}, or xml, which writes &#xHEX;, or replace"),
    (&["--widechar-subst"], "charpipe has no wide characters; see --unmappable"),
    // uconv.
    (&["-x"], "use --unmappable translit, which approximates only what the target lacks, or --normalize nfc"),
    (&["-L", "--list-transliterators"], "charpipe has one, --unmappable translit; `charpipe list` lists the encodings"),
    (&["--callback"], "use --malformed and --unmappable: fail, replace, drop or escape"),
    (&["--from-callback"], "use --malformed: fail (stop), replace (substitute), drop (skip) or escape (escape)"),
    (
        &["--to-callback"],
        "use --unmappable: fail (stop), replace (substitute), drop (skip), escape (escape-unicode) or xml (escape-xml-hex)",
    ),
    (&["-i"], "for file -i use `charpipe detect`; for uconv -i use -c, which drops what cannot be converted"),
    (&["--add-signature"], "use --bom add"),
    (&["--remove-signature"], "use --bom strip"),
    (&["--block-size"], "charpipe chooses the size of its blocks itself; see --jobs for large files"),
    // file, enca, chardetect and uchardet.
    (&["-b", "--brief"], "for file -b use `charpipe detect -b`"),
    (
        &["--mime", "--mime-type", "--mime-encoding", "-I", "--detect"],
        "use `charpipe detect`, or `charpipe detect --json`",
    ),
    (&["--language"], "charpipe needs no language; use --guess"),
    (&["-g", "--guess-language"], "use --guess"),
    (&["--convert-to"], "use -t for the encoding of the output"),
    (&["--encoding", "--charset", "-e"], "use -f for the encoding of the input, and -t for that of the output"),
    (&["--input-encoding", "--from-encoding", "--in", "--source"], "use -f"),
    (&["--output-encoding", "--to-encoding", "--out", "--target"], "use -t"),
    (&["--json"], "use `charpipe detect --json`, or --report - for a report of the conversion in JSON"),
    // dos2unix and nkf.
    (&["--d2u", "-Lu", "-d", "--unix"], "use --eol lf"),
    (&["--u2d", "-Lw", "--dos", "-D"], "use --eol crlf"),
    (&["-n", "--newfile"], "use -o for the output"),
    (&["-k", "--keepdate", "--keep"], "use --in-place=SUFFIX to keep the old files"),
    (&["-w", "-w8"], "use -t UTF-8"),
    (&["-j"], "use -t ISO-2022-JP"),
    (&["-S"], "use -f Shift_JIS"),
    (&["-E"], "use -f EUC-JP"),
    (&["--overwrite"], "use --in-place"),
    // The mainframe.
    (&["--lrecl", "--record-length", "--reclen"], "use --records fb:N for records of N bytes, or --to-records fb:N"),
    (&["--recfm"], "use --records, as in --records fb:80, --records vb or --records rdw"),
    // ftfy and fix_latin.
    (&["--fix", "--repair"], "use --malformed windows-1252 for text that mixes UTF-8 and windows-1252"),
    (&["--fallback-mappings"], "use --best-fit"),
];

/// Values of options that other programs call so, and those to use here.
const VALUES: &[(&str, &[&str], &str)] = &[
    ("--eol", &["unix", "u", "linux", "posix", "lf-only"], "lf"),
    ("--eol", &["dos", "windows", "win", "msdos", "cr-lf"], "crlf"),
    ("--eol", &["ebcdic", "zos", "mvs"], "nel"),
    ("--unmappable", &["ignore", "skip", "discard", "remove"], "drop"),
    ("--unmappable", &["substitute", "subst", "replacement"], "replace"),
    ("--unmappable", &["transliterate", "approximate", "ascii"], "translit"),
    ("--unmappable", &["xmlcharrefreplace", "html", "entity", "entities"], "xml"),
    ("--unmappable", &["backslashreplace", "hex", "unicode"], "escape"),
    ("--unmappable", &["strict", "error", "stop", "abort"], "fail"),
    ("--bom", &["yes", "true", "on", "always", "utf8"], "add"),
    ("--bom", &["no", "false", "off", "never", "none", "remove"], "strip"),
    ("--as", &["plain", "txt", "csv"], "text"),
    ("--as", &["xhtml", "svg"], "xml"),
    ("--as", &["response", "headers"], "http"),
    ("--normalize", &["c", "composed"], "nfc"),
    ("--normalize", &["d", "decomposed"], "nfd"),
    ("--controls", &["remove", "strip", "delete"], "drop"),
    ("--relabel", &["no", "false", "off", "none"], "never"),
    ("--relabel", &["yes", "true", "on", "always"], "auto"),
    ("--policy", &["html", "html5", "browser", "web"], "whatwg"),
    ("--policy", &["xml", "default"], "rfc7303"),
];

/// Returns the value that means here what `value` of the option `option` means in other programs.
pub(crate) fn value(option: &str, value: &str) -> Option<&'static str> {
    let value = value.to_ascii_lowercase();
    VALUES.iter().find(|(name, values, _)| *name == option && values.contains(&&*value)).map(|(.., instead)| *instead)
}

/// Options that other options need, and the option that needs them first.
const NEEDS: &[(&str, &str)] = &[
    ("--html", "--explain"),
    ("--force", "--in-place"),
    ("--tape-file", "--records"),
    ("--trim", "--records"),
    ("--carriage-control", "--records"),
    ("--shift-blanks", "--records"),
    ("--columns", "--records"),
    ("--gaps", "--columns"),
    ("--record-newlines", "--records"),
    ("--gaps", "--to-records"),
    ("--overlong", "--to-records"),
    ("--include", "--recursive"),
    ("--exclude", "--recursive"),
    ("--hidden", "--recursive"),
    ("--output-suffix", "--output-dir"),
    ("--skip-existing", "--output-dir"),
];

/// Returns those of the `typed` options that need the option `missing`.
pub(crate) fn who_needs(missing: &str, typed: &[String]) -> Vec<&'static str> {
    let is_typed = |option: &str| {
        typed.iter().any(|arg| arg == option || arg.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
    };
    NEEDS.iter().filter(|(option, needed)| *needed == missing && is_typed(option)).map(|(option, _)| *option).collect()
}

/// Words of other programs for what to do with invalid input, and those to use here.
const MALFORMED: &[(&[&str], &str)] = &[
    (&["ignore", "skip", "discard", "remove"], "drop"),
    (&["substitute", "subst", "replacement", "lossy"], "replace"),
    (&["strict", "error", "stop", "abort"], "fail"),
    (&["backslashreplace", "hex"], "escape"),
];

/// Returns the word of `--malformed` that means what `word` means in another program.
pub(crate) fn malformed(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    MALFORMED.iter().find(|(words, _)| words.contains(&&*word)).map(|(_, instead)| *instead)
}

/// Returns the present spelling of the option `typed`, if it is an old name: of an option of `rows`, or of another command.
pub(crate) fn renamed(typed: &str, is_of_rows: bool) -> Option<String> {
    let old = typed.strip_prefix("--")?.split('=').next()?;
    let table = if is_of_rows { RowsJob::RENAMED } else { Transcode::RENAMED };
    let renamed = table.iter().find(|renamed| renamed.old == old)?;
    Some(renamed.value.map_or_else(|| format!("--{}", renamed.name), |value| format!("--{} {value}", renamed.name)))
}

/// Returns what to use instead of the option `typed`, if it is one of another converter.
pub(crate) fn option(typed: &str) -> Option<&'static str> {
    let name = typed.split('=').next()?;
    OPTIONS.iter().find(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_in_any_order() {
        let with = |translit, ignore, discard| Suffixes { translit, ignore, discard };
        for (label, plain, expected) in [
            ("ASCII", "ASCII", with(false, false, false)),
            ("ASCII//", "ASCII", with(false, false, false)),
            ("IBM1047/ZOS_UNIX", "IBM1047/ZOS_UNIX", with(false, false, false)),
            ("ASCII//translit", "ASCII", with(true, false, false)),
            ("ASCII//TRANSLIT//IGNORE", "ASCII", with(true, true, false)),
            ("ASCII//IGNORE,TRANSLIT", "ASCII", with(true, true, false)),
            ("IBM1047/ZOS_UNIX//IGNORE/", "IBM1047/ZOS_UNIX", with(false, true, false)),
            ("ASCII//NON_IDENTICAL_DISCARD", "ASCII", with(false, false, true)),
        ] {
            assert_eq!(split(label, Side::To), Ok((plain, expected)), "{label}");
        }
        assert!(split("ASCII//IGNORE", Side::From).is_ok());
        for (label, side) in [
            ("ASCII//TRANSLIT", Side::From),
            ("ASCII//NON_IDENTICAL_DISCARD", Side::From),
            ("ASCII//TRANSLIT//NON_IDENTICAL_DISCARD", Side::To),
            ("ASCII//TRANSLITERATE", Side::To),
            ("//TRANSLIT", Side::To),
        ] {
            assert!(split(label, side).is_err(), "{label}");
        }
    }
}
