//! Reads options: lines of `key=value`, with the names and values of the command line.

use crate::failure::Failure;
use charpipe::{Registry, Transcode};

/// Returns the names and values of options. Each line has one; a name alone means `true`. Blank lines do not count.
/// Blanks around names and values are dropped.
pub(crate) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| line.split_once('=').unwrap_or((line, "true"))).map(|(key, value)| (key.trim(), value.trim()))
}

/// Reads the options of a conversion. `codec-file`, which may be repeated, adds the encoding in a table file.
pub(crate) fn parse(text: &str) -> Result<Transcode, Failure> {
    let is_table = |key: &str| matches!(key, "codec-file" | "codec_file");
    let registry = with_tables(pairs(text).filter(|(key, _)| is_table(key)).map(|(_, path)| path))?;
    let job = Transcode::new().registry(registry);
    Ok(pairs(text).filter(|(key, _)| !is_table(key)).try_fold(job, |job, (key, value)| job.set(key, value))?)
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
