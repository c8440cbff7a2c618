//! `COPY` and `REPLACE`: includes other files in the text, and replaces words in it, before the entries are read.
//!
//! ```text
//! copy    = "COPY" member [("OF" | "IN") library] ["SUPPRESS"] ["REPLACING" pairs] "."
//!         | "EXEC" "SQL" "INCLUDE" member "END-EXEC" ["."]
//! replace = "REPLACE" (pairs | "OFF") "."             pairs: see `replace.rs`
//! ```
//!
//! A `COPY` of a missing member stays in the text: if its content matters, the grammar reports an error. `INCLUDE` of a
//! path is an error then, because the grammar skips all other `EXEC SQL`.

use super::form::{self, CopybookForm};
use super::lexical::{gap, is_word_char, no_file};
use super::limits::{MAX_COPIES, MAX_COPY_DEPTH, MAX_FILE};
use super::members::Members;
use super::options::Copybook;
use super::replace::{self, Pair};
use super::source::{Copied, Edit, Source, check_file, decode, lines};
use super::tokens::{Token, Tokens};
use super::words::is_one_of;
use crate::fields::BadLayout;
use std::ops::Range;
use std::path::PathBuf;

/// Puts the texts of members, which are in this form, into a text, and replaces what is to be replaced.
pub(super) fn expanded(source: Source, options: &Copybook, form: CopybookForm) -> Result<Source, BadLayout> {
    let members = Members::new(&options.copy_path);
    let mut copier = Copier { form, members, open: Vec::new(), copies: 0, bytes: 0, files: Vec::new() };
    let mut source = copier.expand(source)?;
    source.files = copier.files;
    let end = data_end(&source.text);
    let edits = replace::edits(&source.text, 0..end, &options.replacing);
    let source = source.edited(&edits)?;
    let edits = replaced(&source)?;
    source.edited(&edits)
}

/// Returns where the procedure division begins, whose text does not matter.
fn data_end(text: &str) -> usize {
    let mut before = 0..0;
    for (_, place) in Tokens::of(text) {
        let is = |place: &Range<usize>, word: &str| text[place.clone()].eq_ignore_ascii_case(word);
        if is(&place, "DIVISION") && is(&before, "PROCEDURE") {
            return before.start;
        }
        before = place;
    }
    text.len()
}

/// A statement that another text takes the place of.
struct Statement {
    place: Range<usize>,
    member: String,
    library: Option<String>,
    pairs: Vec<Pair>,
    /// Whether its text cannot be left out.
    is_needed: bool,
}

struct Copier<'a> {
    form: CopybookForm,
    members: Members<'a>,
    /// The files that are being read, the innermost last.
    open: Vec<PathBuf>,
    copies: usize,
    /// The bytes of all files that were read.
    bytes: usize,
    /// The names of the files that were read. The pieces of the text have their numbers, from 1.
    files: Vec<String>,
}

