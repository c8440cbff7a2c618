//! Advice for an error or a warning, in terms of the command line. The library's own messages name no options; the
//! command adds these hints by the kind or code of the error.

use charpipe::codec::{Stop, Utf8Sink};
use charpipe::detect::Diagnostic;
use charpipe::detect::Looks;
use charpipe::detect::statistics::{self, MINIMUM, guess, looks_like};
use charpipe::records::NoShape;
use charpipe::{Codec, Error, ErrorKind, Kind, Registry, Report, Transcode};
use std::borrow::Cow;
use std::io;

/// Information about a conversion that failed, besides its report.
pub(crate) struct HintContext {
    /// Unmappable characters become character references, but only where XML allows one.
    pub(crate) as_references: bool,
    /// The bytes outside the columns are kept, so that no record is cut.
    pub(crate) carries_gaps: bool,
    /// The encoding that the bytes around the error suggest.
    pub(crate) advice: Option<String>,
    /// The length of the input in bytes, if it was read to the end.
    pub(crate) len: Option<u64>,
}

/// The hint for a newline in a record. With a wrong record length, newlines and binary fields are anywhere in the
/// records: replacing them would only hide that.
pub(crate) const NEWLINE: &str = " (are the length and shape of the records right? see `charpipe detect --records`; if \
                                  they are, use --record-newlines space)";

/// Returns the hint for an error in the data, to be appended to its message.
pub(super) fn for_error(error: &Error) -> Cow<'static, str> {
    let hint = match error.kind() {
        ErrorKind::BadHeader { .. } => " (see `charpipe detect --records` for the shapes that fit)",
        ErrorKind::NoTapeFile { .. } => " (`charpipe detect --records` lists the data sets)",
        ErrorKind::RecordCut { .. } => {
            " (the input is truncated or has another shape; see `charpipe detect --records`)"
        }
        ErrorKind::BadRecordLength { field, .. } if field.is_empty() => {
            " (are the lengths in --record-prefix and --record-suffix right?)"
        }
        ErrorKind::BadRecordLength { .. } => {
            " (is the layout right? see --show-layout; if something frames the records, name their shape with --records)"
        }
        ErrorKind::RecordTooLong { .. } => " (use --overlong cut to cut long lines)",
        ErrorKind::ColumnTooLong { .. } => " (use --overlong cut to cut the text in columns)",
        ErrorKind::SequenceTooLong { .. } => " (leave out --normalize to continue)",
        ErrorKind::Control { .. } => " (use --controls space to continue)",
        ErrorKind::NewlineInRecord { .. } => NEWLINE,
        ErrorKind::Malformed { .. } => " (use --malformed replace to continue)",
        ErrorKind::Unmappable { .. } => {
            " (use --unmappable replace to continue, or a target that has it, such as -t UTF-8)"
        }
        ErrorKind::UnknownLabel { near, .. } if near.len() == 1 => {
            return format!(" (if so, use -f {})", near[0]).into();
        }
        ErrorKind::UnknownLabel { .. } => " (name the encoding with -f)",
        // A charset that is supported, but not because a document says so.
        ErrorKind::UnsupportedLabel { label, .. } if Registry::builtin().codec(label).is_ok() => {
            return format!(" (use -f {label})").into();
        }
        ErrorKind::Strict { code: "nel-in-xml", .. } => " (use --as text if it is not XML, or leave out --strict)",
        ErrorKind::Strict { .. } => " (leave out --strict to continue)",
        ErrorKind::PolicyRejects { .. } => {
            " (the default, --policy rfc7303, rejects nothing; or name the encoding with -f)"
        }
        ErrorKind::DeclarationTooLong { .. } => " (is its `?>` missing? name the encoding with -f)",
        ErrorKind::NoEncoder { .. } => " (`charpipe list` shows the encodings that can be written)",
        ErrorKind::NoXmlName { .. } => " (use --relabel never to leave the declaration as it is)",
        _ => "",
    };
    hint.into()
}

