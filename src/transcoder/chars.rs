//! Converts whole characters: the transcoder takes input only if all of its output fits, as `iconv(3)` does.
//!
//! Most input is converted [at once](super::way::at_once), which can be undone. If that is not possible, a
//! [copy](Transcoder::fork) of the transcoder tries, and replaces the original if it succeeds.

use super::choices::OnMalformed;
use super::way::Route;
use super::way::at_once::Tried;
use super::{Phase, Status, Transcoder, watch_label};
use crate::error::Error;

/// The most input for one attempt, in bytes, and the least. After a failed attempt less is converted character by
/// character.
const MOST: usize = 16 * 1024;
const LEAST: usize = 8;

/// The result of [`Transcoder::step_chars`] and [`Transcoder::end_chars`].
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CharProgress {
    /// Bytes taken from `src`: whole characters and shift codes.
    pub read: usize,
    /// The number of bytes written to `dst` for these characters.
    pub written: usize,
    /// Why it stopped there.
    pub stop: CharStop,
}

/// Why [`Transcoder::step_chars`] stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CharStop {
    /// All of `src` was taken.
    End,
    /// The rest of `src` is the beginning of a character.
    Unfinished,
    /// The output for the next character does not fit into `dst`.
    NoRoom,
    /// The next bytes are malformed, or a character that the target lacks, and the policies do not allow that.
    Fault,
    /// It cannot go back from here, so it cannot try; see [`Transcoder::fork`].
    Unable,
}