impl Copier<'_> {
    fn expand(&mut self, source: Source) -> Result<Source, BadLayout> {
        let end = data_end(&source.text);
        let (mut made, mut copied) = (Source::default(), Copied::of(&source));
        let mut at = 0;
        while let Some(statement) = next_statement(&source, &self.files, at..end)? {
            at = statement.place.end;
            if let Some(member) = self.member(&source, &statement)? {
                copied.up_to(statement.place.start, &mut made);
                made.append(&member);
                copied.skip_to(statement.place.end);
            }
            if made.text.len() > MAX_FILE {
                return Err(self.error(&source, &statement, format!("the text is longer than {MAX_FILE} bytes")));
            }
        }
        copied.up_to(source.text.len(), &mut made);
        Ok(made)
    }

    /// Reads a member. Returns `None` if there is none.
    fn member(&mut self, source: &Source, statement: &Statement) -> Result<Option<Source>, BadLayout> {
        let Some(path) = self.members.find(&statement.member, statement.library.as_deref()) else {
            let what = || no_file("INCLUDE", &statement.member);
            return if statement.is_needed { Err(self.error(source, statement, what())) } else { Ok(None) };
        };
        let name = path.display().to_string();
        let fail = |what: String| Err(self.error(source, statement, format!("COPY {}: {what}", statement.member)));
        if self.open.contains(&path) {
            return fail(format!("{name} copies itself"));
        }
        if self.open.len() == MAX_COPY_DEPTH {
            return fail(format!("at most {MAX_COPY_DEPTH} files can copy one another"));
        }
        if self.copies == MAX_COPIES {
            return fail(format!("a copybook may have at most {MAX_COPIES} COPY statements"));
        }
        let file = match Members::read(&path, MAX_FILE - self.bytes) {
            Ok(file) => file,
            Err(why) => return fail(format!("{name}: {why}")),
        };
        (self.copies, self.bytes) = (self.copies + 1, self.bytes + file.len());
        self.files.push(name.clone());
        let number = self.files.len();
        let in_file = |error: BadLayout| error.in_file(name.clone());
        check_file(&file).map_err(in_file)?;
        let text = decode(&file);
        let is_fixed = match self.form {
            CopybookForm::Fixed => true,
            CopybookForm::Free => false,
            CopybookForm::Auto => form::likely(lines(&text)).0,
        };
        let member = Source::read(&text, is_fixed).map_err(in_file)?.of_file(number);
        self.open.push(path);
        let member = self.expand(member)?;
        self.open.pop();
        let edits = replace::edits(&member.text, 0..member.text.len(), &statement.pairs);
        let made = member.edited(&edits);
        made.map(Some).map_err(|error| self.error(source, statement, error.what))
    }

    /// Makes the error for a statement.
    fn error(&self, source: &Source, statement: &Statement, what: String) -> BadLayout {
        placed(source, &self.files, statement.place.start, what)
    }
}

/// Makes the error for a place in a text whose pieces have numbers of `files`.
fn placed(source: &Source, files: &[String], at: usize, what: String) -> BadLayout {
    let error = source.error(&source.text[at..], what);
    match source.file_at(at).checked_sub(1).and_then(|at| files.get(at)) {
        Some(file) => error.in_file(file.clone()),
        None => error,
    }
}

/// Finds the next statement.
fn next_statement(source: &Source, files: &[String], within: Range<usize>) -> Result<Option<Statement>, BadLayout> {
    let text = &source.text[..within.end];
    for (token, place) in Tokens::from(text, within.start) {
        let word = &text[place.clone()];
        let statement = match token {
            Token::Word if word.eq_ignore_ascii_case("COPY") => Some(copy(text, place)),
            Token::Word if is_one_of(word, &["EXEC", "EXECUTE"]) => include(text, place).transpose(),
            _ => None,
        };
        if let Some(statement) = statement {
            return statement.map(Some).map_err(|(at, what)| placed(source, files, at, what));
        }
    }
    Ok(None)
}

/// Reads the statement whose `COPY` is at `start`.
fn copy(text: &str, start: Range<usize>) -> Result<Statement, (usize, String)> {
    let next = |at: usize| {
        let at = text.len() - gap(&text[at..]).map_or("", |(rest, ())| rest).len();
        Tokens::from(text, at).next().unwrap_or((Token::Mark, text.len()..text.len()))
    };
    let is = |place: &Range<usize>, words: &[&str]| is_one_of(&text[place.clone()], words);
    let name = |at: usize| -> Result<(String, usize), (usize, String)> {
        let (token, place) = next(at);
        match member_name(token, &text[place.clone()]) {
            Some(name) => no_path(text, place.end, "COPY").map(|()| (name, place.end)),
            None => {
                no_path(text, place.start, "COPY")?;
                Err((place.start, "expected the name of a member after COPY, OF or IN".to_owned()))
            }
        }
    };
    let (member, mut at) = name(start.end)?;
    let mut library = None;
    if is(&next(at).1, &["OF", "IN"]) {
        let (found, end) = name(next(at).1.end)?;
        (library, at) = (Some(found), end);
    }
    if is(&next(at).1, &["SUPPRESS"]) {
        at = next(at).1.end;
    }
    let mut pairs = Vec::new();
    if is(&next(at).1, &["REPLACING"]) {
        (pairs, at) = replace::pairs(text, next(at).1.end)?;
    }
    match next(at) {
        (Token::Period, end) => Ok(Statement { place: start.start..end.end, member, library, pairs, is_needed: false }),
        (_, place) => Err((place.start, "expected a period at the end of COPY".to_owned())),
    }
}