/// Returns the hint for the error that ended a conversion, to be appended to its message.
pub(super) fn for_conversion(error: &Error, report: &Report, context: &HintContext) -> Cow<'static, str> {
    let has_diagnostic = |is: fn(&str) -> bool| report.diagnostics.iter().any(|diagnostic| is(diagnostic.code));
    match error.kind() {
        ErrorKind::RecordTooLong { .. } if context.carries_gaps => {
            " (choose a --to-records that takes longer records: binary fields are not cut)".into()
        }
        ErrorKind::Malformed { codec, offset, bytes, .. }
            if Some(offset + bytes.len() as u64) == context.len && begins_character(codec, bytes) =>
        {
            let label = context.advice.as_deref().and_then(|advice| advice.strip_prefix(" (try -f "));
            match label.filter(|_| bytes.len() == 1) {
                // It is one byte, and nothing before it shows that the text is in this charset.
                Some(label) => format!(" (the input ends within a character, or is not {codec}: try -f {label}").into(),
                None => " (the input ends within a character; use --malformed replace to continue)".into(),
            }
        }
        // That hint was printed before, with the same advice.
        ErrorKind::Malformed { .. } if has_diagnostic(|code| code == "looks-like-ebcdic") => "".into(),
        ErrorKind::Malformed { .. } | ErrorKind::UnknownEncoding { .. } if context.advice.is_some() => {
            context.advice.clone().unwrap_or_default().into()
        }
        ErrorKind::NewlineInRecord { .. } if has_diagnostic(|code| code == "looks-packed") => {
            " (not all of the record is text; use --columns to say which bytes are)".into()
        }
        ErrorKind::Unmappable { codec, .. } if context.as_references && codec == "UTF-8" => "".into(),
        ErrorKind::Unmappable { .. } => {
            let instead = if context.as_references {
                "XML allows no reference there; use"
            } else {
                "use --unmappable replace to continue, or"
            };
            let sibling = sibling(error).map_or_else(String::new, |other| format!("-t {other} or "));
            format!(" ({instead} a target that has it, such as {sibling}-t UTF-8)").into()
        }
        _ => for_error(error),
    }
}

/// Whether `bytes`, which are malformed at the end of the input, are certainly the beginning of a character.
fn begins_character(codec: &str, bytes: &[u8]) -> bool {
    let Ok(codec) = Registry::builtin().codec(codec) else { return false };
    let mut room = [0; 64];
    // How many bytes are undecided; `None` if there is no such state, or if the bytes are malformed in it.
    let mut undecided = |state| {
        let mut decoder = codec.decoder();
        let step = decoder.set_state(state).then(|| decoder.feed(bytes, &mut Utf8Sink::new(&mut room)))?;
        (step.stop == Stop::InputEmpty).then(|| decoder.pending())
    };
    match undecided(0) {
        // They are well-formed as single bytes, so they was between shift codes.
        Some(0) => undecided(1) == Some(bytes.len()),
        initial => initial == Some(bytes.len()),
    }
}

/// Returns the hint for the wrong value of an option, to be appended to its message.
pub(crate) fn for_option(error: &Error) -> Cow<'static, str> {
    match error.kind() {
        ErrorKind::UnknownLabel { label, near, .. } if near.is_empty() => for_label(label).into(),
        ErrorKind::NoEncoder { .. } => for_error(error),
        _ => "".into(),
    }
}

/// Returns the hint for a label on the command line that resembles no known one.
fn for_label(label: &str) -> &'static str {
    match &*label.trim().to_ascii_lowercase() {
        "" => " (name an encoding: see `charpipe list`)",
        "auto" => " (only the input's encoding can be detected; name a target, such as UTF-8)",
        "ebcdic" => {
            " (that is a family: name a code page, such as IBM037, IBM273, IBM500 or IBM1047; see `charpipe list ebcdic`)"
        }
        "dos" => " (there are many; IBM437 is that of the United States, IBM850 that of Western Europe)",
        lower if lower.contains(",nl=") => " (after an EBCDIC code page use ,nl=zos or ,nl=fold)",
        _ => " (see `charpipe list`)",
    }
}

