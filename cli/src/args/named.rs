//! The options that the library has too, by name. They reach it through [`Transcode::set`], so that an option's value
//! has one meaning. A new one is a row in the library's table and an argument in `convert.rs`, `reading.rs` or
//! `records.rs`.

use crate::args::compat::{self, Side};
use crate::args::usage;
use crate::status::Status;
use charpipe::detect::PRESCAN;
use charpipe::{NamedOption, OnMalformed, Registry, Transcode};
use clap::error::Error;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// The options that were given, of those in [`Transcode::OPTIONS`], with their values. Clap has checked the values,
/// apart from labels. This has to be the first field of a command: the others take their values out of the matches.
#[derive(Clone, Default, Debug)]
pub(crate) struct NamedOptions(Vec<(&'static str, String)>);

impl NamedOptions {
    /// Returns these options of the command line.
    pub(super) fn new(options: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        NamedOptions(options.into_iter().collect())
    }

    /// Returns a job with the codecs of `registry` and these options. An error has been printed.
    pub(crate) fn job(&self, registry: Registry) -> Result<Transcode, Status> {
        let job = Transcode::new().registry(registry).prescan(PRESCAN);
        self.0.iter().try_fold(job, |job, (name, value)| set(job, name, value))
    }
}

/// Sets an option of the library. An error has been printed.
fn set(job: Transcode, name: &str, value: &str) -> Result<Transcode, Status> {
    let option = || format!("--{name}");
    let label = |side| Ok(compat::split(value, side).map_err(|why| usage::wrong_suffix(&option(), &why))?.0);
    let value = match name {
        "from" => label(Side::From)?,
        "to" => label(Side::To)?,
        // The command takes the head of a response off, and finds out how many threads a file gets.
        "as" if value == "http" => return Ok(job),
        "jobs" => return Ok(job),
        // The format is known only once the input is open. This one stands in for it, so that the options can be
        // validated before: every option goes with a tape.
        "records" if value.eq_ignore_ascii_case("auto") => "awstape,rdw",
        _ => value,
    };
    // The words of other programs are not labels, and the message says which word to use.
    if name == "malformed" && value.parse::<OnMalformed>().is_err() {
        return job.malformed_as(value).map_err(|error| usage::wrong_malformed(value, &error));
    }
    job.set(name, value).map_err(|error| usage::wrong_value(&option(), &error))
}

/// Returns the words of those of `options` that were typed.
pub(super) fn given(matches: &ArgMatches, options: &[NamedOption]) -> Vec<(&'static str, String)> {
    let mut given = Vec::new();
    for name in options.iter().map(|option| option.name) {
        let id = id_of(name);
        // Not every command has all of them.
        if matches.try_contains_id(&id).is_ok() && matches.value_source(&id) == Some(ValueSource::CommandLine) {
            let words = matches.get_raw(&id).into_iter().flatten();
            given.extend(words.map(|word| (name, word.to_string_lossy().into_owned())));
        }
    }
    given
}

impl FromArgMatches for NamedOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(NamedOptions(given(matches, Transcode::OPTIONS)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns clap's name for the argument of an option: that of its field.
fn id_of(name: &str) -> String {
    if name == "as" { "kind".to_owned() } else { name.replace('-', "_") }
}

/// It has no arguments of its own: the commands describe them.
impl Args for NamedOptions {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}
