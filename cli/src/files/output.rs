//! Opens outputs: standard output without the line buffer of [`std::io::Stdout`], FIFOs and devices, files that are
//! replaced once everything is written, and rehearsals, which write nothing.

use crate::files::backup::BackupExists;
use crate::files::in_place::InPlace;
use crate::files::name::Name;
use crate::files::streams::{self, Standard};
use charpipe::files::{AtomicFile, Blocking, ChangedFolders, End, FileId, Opened, Place, signals};
use std::fs::Metadata;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// An open output. Dropped without [`commit`](Output::commit), it leaves a regular file as it was.
pub(crate) struct Output {
    pub(crate) name: Name,
    sink: Sink,
    /// The reader may close it before the end: then it has read all that it wanted. Only a pipe or a socket has a
    /// reader.
    may_end_early: bool,
}

enum Sink {
    /// A standard stream, a FIFO or a device: what is written cannot be taken back.
    Stream(Box<dyn Write + Send>, StreamEnd),
    Atomic(Box<AtomicFile>),
    InPlace(Box<InPlace>),
    /// A rehearsal, which writes nothing. The file that would be written is held, so that its identity is known.
    Nothing(Option<Box<AtomicFile>>),
}

/// Where a stream leads.
#[derive(Clone, Copy)]
struct StreamEnd {
    /// The identity of the file, if it is a regular file.
    file: Option<FileId>,
    /// It is a pipe or a socket, which another process reads.
    has_reader: bool,
}

impl Output {
    fn new(name: Name, sink: Sink) -> Self {
        let may_end_early = matches!(sink, Sink::Stream(_, StreamEnd { has_reader: true, .. }));
        Output { name, sink, may_end_early }
    }

    /// Opens standard output.
    pub(crate) fn stdout() -> io::Result<Self> {
        Ok(Output::new(Name::stdout(), Sink::standard(Standard::Out)?))
    }

    /// Opens standard error, for data that the user asked for there.
    pub(crate) fn stderr() -> io::Result<Self> {
        Ok(Output::new(Name::stderr(), Sink::standard(Standard::Err)?))
    }

    /// Says that this is not the main output of the run: it must be written to its end, even if it is a pipe.
    pub(crate) fn written_to_the_end(self) -> Self {
        Output { may_end_early: false, ..self }
    }

    /// Opens a path. If it leads to a regular file or to nothing, a new file is written, which takes that place on
    /// [`commit`](Self::commit); symlinks are followed. A FIFO or a device is written directly. A directory is an
    /// error.
    pub(crate) fn path(path: &Path) -> io::Result<Self> {
        streams::check(path)?;
        Ok(Output::new(Name::of_path(path.as_os_str()), Sink::open(End::of(path)?.1)?))
    }

    /// Returns the output that replaces the input `file`.
    pub(crate) fn in_place(name: Name, file: Box<InPlace>) -> Self {
        Output::new(name, Sink::InPlace(file))
    }

    /// Opens a place below a directory, as [`path`](Self::path) does, or nothing in a rehearsal. A symlink there is
    /// followed only if one is expected.
    pub(crate) fn at(name: Name, place: Place, may_be_link: bool, rehearsal: bool) -> io::Result<Self> {
        let end = place.follow(may_be_link)?;
        let sink = if rehearsal { Sink::rehearsal(end)? } else { Sink::open(end)? };
        Ok(Output::new(name, sink))
    }

    /// Opens a place below a directory that was not there when the run began. What someone else has put there since is
    /// not replaced: this fails, or [`commit`](Self::commit) does.
    pub(crate) fn in_new_directory(name: Name, place: Place) -> io::Result<Self> {
        Ok(Output::new(name, Sink::open(place.assume_free()?)?))
    }

    /// Returns an output called `name` that writes nothing.
    pub(crate) fn nothing(name: Name) -> Self {
        Output::new(name, Sink::Nothing(None))
    }

    /// Returns an output that writes nothing in place of a file at `path`. Fails if that file could not be opened, as
    /// far as this can be known without opening it.
    pub(crate) fn rehearsal(path: &Path) -> io::Result<Self> {
        Ok(Output::new(Name::of_path(path.as_os_str()), Sink::rehearsal(End::of(path)?.1)?))
    }

    /// Returns why the input must not be replaced.
    pub(crate) fn objection(&self) -> Option<&BackupExists> {
        match &self.sink {
            Sink::InPlace(file) => file.objection(),
            Sink::Stream(..) | Sink::Atomic(_) | Sink::Nothing(_) => None,
        }
    }

    /// Returns whether every file stays as it is until [`commit`](Self::commit).
    pub(crate) fn is_replacing(&self) -> bool {
        !matches!(self.sink, Sink::Stream(..))
    }