/// Returns the hint for input whose record shape is not certain, to be appended to its message.
pub(crate) fn for_shape(why: &NoShape) -> &'static str {
    match why {
        NoShape::DataSets(_) => " (choose one with --tape-file N or --tape-file NAME)",
        NoShape::NoFile(_) => {
            " (`charpipe detect --records` lists the data sets; for one after the first MiB name the shape: \
             --records awstape:sl,SHAPE)"
        }
        NoShape::NoTape => " (leave out --tape-file)",
        _ => " (see `charpipe detect --records`, and name one with --records)",
    }
}

/// Returns the hint for a warning or hint of the library, to be inserted after its message. `advice`: what the bytes of
/// the input suggest.
pub(super) fn for_diagnostic(code: &str, advice: Option<&str>) -> Cow<'static, str> {
    let advice = advice.map(|advice| advice.trim_start_matches(" (").trim_end_matches(')'));
    match (code, advice) {
        ("contents-contradict", Some(advice)) => return format!("; {advice}").into(),
        ("looks-like-ebcdic", Some(advice)) => return format!(": {advice}").into(),
        _ => {}
    }
    let hint = match code {
        "nel-kept" => "; try --eol lf",
        "looks-like-utf8" => "; try -f UTF-8",
        "looks-like-windows-1252" => "; try -f windows-1252",
        "looks-like-utf16" | "looks-like-escapes" => "; try --guess",
        "looks-like-utf32" => "; try --guess",
        "contents-contradict" => "; name the right encoding with -f",
        "looks-like-mojibake" => "; try --mojibake repair",
        "lf-at-25" => "; try --ebcdic-nl zos",
        "nel-in-xml" => "; use --as text if it is not XML",
        "no-newline" => "; if these are records, see `charpipe detect --records`",
        _ => "",
    };
    hint.into()
}

/// Returns a hint if `sample`, which was taken for something else, looks like EBCDIC, UTF-16 or UTF-32.
pub(crate) fn looks(sample: &[u8]) -> Option<Diagnostic> {
    let looks = looks_like(sample)?;
    let (code, name) = match looks {
        Looks::Ebcdic => ("looks-like-ebcdic", "EBCDIC"),
        Looks::Utf16Le | Looks::Utf16Be => ("looks-like-utf16", "UTF-16"),
        Looks::Utf32Le | Looks::Utf32Be => ("looks-like-utf32", "UTF-32"),
        _ => return None,
    };
    let what_to_try = match seems(sample) {
        Some(label) => format!("try -f {label} or --guess"),
        None => "too short to guess the code page; try -f IBM1047".to_owned(),
    };
    Some(Diagnostic::hint(code, 0, format!("looks like {name}: {what_to_try}")))
}

/// Returns a hint if `sample`, which `codec` decodes, has text that was decoded with the wrong charset before. `notes`:
/// what was noticed already. If this is the wrong charset, that was said.
pub(crate) fn looks_damaged(sample: &[u8], codec: &dyn Codec, notes: &[Diagnostic]) -> Option<Diagnostic> {
    if notes.iter().any(|note| matches!(note.code, "looks-like-utf8" | "looks-like-windows-1252")) {
        return None;
    }
    #[cfg(feature = "mojibake")]
    return charpipe::detect::looks_like_mojibake(sample, codec);
    #[cfg(not(feature = "mojibake"))]
    return Some((sample, codec)).and(None);
}

/// Returns the encoding that `sample`, which was taken for UTF-8, seems to be in. A guess that is asked for finds the
/// same.
pub(crate) fn seems(sample: &[u8]) -> Option<String> {
    let guess = guess(sample, false, &Registry::builtin());
    guess.candidates().first().map(|best| best.codec.clone()).filter(|codec| codec != "UTF-8")
}

