//! `--progress`: how much has been read, how fast, and how long the rest will take, on standard error. On a terminal a
//! bar that is gone in the end; elsewhere, where it was asked for, a line each second.

use super::words::say;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// When it is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// On a terminal, once the work takes long.
    Auto,
    Always,
    Never,
}

/// So long nobody wonders.
const PATIENCE: Duration = Duration::from_millis(1000);

/// Between two looks at the counters, on a terminal.
const TICK: Duration = Duration::from_millis(100);

/// Between two lines.
const LINE: Duration = Duration::from_secs(1);

/// From so many seconds on the time that is left is not said.
const UNKNOWN: f64 = 30.0 * 86400.0;

/// The work that is under way.
pub(super) struct Meter(Option<Shown>);

struct Shown {
    bytes: Arc<AtomicU64>,
    files: Arc<AtomicU64>,
    bar: ProgressBar,
    /// Dropped, it ends the thread.
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Meter {
    /// Begins to count. `total` is how many files and how many bytes there are to read, so far as that is known; it is
    /// not asked for where nothing is shown. `busy` says that standard output writes to the terminal too.
    pub(super) fn begin(progress: Progress, busy: bool, total: impl FnOnce() -> (usize, Option<u64>)) -> Self {
        let terminal = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let wanted = match progress {
            Progress::Auto => terminal && !(busy && io::stdout().is_terminal()),
            Progress::Always => true,
            Progress::Never => false,
        };
        if !wanted {
            return Meter(None);
        }
        let (count, total) = total();
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let (bytes, files) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (end, ended) = mpsc::channel();
        let mut view = View { bytes: bytes.clone(), files: files.clone(), count, bar: bar.clone() };
        let watch = move || {
            let always = progress == Progress::Always;
            let wait = |time| matches!(ended.recv_timeout(time), Err(RecvTimeoutError::Timeout));
            if !always && !wait(PATIENCE) {
                return;
            }
            if terminal {
                view.show();
            }
            let pause = if terminal { TICK } else { LINE };
            while wait(pause) {
                view.look();
                if !terminal {
                    view.say();
                }
            }
            view.look();
            // What was asked for is there however short the work was.
            match (terminal, always) {
                (true, true) => view.bar.abandon(),
                (true, false) => view.bar.finish_and_clear(),
                (false, _) => view.say(),
            }
        };
        // Work is done without a thread for this too.
        let thread = thread::Builder::new().spawn(watch).ok();
        Meter(thread.map(|thread| Shown { bytes, files, bar, end, thread }))
    }

    /// `input`, counted.
    pub(super) fn counted(&self, input: Box<dyn BufRead>) -> Box<dyn BufRead> {
        match &self.0 {
            None => input,
            Some(shown) => Box::new(Counted { inner: input, bytes: shown.bytes.clone() }),
        }
    }

    /// One more file is done.
    pub(super) fn add_file(&self) {
        if let Some(shown) = &self.0 {
            shown.files.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Does something with standard error while nothing of this is there.
    pub(super) fn aside<T>(&self, act: impl FnOnce() -> T) -> T {
        match &self.0 {
            None => act(),
            Some(shown) => shown.bar.suspend(act),
        }
    }

    /// The work is over.
    pub(super) fn end(self) {
        if let Some(Shown { end, thread, .. }) = self.0 {
            drop(end);
            _ = thread.join();
        }
    }
}

/// What the thread shows.
struct View {
    bytes: Arc<AtomicU64>,
    files: Arc<AtomicU64>,
    count: usize,
    bar: ProgressBar,
}

impl View {
    fn show(&mut self) {
        let template = match self.bar.length() {
            Some(_) => "charpipe: {bytes} of {total_bytes} [{bar:24}] {msg}",
            None => "charpipe: {bytes} in {elapsed}, {msg}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is sound");
        self.bar.set_style(style.progress_chars("=> "));
        self.look();
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.tick();
    }

    fn look(&mut self) {
        // A file that grows is longer than it was.
        let bytes = self.bytes.load(Ordering::Relaxed);
        if self.bar.length().is_some_and(|total| total < bytes) {
            self.bar.set_length(bytes);
        }
        self.bar.set_position(bytes);
        self.bar.set_message(self.pace());
    }

    /// The rate, which is that of the whole run: the disk takes what it is given in gulps. What it will take to read the
    /// rest, and the files.
    fn pace(&self) -> String {
        let rate = self.bar.position() as f64 / self.bar.elapsed().as_secs_f64().max(1e-3);
        let mut words = format!("{}/s", HumanBytes(rate as u64));
        if let Some(total) = self.bar.length() {
            let rest = total.saturating_sub(self.bar.position()) as f64 / rate.max(1.0);
            // Before anything has moved nobody knows.
            if rest < UNKNOWN {
                words.push_str(&format!(", {:#} left", HumanDuration(Duration::from_secs(rest as u64))));
            }
        }
        if self.count > 1 {
            words.push_str(&format!(", {} of {} files", self.files.load(Ordering::Relaxed), self.count));
        }
        words
    }

    fn say(&self) {
        let (bytes, pace) = (HumanBytes(self.bar.position()), self.pace());
        match self.bar.length() {
            Some(total) => say(format_args!("{bytes} of {}, {pace}", HumanBytes(total))),
            None => say(format_args!("{bytes} in {:#}, {pace}", HumanDuration(self.bar.elapsed()))),
        }
    }
}

/// An input whose bytes are counted as they are taken.
struct Counted {
    inner: Box<dyn BufRead>,
    bytes: Arc<AtomicU64>,
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, len: usize) {
        self.bytes.fetch_add(len as u64, Ordering::Relaxed);
        self.inner.consume(len);
    }
}

impl Read for Counted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(room)?;
        self.consume(len);
        Ok(len)
    }
}
