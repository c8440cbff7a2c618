//! `--codec-file`: table files that add encodings.

use crate::args::headings::ENCODING;
use crate::escape::printable;
use crate::messages::say;
use crate::status::Status;
use charpipe::{ErrorKind, Registry};
use clap::Args;
use clap::builder::ValueHint;
use std::path::{Path, PathBuf};

#[derive(Args, Debug, Default)]
pub(crate) struct Tables {
    /// Add the encoding in the table file PATH; may be repeated
    ///
    /// PATH is an ICU .ucm file, a charmap, a Unicode .TXT mapping or a charpipe page. The encoding gets the name and
    /// aliases in the table, or else the name of the file. A file of 256 bytes maps each byte to a byte of ISO-8859-1,
    /// or of the code page LABEL in `--codec-file PATH,to=LABEL`.
    #[arg(long = "codec-file", value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = ENCODING)]
    codec_files: Vec<PathBuf>,
}

impl Tables {
    /// Returns the built-in encodings and those of the table files. An error has been printed.
    pub(crate) fn registry(&self) -> Result<Registry, Status> {
        let mut registry = Registry::builtin();
        for path in &self.codec_files {
            let loaded = match with_target(path) {
                Some((path, to)) => registry.load_to(path, to),
                None => registry.load(path),
            };
            if let Err(error) = loaded {
                let (place, status) = match error.kind() {
                    // The message has the name of the file already.
                    ErrorKind::TableFile { .. } => (String::new(), Status::Io),
                    _ => (format!("{}: ", path.display()), Status::Usage),
                };
                say(format_args!("--codec-file: {}", printable(&format!("{place}{error}"))));
                return Err(status);
            }
        }
        Ok(registry)
    }

    /// Returns the paths of the table files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.codec_files.iter().map(|path| with_target(path).map_or(&**path, |(path, _)| Path::new(path)))
    }
}

/// Splits `PATH,to=LABEL`.
fn with_target(path: &Path) -> Option<(&str, &str)> {
    path.to_str()?.rsplit_once(",to=")
}
