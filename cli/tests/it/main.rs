//! The tests of the command: one program, with a module for each subject.

#[path = "../../../tests/it/common/mod.rs"]
mod common;

mod broken_documents;
mod chart;
mod command;
#[cfg(all(unix, feature = "generate"))]
mod completions;
#[cfg(target_os = "linux")]
mod exhaustion;
#[cfg(unix)]
mod failing_files;
#[cfg(unix)]
mod habits;
mod json;
mod limits;
mod list;
mod mainframe_e2e;
#[cfg(unix)]
mod many_files;
#[cfg(unix)]
mod messages;
#[cfg(unix)]
mod parallel;
mod pictures;
#[cfg(unix)]
mod readme;
mod references;
mod shapes;
#[cfg(target_os = "linux")]
mod shared_folders;
mod utf_ebcdic;
mod xml_peers;

/// Counts allocations; see `common::work`.
#[global_allocator]
static ALLOCATOR: common::work::Counting = common::work::Counting;
