//! The parts of the documentation that are not options: examples and exit statuses, for `--help` and the man page.

/// The description of an example, and its commands.
pub(crate) const EXAMPLES: &[(&str, &[&str])] = &[
    ("Detect the encoding, convert to UTF-8 and correct the declaration:", &["charpipe < mainframe.xml > clean.xml"]),
    ("Convert from an encoding that you know:", &["charpipe -f windows-1252 export.csv > utf8.csv"]),
    ("Report the encoding, and the evidence for it:", &["charpipe detect FILE..."]),
    (
        "Convert to windows-1252, with its substitute for characters that it lacks:",
        &["charpipe -t windows-1252 --unmappable replace -o new.txt old.txt"],
    ),
    ("Replace each file once it has been converted, and keep the old one:", &["charpipe --in-place=.old FILE..."]),
    ("Convert all files of a directory into another directory:", &["charpipe -r --output-dir NEW OLD"]),
    (
        "Turn mainframe records of 80 bytes into lines, and lines into records:",
        &["charpipe -f IBM037 --records fb:80 DUMP > lines", "charpipe -t IBM037 --to-records fb:80 lines > DUMP"],
    ),
    ("Use a suffix as in iconv:", &["charpipe -t ASCII//TRANSLIT FILE"]),
    ("Find an encoding; compare two code pages:", &["charpipe list 1047", "charpipe chart IBM037 IBM1047"]),
];

/// Exit statuses and what they mean.
pub(crate) const STATUSES: &[(u8, &str)] = &[
    (0, "Success. Characters that the options allow to be replaced or dropped are counted on standard error."),
    (1, "The data could not be converted under the options given, or its encoding is not known."),
    (2, "Wrong usage, which includes an unknown encoding on the command line."),
    (3, "A file could not be opened, read or written."),
];

/// Returns what `--help` has below the options. clap wraps each line and repeats its indentation, so that the text fits
/// any width.
pub(super) fn after_help() -> String {
    let mut text = String::from("Examples:\n");
    for (what, commands) in EXAMPLES {
        text.push_str(&format!("  {what}\n"));
        text.extend(commands.iter().map(|command| format!("    {command}\n")));
    }
    text.push_str("\nExit status:");
    text.extend(STATUSES.iter().map(|(status, meaning)| format!("\n  {status}  {meaning}")));
    text
}
