//! What is written: standard output past the line buffer of [`std::io::Stdout`], and files that are replaced when whole.

use super::Status;
use super::beside::Beside;
use super::in_place::InPlace;
use super::streams::{self, FileId, Patient, Standard};
use super::words::{Name, say};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// Standard output, where a name is wanted.
pub(super) const STDOUT: &str = "<stdout>";

/// Standard error, where a name is wanted.
pub(super) const STDERR: &str = "<stderr>";

/// How many symlinks may lead to each other.
const LINKS: usize = 40;

/// An open output. Dropped without [`commit`](Output::commit), it leaves a regular file as it was.
pub(super) struct Output {
    pub(super) name: Name,
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
pub(super) fn print(text: &str) -> Status {
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
    pub(super) fn stdout() -> io::Result<Self> {
        Ok(Output { name: Name::of_stream(STDOUT), sink: Sink::standard(Standard::Out)? })
    }

    /// Standard error, for data that is asked for there.
    pub(super) fn stderr() -> io::Result<Self> {
        Ok(Output { name: Name::of_stream(STDERR), sink: Sink::standard(Standard::Err)? })
    }

    /// A path. Regular or absent: a file beside it, to be renamed over it; a symlink: the same for its target; a FIFO
    /// or device: itself; a directory: an error.
    pub(super) fn path(path: &Path) -> io::Result<Self> {
        Ok(Output { name: Name::of_path(path.as_os_str()), sink: Sink::open(path)? })
    }

    /// The regular file at `path`, or that its symlink leads to, which is the input too; `backup` keeps what it had.
    pub(super) fn in_place(path: &Path, backup: Option<PathBuf>, rehearsal: bool) -> io::Result<Self> {
        let sink = match resolve(path)? {
            Resolved::Regular(target) => Sink::InPlace(Box::new(InPlace::new(target, backup, rehearsal)?)),
            Resolved::Special => return Err(io::Error::other("it is no regular file")),
        };
        Ok(Output { name: Name::of_path(path.as_os_str()), sink })
    }

    /// Nothing, called `name`.
    pub(super) fn nothing(name: Name) -> Self {
        Output { name, sink: Sink::Nothing(None) }
    }

    /// Nothing, where a file would be written at `path`: an error where it could not be opened, so far as that can be
    /// known without doing it.
    pub(super) fn rehearsal(path: &Path) -> io::Result<Self> {
        let file = match resolve(path)? {
            Resolved::Regular(target) => Some(Box::new(Beside::new(target)?)),
            Resolved::Special => None,
        };
        Ok(Output { name: Name::of_path(path.as_os_str()), sink: Sink::Nothing(file) })
    }

    /// Whether nothing has happened to any file before [`commit`](Self::commit).
    pub(super) fn is_replacing(&self) -> bool {
        !matches!(self.sink, Sink::Stream(..))
    }

    /// Whether one of the two would take the place of the other.
    pub(super) fn collides(&self, other: &Output) -> bool {
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
    pub(super) fn feeds(&self, input: &Metadata) -> bool {
        match &self.sink {
            Sink::Stream(_, id) => id.is_some() && *id == FileId::of(input) && input.len() > 0,
            Sink::Beside(_) | Sink::InPlace(_) | Sink::Nothing(_) => false,
        }
    }

    /// The regular file behind a stream, which is written as it is.
    pub(super) fn stream_id(&self) -> Option<FileId> {
        match &self.sink {
            Sink::Stream(_, id) => *id,
            Sink::Beside(_) | Sink::InPlace(_) | Sink::Nothing(_) => None,
        }
    }

    /// Whether [`commit`](Self::commit) puts another file in the place of `input`.
    pub(super) fn replaces(&self, input: &Metadata) -> bool {
        match &self.sink {
            Sink::Stream(..) | Sink::InPlace(_) | Sink::Nothing(_) => false,
            Sink::Beside(file) => file.old_id().is_some_and(|id| Some(id) == FileId::of(input)),
        }
    }

    /// All is well: the new file takes the place of the old one, with its permissions. Whether there was anything to
    /// change, which only a file that is its own input can know.
    pub(super) fn commit(self) -> io::Result<bool> {
        match self.sink {
            Sink::Stream(mut stream, _) => stream.flush().map(|()| true),
            Sink::Beside(file) => file.commit().map(|()| true),
            Sink::InPlace(file) => file.commit(),
            Sink::Nothing(_) => Ok(true),
        }
    }
}

impl Sink {
    fn open(path: &Path) -> io::Result<Self> {
        match resolve(path)? {
            Resolved::Regular(target) => Ok(Sink::Beside(Box::new(Beside::new(target)?))),
            Resolved::Special => {
                streams::check(path)?;
                Sink::stream(OpenOptions::new().append(true).open(path)?)
            }
        }
    }

    fn stream(file: File) -> io::Result<Self> {
        let id = FileId::of(&file.metadata()?);
        Ok(Sink::Stream(Box::new(Patient(file)), id))
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

enum Resolved {
    /// A regular file, or none yet; no symlink.
    Regular(PathBuf),
    /// To be opened as it is.
    Special,
}

/// Follows symlinks to the file that is to be replaced, which need not exist.
fn resolve(path: &Path) -> io::Result<Resolved> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        // `/dev/stdout` leads through such a link to whatever is open there: that is not to be replaced.
        if cfg!(unix) && (path.starts_with("/proc") || path.starts_with("/dev/fd")) {
            return Ok(Resolved::Special);
        }
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // `new/` can only be a directory.
                let is_file = matches!(path.components().next_back(), Some(Component::Normal(_)))
                    && !path.as_os_str().as_encoded_bytes().ends_with(b"/");
                return if is_file { Ok(Resolved::Regular(path)) } else { Err(error) };
            }
            Err(error) => return Err(error),
        };
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if found.is_file() {
            return Ok(Resolved::Regular(path));
        }
        if !found.is_symlink() {
            return Ok(Resolved::Special);
        }
        // An absolute target replaces the folder; so does `join`.
        let target = fs::read_link(&path)?;
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many levels of symbolic links"))
}
