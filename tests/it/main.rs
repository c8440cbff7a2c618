//! The tests of the library: one program with a module for each subject.

mod common;

mod adapters;
mod any_pieces;
mod broken_documents;
mod byte_to_byte;
// The cases are of everything that the command can do.
#[cfg(all(
    feature = "whatwg",
    feature = "dos",
    feature = "guess",
    feature = "legacy",
    feature = "mojibake",
    feature = "normalize",
    feature = "translit",
    feature = "serde"
))]
mod cases;
mod chars;
mod chunks;
mod cobol;
mod columns_in_place;
mod conformance;
mod contract_violations;
mod copybook_habits;
mod copybook_texts;
mod copybooks;
mod dependencies;
mod detection;
// Its texts are in windows-1252 and IBM850.
#[cfg(all(feature = "whatwg", feature = "dos"))]
mod doubts;
mod edges;
mod examples;
mod fallbacks;
mod field_lists;
mod fields;
mod fields_mainframe;
mod fields_options;
mod fields_properties;
// Links in the middle of a path are checked on Linux only.
#[cfg(all(target_os = "linux", feature = "files"))]
mod files;
mod forks;
mod guess;
#[cfg(all(feature = "guess", feature = "dos", feature = "legacy"))]
mod guess_requirements;
#[cfg(all(feature = "whatwg", feature = "dos", feature = "legacy"))]
mod labels;
mod lines;
#[cfg(feature = "whatwg")]
mod malformed_as;
#[cfg(feature = "whatwg")]
mod many_faults;
#[cfg(feature = "whatwg")]
mod memory;
mod messages;
#[cfg(feature = "whatwg")]
mod meta_labels;
mod mixed_pages;
mod mixed_shift_codes;
#[cfg(feature = "mojibake")]
mod mojibake;
mod named_options;
#[cfg(feature = "normalize")]
mod normalize;
mod odd_tables;
#[cfg(feature = "dos")]
mod oem;
mod offsets;
mod one_way;
#[cfg(feature = "whatwg")]
mod parallel;
mod peer_values;
mod peers;
#[cfg(all(feature = "whatwg", feature = "legacy"))]
#[cfg(feature = "lines")]
mod positions;
mod record_runs;
mod records;
mod records_to_records;
mod rows_cases;
mod rows_jobs;
mod rows_lengths;
mod rows_runs;
#[cfg(feature = "serde")]
mod rows_structs;
mod security;
#[cfg(feature = "serde")]
mod serde;
mod shapes;
mod small_things;
#[cfg(feature = "legacy")]
mod stateful;
mod states;
mod suite;
mod table_files;
mod tables;
mod tapes;
mod text;
#[cfg(feature = "tokio")]
mod tokio;
#[cfg(feature = "translit")]
mod translit;
mod unicode_forms;
mod unknown;
mod unmappable;
mod utf_ebcdic;
mod values;
mod waiting;
#[cfg(feature = "whatwg")]
mod whatwg;

/// Counts allocations; see `common::work`.
#[global_allocator]
static ALLOCATOR: common::work::Counting = common::work::Counting;