impl Transcoder {
    /// Takes whole characters from `src` and puts them into `dst`, and stops before a character that it cannot
    /// convert. That is not an error of the transcoder: it stays in the state before that character, and goes
    /// on with any other input, or with more room. [`step`](Self::step), in contrast, keeps the beginning of a
    /// character and output for which there was no room, and ends at an error.
    ///
    /// A call for a few characters takes tens of nanoseconds and allocates nothing. As long as detection looks
    /// at the beginning of the input, that beginning counts as unfinished: nothing of it is taken. A base
    /// letter whose combining mark may share its code is taken, and its output comes later.
    ///
    /// ```
    /// use charpipe::{CharStop, Transcode};
    ///
    /// let job = Transcode::new().source_encoding("UTF-8")?.target_encoding("IBM939")?;
    /// let (mut transcoder, mut room) = (job.transcoder()?, [0; 16]);
    /// // The second character is cut.
    /// let step = transcoder.step_chars(b"\xE6\x97\xA5\xE6\x9C", &mut room);
    /// assert_eq!((step.read, step.stop), (3, CharStop::Unfinished));
    /// assert_eq!(&room[..step.written], b"\x0E\x45\x62");
    /// // IBM939 has no Hebrew letters. The text goes on after it.
    /// let step = transcoder.step_chars("א".as_bytes(), &mut room);
    /// assert_eq!((step.read, step.stop), (0, CharStop::Fault));
    /// let step = transcoder.step_chars("本".as_bytes(), &mut room);
    /// assert_eq!((&room[..step.written], step.stop), (&b"\x45\x66"[..], CharStop::End));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn step_chars(&mut self, src: &[u8], dst: &mut [u8]) -> CharProgress {
        let (mut read, mut written, mut most) = (0, 0, MOST);
        while read < src.len() {
            let (rest, room) = (&src[read..], &mut dst[written..]);
            // Few characters have more than four bytes for one of the output.
            let len = rest.len().min(most).min(LEAST + 4 * room.len());
            let tried = match self.attempt(&rest[..len], room) {
                Tried::Done(taken, given) if taken > 0 => Tried::Done(taken, given),
                Tried::Unfinished if len == rest.len() => Tried::Unfinished,
                _ if len >= LEAST => {
                    most = len / 2;
                    continue;
                }
                _ => self.attempt_char(rest, room),
            };
            let stop = match tried {
                Tried::Done(taken, given) => {
                    read += taken;
                    written += given;
                    continue;
                }
                Tried::Unfinished => CharStop::Unfinished,
                Tried::NoRoom => CharStop::NoRoom,
                Tried::Fault => CharStop::Fault,
                Tried::Unable => CharStop::Unable,
            };
            return CharProgress { read, written, stop };
        }
        CharProgress { read, written, stop: CharStop::End }
    }

    /// Ends a text after [`step_chars`](Self::step_chars), so that another one in the same charset can begin: writes
    /// what leads back to the initial shift state, and goes there. The rest is as if the input continued: offsets are
    /// counted, and the report grows. If what it writes does not fit, it changes nothing and stops with
    /// [`CharStop::NoRoom`]; with [`CharStop::Unable`] if something is held back, or if the encoding is not known yet.
    ///
    /// ```
    /// use charpipe::{CharStop, Transcode};
    ///
    /// let job = Transcode::new().source_encoding("UTF-8")?.target_encoding("IBM939")?;
    /// let (mut transcoder, mut room) = (job.transcoder()?, [0; 16]);
    /// for _ in 0..2 {
    ///     let step = transcoder.step_chars("日本".as_bytes(), &mut room);
    ///     assert_eq!(&room[..step.written], b"\x0E\x45\x62\x45\x66");
    ///     let end = transcoder.end_chars(&mut room);
    ///     assert_eq!((&room[..end.written], end.stop), (&b"\x0F"[..], CharStop::End));
    /// }
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn end_chars(&mut self, dst: &mut [u8]) -> CharProgress {
        let (written, stop) = match self.at_once(|route| route.end_at_once(dst)) {
            Tried::Done(_, written) => (written, CharStop::End),
            Tried::NoRoom => (0, CharStop::NoRoom),
            Tried::Unfinished | Tried::Fault | Tried::Unable => (0, CharStop::Unable),
        };
        self.run.report.bytes_out += written as u64;
        CharProgress { read: 0, written, stop }
    }

    /// Converts the first character, or shift code, of `src`.
    fn attempt_char(&mut self, src: &[u8], dst: &mut [u8]) -> Tried {
        for len in 1..=src.len() {
            match self.attempt(&src[..len], dst) {
                Tried::Unfinished => {}
                tried => return tried,
            }
        }
        Tried::Unfinished
    }

    /// Converts the whole characters of `src`, or nothing.
    fn attempt(&mut self, src: &[u8], dst: &mut [u8]) -> Tried {
        match self.attempt_at_once(src, dst) {
            Tried::Fault if self.fails_at_faults() => Tried::Fault,
            Tried::Fault | Tried::Unable => self.attempt_by_copy(src, dst),
            tried => tried,
        }
    }

    /// Whether no policy does anything else about a fault.
    fn fails_at_faults(&self) -> bool {
        let settings = &self.run.settings;
        let fails = settings.malformed == OnMalformed::Fail && settings.read_as.is_none();
        fails && self.route.as_ref().is_some_and(|route| route.target.policy.always_fails())
    }

    fn attempt_at_once(&mut self, src: &[u8], dst: &mut [u8]) -> Tried {
        let tried = self.at_once(|route| route.convert_at_once(src, dst));
        if let Tried::Done(read, written) = tried {
            let is_same = read == written && self.route.as_ref().is_some_and(Route::is_direct);
            self.suspicion.pass(&src[..read]);
            watch_label(&self.run, &mut self.label, &src[..read], self.run.bytes_in, is_same);
            self.run.bytes_in += read as u64;
            self.run.report.bytes_in = self.run.bytes_in;
            self.run.report.bytes_out += written as u64;
        }
        tried
    }

    /// Lets the route do something at once, if nothing but decoding and encoding is left to do.
    fn at_once(&mut self, act: impl FnOnce(&mut Route) -> Result<Tried, Error>) -> Tried {
        let is_decoding = matches!(self.phase, Phase::Decode) && self.head.is_decoded() && self.choice.is_none();
        let is_held_up = !self.run.queue.is_empty() || !self.run.spill.is_empty() || self.is_running;
        if !is_decoding || is_held_up || self.suspicion.limits(self.position()) {
            return Tried::Unable;
        }
        let Some(route) = self.route.as_mut().filter(|route| route.is_plain()) else { return Tried::Unable };
        // If a codec panics, the next step finds this still set.
        self.is_running = true;
        let tried = act(route);
        self.is_running = false;
        tried.unwrap_or_else(|error| {
            self.fail(error);
            Tried::Unable
        })
    }

    /// Lets a copy convert all of `src`.
    fn attempt_by_copy(&mut self, src: &[u8], dst: &mut [u8]) -> Tried {
        let Some(mut copy) = self.fork() else { return Tried::Unable };
        let (mut read, mut written) = (0, 0);
        loop {
            let Ok(step) = copy.step(&src[read..], &mut dst[written..], false) else { return Tried::Fault };
            read += step.read;
            written += step.written;
            match step.state {
                Status::NeedRoom if step.read == 0 && step.written == 0 => return Tried::NoRoom,
                Status::NeedRoom => {}
                Status::NeedInput => break,
                Status::Done => return Tried::Unable,
            }
        }
        match copy.pending() {
            0 => {}
            pending if pending < src.len() => return self.attempt_by_copy(&src[..src.len() - pending], dst),
            _ => return Tried::Unfinished,
        }
        *self = copy;
        Tried::Done(read, written)
    }
}