    /// Returns whether one of the two outputs would replace the other.
    pub(crate) fn collides(&self, other: &Output) -> bool {
        match (&self.sink, &other.sink) {
            (Sink::Atomic(one), Sink::Atomic(other)) => one.has_target_of(other),
            (Sink::Stream(_, end), Sink::Atomic(file)) | (Sink::Atomic(file), Sink::Stream(_, end)) => {
                end.file.is_some() && end.file == file.old_id()
            }
            // Two streams into one file, as with `2>&1`: the user asked for that.
            (Sink::Stream(..), Sink::Stream(..)) => false,
            (Sink::Nothing(Some(one)), Sink::Atomic(other)) => one.has_target_of(other),
            // These are checked before they are opened.
            (Sink::InPlace(_) | Sink::Nothing(_), _) | (_, Sink::InPlace(_) | Sink::Nothing(_)) => false,
        }
    }

    /// Returns whether reading `input` from now on would return what is written here. An empty input does not count: it
    /// may be a file that the shell has just emptied for this output.
    pub(crate) fn feeds(&self, input: &Metadata) -> bool {
        let id = self.stream_id();
        id.is_some() && id == FileId::of(input) && input.len() > 0
    }

    /// Returns the identity of the regular file that is written or replaced, if there is one already.
    pub(crate) fn file_id(&self) -> Option<FileId> {
        match &self.sink {
            Sink::Stream(_, stream) => stream.file,
            Sink::Atomic(file) | Sink::Nothing(Some(file)) => file.old_id(),
            Sink::InPlace(_) | Sink::Nothing(None) => None,
        }
    }

    /// Returns the identity of the regular file that a stream leads to.
    pub(crate) fn stream_id(&self) -> Option<FileId> {
        match &self.sink {
            Sink::Stream(_, end) => end.file,
            Sink::Atomic(_) | Sink::InPlace(_) | Sink::Nothing(_) => None,
        }
    }

    /// Returns whether [`commit`](Self::commit) replaces `input` by another file.
    pub(crate) fn replaces(&self, input: &Metadata) -> bool {
        match &self.sink {
            Sink::Stream(..) | Sink::InPlace(_) | Sink::Nothing(_) => false,
            Sink::Atomic(file) => file.old_id().is_some_and(|id| Some(id) == FileId::of(input)),
        }
    }

    /// Finishes all outputs. No file takes its place before each of them is complete and on disk. Returns the output
    /// that failed.
    pub(crate) fn commit_all(mut outputs: Vec<Output>) -> Result<(), (Name, io::Error)> {
        for output in &mut outputs {
            let ready = output.prepare();
            ready.map_err(|error| (output.name.clone(), error))?;
        }
        // Held from the first file to the last, so that no signal comes between them.
        let mut hold = None;
        let folders = ChangedFolders::default();
        for output in outputs {
            let done = match output.sink {
                Sink::Atomic(file) => file.put_in_place(hold.get_or_insert_with(signals::hold)),
                Sink::InPlace(file) => {
                    // It holds signals back itself.
                    hold = None;
                    file.publish_in(&folders).and_then(|_| folders.sync())
                }
                Sink::Stream(..) | Sink::Nothing(_) => Ok(()),
            };
            done.map_err(|error| (output.name, error))?;
        }
        Ok(())
    }

