//! Converts one file for git.

use super::packet::{Broken, Content, Reader};
use crate::args::GitFilter;
use crate::escape::printable;
use crate::files::name::Name;
use crate::messages::{Place, say};
use crate::panics;
use crate::status::Status;
use charpipe::detect::Diagnostic;
use charpipe::{Error, Transcode};
use std::ffi::OsStr;
use std::io::BufRead;

/// Which way a file goes.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    /// From the working tree into the repository.
    Clean,
    /// From the repository into the working tree.
    Smudge,
}

/// The conversions in both directions.
pub(super) struct Filter {
    clean: Transcode,
    smudge: Transcode,
    is_quiet: bool,
}

impl Filter {
    /// Makes the conversions that the options ask for. An error has been printed.
    pub(super) fn new(args: &GitFilter) -> Result<Self, Status> {
        let (clean, smudge) = args.transcodes()?;
        Ok(Filter { clean, smudge, is_quiet: args.messages.quiet })
    }

    /// Converts the file that follows in `input`, to its end. Returns `None` if that fails, which has been printed.
    ///
    /// The result is kept in memory, because git writes the whole file before it reads; git does the same with it.
    ///
    /// # Errors
    /// What breaks the protocol.
    pub(super) fn convert<R: BufRead>(
        &self,
        direction: Direction,
        path: &OsStr,
        input: &mut Reader<R>,
    ) -> Result<Option<Vec<u8>>, Broken> {
        let job = match direction {
            Direction::Clean => &self.clean,
            Direction::Smudge => &self.smudge,
        };
        let name = Name::of_path(path);
        let mut content = Content::new(input);
        let mut converted = Vec::new();
        let result = panics::catch(|| self.convert_content(job, &name, &mut content, &mut converted));
        content.drain()?;
        Ok(match result {
            Ok(Ok(())) => Some(converted),
            Ok(Err(error)) => {
                // Without the hints of `convert`, whose options are not here.
                say(format_args!("{name}: {}", printable(&error.to_string())));
                None
            }
            Err(panic) => {
                panic.say(&name);
                None
            }
        })
    }

    fn convert_content(
        &self,
        job: &Transcode,
        name: &Name,
        content: &mut impl BufRead,
        converted: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut transcoder = job.clone().count_lines(true).transcoder()?;
        let result = transcoder.run(content, converted);
        if !self.is_quiet {
            for note @ Diagnostic { code, severity, message, .. } in &transcoder.report().diagnostics {
                let (place, message) = (Place::of_note(note), printable(message));
                say(format_args!("{name}: {place}: {}: {message} ({code})", severity.name()));
            }
        }
        result
    }
}
