//! Files: what is read and written, standard streams, the new file until it takes the old one's place, and directories
//! that other users can write to.

pub(crate) mod atomic_file;
pub(crate) mod attributes;
#[cfg(unix)]
pub(crate) mod folder;
#[cfg(not(unix))]
#[path = "folder_elsewhere.rs"]
pub(crate) mod folder;
pub(crate) mod in_place;
pub(crate) mod input;
pub(crate) mod output;
pub(crate) mod place;
pub(crate) mod signals;
pub(crate) mod streams;
pub(crate) mod walk;
