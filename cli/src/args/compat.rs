//! What users of iconv, uconv and recode type: suffixes of labels, which work here too, and options, for which a message
//! says what to type instead.

/// The suffixes of a label, which follow `//` in iconv.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Suffixes {
    /// `//TRANSLIT`: a character that the target lacks is replaced by a similar one.
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
    (&["-x"], "charpipe has no transliteration; --best-fit uses the one-way mappings of the target's table"),
    (&["-L", "--list-transliterators"], "charpipe has no transliteration; `charpipe list` lists the encodings"),
    (&["--callback"], "use --malformed and --unmappable: fail, replace, drop or escape"),
    (&["--from-callback"], "use --malformed: fail (stop), replace (substitute), drop (skip) or escape (escape)"),
    (
        &["--to-callback"],
        "use --unmappable: fail (stop), replace (substitute), drop (skip), escape (escape-unicode) or xml (escape-xml-hex)",
    ),
    (&["-i"], "use -c, which drops malformed input and unmappable characters, or --malformed drop"),
    (&["--add-signature"], "use --bom add"),
    (&["--remove-signature"], "use --bom strip"),
    (&["-b", "--block-size"], "charpipe chooses the size of its blocks itself; see --jobs for large files"),
    (&["--fallback-mappings"], "use --best-fit"),
];

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
