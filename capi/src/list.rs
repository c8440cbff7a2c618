//! The lists of encodings and options, as JSON.

use charpipe::codec::{can_encode, is_ebcdic};
use charpipe::{OptionValue, Registry, Transcode};
use serde::Serialize;

/// An encoding. The keys are those of the command's list, and three more.
#[derive(Serialize)]
struct Encoding<'a> {
    name: &'a str,
    aliases: Vec<&'a str>,
    decode: bool,
    encode: bool,
    source: Option<&'a str>,
    description: &'a str,
    ebcdic: bool,
    /// Whether every byte is a character by itself.
    single_byte: bool,
}

/// Returns all built-in encodings, sorted as the registry has them.
pub(crate) fn encodings() -> String {
    let registry = Registry::builtin();
    let encodings: Vec<Encoding<'_>> = registry
        .codecs()
        .map(|codec| Encoding {
            name: codec.name(),
            aliases: registry.labels(codec.name()).skip(1).collect(),
            decode: true,
            encode: can_encode(&**codec),
            source: Some(codec.info().source).filter(|source| !source.is_empty()),
            description: registry.description(codec.name()),
            ebcdic: is_ebcdic(&**codec),
            single_byte: codec.decoder().is_bytewise(),
        })
        .collect();
    serde_json::to_string(&encodings).unwrap_or_default()
}

/// An option: its name, what its value is (`word`, `label`, `labels`, `flag` or `text`), and the words that it may be.
#[derive(Serialize)]
struct OptionKeys {
    name: &'static str,
    value: &'static str,
    words: &'static [&'static str],
}

/// Returns all options, in the order of the command's help.
pub(crate) fn options() -> String {
    let options = Transcode::OPTIONS.iter().map(|option| {
        let (value, words): (_, &[&str]) = match option.value {
            OptionValue::Word(words) => ("word", words),
            OptionValue::WordOrLabel(words) => ("label", words),
            OptionValue::Labels => ("labels", &[]),
            OptionValue::Flag => ("flag", &["true", "false"]),
            _ => ("text", &[]),
        };
        OptionKeys { name: option.name, value, words }
    });
    serde_json::to_string(&options.collect::<Vec<_>>()).unwrap_or_default()
}
