//! `charpipe git-filter`: converts files as git checks them out and adds them, all of them in one process.
//!
//! git starts the command once and talks to it through pipes (gitattributes(5), "Long Running Filter Process"):
//!
//! ```text
//! git                                  charpipe
//! git-filter-client, version=2      →
//!                                   ←  git-filter-server, version=2
//! capability=clean, =smudge, …      →
//!                                   ←  capability=clean, capability=smudge
//! command=clean, pathname=a.txt     →
//! the file                          →
//!                                   ←  status=success, the converted file, no further status
//! …
//! ```
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | the conversation |
//! | `packet.rs` | packets: the framing of all messages |
//! | `convert.rs` | converts one file |

mod convert;
mod packet;

use crate::args::GitFilter;
use crate::files::input;
use crate::files::name::Name;
use crate::files::output::Output;
use crate::messages::say;
use crate::print;
use crate::status::Status;
use convert::{Direction, Filter};
use packet::{Broken, Reader, Writer};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, Write};

/// Serves git until it closes the pipe. A file that cannot be converted is reported to git and on standard error;
/// whether git continues is git's choice (`filter.NAME.required`), so the exit status does not depend on it.
pub(crate) fn run(args: &GitFilter) -> Status {
    let filter = match Filter::new(args) {
        Ok(filter) => filter,
        Err(status) => return status,
    };
    match serve_streams(&filter) {
        Ok(()) => Status::Done,
        Err(Broken::Write(error)) => print::finish::<()>(&Name::stdout(), Err(error)),
        Err(broken) => {
            say(format_args!(
                "git-filter: {broken} (this command is started by git: see `charpipe git-filter --help`)"
            ));
            if matches!(broken, Broken::Read(_)) { Status::Io } else { Status::Data }
        }
    }
}

/// Holds the conversation through the standard streams, which may be closed.
fn serve_streams(filter: &Filter) -> Result<(), Broken> {
    let input = input::open(OsStr::new("-"), packet::MAX_DATA + 4).map_err(Broken::Read)?.reader;
    let output = Output::stdout().map_err(Broken::Write)?;
    serve(filter, input, output)
}