/// Reads the statement whose `EXEC` is at `start`, if it is an `INCLUDE` of SQL.
fn include(text: &str, start: Range<usize>) -> Result<Option<Statement>, (usize, String)> {
    let mut tokens = Tokens::from(text, start.end);
    let mut next_is = |wanted: &str| tokens.next().is_some_and(|(_, place)| is_one_of(&text[place], &[wanted]));
    if !next_is("SQL") || !next_is("INCLUDE") {
        return Ok(None);
    }
    let Some((token, place)) = tokens.next() else { return Ok(None) };
    let found = &text[place.clone()];
    let member = member_name(token, found);
    no_path(text, if member.is_some() { place.end } else { place.start }, "INCLUDE")?;
    let end = tokens.next().filter(|(_, place)| is_one_of(&text[place.clone()], &["END-EXEC"]));
    let (Some(member), Some((_, end))) = (member, end) else { return Ok(None) };
    let period = tokens.next().filter(|(token, _)| *token == Token::Period);
    let end = period.map_or(end.end, |(_, period)| period.end);
    let is_needed = found.contains(['/', '\\']);
    Ok(Some(Statement { place: start.start..end, member, library: None, pairs: Vec::new(), is_needed }))
}

/// Fails if a path continues or begins at `at`, where only a name can be.
fn no_path(text: &str, at: usize, statement: &str) -> Result<(), (usize, String)> {
    let rest = text[at..].trim_start_matches('.');
    if !rest.starts_with(['/', '\\']) {
        return Ok(());
    }
    let of = if statement == "COPY" { ", or write COPY MEMBER OF LIBRARY" } else { "" };
    let what = format!(
        "the name of a member has no slash: after {statement}, write the name alone, and name its directory with copy-path{of}"
    );
    Err((at, what))
}

/// Returns the name of a member. Of a path in a literal, it is the last part.
fn member_name(token: Token, text: &str) -> Option<String> {
    let name = match token {
        Token::Word => text,
        Token::Literal => text.trim_matches(['\'', '"']).rsplit(['/', '\\']).next().unwrap_or_default(),
        Token::Period | Token::Mark => return None,
    };
    let is_plain = name.chars().all(|ch| is_word_char(ch) || ch == '.');
    (is_plain && !name.is_empty() && !name.starts_with('.')).then(|| name.to_owned())
}

/// Returns what the statements of `REPLACE` in a text replace, and themselves.
fn replaced(source: &Source) -> Result<Vec<Edit<'static>>, BadLayout> {
    let end = data_end(&source.text);
    let text = &source.text[..end];
    let (mut edits, mut pairs, mut from) = (Vec::new(), Vec::new(), 0);
    let add = |edits: &mut Vec<Edit<'static>>, place: Range<usize>, pairs: &[Pair]| {
        edits.extend(replace::edits(text, place, pairs).into_iter().map(Edit::into_owned));
    };
    let (mut tokens, mut is_start) = (Tokens::of(text), true);
    while let Some((token, place)) = tokens.next() {
        if is_start && token == Token::Word && text[place.clone()].eq_ignore_ascii_case("REPLACE") {
            let error = |(at, what): (usize, String)| placed(source, &source.files, at, what);
            let off = Tokens::from(text, place.end).next().filter(|(_, next)| is_one_of(&text[next.clone()], &["OFF"]));
            let (next, end) = match off {
                Some((_, off)) => (Vec::new(), off.end),
                None => replace::pairs(text, place.end).map_err(error)?,
            };
            let Some((_, period)) = Tokens::from(text, end).next().filter(|(token, _)| *token == Token::Period) else {
                return Err(error((end, "expected a period at the end of REPLACE".to_owned())));
            };
            add(&mut edits, from..place.start, &pairs);
            edits.push(Edit { place: place.start..period.end, text: "".into() });
            (pairs, from) = (next, period.end);
            tokens = Tokens::from(text, from);
            continue;
        }
        is_start = token == Token::Period;
    }
    add(&mut edits, from..end, &pairs);
    Ok(edits)
}
