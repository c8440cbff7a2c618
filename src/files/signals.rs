//! Holds INT, TERM and HUP back while a file takes the place of another, and removes temporary files before one of
//! these signals ends the process.
//!
//! All threads block the three signals. (It is not enough to block them in one thread during a rename: the system would
//! deliver them to another thread.) One thread waits until a signal has arrived, and until no file is being put in its
//! place. Then it unblocks the signal, which has its usual effect: it ends the process, or does nothing, as under
//! `nohup`. Until then the signal stays pending, and no other file is put in its place. The system does not let a
//! signal end the first process of a container; that one exits with the status that a shell shows for the signal.

use crate::files::folder::Folder;
#[cfg(unix)]
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

/// Locked for reading by threads that put a file in its place, and for writing by the thread that ends the process.
static BUSY: RwLock<()> = RwLock::new(());

/// Files that have a temporary name and are not in their place yet.
static TEMPORARY: Mutex<Vec<(Arc<Folder>, OsString)>> = Mutex::new(Vec::new());

/// While this exists, none of the three signals ends the process.
pub struct Hold {
    _busy: RwLockReadGuard<'static, ()>,
}

/// Holds signals back. If one has arrived already, it takes effect first. Hold it only briefly, because a user who
/// presses ^C has to wait for it.
pub fn hold() -> Hold {
    loop {
        let hold = Hold { _busy: BUSY.read().unwrap_or_else(PoisonError::into_inner) };
        if !has_arrived() {
            return hold;
        }
        drop(hold);
        std::thread::yield_now();
    }
}

impl Hold {
    /// Notes a file that must be removed if a signal ends the process.
    pub(super) fn note(&self, folder: &Arc<Folder>, name: &OsString) {
        with_temporary(|files| files.push((folder.clone(), name.clone())));
    }
}

/// Forgets a file that was noted: it is in its place, or removed.
pub(super) fn forget(folder: &Arc<Folder>, name: &OsString) {
    with_temporary(|files| files.retain(|(known, file)| !(Arc::ptr_eq(known, folder) && file == name)));
}

