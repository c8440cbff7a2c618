//! What is written: standard output past the line buffer of [`std::io::Stdout`], and files that are replaced when whole.

use crate::files::atomic_file::Beside;
use crate::files::folder::Entry;
use crate::files::in_place::InPlace;
use crate::files::place::{End, Place, changed, follow, resolve};
use crate::files::streams::{self, FileId, Patient, Standard};
use crate::messages::{Name, say};
use crate::status::Status;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Standard output, where a name is wanted.
pub(crate) const STDOUT: &str = "<stdout>";

/// Standard error, where a name is wanted.
pub(crate) const STDERR: &str = "<stderr>";

/// An open output. Dropped without [`commit`](Output::commit), it leaves a regular file as it was.
pub(crate) struct Output {
    pub(crate) name: Name,
    sink: Sink,
}

enum Sink {
    /// Standard streams, FIFOs, devices: what is written is gone. The regular file behind it, where it is one.
    Stream(Box<dyn Write>, Option<FileId>),
    Beside(Box<Beside>),
    InPlace(Box<InPlace>),
    /// A rehearsal: nothing is written. The file that would be is held, so that it is known which.
    Nothing(Option<Box<Beside>>),
}

/// Writes a text to standard output. A reader that wants no more of it is no failure.
pub(crate) fn print(text: &str) -> Status {
    let written = Output::stdout().and_then(|mut output| {
        output.write_all(text.as_bytes())?;
        output.commit()
    });
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(format_args!("{STDOUT}: cannot write: {error}"));
            Status::Io
        }
        _ => Status::Done,
    }
}

impl Output {
    /// Standard output.
    pub(crate) fn stdout() -> io::Result<Self> {
        Ok(Output { name: Name::of_stream(STDOUT), sink: Sink::standard(Standard::Out)? })
    }

    /// Standard error, for data that is asked for there.
    pub(crate) fn stderr() -> io::Result<Self> {
        Ok(Output { name: Name::of_stream(STDERR), sink: Sink::standard(Standard::Err)? })
    }

    /// A path. Regular or absent: a file beside it, to be renamed over it; a symlink: the same for its target; a FIFO
    /// or device: itself; a directory: an error.
    pub(crate) fn path(path: &Path) -> io::Result<Self> {
        Ok(Output { name: Name::of_path(path.as_os_str()), sink: Sink::typed(path)? })
    }

    /// The file that `file` becomes, which is the input too.
    pub(crate) fn in_place(name: Name, file: InPlace) -> Self {
        Output { name, sink: Sink::InPlace(Box::new(file)) }
    }

    /// The same as by [`path`](Self::path), at a place below a directory, or nothing in a rehearsal. A symlink is followed
    /// if one may be there.
    pub(crate) fn at(name: Name, place: Place, may_be_link: bool, rehearsal: bool) -> io::Result<Self> {
        let end = follow(place, may_be_link)?;
        let sink = if rehearsal { Sink::rehearsal(end)? } else { Sink::open(end)? };
        Ok(Output { name, sink })
    }

    /// Nothing, called `name`.
    pub(crate) fn nothing(name: Name) -> Self {
        Output { name, sink: Sink::Nothing(None) }
    }

    /// Nothing, where a file would be written at `path`: an error where it could not be opened, so far as that can be
    /// known without doing it.
    pub(crate) fn rehearsal(path: &Path) -> io::Result<Self> {
        Ok(Output { name: Name::of_path(path.as_os_str()), sink: Sink::rehearsal(resolve(path)?.1)? })
    }

    /// Whether nothing has happened to any file before [`commit`](Self::commit).
    pub(crate) fn is_replacing(&self) -> bool {
        !matches!(self.sink, Sink::Stream(..))
    }

    /// Whether one of the two would take the place of the other.
    pub(crate) fn collides(&self, other: &Output) -> bool {
        match (&self.sink, &other.sink) {
            (Sink::Beside(one), Sink::Beside(other)) => one.has_target_of(other),
            (Sink::Stream(_, id), Sink::Beside(file)) | (Sink::Beside(file), Sink::Stream(_, id)) => {
                id.is_some() && *id == file.old_id()
            }
            // Two streams into one file, as with `2>&1`, are what was asked for.
            (Sink::Stream(..), Sink::Stream(..)) => false,
            (Sink::Nothing(Some(one)), Sink::Beside(other)) => one.has_target_of(other),
            // What becomes of those is settled before they are opened.
            (Sink::InPlace(_) | Sink::Nothing(_), _) | (_, Sink::InPlace(_) | Sink::Nothing(_)) => false,
        }
    }

