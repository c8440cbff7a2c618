//! Times two implementations of the same conversion in turn, and prints a row of the table.

use crate::text::Kind;
use std::hint::black_box;
use std::time::Instant;

/// Number of measurements of each; the fastest counts, which other work on the machine disturbed least.
const ROUNDS: usize = 41;
/// Approximate duration of one measurement, in seconds; the conversion is repeated to reach it. It is long enough for
/// the clock, and short enough that the scheduler seldom interrupts it.
const TIMING: f64 = 300e-6;

/// An output buffer, aligned for any code unit. The code that checks the output clears the buffer first.
pub(crate) struct Room(Vec<u64>);

impl Room {
    fn new() -> Room {
        // Twice the size that is used: simdutf does not check bounds.
        Room(vec![0; 2 * crate::ROOM / 8])
    }

    pub(crate) fn as_bytes(&mut self) -> &mut [u8] {
        let len = self.0.len() * 8;
        // SAFETY: the same memory as bytes, for which any alignment and any content is valid.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), len) }
    }

    /// `T` is a code unit: `u8`, `u16` or `u32`.
    pub(crate) fn as_ptr<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }
}

/// A conversion to be timed: it converts its input into an output buffer and returns the number of bytes written.
pub(crate) struct Run {
    /// Size of its input in bytes.
    input: usize,
    pass: Box<dyn FnMut(&mut Room) -> usize>,
}

impl Run {
    pub(crate) fn new(input: usize, pass: impl FnMut(&mut Room) -> usize + 'static) -> Run {
        Run { input, pass: Box::new(pass) }
    }

    fn is_right(&mut self, room: &mut Room, expected: &[u8]) -> bool {
        room.as_bytes().fill(0);
        let len = (self.pass)(room);
        room.as_bytes().get(..len) == Some(expected)
    }

    /// Returns GB of input per second.
    fn rate(&mut self, room: &mut Room) -> f64 {
        // Runs once before, to fill the caches.
        let start = Instant::now();
        black_box((self.pass)(room));
        let passes = ((TIMING / start.elapsed().as_secs_f64()) as usize).max(1);
        let start = Instant::now();
        for _ in 0..passes {
            black_box((self.pass)(room));
        }
        (passes * self.input) as f64 / start.elapsed().as_secs_f64() / 1e9
    }
}

/// The goal of a row.
#[derive(Clone, Copy, Default)]
pub(crate) struct Goal {
    /// A fraction of the peer's rate.
    ratio: f64,
    /// GB of input per second.
    rate: f64,
}

impl Goal {
    pub(crate) fn ratio(ratio: f64) -> Goal {
        Goal { ratio, rate: 0.0 }
    }

    pub(crate) fn rate(rate: f64) -> Goal {
        Goal { ratio: 0.0, rate }
    }

    fn words(&self) -> String {
        let mut words = Vec::new();
        if self.ratio > 0.0 {
            words.push(format!("× {:.1}", self.ratio));
        }
        if self.rate > 0.0 {
            words.push(format!("{:.1} GB/s", self.rate));
        }
        words.join(", ")
    }

    fn verdict(&self, ratio: f64, rate: f64) -> &'static str {
        match () {
            () if self.words().is_empty() => "",
            () if ratio >= self.ratio && rate >= self.rate => "met",
            () => "NOT MET",
        }
    }
}

/// One of charpipe's conversions on a text, and a peer to compare it with.
pub(crate) struct Race {
    what: String,
    kind: Kind,
    ours: Run,
    expected: Vec<u8>,
    peer: Option<(&'static str, Run, Vec<u8>)>,
    goal: Goal,
}

impl Race {
    pub(crate) fn new(what: String, kind: Kind, expected: Vec<u8>, ours: Run) -> Race {
        Race { what, kind, ours, expected, peer: None, goal: Goal::default() }
    }

    /// Compares with `run`, which must give `expected`.
    pub(crate) fn against(self, name: &'static str, run: Run, expected: Vec<u8>) -> Race {
        Race { peer: Some((name, run, expected)), ..self }
    }

    pub(crate) fn goal(self, goal: Goal) -> Race {
        Race { goal, ..self }
    }

    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.what, self.kind.name())
    }

    /// Prints the row; returns whether the output was correct.
    pub(crate) fn run(mut self) -> bool {
        let name = self.name();
        let mut room = Room::new();
        let (peer, mut theirs, expected) = self.peer.take().expect("every race has a peer");
        if !self.ours.is_right(&mut room, &self.expected) {
            eprintln!("peers: wrong output: {name}, charpipe");
            return false;
        }
        if !theirs.is_right(&mut room, &expected) {
            eprintln!("peers: wrong output: {name}, {peer}");
            return false;
        }
        let source = vec![b'x'; self.ours.input];
        let mut copy = Run::new(source.len(), move |room| {
            room.as_bytes()[..source.len()].copy_from_slice(black_box(&source));
            source.len()
        });
        let (mut rate, mut other, mut copying) = (0.0, 0.0, 0.0);
        for _ in 0..ROUNDS {
            rate = self.ours.rate(&mut room).max(rate);
            other = theirs.rate(&mut room).max(other);
            copying = copy.rate(&mut room).max(copying);
        }
        let ratio = rate / other;
        println!(
            "| {:31} | {:8} | {rate:8.2} | {peer:>20} | {:6.2} | {ratio:5.2} | {:>13} | {:7} | {:5.0} % |",
            self.what,
            self.kind.name(),
            other,
            self.goal.words(),
            self.goal.verdict(ratio, rate),
            100.0 * rate / copying,
        );
        true
    }
}

pub(crate) fn print_head() {
    println!("GB of input per second, fastest of {ROUNDS}\n");
    println!(
        "| {:31} | {:8} | {:>8} | {:>20} | {:>6} | {:>5} | {:>13} | {:7} | {:>7} |",
        "kernel", "text", "charpipe", "peer", "its", "ratio", "goal", "", "memcpy"
    );
    println!(
        "|{:-<33}|{:-<10}|{:->9}:|{:->21}:|{:->7}:|{:->6}:|{:->14}:|{:-<9}|{:->8}:|",
        "", "", "", "", "", "", "", "", ""
    );
}