fn with_temporary<T>(act: impl FnOnce(&mut Vec<(Arc<Folder>, OsString)>) -> T) -> T {
    act(&mut TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Removes the files that have a temporary name.
#[cfg(unix)]
fn remove_temporary() {
    with_temporary(|files| {
        for (folder, name) in files.drain(..) {
            _ = folder.remove(&name);
        }
    });
}

/// The size of the stack, in bytes, of the thread that waits for signals. It reads at most a small file.
#[cfg(unix)]
const STACK_BYTES: usize = 128 * 1024;

/// Blocks the signals. Returns those of them that were not blocked before by the parent process, and the previous mask.
#[cfg(unix)]
fn block() -> nix::Result<(SigSet, SigSet)> {
    let mut ours: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    let before = ours.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    for signal in &before {
        ours.remove(signal);
    }
    Ok((ours, before))
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{BUSY, PoisonError, STACK_BYTES, SigSet, block, remove_temporary};
    use nix::sys::signalfd::{SfdFlags, SignalFd};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::sync::OnceLock;
    use std::thread;

    /// Becomes readable when one of the signals is pending. It is never read, which would take the signal away.
    static ARRIVED: OnceLock<SignalFd> = OnceLock::new();

    /// Starts to hold signals back during a [`hold`](super::hold). A run that will replace files calls this before it
    /// starts any other thread.
    pub fn watch() {
        if ARRIVED.get().is_some() {
            return;
        }
        let Ok((ours, before)) = block() else { return };
        let arrived = SignalFd::with_flags(&ours, SfdFlags::SFD_CLOEXEC).map(|descriptor| ARRIVED.set(descriptor));
        let watch = move || {
            loop {
                wait(None);
                deliver(&ours);
            }
        };
        let is_set = matches!(arrived, Ok(Ok(())));
        if !is_set || thread::Builder::new().stack_size(STACK_BYTES).spawn(watch).is_err() {
            // Without the thread, the signals must arrive as before.
            _ = before.thread_set_mask();
        }
    }

    /// Returns whether a signal is pending.
    pub(super) fn has_arrived() -> bool {
        wait(Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))
    }

    /// Waits for a signal, at most for `time`. Returns whether one is pending.
    fn wait(time: Option<&Timespec>) -> bool {
        let Some(arrived) = ARRIVED.get() else { return false };
        loop {
            match poll(&mut [PollFd::new(arrived, PollFlags::IN)], time) {
                Err(rustix::io::Errno::INTR) => {}
                found => return found.is_ok_and(|count| count > 0),
            }
        }
    }

    /// Lets the pending signals take effect, once no file is being put in its place.
    fn deliver(ours: &SigSet) {
        let _all = BUSY.write().unwrap_or_else(PoisonError::into_inner);
        let masks = Masks::of_process();
        if masks.as_ref().is_some_and(Masks::is_fatal) {
            remove_temporary();
        }
        if is_first_process()
            && let Some(signal) = masks.map_or_else(taken, |masks| masks.fatal(ours))
        {
            remove_temporary();
            std::process::exit(128 + signal);
        }
        _ = ours.thread_unblock();
        // The signals were ignored, and the run continues.
        _ = ours.thread_block();
    }

    /// Takes a pending signal, and returns its number.
    fn taken() -> Option<i32> {
        ARRIVED.get()?.read_signal().ok()?.map(|info| info.ssi_signo as i32)
    }

    /// Returns whether this is the first process of a container. No signal ends that one which it does not handle, so
    /// it has to end by itself.
    pub fn is_first_process() -> bool {
        std::process::id() == 1
    }

    /// Which signals are pending, and which are blocked and not ignored: bit N-1 for signal N.
    struct Masks {
        pending: u64,
        deadly: u64,
    }

    impl Masks {
        /// Returns `None` if there is no `/proc`.
        fn of_process() -> Option<Self> {
            let status = std::fs::read_to_string("/proc/self/status").ok()?;
            let mask = |name: &str| {
                let value = status.lines().find_map(|line| line.strip_prefix(name));
                value.and_then(|value| u64::from_str_radix(value.trim(), 16).ok()).unwrap_or(0)
            };
            Some(Masks { pending: mask("ShdPnd:"), deadly: mask("SigBlk:") & !mask("SigIgn:") })
        }

        /// Returns whether a pending signal will end the process, as far as this can be known: it may be ignored.
        fn is_fatal(&self) -> bool {
            self.pending & self.deadly != 0
        }

        /// Returns the signal, one of `ours`, that will end the process.
        fn fatal(&self, ours: &SigSet) -> Option<i32> {
            let is_fatal = |signal: &i32| self.pending & self.deadly & 1 << (signal - 1) != 0;
            ours.iter().map(|signal| signal as i32).find(is_fatal)
        }
    }
}

#[cfg(target_os = "linux")]
use linux::has_arrived;
#[cfg(target_os = "linux")]
pub use linux::{is_first_process, watch};

/// Returns `false`: only Linux has containers.
#[cfg(not(target_os = "linux"))]
pub fn is_first_process() -> bool {
    false
}

/// Starts to hold signals back, on systems where a pending signal cannot be seen without taking it. Between the moment
/// in which it is taken and the lock, a file may still be put in its place.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn watch() {
    let Ok((ours, before)) = block() else { return };
    let watch = move || {
        while let Ok(signal) = ours.wait() {
            let _all = BUSY.write().unwrap_or_else(PoisonError::into_inner);
            // An ignored signal does not get here.
            remove_temporary();
            let mut one = SigSet::empty();
            one.add(signal);
            _ = one.thread_unblock();
            _ = nix::sys::signal::raise(signal);
            _ = one.thread_block();
        }
    };
    if std::thread::Builder::new().stack_size(STACK_BYTES).spawn(watch).is_err() {
        _ = before.thread_set_mask();
    }
}

/// Does nothing: only Unix has these signals.
#[cfg(not(unix))]
pub fn watch() {}

#[cfg(not(target_os = "linux"))]
fn has_arrived() -> bool {
    false
}
