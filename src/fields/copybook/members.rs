//! The members that `COPY` names: files in the directories that the caller gave. All file access is here.
//!
//! A member is a plain name, never a path, so that a copybook cannot name files elsewhere.

use std::path::{Path, PathBuf};

/// The extensions of file names, in the order in which they are tried.
pub(super) const EXTENSIONS: [&str; 5] = [".cpy", ".cbl", ".cob", ".copy", ""];

/// Finds and reads members.
pub(super) struct Members<'a> {
    directories: &'a [PathBuf],
    /// The names of the files of each directory that was looked at.
    listed: Vec<(PathBuf, Vec<String>)>,
}

impl<'a> Members<'a> {
    pub(super) fn new(directories: &'a [PathBuf]) -> Self {
        Members { directories, listed: Vec::new() }
    }

    /// Returns the file of a member. A library is a directory of that name in one of the directories, if there is one.
    pub(super) fn find(&mut self, member: &str, library: Option<&str>) -> Option<PathBuf> {
        for directory in self.directories {
            let inner = library.and_then(|library| self.named(directory, library, |path| path.is_dir()));
            for directory in inner.iter().chain([directory]) {
                for extension in EXTENSIONS {
                    let found = self.named(directory, &format!("{member}{extension}"), |path| path.is_file());
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    /// Returns what has a name in a directory; in any case if nothing has exactly this one.
    fn named(&mut self, directory: &Path, name: &str, is_it: fn(&Path) -> bool) -> Option<PathBuf> {
        let exact = directory.join(name);
        if is_it(&exact) {
            return Some(exact);
        }
        let names = self.names(directory);
        let same = names.iter().filter(|found| found.eq_ignore_ascii_case(name));
        same.map(|found| directory.join(found)).find(|path| is_it(path))
    }

    /// Returns the names in a directory, in order.
    fn names(&mut self, directory: &Path) -> &[String] {
        let at = self.listed.iter().position(|(listed, _)| listed == directory).unwrap_or_else(|| {
            self.listed.push((directory.to_owned(), names(directory)));
            self.listed.len() - 1
        });
        &self.listed[at].1
    }

    /// Reads a file of at most `limit` bytes.
    pub(super) fn read(path: &Path, limit: usize) -> Result<Vec<u8>, String> {
        let file = read(path, limit).map_err(|error| error.to_string())?;
        if file.len() > limit {
            return Err(format!("with this file, the copybook is longer than {} bytes", super::limits::MAX_FILE));
        }
        Ok(file)
    }
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn read(path: &Path, limit: usize) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut file = Vec::new();
    std::fs::File::open(path)?.take(limit as u64 + 1).read_to_end(&mut file)?;
    Ok(file)
}

/// There are no files where WebAssembly runs without WASI, and the code to read them would make the module larger.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn names(_: &Path) -> Vec<String> {
    Vec::new()
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn read(_: &Path, _: usize) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}