/// Holds the whole conversation.
///
/// # Errors
/// What breaks the protocol, and what cannot be read or written.
fn serve(filter: &Filter, input: impl BufRead, output: impl Write) -> Result<(), Broken> {
    let (mut input, mut output) = (Reader::new(input), Writer::new(output));
    let welcome = input.list()?.ok_or(Broken::Protocol("it ends before the welcome", 0))?;
    if welcome.first().map(String::as_str) != Some("git-filter-client") {
        return Err(input.wrong("it does not begin with git-filter-client"));
    }
    if !welcome.iter().any(|line| line == "version=2") {
        return Err(input.wrong("version 2 is not offered"));
    }
    output.list(&["git-filter-server", "version=2"])?;
    let offered = input.list()?.ok_or_else(|| input.wrong("it ends before the capabilities"))?;
    let capabilities = ["capability=clean", "capability=smudge"].into_iter();
    let ours: Vec<&str> = capabilities.filter(|ours| offered.iter().any(|theirs| theirs == ours)).collect();
    output.list(&ours)?;
    while let Some(request) = input.list()? {
        let value = |key: &str| request.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        let direction = match value("command") {
            Some("clean") => Direction::Clean,
            Some("smudge") => Direction::Smudge,
            _ => return Err(input.wrong("a request is neither clean nor smudge")),
        };
        let path = OsString::from(value("pathname").unwrap_or_default());
        match filter.convert(direction, &path, &mut input)? {
            Some(converted) => {
                output.list(&["status=success"])?;
                output.content(&converted)?;
                // No other status follows.
                output.list(&[])?;
            }
            None => output.list(&["status=error"])?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;
    use packet::tests::{flush, packet};

    fn filter(line: &str) -> Filter {
        let cli = args::parse(line.split(' ').map(OsString::from)).unwrap_or_else(|wrong| panic!("{}", wrong.error));
        let args::Command::GitFilter(args) = cli.command else { panic!("{line}") };
        Filter::new(&args).unwrap()
    }

    fn hello() -> Vec<u8> {
        let lines = [
            "git-filter-client\n",
            "version=2\n",
            "",
            "capability=clean\n",
            "capability=smudge\n",
            "capability=delay\n",
            "",
        ];
        lines.iter().flat_map(|line| if line.is_empty() { flush() } else { packet(line.as_bytes()) }).collect()
    }

    fn request(command: &str, path: &str, content: &[u8]) -> Vec<u8> {
        let mut request =
            [packet(format!("command={command}\n").as_bytes()), packet(format!("pathname={path}\n").as_bytes())]
                .concat();
        request.extend(flush());
        content.chunks(packet::MAX_DATA).for_each(|chunk| request.extend(packet(chunk)));
        request.extend(flush());
        request
    }

    /// Returns what is said after the greeting.
    fn answer(filter: &Filter, input: &[u8]) -> Result<Vec<u8>, String> {
        let mut output = Vec::new();
        serve(filter, input, &mut output).map_err(|broken| broken.to_string())?;
        let greeting = ["git-filter-server\n", "version=2\n", "", "capability=clean\n", "capability=smudge\n", ""];
        let greeting: Vec<u8> =
            greeting.iter().flat_map(|line| if line.is_empty() { flush() } else { packet(line.as_bytes()) }).collect();
        Ok(output.strip_prefix(&greeting[..]).unwrap().to_vec())
    }

    fn success(content: &[u8]) -> Vec<u8> {
        let mut expected = [packet(b"status=success\n"), flush()].concat();
        content.chunks(packet::MAX_DATA).for_each(|chunk| expected.extend(packet(chunk)));
        expected.extend([flush(), flush()].concat());
        expected
    }

    #[test]
    fn both_directions() {
        let filter = filter("charpipe git-filter -f IBM1047 --ebcdic-nl zos");
        let input =
            [hello(), request("clean", "a", b"\xC1\x15"), request("smudge", "b", b"A\n"), request("clean", "c", b"")];
        let expected = [success(b"A\n"), success(b"\xC1\x15"), success(b"")].concat();
        assert_eq!(answer(&filter, &input.concat()).unwrap(), expected);
        let long = vec![0xC1; 200_000];
        let input = [hello(), request("clean", "long", &long)].concat();
        assert!(answer(&filter, &input).unwrap() == success(&vec![b'A'; 200_000]));
    }

    /// A file that cannot be converted is an error, and the next one is converted.
    #[test]
    fn one_bad_file_does_not_stop_the_others() {
        let filter = filter("charpipe git-filter -q -f ISO-8859-1");
        let input = [hello(), request("smudge", "a", "€".as_bytes()), request("smudge", "b", "é".as_bytes())].concat();
        let expected = [[packet(b"status=error\n"), flush()].concat(), success(b"\xE9")].concat();
        assert_eq!(answer(&filter, &input).unwrap(), expected);
    }

    /// Every way to break off is an error with its place; the end between two requests is none.
    #[test]
    fn a_broken_protocol_is_an_error() {
        let filter = filter("charpipe git-filter -q -f ISO-8859-1");
        let whole = [hello(), request("clean", "a", b"abc")].concat();
        for len in 0..=whole.len() {
            let result = answer(&filter, &whole[..len]);
            assert_eq!(result.is_ok(), len == hello().len() || len == whole.len(), "{len}: {result:?}");
        }
        for (input, why) in [
            (&b"text"[..], "byte 0: \"text\" is not the length of a packet"),
            (b"0002", "byte 0: \"0002\" is not the length of a packet"),
            (b"000ahello\n0000", "byte 14: it does not begin with git-filter-client"),
            (b"0016git-filter-client\n000eversion=1\n0000", "byte 40: version 2 is not offered"),
        ] {
            let error = answer(&filter, input).unwrap_err();
            assert_eq!(error, format!("the protocol is broken: {why}"));
        }
    }
}
