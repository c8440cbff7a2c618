//! Code shared by the fuzz targets: choices taken from the first bytes of the fuzzer's input, and the codecs to choose
//! from.
//!
//! An input consists of choices, one byte each, followed by a payload. The first nine choices say how the payload is
//! cut; the choices of the target follow. A missing byte counts as 0, so every input is usable.

#[path = "../../tests/it/common/mod.rs"]
mod common;

pub use common::layouts::check_bytes;
pub use common::{Outcome, encode};

use charpipe::codec::{MIN_ROOM, Stop, Utf8Sink};
use charpipe::{Codec, Registry, Transcode};
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

/// The built-in codecs, in registration order. New codecs are added at the end, so that the numbers in existing seeds
/// keep their meaning.
pub static CODECS: LazyLock<Vec<Arc<dyn Codec>>> = LazyLock::new(|| Registry::builtin().codecs().cloned().collect());

/// Takes choices from the beginning of the fuzzer's input.
pub struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Choices(data)
    }

    pub fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }

    pub fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.byte() as usize % of.len()]
    }

    /// Returns a codec, or `None` for choice 0.
    pub fn codec_or_none(&mut self) -> Option<&'static Arc<dyn Codec>> {
        let codecs = &*CODECS;
        (self.byte() as usize % (codecs.len() + 1)).checked_sub(1).map(|index| &codecs[index])
    }

    pub fn codec(&mut self) -> &'static Arc<dyn Codec> {
        self.one(&CODECS)
    }

    /// Returns the rest of the input.
    pub fn payload(self) -> &'a [u8] {
        self.0
    }
}

/// How an input is cut, and how much space its output gets: the sizes of pieces and of output buffers, used in
/// rotation.
pub struct Cuts {
    pub pieces: [usize; 4],
    pub buffer_sizes: [usize; 4],
    /// The end of the input is signalled in a separate call.
    pub late_eof: bool,
}

impl Cuts {
    pub fn new(choices: &mut Choices<'_>) -> Self {
        let mut pieces = [(); 4].map(|()| choices.byte() as usize % 40);
        // Sizes around the minimum buffer size of the codecs, and around twice that size, matter most.
        let mut buffer_sizes = [(); 4].map(|()| choices.byte() as usize % 140);
        pieces[3] = pieces[3].max(1);
        buffer_sizes[3] = buffer_sizes[3].max(1);
        Cuts { pieces, buffer_sizes, late_eof: choices.byte() % 2 == 1 }
    }

    /// Returns the same cuts with all sizes multiplied by `factor`.
    pub fn times(self, factor: usize) -> Self {
        Cuts {
            pieces: self.pieces.map(|len| len * factor),
            buffer_sizes: self.buffer_sizes.map(|len| len * factor),
            ..self
        }
    }

    /// Runs `job` on `input` in these pieces.
    pub fn run(&self, job: &Transcode, input: &[u8]) -> Outcome {
        let (mut pieces, mut buffer_sizes) = (self.pieces.into_iter().cycle(), self.buffer_sizes.into_iter().cycle());
        common::drive(job, input, &mut pieces, &mut buffer_sizes, self.late_eof)
    }
}

/// Runs `job` on `input` in one piece, with an output buffer larger than it ever needs at a time.
pub fn whole(job: &Transcode, input: &[u8]) -> Outcome {
    common::drive(job, input, &mut std::iter::repeat(usize::MAX), &mut std::iter::repeat(1 << 17), false)
}

/// The codecs that have only one form for each character and therefore reproduce every byte they could read: the
/// Unicode encodings with a fixed byte order, and the single-byte charsets without a character at two positions.
pub static REVERSIBLE: LazyLock<Vec<Arc<dyn Codec>>> = LazyLock::new(|| {
    let unicode = ["UTF-8", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE"];
    let odd = ["X-ISO-10646-UCS-4-2143", "X-ISO-10646-UCS-4-3412"];
    let of_one_order = |codec: &dyn Codec| unicode.contains(&codec.name()) || odd.contains(&codec.name());
    let codecs = CODECS.iter().filter(|codec| of_one_order(&***codec) || is_single_byte_and_injective(&***codec));
    codecs.cloned().collect()
});

fn is_single_byte_and_injective(codec: &dyn Codec) -> bool {
    let mut seen = HashSet::new();
    codec.encoder().is_some()
        && (0..=255).all(|byte| {
            let mut decoder = codec.decoder();
            let mut buffer = [0; MIN_ROOM];
            let mut sink = Utf8Sink::new(&mut buffer);
            let step = decoder.feed(&[byte], &mut sink);
            let whole = step.read == 1 && decoder.pending() == 0;
            whole
                && match step.stop {
                    Stop::Fault(_) => true,
                    _ => sink.as_str().chars().count() == 1 && seen.insert(sink.as_str().to_owned()),
                }
        })
}
