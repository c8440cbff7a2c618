//! Counts the files and folders that a run with `-r` has skipped, by reason.

use crate::selection::Why;
use serde::Serialize;

/// Counts of what was left alone. A folder counts once, regardless of its contents.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LeftAlone {
    /// Files that are not text.
    pub(crate) binary: u64,
    pub(crate) hidden: u64,
    pub(crate) version_control: u64,
    pub(crate) excluded: u64,
    pub(crate) symlinks: u64,
    /// FIFOs, sockets and devices.
    pub(crate) special: u64,
}

impl LeftAlone {
    /// Counts one more entry.
    pub(crate) fn add(&mut self, why: Why) {
        match why {
            Why::VersionControl => self.version_control += 1,
            Why::Hidden => self.hidden += 1,
            Why::Excluded => self.excluded += 1,
        }
    }

    /// Returns the message about what was left alone by its name or its contents, if anything was.
    pub(crate) fn message(&self) -> Option<String> {
        let counts = [
            (self.binary, "binary"),
            (self.hidden, "hidden"),
            (self.version_control, "of version control"),
            (self.excluded, "excluded"),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        (!counts.is_empty()).then(|| format!("left alone: {}", counts.join(", ")))
    }

    /// Returns messages about the entries that are not files.
    pub(crate) fn no_files(&self) -> Vec<String> {
        let mut messages = Vec::new();
        match self.symlinks {
            0 => {}
            1 => messages.push("skipped 1 symbolic link (to convert what it leads to, name it)".to_owned()),
            links => messages.push(format!("skipped {links} symbolic links (to convert what they lead to, name them)")),
        }
        match self.special {
            0 => {}
            1 => messages.push("skipped 1 entry that is not a regular file".to_owned()),
            special => messages.push(format!("skipped {special} entries that are not regular files")),
        }
        messages
    }
}
