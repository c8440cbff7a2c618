//! `--progress`: shows on standard error how much has been read, how fast, and how long the rest will take. On a
//! terminal this is a bar, which is removed at the end unless it was asked for; elsewhere it is a line per second, only
//! if it was asked for.

use crate::messages::{Progress, say};
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

impl Progress {
    /// Returns whether progress is shown. `terminal`: standard error is a terminal. `busy`: the data goes there too.
    fn is_wanted(self, terminal: bool, busy: impl FnOnce() -> bool) -> bool {
        match self {
            Progress::Auto => terminal && !busy(),
            Progress::Always => true,
            Progress::Never => false,
        }
    }
}

/// How long the work takes before the bar of `auto` appears.
const BAR_DELAY: Duration = Duration::from_millis(1000);

/// The time between two updates of the bar.
const BAR_INTERVAL: Duration = Duration::from_millis(100);

/// The time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// The longest time left, in seconds, that is shown: 30 days.
const MAX_SECONDS_LEFT: f64 = 30.0 * 86400.0;

/// Counts the work that is being done, and shows the progress in a thread.
pub(crate) struct Meter(Option<Indicator>);

struct Indicator {
    counters: Counters,
    bar: ProgressBar,
    /// The thread ends when this is dropped.
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Meter {
    /// Begins to count. `total` returns the number of files and, if it is known, the number of bytes to read; it is not
    /// called if nothing is shown. `busy`: the data goes to standard output.
    pub(crate) fn begin(progress: Progress, busy: bool, total: impl FnOnce() -> (usize, Option<u64>)) -> Self {
        let terminal = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        if !progress.is_wanted(terminal, || busy && io::stdout().is_terminal()) {
            return Meter(None);
        }
        Meter(Self::show(progress, terminal, total()))
    }

    /// Shows the bar. If there is no thread for it, the work is done without.
    #[inline(never)]
    fn show(progress: Progress, terminal: bool, (count, total): (usize, Option<u64>)) -> Option<Indicator> {
        let counters = Counters { bytes: Arc::default(), files: Arc::default(), count, clock: clock() };
        let mut view = View::new(counters.clone(), total);
        let bar = view.bar.clone();
        let (end, ended) = mpsc::channel();
        let wait = move |time| matches!(ended.recv_timeout(time), Err(RecvTimeoutError::Timeout));
        let mode = Mode { terminal, always: progress == Progress::Always };
        let watch = move || view.watch(mode, wait, ProgressDrawTarget::stderr, say);
        let thread = thread::Builder::new().spawn(watch).ok()?;
        Some(Indicator { counters, bar, end, thread })
    }

    /// Returns `input` with its bytes counted.
    pub(crate) fn counted(&self, input: Box<dyn BufRead>) -> Box<dyn BufRead> {
        match &self.0 {
            None => input,
            Some(shown) => Box::new(CountedInput { inner: input, bytes: shown.counters.bytes.clone() }),
        }
    }

    /// Counts one more file as done.
    pub(crate) fn add_file(&self) {
        if let Some(shown) = &self.0 {
            shown.counters.files.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Runs `act`, which writes to standard error, while the bar is hidden.
    pub(crate) fn aside<T>(&self, act: impl FnOnce() -> T) -> T {
        match &self.0 {
            None => act(),
            Some(shown) => shown.bar.suspend(act),
        }
    }

    /// Ends the work, and shows the final state.
    pub(crate) fn end(self) {
        if let Some(Indicator { end, thread, .. }) = self.0 {
            drop(end);
            _ = thread.join();
        }
    }
}

/// Returns the time since the work began.
type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

fn clock() -> Clock {
    let begun = Instant::now();
    Arc::new(move || begun.elapsed())
}

/// How much is done. All clones share the counts.
#[derive(Clone)]
struct Counters {
    bytes: Arc<AtomicU64>,
    files: Arc<AtomicU64>,
    /// The number of files of the run.
    count: usize,
    clock: Clock,
}

impl Counters {
    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the mean rate of the whole run (the momentary rate varies, as disks write in bursts), the time that the
    /// rest will take, and the number of files.
    fn pace(&self, total: Option<u64>) -> String {
        let bytes = self.bytes();
        let rate = bytes as f64 / (self.clock)().as_secs_f64().max(1e-3);
        let mut words = format!("{}/s", HumanBytes(rate as u64));
        if let Some(total) = total {
            let rest = total.saturating_sub(bytes) as f64 / rate.max(1.0);
            // Before anything is read, the time is not known.
            if rest < MAX_SECONDS_LEFT {
                words.push_str(&format!(", {:#} left", HumanDuration(Duration::from_secs(rest as u64))));
            }
        }
        if self.count > 1 {
            words.push_str(&format!(", {} of {} files", self.files.load(Ordering::Relaxed), self.count));
        }
        words
    }

    /// Returns everything on one line, for use without a bar.
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
struct Mode {
    /// Standard error is a terminal, so there is a bar.
    terminal: bool,
    /// `--progress always`: shown from the beginning, and not removed.
    always: bool,
}

/// The work of the thread: it shows the counters.
struct View {
    counters: Counters,
    bar: ProgressBar,
}

impl View {
    fn new(counters: Counters, total: Option<u64>) -> Self {
        View { counters, bar: ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden()) }
    }

    /// Shows the counters until `wait` returns `false`, which means that the work is done.
    fn watch(
        &mut self,
        mode: Mode,
        mut wait: impl FnMut(Duration) -> bool,
        target: impl FnOnce() -> ProgressDrawTarget,
        mut say: impl FnMut(String),
    ) {
        let Mode { terminal, always } = mode;
        if !always && !wait(BAR_DELAY) {
            return;
        }
        if terminal {
            self.show(target());
        }
        let pause = if terminal { BAR_INTERVAL } else { LINE_INTERVAL };
        while wait(pause) {
            self.update();
            if terminal { self.bar.tick() } else { say(self.counters.line(self.bar.length())) }
        }
        self.update();
        // With `always`, the final state is shown however short the work was. These calls draw a frame immediately,
        // however recent the last one is, with the current state of the counters.
        match (terminal, always) {
            (true, true) => self.bar.abandon(),
            (true, false) => self.bar.finish_and_clear(),
            (false, _) => say(self.counters.line(self.bar.length())),
        }
    }

    /// Shows the bar. The texts in a frame are made when it is drawn, so that they all show the same state.
    fn show(&mut self, target: ProgressDrawTarget) {
        // The bar takes the space that the texts leave, so that no text is cut off.
        let template = match self.bar.length() {
            Some(_) => "charpipe: {bytes} of {total_bytes} [{wide_bar}] {pace}",
            None => "charpipe: {line}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let (pace, line) = (self.counters.clone(), self.counters.clone());
        let style = style
            .with_key("pace", move |state: &ProgressState, frame: &mut dyn fmt::Write| {
                _ = frame.write_str(&pace.pace(state.len()));
            })
            .with_key("line", move |state: &ProgressState, frame: &mut dyn fmt::Write| {
                _ = frame.write_str(&line.line(state.len()));
            });
        self.bar.set_style(style.progress_chars("=> "));
        self.update();
        self.bar.set_draw_target(target);
        self.bar.tick();
    }

    /// Copies the counters into the bar.
    fn update(&mut self) {
        // A file may grow while it is read.
        let bytes = self.counters.bytes();
        if self.bar.length().is_some_and(|total| total < bytes) {
            self.bar.set_length(bytes);
        }
        self.bar.set_position(bytes);
    }
}

/// An input whose bytes are counted as they are consumed.
struct CountedInput {
    inner: Box<dyn BufRead>,
    bytes: Arc<AtomicU64>,
}

impl BufRead for CountedInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, len: usize) {
        self.bytes.fetch_add(len as u64, Ordering::Relaxed);
        self.inner.consume(len);
    }
}

impl Read for CountedInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(buffer)?;
        self.consume(len);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::sync::Mutex;

    /// A terminal with its width in columns, and the text that was written to it.
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

        /// Returns the frames that were drawn. A frame that was cleared is followed by an empty one.
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

    const ALWAYS: Mode = Mode { terminal: true, always: true };

    /// Shows work on `files` files, all of which is done in one wait, after `time`. Returns the terminal, and the lines
    /// that were printed.
    fn watched(mode: Mode, total: Option<u64>, files: usize, time: Duration, width: u16) -> (Terminal, Vec<String>) {
        let clock: Clock = Arc::new(move || time);
        let counters = Counters { bytes: Arc::default(), files: Arc::default(), count: files, clock };
        let (terminal, mut said) = (Terminal::new(width), Vec::new());
        let mut waits = 0;
        let wait = |_| {
            waits += 1;
            // The bytes are read before the files are done, and the work ends immediately after that.
            counters.bytes.store(7, Ordering::Relaxed);
            if waits == 3 {
                counters.files.store(files as u64, Ordering::Relaxed);
            }
            waits < 3
        };
        let target = || ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        View::new(counters.clone(), total).watch(mode, wait, target, |line| said.push(line));
        (terminal, said)
    }

    /// For any duration of the work and any width of the terminal.
    #[test]
    fn the_last_frame_is_true() {
        for time in [Duration::ZERO, Duration::from_micros(3), Duration::from_millis(14), Duration::from_secs(5000)] {
            for width in [20, 79, 80, 81, 200] {
                let (terminal, said) = watched(ALWAYS, Some(7), 3, time, width);
                let frames = terminal.frames();
                let last = frames.last().unwrap();
                assert!(last.starts_with("charpipe: 7 B of 7 B ["), "{width}: {frames:?}");
                assert!(last.ends_with(", 0s left, 3 of 3 files"), "{width}: {frames:?}");
                // A wider frame would take two lines.
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
        let mode = Mode { terminal: true, always: false };
        let (terminal, _) = watched(mode, Some(7), 3, Duration::from_secs(2), 80);
        let frames = terminal.frames();
        assert!(frames.iter().any(|frame| frame.contains("7 B of 7 B")), "{frames:?}");
        assert_eq!(frames.last().unwrap(), "");
        // Short work shows nothing.
        let terminal = Terminal::new(80);
        let counters = Counters { bytes: Arc::default(), files: Arc::default(), count: 1, clock: clock() };
        let target = || ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        View::new(counters, Some(7)).watch(mode, |_| false, target, |_| {});
        assert_eq!(terminal.frames(), [""]);
    }

    #[test]
    fn lines_where_there_is_no_terminal() {
        let mode = Mode { terminal: false, always: true };
        let (terminal, said) = watched(mode, Some(7), 3, Duration::from_secs(1), 80);
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
