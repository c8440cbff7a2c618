//! The tests of the command: one program with a module for each subject.

#[path = "../../../tests/it/common/mod.rs"]
mod common;
#[path = "../../../tests/it/suite.rs"]
mod suite;

mod broken_documents;
mod cases;
mod chart;
mod command;
mod json;
mod limits;
mod list;
mod mainframe_e2e;
mod promises;
mod references;
mod rows;
mod rows_arrow;
mod rows_back;
mod rows_errors;
mod rows_exact;
mod rows_nest;
mod rows_options;
mod rows_show;
mod shapes;
mod silence;
mod utf_ebcdic;
mod xml_peers;

// These run in a shell.
#[cfg(all(unix, feature = "generate"))]
mod completions;
#[cfg(unix)]
mod readme;
#[cfg(all(unix, feature = "generate"))]
mod reference_pages;

// These need permissions, symbolic links, FIFOs, pseudo-terminals, signals, or file names of arbitrary bytes.
#[cfg(unix)]
mod coming_from;
#[cfg(unix)]
mod detect_many;
#[cfg(unix)]
mod git_filter;
#[cfg(unix)]
mod json_keys;
#[cfg(unix)]
mod lists;
#[cfg(unix)]
mod many_files;
#[cfg(target_os = "linux")]
mod many_waiting;
#[cfg(unix)]
mod message_codes;
#[cfg(unix)]
mod messages;
#[cfg(unix)]
mod other_programs;
#[cfg(unix)]
mod parallel;
#[cfg(unix)]
mod pictures;
#[cfg(unix)]
mod rows_ends;
#[cfg(unix)]
mod speed_chart;
#[cfg(unix)]
mod whole_folders;
#[cfg(unix)]
mod working_tree;

// These need extended attributes, /proc, or files without a name.
#[cfg(target_os = "linux")]
mod backups;
#[cfg(target_os = "linux")]
mod exhaustion;
#[cfg(target_os = "linux")]
mod failing_files;
#[cfg(target_os = "linux")]
mod pieces;
#[cfg(target_os = "linux")]
mod rows_outputs;
#[cfg(target_os = "linux")]
mod shared_folders;

/// Counts allocations; see `common::work`.
#[global_allocator]
static ALLOCATOR: common::work::Counting = common::work::Counting;
