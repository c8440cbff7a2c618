//! Measures work by counting: calls of codecs and the bytes given to them, allocations, and peak memory. The counts are
//! the same on every machine, however busy it is.
#![allow(unsafe_code)] // An allocator.
#![allow(dead_code)] // Each test uses its part.

use charpipe::codec::{ByteSink, Malformed, Replacement, Step, Stop, Unmappable, Utf8Sink};
use charpipe::{Codec, Decoder, Encoder, Registry, Transcode};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

/// Counts of work, in 64 bits on every machine: a long test allocates more bytes than 32 bits can count.
#[derive(Clone, Copy, Default, Debug)]
pub struct Work {
    /// Calls of decoders and encoders, including forks.
    pub calls: u64,
    /// The bytes that these calls were given, and those that were allocated.
    pub bytes: u64,
    /// The number of allocations.
    pub allocations: u64,
    /// Peak memory in bytes, above what was allocated at the beginning.
    pub peak: usize,
    live: usize,
}

thread_local! {
    static WORK: Cell<Work> = const { Cell::new(Work { calls: 0, bytes: 0, allocations: 0, peak: 0, live: 0 }) };
}

fn add(change: impl FnOnce(&mut Work)) {
    // While a thread ends, its thread-local variables are gone.
    _ = WORK.try_with(|cell| {
        let mut work = cell.get();
        change(&mut work);
        cell.set(work);
    });
}

/// Returns the work of a run on `input`, on this thread.
pub fn work_of(job: &Transcode, input: &[u8]) -> Work {
    // Other tests check the result.
    work_in(|| _ = job.run(input, std::io::sink()))
}

/// Returns the work of `act`, on this thread.
pub fn work_in(act: impl FnOnce()) -> Work {
    WORK.set(Work::default());
    act();
    WORK.get()
}

/// The system's allocator, with counters.
pub struct Counting;

// SAFETY: all calls are passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller upholds the contract of this method, which is also that of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller upholds the contract of this method, which is also that of `System`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the caller upholds the contract of this method, which is also that of `System`.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        add(|work| work.live = work.live.saturating_sub(layout.size()));
        // SAFETY: the caller upholds the contract of this method, which is also that of `System`.
        unsafe { System.dealloc(place, layout) }
    }
}

fn count(size: usize, before: usize) {
    add(|work| {
        work.allocations += 1;
        work.bytes += size as u64;
        work.live = (work.live + size).saturating_sub(before);
        work.peak = work.peak.max(work.live);
    });
}

/// Returns `job` from one counting codec to another.
pub fn counting(job: Transcode, from: &str, to: &str) -> Transcode {
    let mut registry = Registry::builtin();
    let mut register = |label: &str, name: &str| {
        let inner = registry.codec(label).unwrap();
        registry.register(Arc::new(Counted { name: name.to_owned(), inner }), &[]).unwrap();
    };
    register(from, "X-COUNTED-FROM");
    if to != "UTF-8" {
        register(to, "X-COUNTED-TO");
    }
    // UTF-8 to UTF-8 does not go through the codecs.
    let to = if to == "UTF-8" { "UTF-8" } else { "X-COUNTED-TO" };
    job.registry(registry)
        .source_encoding("X-COUNTED-FROM")
        .unwrap()
        .target_encoding(to)
        .unwrap()
        .kind(charpipe::Kind::Text)
}

struct Counted {
    name: String,
    inner: Arc<dyn Codec>,
}

impl Codec for Counted {
    fn name(&self) -> &str {
        &self.name
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(CountedDecoder(self.inner.decoder()))
    }

    fn encoder(&self) -> Option<Box<dyn Encoder>> {
        Some(Box::new(CountedEncoder(self.inner.encoder()?)))
    }
}

fn call(given: usize) {
    add(|work| {
        work.calls += 1;
        work.bytes += given as u64;
    });
}

struct CountedDecoder(Box<dyn Decoder>);

impl Decoder for CountedDecoder {
    fn feed(&mut self, src: &[u8], dst: &mut Utf8Sink<'_>) -> Step<Malformed> {
        let step = self.0.feed(src, dst);
        call(step.read);
        step
    }

    fn finish(&mut self, dst: &mut Utf8Sink<'_>) -> Stop<Malformed> {
        call(0);
        self.0.finish(dst)
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn fork(&self) -> Box<dyn Decoder> {
        call(0);
        Box::new(CountedDecoder(self.0.fork()))
    }

    fn pending(&self) -> usize {
        self.0.pending()
    }

    fn is_bytewise(&self) -> bool {
        self.0.is_bytewise()
    }

    fn code_unit(&self) -> Option<usize> {
        self.0.code_unit()
    }
}

struct CountedEncoder(Box<dyn Encoder>);

impl Encoder for CountedEncoder {
    fn feed(&mut self, src: &str, dst: &mut ByteSink<'_>) -> Step<Unmappable> {
        let step = self.0.feed(src, dst);
        call(step.read);
        step
    }

    fn finish(&mut self, dst: &mut ByteSink<'_>) -> Stop<Unmappable> {
        call(0);
        self.0.finish(dst)
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn encode_replacement(&mut self, ch: char, which: Replacement<'_>, dst: &mut ByteSink<'_>) -> bool {
        call(0);
        self.0.encode_replacement(ch, which, dst)
    }

    fn pending(&self) -> usize {
        self.0.pending()
    }

    fn is_stateless(&self) -> bool {
        self.0.is_stateless()
    }
}
