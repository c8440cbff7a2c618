//! The text of the man pages and the reference about each command, except for its options, which come from clap.

use crate::args;
use crate::args::manual::{EXAMPLES, STATUSES};
use clap::Command;

/// The parts that differ from page to page.
pub(super) struct Page {
    /// The command; `None` for the page of the whole program.
    pub(super) command: Option<&'static str>,
    /// The line that `whatis` shows.
    pub(super) summary: &'static str,
    pub(super) statuses: &'static [(u8, &'static str)],
    pub(super) examples: &'static [(&'static str, &'static [&'static str])],
    pub(super) see_also: &'static str,
}

pub(super) const CHARPIPE: Page = Page {
    command: None,
    summary: "detect the encoding of text, convert it, and correct its encoding declaration",
    statuses: STATUSES,
    examples: EXAMPLES,
    see_also: "charpipe-detect(1), charpipe-rows(1), charpipe-list(1), charpipe-chart(1), charpipe-git-filter(1), iconv(1), \
               uconv(1), recode(1), file(1), charsets(7)",
};

pub(super) const DETECT: Page = Page {
    command: Some("detect"),
    summary: "report the encoding of files, and how it is known",
    statuses: &[
        (0, "The encoding of each file was reported."),
        (
            1,
            "The encoding of a file is unknown, or its label is not known or contradicts itself; or, with --records, no \
             format fits or several do.",
        ),
        (2, "Wrong usage, which includes an unknown encoding on the command line."),
        (3, "A file could not be opened or read."),
    ],
    examples: &[
        ("Report the encoding of files:", &["charpipe detect *.xml"]),
        ("Print the encoding alone:", &["charpipe detect --json FILE | jq -r .encoding"]),
        ("Show the evidence as a page for a browser:", &["charpipe detect --explain --html FILE > page.html"]),
        ("Find the record format of a mainframe file:", &["charpipe detect --records DUMP"]),
    ],
    see_also: "charpipe(1), file(1)",
};

pub(super) const ROWS: Page = Page {
    command: Some("rows"),
    summary: "convert the fields of mainframe records to CSV or JSON lines, and back",
    statuses: &[
        (0, "All records were written; the standard error counts rejected records and fields that were left empty."),
        (1, "A record does not fit the layout, or a row does not fit its fields; or the input ends within a record."),
        (2, "Wrong usage, which includes a layout with a mistake."),
        (3, "A file could not be opened, read or written."),
    ],
    examples: &[
        (
            "Show the fields of a copybook, with the first record of a file:",
            &["charpipe rows --layout COPYBOOK --show-layout DUMP"],
        ),
        (
            "Write CSV, with the code page and the shape of the records:",
            &["charpipe rows --layout COPYBOOK -f IBM1047 --records rdw DUMP > rows.csv"],
        ),
        (
            "Write a file for each record type:",
            &["charpipe rows --layout COPYBOOK --when 'TYPE=A: PART-A' --when 'TYPE=B: PART-B' --output-dir DIR DUMP"],
        ),
        (
            "Write records from rows:",
            &["charpipe rows --layout COPYBOOK -f IBM1047 --from-rows csv --to-records rdw rows.csv > DUMP"],
        ),
    ],
    see_also: "charpipe(1), charpipe-detect(1)",
};

pub(super) const LIST: Page = Page {
    command: Some("list"),
    summary: "list encodings with their aliases",
    statuses: &[
        (0, "Something matches."),
        (1, "Nothing matches PATTERN."),
        (2, "Wrong usage."),
        (3, "A table could not be read, or the list could not be written."),
    ],
    examples: &[
        ("List all encodings:", &["charpipe list"]),
        ("Find an encoding by a part of its name, or by a glob:", &["charpipe list 1047", "charpipe list 'koi8-?'"]),
    ],
    see_also: "charpipe(1), iconv(1), charsets(7)",
};

pub(super) const CHART: Page = Page {
    command: Some("chart"),
    summary: "print the chart of a code page, or compare two",
    statuses: &[
        (0, "The chart was printed."),
        (2, "Wrong usage, which includes an unknown code page."),
        (3, "A table could not be read, or the chart could not be written."),
    ],
    examples: &[
        ("Print a code page:", &["charpipe chart IBM037"]),
        ("Print where two code pages differ:", &["charpipe chart IBM037 IBM1047"]),
        ("Draw a code page for a browser:", &["charpipe chart --html -o ibm037.html IBM037"]),
    ],
    see_also: "charpipe(1), charsets(7), ascii(7)",
};

pub(super) const GIT_FILTER: Page = Page {
    command: Some("git-filter"),
    summary: "convert files as git checks them out and adds them",
    statuses: &[
        (0, "git closed the pipe. Files that could not be converted were reported to git and on standard error."),
        (1, "The conversation ended early, or the input does not follow git's protocol."),
        (2, "Wrong usage, which includes an unknown encoding."),
        (3, "A table or the pipe could not be read, or the pipe could not be written."),
    ],
    examples: &[(
        "Keep COBOL sources in UTF-8 in the repository and in IBM1047 in the working tree:",
        &[
            "git config filter.ibm1047.process 'charpipe git-filter -f IBM1047 --ebcdic-nl zos'",
            "git config filter.ibm1047.required true",
            "echo '*.cbl filter=ibm1047' >> .gitattributes",
        ],
    )],
    see_also: "charpipe(1), git-config(1), gitattributes(5)",
};

/// Environment variables that all commands read, and what they do.
pub(super) const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "If it is set and not empty, --color auto uses no colour."),
    ("CLICOLOR_FORCE", "If it is set and not empty, --color auto uses colour even if the output is not a terminal."),
    ("CLICOLOR", "If it is 0, --color auto uses no colour."),
    ("TERM", "If it is dumb, there is neither colour nor a progress bar by default."),
    ("COLUMNS", "The width of help, if standard output is not a terminal."),
    (
        "CHARPIPE_ISA",
        "The instruction set to use instead of the best one: scalar, sse, avx2, avx512 or neon. One that the processor \
         does not have is ignored. The output is the same with each.",
    ),
];

/// Files that `convert` writes beside those that were named.
pub(super) const FILES: &[(&str, &str)] = &[
    ("FILESUFFIX", "The old content of FILE, with --in-place=SUFFIX."),
    (
        ".charpipe-*",
        "Output that is not complete, in the directory of the file that it will replace. It is removed if the run fails, \
         but not if the run is killed by a signal that cannot be caught. On Linux it usually has no name.",
    ),
];

/// All pages: that of the whole program, and one for each other command.
pub(super) const PAGES: [&Page; 6] = [&CHARPIPE, &DETECT, &ROWS, &LIST, &CHART, &GIT_FILTER];

impl Page {
    /// Returns the name of the command, with `between` after the name of the program.
    pub(super) fn name(&self, between: &str) -> String {
        self.command.map_or_else(|| "charpipe".to_owned(), |command| format!("charpipe{between}{command}"))
    }

    /// Returns the definition of the command. `convert` and `help` have no page: the page of the whole program has the
    /// options of `convert`.
    pub(super) fn definition(&self) -> Command {
        let whole = args::shown().disable_help_subcommand(true).mut_subcommand("convert", |convert| convert.hide(true));
        match self.command {
            None => whole.name("charpipe"),
            Some(name) => {
                let found = whole.find_subcommand(name).cloned().unwrap_or_default();
                found.display_name(format!("charpipe-{name}")).disable_help_subcommand(true)
            }
        }
    }
}
