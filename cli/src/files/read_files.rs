//! The files that a run reads besides its inputs, such as lists and tables. No output may be written over one of them.

use crate::files::input::metadata;
use crate::files::name::Name;
use crate::files::output::Output;
use charpipe::files::FileId;
use std::path::Path;

/// The files, each with the option that names it.
#[derive(Default)]
pub(crate) struct ReadFiles(Vec<(FileId, &'static str)>);

impl ReadFiles {
    /// Notes the files that options name. `-` is standard input.
    pub(crate) fn new<'p>(files: impl IntoIterator<Item = (&'static str, &'p Path)>) -> Self {
        let id = |path: &Path| metadata(path.as_os_str()).as_ref().and_then(FileId::of);
        ReadFiles(files.into_iter().filter_map(|(option, path)| Some((id(path)?, option))).collect())
    }

    /// Returns why the file with this identity cannot be an output. `name` returns what it is called.
    pub(crate) fn objection(&self, id: Option<FileId>, name: impl FnOnce() -> Name) -> Option<String> {
        let (_, option) = self.0.iter().find(|(known, _)| Some(*known) == id)?;
        Some(format!("{}: {option} reads this file, so it cannot be written", name()))
    }

    /// Returns why an open output cannot be written.
    pub(crate) fn objection_to(&self, output: &Output) -> Option<String> {
        self.objection(output.file_id(), || output.name.clone())
    }
}
