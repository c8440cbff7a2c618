//! `--progress`: how much has been read, how fast, and how long the rest will take, on standard error. On a terminal a
//! bar that is gone in the end; elsewhere, where it was asked for, a line each second.

use crate::messages::say;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// When it is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// On a terminal, once the work takes long.
    Auto,
    Always,
    Never,
}

impl Progress {
    /// Whether there is anything to show, on a `terminal` or not. `busy`: the data goes to the terminal too.
    fn is_wanted(self, terminal: bool, busy: impl FnOnce() -> bool) -> bool {
        match self {
            Progress::Auto => terminal && !busy(),
            Progress::Always => true,
            Progress::Never => false,
        }
    }
}

/// The delay before a bar appears by itself.
const PATIENCE: Duration = Duration::from_millis(1000);

/// Between two looks at the counters, on a terminal.
const TICK: Duration = Duration::from_millis(100);

/// Between two lines.
const LINE: Duration = Duration::from_secs(1);

/// From so many seconds on the time that is left is not said.
const UNKNOWN: f64 = 30.0 * 86400.0;

/// The work that is under way.
pub(crate) struct Meter(Option<Shown>);

struct Shown {
    counters: Counters,
    bar: ProgressBar,
    /// Dropped, it ends the thread.
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Meter {
    /// Begins to count. `total` is how many files and how many bytes there are to read, so far as that is known; it is
    /// not asked for where nothing is shown. `busy` says that standard output writes to the terminal too.
    pub(crate) fn begin(progress: Progress, busy: bool, total: impl FnOnce() -> (usize, Option<u64>)) -> Self {
        let terminal = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        if !progress.is_wanted(terminal, || busy && io::stdout().is_terminal()) {
            return Meter(None);
        }
        let (count, total) = total();
        let counters = Counters { bytes: Arc::default(), files: Arc::default(), count, clock: clock() };
        let mut view = View::new(counters.clone(), total);
        let bar = view.bar.clone();
        let (end, ended) = mpsc::channel();
        let wait = move |time| matches!(ended.recv_timeout(time), Err(RecvTimeoutError::Timeout));
        let manner = Manner { terminal, always: progress == Progress::Always };
        let watch = move || view.watch(manner, wait, ProgressDrawTarget::stderr, say);
        // Without a thread for it the work is done all the same.
        let thread = thread::Builder::new().spawn(watch).ok();
        Meter(thread.map(|thread| Shown { counters, bar, end, thread }))
    }

    /// `input`, counted.
    pub(crate) fn counted(&self, input: Box<dyn BufRead>) -> Box<dyn BufRead> {
        match &self.0 {
            None => input,
            Some(shown) => Box::new(Counted { inner: input, bytes: shown.counters.bytes.clone() }),
        }
    }

    /// One more file is done.
    pub(crate) fn add_file(&self) {
        if let Some(shown) = &self.0 {
            shown.counters.files.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Does something with standard error while nothing of this is there.
    pub(crate) fn aside<T>(&self, act: impl FnOnce() -> T) -> T {
        match &self.0 {
            None => act(),
            Some(shown) => shown.bar.suspend(act),
        }
    }

    /// The work is over.
    pub(crate) fn end(self) {
        if let Some(Shown { end, thread, .. }) = self.0 {
            drop(end);
            _ = thread.join();
        }
    }
}

/// The time since the work began.
type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

fn clock() -> Clock {
    let begun = Instant::now();
    Arc::new(move || begun.elapsed())
}

/// How much is done. All clones count together.
#[derive(Clone)]
struct Counters {
    bytes: Arc<AtomicU64>,
    files: Arc<AtomicU64>,
    /// How many files there are.
    count: usize,
    clock: Clock,
}

impl Counters {
    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The mean rate of the whole run (a disk takes what it is given in gulps), the time that the rest will take, and the
    /// number of files.
    fn pace(&self, total: Option<u64>) -> String {
        let bytes = self.bytes();
        let rate = bytes as f64 / (self.clock)().as_secs_f64().max(1e-3);
        let mut words = format!("{}/s", HumanBytes(rate as u64));
        if let Some(total) = total {
            let rest = total.saturating_sub(bytes) as f64 / rate.max(1.0);
            // Before anything was read the time cannot be told.
            if rest < UNKNOWN {
                words.push_str(&format!(", {:#} left", HumanDuration(Duration::from_secs(rest as u64))));
            }
        }
        if self.count > 1 {
            words.push_str(&format!(", {} of {} files", self.files.load(Ordering::Relaxed), self.count));
        }
        words
    }

    /// All in one line, for where there is no bar.
    fn line(&self, total: Option<u64>) -> String {
        let (bytes, pace) = (HumanBytes(self.bytes()), self.pace(total));
        match total {
            Some(total) => format!("{bytes} of {}, {pace}", HumanBytes(total)),
            None => format!("{bytes} in {:#}, {pace}", HumanDuration((self.clock)())),
        }
    }
}

/// How progress is shown.
#[derive(Clone, Copy)]
struct Manner {
    /// As a bar.
    terminal: bool,
    /// From the beginning, and so that it stays.
    always: bool,
}

/// What the thread shows.
struct View {
    counters: Counters,
    bar: ProgressBar,
}

impl View {
    fn new(counters: Counters, total: Option<u64>) -> Self {
        View { counters, bar: ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden()) }
    }

    /// Shows it until `wait` returns `false`: then the work is over.
    fn watch(
        &mut self,
        manner: Manner,
        mut wait: impl FnMut(Duration) -> bool,
        target: impl FnOnce() -> ProgressDrawTarget,
        mut say: impl FnMut(String),
    ) {
        let Manner { terminal, always } = manner;
        if !always && !wait(PATIENCE) {
            return;
        }
        if terminal {
            self.show(target());
        }
        let pause = if terminal { TICK } else { LINE };
        while wait(pause) {
            self.look();
            if terminal { self.bar.tick() } else { say(self.counters.line(self.bar.length())) }
        }
        self.look();
        // What was asked for is there however short the work was. The last frame is drawn however short ago the one before
        // it was, and all in it is what the counters have now.
        match (terminal, always) {
            (true, true) => self.bar.abandon(),
            (true, false) => self.bar.finish_and_clear(),
            (false, _) => say(self.counters.line(self.bar.length())),
        }
    }

    /// Shows the bar. What stands in a frame is asked when that frame is drawn, so that all of it is of one moment.
    fn show(&mut self, target: ProgressDrawTarget) {
        // The bar has what room is left, so that nothing else is cut off.
        let template = match self.bar.length() {
            Some(_) => "charpipe: {bytes} of {total_bytes} [{wide_bar}] {pace}",
            None => "charpipe: {line}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is sound");
        let (pace, line) = (self.counters.clone(), self.counters.clone());
        let style = style
            .with_key("pace", move |state: &ProgressState, frame: &mut dyn fmt::Write| {
                _ = frame.write_str(&pace.pace(state.len()));
            })
            .with_key("line", move |state: &ProgressState, frame: &mut dyn fmt::Write| {
                _ = frame.write_str(&line.line(state.len()));
            });
        self.bar.set_style(style.progress_chars("=> "));
        self.look();
        self.bar.set_draw_target(target);
        self.bar.tick();
    }

    fn look(&mut self) {
        // A file that grows is longer than it was.
        let bytes = self.counters.bytes();
        if self.bar.length().is_some_and(|total| total < bytes) {
            self.bar.set_length(bytes);
        }
        self.bar.set_position(bytes);
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

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::sync::Mutex;

    /// A terminal so wide, and what was written to it.
    #[derive(Clone, Debug)]
    struct Terminal(u16, Arc<Mutex<String>>);

    impl Terminal {
        fn new(width: u16) -> Self {
            Terminal(width, Arc::default())
        }

        fn add(&self, text: &str) -> io::Result<()> {
            self.1.lock().unwrap().push_str(text);
            Ok(())
        }

        /// What was drawn, frame by frame; a frame that was cleared is followed by an empty one.
        fn frames(&self) -> Vec<String> {
            self.1.lock().unwrap().split('\r').map(|frame| frame.trim_end().to_owned()).collect()
        }
    }

    impl TermLike for Terminal {
        fn width(&self) -> u16 {
            self.0
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.add(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.add(text)
        }
        fn clear_line(&self) -> io::Result<()> {
            self.add("\r")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    const ALWAYS: Manner = Manner { terminal: true, always: true };

    /// Shows work on `files` files, all of which is done in one wait, after `time`; what was drawn, and what was said.
    fn watched(
        manner: Manner,
        total: Option<u64>,
        files: usize,
        time: Duration,
        width: u16,
    ) -> (Terminal, Vec<String>) {
        let clock: Clock = Arc::new(move || time);
        let counters = Counters { bytes: Arc::default(), files: Arc::default(), count: files, clock };
        let (terminal, mut said) = (Terminal::new(width), Vec::new());
        let mut waits = 0;
        let wait = |_| {
            waits += 1;
            // The bytes are read before the files are done, and the work is over right after that.
            counters.bytes.store(7, Ordering::Relaxed);
            if waits == 3 {
                counters.files.store(files as u64, Ordering::Relaxed);
            }
            waits < 3
        };
        let target = || ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        View::new(counters.clone(), total).watch(manner, wait, target, |line| said.push(line));
        (terminal, said)
    }

    /// However fast the work was and however wide the terminal is.
    #[test]
    fn the_last_frame_is_true() {
        for time in [Duration::ZERO, Duration::from_micros(3), Duration::from_millis(14), Duration::from_secs(5000)] {
            for width in [20, 79, 80, 81, 200] {
                let (terminal, said) = watched(ALWAYS, Some(7), 3, time, width);
                let frames = terminal.frames();
                let last = frames.last().unwrap();
                assert!(last.starts_with("charpipe: 7 B of 7 B ["), "{width}: {frames:?}");
                assert!(last.ends_with(", 0s left, 3 of 3 files"), "{width}: {frames:?}");
                // A frame that is wider would be two lines.
                assert!(last.chars().count() <= usize::from(width.max(79)), "{width}: {frames:?}");
                assert!(said.is_empty());
            }
        }
        let (terminal, _) = watched(ALWAYS, Some(5), 1, Duration::from_secs(1), 80);
        assert!(terminal.frames().last().unwrap().ends_with("] 7 B/s, 0s left"), "{:?}", terminal.frames());
        let (terminal, _) = watched(ALWAYS, None, 2, Duration::from_secs(2), 80);
        assert_eq!(terminal.frames().last().unwrap(), "charpipe: 7 B in 2s, 3 B/s, 2 of 2 files");
    }

    #[test]
    fn a_bar_that_comes_by_itself_goes_again() {
        let manner = Manner { terminal: true, always: false };
        let (terminal, _) = watched(manner, Some(7), 3, Duration::from_secs(2), 80);
        let frames = terminal.frames();
        assert!(frames.iter().any(|frame| frame.contains("7 B of 7 B")), "{frames:?}");
        assert_eq!(frames.last().unwrap(), "");
        // Short work shows nothing.
        let terminal = Terminal::new(80);
        let counters = Counters { bytes: Arc::default(), files: Arc::default(), count: 1, clock: clock() };
        let target = || ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        View::new(counters, Some(7)).watch(manner, |_| false, target, |_| {});
        assert_eq!(terminal.frames(), [""]);
    }

    #[test]
    fn lines_where_there_is_no_terminal() {
        let manner = Manner { terminal: false, always: true };
        let (terminal, said) = watched(manner, Some(7), 3, Duration::from_secs(1), 80);
        let lines = ["0 of 3", "0 of 3", "3 of 3"].map(|files| format!("7 B of 7 B, 7 B/s, 0s left, {files} files"));
        assert_eq!((said, terminal.frames()), (lines.to_vec(), vec![String::new()]));
    }

    #[test]
    fn when_it_is_shown() {
        for (progress, terminal, busy, wanted) in [
            (Progress::Auto, true, false, true),
            (Progress::Auto, true, true, false),
            (Progress::Auto, false, false, false),
            (Progress::Always, false, true, true),
            (Progress::Never, true, false, false),
        ] {
            assert_eq!(progress.is_wanted(terminal, || busy), wanted, "{terminal} {busy}");
        }
    }
}
