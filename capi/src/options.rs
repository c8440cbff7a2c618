//! Reads options: lines of `key=value`, with the names and values of the command line.

use crate::failure::Failure;
#[cfg(feature = "inspect")]
use charpipe::rows::RowsJob;
use charpipe::{Error, Registry, Transcode};

/// Returns the names and values of options. Each line has one; a name alone means `true`. Blank lines do not count.
/// Spaces around names and values are dropped.
pub(crate) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| line.split_once('=').unwrap_or((line, "true"))).map(|(key, value)| (key.trim(), value.trim()))
}

/// Reads the options of a conversion.
pub(crate) fn parse(text: &str) -> Result<Transcode, Failure> {
    set_all(text, |registry| Transcode::new().registry(registry), Transcode::set)
}

/// The options of a rows job that have no meaning for one record whose layout is given as a text.
#[cfg(feature = "inspect")]
const OF_FILES: [&str; 15] = [
    "copy-path",
    "parent",
    "records",
    "length-field",
    "length-map",
    "tape-file",
    "skip-head",
    "skip-tail",
    "record-prefix",
    "record-suffix",
    "to-records",
    "binary-range",
    "add-columns",
    "integers",
    "jobs",
];

/// Reads the options of a rows job whose input is one record.
#[cfg(feature = "inspect")]
pub(crate) fn parse_for_record(text: &str) -> Result<RowsJob, Failure> {
    if let Some((name, _)) = pairs(text).find(|(name, _)| OF_FILES.contains(&&*name.replace('_', "-"))) {
        return Err(Failure::Usage(format!("option {name}: it has no meaning for one record")));
    }
    set_all(text, |registry| RowsJob::new().registry(registry), RowsJob::set)
}

/// The options of a rows job that have no meaning where records are read and there are no files.
#[cfg(feature = "inspect")]
const NOT_OF_ROWS: [&str; 4] = ["copy-path", "to-records", "binary-range", "jobs"];

/// Returns the value of an option, the last one if it is repeated.
#[cfg(feature = "inspect")]
pub(crate) fn option<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    pairs(text).filter(|(key, _)| key.replace('_', "-") == name).map(|(_, value)| value).last()
}

/// Reads the options of a rows job that reads records. `other` are options that it does not have.
#[cfg(feature = "inspect")]
pub(crate) fn parse_for_rows(text: &str, other: &[&str]) -> Result<RowsJob, Failure> {
    if let Some((name, _)) = pairs(text).find(|(name, _)| NOT_OF_ROWS.contains(&&*name.replace('_', "-"))) {
        return Err(Failure::Usage(format!("option {name}: it has no meaning here")));
    }
    let is_ours = |(name, _): &(&str, &str)| !other.contains(&&*name.replace('_', "-"));
    let lines = pairs(text).filter(is_ours).map(|(name, value)| format!("{name}={value}\n"));
    set_all(&lines.collect::<String>(), |registry| RowsJob::new().registry(registry), RowsJob::set)
}

/// The options of a rows job that decide which columns rows have, if the layout is given as a text.
#[cfg(feature = "inspect")]
const OF_COLUMNS: [&str; 21] = [
    "layout-format",
    "replacing",
    "decimal-comma",
    "record-name",
    "count-map",
    "float",
    "byte-order",
    "zoned-signs",
    "when",
    "parent",
    "varchar",
    "null-indicator",
    "groups",
    "from",
    "select",
    "on-bad",
    "filler",
    "add-columns",
    "dates",
    "integers",
    "underscores",
];

/// Reads the options of a rows job that reads no records.
#[cfg(feature = "inspect")]
pub(crate) fn parse_for_columns(text: &str) -> Result<RowsJob, Failure> {
    let is_known = |name: &str| RowsJob::OPTIONS.iter().any(|option| option.name == name);
    let is_useless = |name: &str| is_known(name) && !OF_COLUMNS.contains(&name);
    if let Some((name, _)) = pairs(text).find(|(name, _)| is_useless(&name.replace('_', "-"))) {
        return Err(Failure::Usage(format!("option {name}: it has no meaning for a schema")));
    }
    set_all(text, |registry| RowsJob::new().registry(registry), RowsJob::set)
}

/// Makes a job and sets its options. `codec-file`, which may be repeated, adds the encoding in a table file.
fn set_all<J>(
    text: &str,
    new: impl FnOnce(Registry) -> J,
    set: fn(J, &str, &str) -> Result<J, Error>,
) -> Result<J, Failure> {
    let is_table = |key: &str| matches!(key, "codec-file" | "codec_file");
    let registry = with_tables(pairs(text).filter(|(key, _)| is_table(key)).map(|(_, path)| path))?;
    let mut options = pairs(text).filter(|(key, _)| !is_table(key));
    Ok(options.try_fold(new(registry), |job, (key, value)| set(job, key, value))?)
}

/// Returns the built-in encodings and those of the table files.
#[cfg(not(target_family = "wasm"))]
fn with_tables<'a>(paths: impl Iterator<Item = &'a str>) -> Result<Registry, Failure> {
    let mut registry = Registry::builtin();
    for path in paths {
        match path.rsplit_once(",to=") {
            Some((path, to)) => registry.load_to(path, to)?,
            None => registry.load(path)?,
        };
    }
    Ok(registry)
}

/// Does the same where there are no files. The readers of tables would be a tenth of the module.
#[cfg(target_family = "wasm")]
fn with_tables<'a>(mut paths: impl Iterator<Item = &'a str>) -> Result<Registry, Failure> {
    match paths.next() {
        Some(_) => Err(Failure::Usage("codec-file needs a file system".to_owned())),
        None => Ok(Registry::builtin()),
    }
}