/// Returns the hint for the error of a verdict, to be appended to its message. `sample`: the beginning of the input.
pub(super) fn for_verdict(error: &Error, sample: &[u8]) -> Cow<'static, str> {
    match error.kind() {
        ErrorKind::UnknownEncoding { .. } => match for_bytes(sample, None, false) {
            Some(hint) => hint.into(),
            None if sample.len() < MINIMUM => " (too short to guess; name the encoding with -f)".into(),
            None => " (name the encoding with -f)".into(),
        },
        _ => for_error(error),
    }
}

/// Returns what to try for bytes that are malformed in `codec`, or that nothing identifies: the one table for detection
/// and conversion. `is_named`: the user has named the encoding, so that a guess would have no effect.
pub(crate) fn for_bytes(sample: &[u8], codec: Option<&str>, is_named: bool) -> Option<String> {
    let looks = statistics::looks(sample, &Registry::builtin());
    let is_other = codec.is_some_and(|codec| codec != "UTF-8");
    if is_other {
        let is_utf8 = looks.is_none() && !sample.is_ascii();
        return is_utf8.then(|| " (every byte of it so far is valid UTF-8: try -f UTF-8)".to_owned());
    }
    let guess = || if is_named { "" } else { " or --guess" };
    // The sample is valid, and the error comes after it.
    let looks = looks.or((!sample.is_ascii()).then_some(Looks::Mixed));
    match (looks?, seems(sample)) {
        (Looks::Binary, _) if is_named => Some(" (it looks like binary data; charpipe converts only text)".to_owned()),
        (Looks::Binary, _) => Some(
            " (charpipe converts only text; if it is text, name its encoding with -f LABEL, or use \
             -f UTF-8 --malformed LABEL)"
                .to_owned(),
        ),
        (Looks::Mixed, _) => Some(" (try --malformed windows-1252)".to_owned()),
        (_, Some(label)) => Some(format!(" (try -f {label}{})", guess())),
        (Looks::Ebcdic, None) => Some(" (too short to guess the code page; try -f IBM1047)".to_owned()),
        (_, None) => None,
    }
}

/// Pairs of a charset and another that has all of its characters, or nearly all, and also the euro or more.
const SIBLINGS: &[(&str, &str)] = &[
    ("US-ASCII", "ISO-8859-1"),
    ("US-ASCII", "windows-1252"),
    ("ISO-8859-1", "windows-1252"),
    ("ISO-8859-7", "windows-1253"),
    ("ISO-8859-9", "windows-1254"),
    ("IBM850", "IBM858"),
    ("IBM037", "IBM1140"),
    ("IBM273", "IBM1141"),
    ("IBM277", "IBM1142"),
    ("IBM278", "IBM1143"),
    ("IBM280", "IBM1144"),
    ("IBM284", "IBM1145"),
    ("IBM285", "IBM1146"),
    ("IBM297", "IBM1147"),
    ("IBM500", "IBM1148"),
    ("IBM871", "IBM1149"),
    ("IBM1047", "IBM924"),
];

/// Returns a sibling of the target that has the character which the target lacks.
fn sibling(error: &Error) -> Option<String> {
    let ErrorKind::Unmappable { codec, ch, .. } = error.kind() else { return None };
    let registry = Registry::builtin();
    let target = registry.codec(codec).ok()?;
    let has = |label: &str| {
        let to = Transcode::new().source_encoding("UTF-8").and_then(|run| run.target_encoding(label)).ok()?;
        to.kind(Kind::Text).run(ch.to_string().as_bytes(), io::sink()).ok()
    };
    let mut siblings =
        SIBLINGS.iter().filter(|(one, _)| registry.codec(one).is_ok_and(|one| one.name() == target.name()));
    let (_, other) = siblings.find(|(_, other)| has(other).is_some())?;
    Some(registry.codec(other).ok()?.name().to_owned())
}