    /// Whether what is written is seen by who reads `input` from now on. Not so where there is nothing to be read: a
    /// file that the shell has just emptied for the output may stand among the inputs.
    pub(crate) fn feeds(&self, input: &Metadata) -> bool {
        match &self.sink {
            Sink::Stream(_, id) => id.is_some() && *id == FileId::of(input) && input.len() > 0,
            Sink::Beside(_) | Sink::InPlace(_) | Sink::Nothing(_) => false,
        }
    }

    /// The regular file behind a stream, which is written as it is.
    pub(crate) fn stream_id(&self) -> Option<FileId> {
        match &self.sink {
            Sink::Stream(_, id) => *id,
            Sink::Beside(_) | Sink::InPlace(_) | Sink::Nothing(_) => None,
        }
    }

    /// Whether [`commit`](Self::commit) puts another file in the place of `input`.
    pub(crate) fn replaces(&self, input: &Metadata) -> bool {
        match &self.sink {
            Sink::Stream(..) | Sink::InPlace(_) | Sink::Nothing(_) => false,
            Sink::Beside(file) => file.old_id().is_some_and(|id| Some(id) == FileId::of(input)),
        }
    }

    /// All is well: the new file takes the place of the old one, with its permissions. Whether there was anything to
    /// change, which only a file that is its own input can know.
    pub(crate) fn commit(self) -> io::Result<bool> {
        match self.sink {
            Sink::Stream(mut stream, _) => stream.flush().map(|()| true),
            Sink::Beside(file) => file.commit().map(|()| true),
            Sink::InPlace(file) => file.commit(),
            Sink::Nothing(_) => Ok(true),
        }
    }
}

impl Sink {
    fn typed(path: &Path) -> io::Result<Self> {
        streams::check(path)?;
        Sink::open(resolve(path)?.1)
    }

    fn open(end: End) -> io::Result<Self> {
        match end {
            End::File(place, entry) => Ok(Sink::Beside(Box::new(beside(place, entry)?))),
            End::Special(place, entry) => {
                let file = place.folder.write(&place.name)?;
                // A file that has come there meanwhile would be written over.
                if cfg!(unix) && FileId::of_any(&file.metadata()?) != entry.id {
                    return Err(changed());
                }
                Sink::stream(file)
            }
            End::Open(start, path) => {
                streams::check(&path)?;
                Sink::stream(match start {
                    Some(folder) => folder.append(&path)?,
                    None => OpenOptions::new().append(true).open(path)?,
                })
            }
        }
    }

    /// Nothing, where a file would be written.
    fn rehearsal(end: End) -> io::Result<Self> {
        match end {
            End::File(place, entry) => Ok(Sink::Nothing(Some(Box::new(beside(place, entry)?)))),
            End::Special(..) | End::Open(..) => Ok(Sink::Nothing(None)),
        }
    }

    fn stream(file: File) -> io::Result<Self> {
        let id = FileId::of(&file.metadata()?);
        Ok(Sink::Stream(Box::new(Patient(Arc::new(file))), id))
    }

    #[cfg(unix)]
    fn standard(stream: Standard) -> io::Result<Self> {
        Sink::stream(stream.open()?)
    }

    #[cfg(not(unix))]
    fn standard(stream: Standard) -> io::Result<Self> {
        let stream: Box<dyn Write> = match stream {
            Standard::Err => Box::new(io::stderr()),
            _ => Box::new(io::stdout()),
        };
        Ok(Sink::Stream(stream, None))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Stream(stream, _) => stream.write(bytes),
            Sink::Beside(file) => file.write(bytes),
            Sink::InPlace(file) => file.write(bytes),
            Sink::Nothing(_) => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stream(stream, _) => stream.flush(),
            Sink::Beside(_) | Sink::InPlace(_) | Sink::Nothing(_) => Ok(()),
        }
    }
}

/// A new file for a place where there is none, or a regular one.
fn beside(place: Place, entry: Option<Entry>) -> io::Result<Beside> {
    let Some(entry) = entry else { return Beside::new(place, None) };
    let old = place.folder.hold(&place.name)?;
    if cfg!(unix) && FileId::of_any(&old.metadata()?) != entry.id {
        return Err(changed());
    }
    Beside::new(place, Some(Arc::new(old)))
}