    /// Writes everything, so that a new file only lacks its name.
    pub(crate) fn prepare(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stream(stream, _) => stream.flush(),
            Sink::Atomic(file) => file.prepare(),
            Sink::InPlace(file) => file.new_file().map_or(Ok(()), AtomicFile::prepare),
            Sink::Nothing(_) => Ok(()),
        }
    }

    /// Finishes the output: a new file takes the place of the old one, with its permissions. Returns whether anything
    /// has changed, which only `--in-place` can know; for all other outputs the result is `true`.
    pub(crate) fn commit(self) -> io::Result<bool> {
        let folders = ChangedFolders::default();
        let is_changed = self.commit_in(&folders)?;
        folders.sync()?;
        Ok(is_changed)
    }

    /// Does the same, but the new names are on disk for certain only when `folders` are.
    pub(crate) fn commit_in(self, folders: &ChangedFolders) -> io::Result<bool> {
        let prepared = self.new_file().map_or(Ok(()), AtomicFile::prepare);
        self.publish_in(prepared, folders)
    }

    /// Returns the new file that takes its place when the output is finished, if there is one already.
    fn new_file(&self) -> Option<&AtomicFile> {
        match &self.sink {
            Sink::Atomic(file) => Some(file),
            Sink::InPlace(file) => file.new_file(),
            Sink::Stream(..) | Sink::Nothing(_) => None,
        }
    }

    /// Returns whether a new file takes its place when the output is finished. It may wait for others, and needs little
    /// memory from now on.
    pub(crate) fn can_wait(&mut self) -> bool {
        if let Sink::InPlace(file) = &mut self.sink {
            file.rest();
        }
        self.new_file().is_some()
    }

    /// Has the new files of all of these outputs written to disk, in less time than one after the other. Returns the result
    /// for each.
    pub(crate) fn prepare_all(outputs: &[&Output]) -> Vec<io::Result<()>> {
        AtomicFile::prepare_all(&outputs.iter().filter_map(|output| output.new_file()).collect::<Vec<_>>())
    }

    /// Does what [`commit_in`](Self::commit_in) does after the new file was [prepared](Self::prepare_all), with this result.
    pub(crate) fn publish_in(self, prepared: io::Result<()>, folders: &ChangedFolders) -> io::Result<bool> {
        let done = prepared.and_then(|()| match self.sink {
            Sink::Stream(mut stream, _) => stream.flush().map(|()| true),
            Sink::Atomic(file) => file.publish_in(folders).map(|()| true),
            Sink::InPlace(file) => file.publish_in(folders),
            Sink::Nothing(_) => Ok(true),
        });
        done.map_err(|error| told(error, self.may_end_early))
    }
}

impl Sink {
    fn open(end: End) -> io::Result<Self> {
        if let End::Descriptor(path) = &end {
            streams::check(path)?;
        }
        match end.open()? {
            Opened::New(file) => Ok(Sink::Atomic(file)),
            Opened::Stream(stream) => Sink::stream(stream),
        }
    }

    /// Returns a sink that writes nothing in place of a file.
    fn rehearsal(end: End) -> io::Result<Self> {
        match end {
            End::File(place, entry) => Ok(Sink::Nothing(Some(Box::new(AtomicFile::replacing(place, entry)?)))),
            End::Special(..) | End::Descriptor(_) | End::InProc(_) => Ok(Sink::Nothing(None)),
        }
    }

    fn stream(stream: Blocking) -> io::Result<Self> {
        let metadata = stream.0.metadata()?;
        let end = StreamEnd { file: FileId::of(&metadata), has_reader: has_reader(&metadata) };
        Ok(Sink::Stream(Box::new(stream), end))
    }

    fn standard(stream: Standard) -> io::Result<Self> {
        match (stream.open()?, stream) {
            (Some(file), _) => Sink::stream(Blocking(Arc::new(file))),
            (None, Standard::Err) => Ok(Sink::Stream(Box::new(io::stderr()), StreamEnd::UNKNOWN)),
            (None, _) => Ok(Sink::Stream(Box::new(io::stdout()), StreamEnd::UNKNOWN)),
        }
    }
}

impl StreamEnd {
    /// The assumption on systems that do not tell: only a pipe fails because of its reader.
    const UNKNOWN: Self = StreamEnd { file: None, has_reader: true };
}

/// Returns whether this is a pipe or a socket.
#[cfg(unix)]
fn has_reader(stream: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;

    stream.file_type().is_fifo() || stream.file_type().is_socket()
}

#[cfg(not(unix))]
fn has_reader(stream: &Metadata) -> bool {
    !stream.is_file()
}

/// Returns the error of a write. A closed pipe keeps its kind only if that is not a failure: a regular file of a
/// network or FUSE file system can report the same, and then data is missing.
fn told(error: io::Error, may_end_early: bool) -> io::Error {
    if is_closed_pipe(&error) && !may_end_early { io::Error::other(error) } else { error }
}

/// Returns whether a write failed because there is no one who would read it. An [`Output`] fails in this way only if it
/// may end early.
pub(crate) fn is_closed_pipe(error: &io::Error) -> bool {
    /// `ERROR_PIPE_NOT_CONNECTED` of Windows, which the standard library does not count among them.
    const NOT_CONNECTED: i32 = 233;

    error.kind() == io::ErrorKind::BrokenPipe || cfg!(windows) && error.raw_os_error() == Some(NOT_CONNECTED)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.sink {
            Sink::Stream(stream, _) => stream.write(bytes),
            Sink::Atomic(file) => file.write(bytes),
            Sink::InPlace(file) => file.write(bytes),
            Sink::Nothing(_) => Ok(bytes.len()),
        };
        written.map_err(|error| told(error, self.may_end_early))
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Stream(stream, _) => stream.flush().map_err(|error| told(error, self.may_end_early)),
            Sink::Atomic(_) | Sink::InPlace(_) | Sink::Nothing(_) => Ok(()),
        }
    }
}
