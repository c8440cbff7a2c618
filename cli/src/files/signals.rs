//! Holds INT, TERM and HUP back while a file takes the place of another, and removes files that were to take the place of
//! others before one of these signals ends the process.
//!
//! All threads block the three signals. (To block them in one thread for the time of a rename would not do: the system
//! would hand them to another thread.) One thread waits until one has come, and until no file is being put in its place.
//! Then it unblocks the signal, which does what it would have done otherwise: it ends the process, or nothing, as under
//! `nohup`. Until then the signal stays pending, and no other file is put in its place.

use crate::files::folder::Folder;
#[cfg(unix)]
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

/// Read by whoever puts a file in its place, written by the thread that ends the process.
static BUSY: RwLock<()> = RwLock::new(());

/// Files that have a name and are not in their place yet.
static PASSING: Mutex<Vec<(Arc<Folder>, OsString)>> = Mutex::new(Vec::new());

/// While this is held, no signal that can be held back ends the process.
pub(crate) struct Hold {
    _busy: RwLockReadGuard<'static, ()>,
}

/// Holds signals back. Short: whoever presses ^C waits for it. If one has come already, it does its work first.
pub(crate) fn hold() -> Hold {
    loop {
        let hold = Hold { _busy: BUSY.read().unwrap_or_else(PoisonError::into_inner) };
        if !has_come() {
            return hold;
        }
        drop(hold);
        std::thread::yield_now();
    }
}

impl Hold {
    /// Notes a file that is to be removed if the process is ended.
    pub(crate) fn add(&self, folder: &Arc<Folder>, name: &OsString) {
        passing(|files| files.push((folder.clone(), name.clone())));
    }
}

/// Forgets a file that was noted: it is in its place, or gone.
pub(crate) fn forget(folder: &Arc<Folder>, name: &OsString) {
    passing(|files| files.retain(|(known, file)| !(Arc::ptr_eq(known, folder) && file == name)));
}

fn passing<T>(act: impl FnOnce(&mut Vec<(Arc<Folder>, OsString)>) -> T) -> T {
    act(&mut PASSING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Removes the files that have a name and are not in their place.
#[cfg(unix)]
fn remove_passing() {
    passing(|files| {
        for (folder, name) in files.drain(..) {
            _ = folder.remove(&name);
        }
    });
}

/// What the thread that waits for signals has for its stack: it reads a small file at the most.
#[cfg(unix)]
const STACK: usize = 128 * 1024;

/// Blocks the signals. Returns those that were not blocked before, by whoever started the process, and all that were.
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
    use super::{BUSY, PoisonError, STACK, SigSet, block, remove_passing};
    use nix::sys::signalfd::{SfdFlags, SignalFd};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::sync::OnceLock;
    use std::thread;

    /// Can be read when one of the signals is pending. It is not read: the signal would be gone.
    static COME: OnceLock<SignalFd> = OnceLock::new();

    /// Begins to hold signals back where [`hold`](super::hold) says so. To be called before any other thread is started,
    /// by a run that will replace files.
    pub(crate) fn watch() {
        let Ok((ours, before)) = block() else { return };
        let come = SignalFd::with_flags(&ours, SfdFlags::SFD_CLOEXEC).map(|come| COME.set(come));
        let serve = move || {
            loop {
                wait(None);
                serve(&ours);
            }
        };
        let is_set = matches!(come, Ok(Ok(())));
        if !is_set || thread::Builder::new().stack_size(STACK).spawn(serve).is_err() {
            // Without the thread, the signals have to come through as they did.
            _ = before.thread_set_mask();
        }
    }

    /// Whether a signal has come that has not done its work yet.
    pub(crate) fn has_come() -> bool {
        wait(Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))
    }

    fn wait(time: Option<&Timespec>) -> bool {
        let Some(come) = COME.get() else { return false };
        loop {
            match poll(&mut [PollFd::new(come, PollFlags::IN)], time) {
                Err(rustix::io::Errno::INTR) => {}
                found => return found.is_ok_and(|count| count > 0),
            }
        }
    }

    /// Has the signals that have come do their work, once no file is being put in its place.
    fn serve(ours: &SigSet) {
        let _all = BUSY.write().unwrap_or_else(PoisonError::into_inner);
        if is_fatal() {
            remove_passing();
        }
        _ = ours.thread_unblock();
        // They were ignored: the run goes on.
        _ = ours.thread_block();
    }

    /// Whether a signal that has come will end the process, so far as that can be known: it may be ignored, and the
    /// first process of a container is not ended by a signal that it does not handle.
    fn is_fatal() -> bool {
        if std::process::id() == 1 {
            return false;
        }
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name));
            value.and_then(|value| u64::from_str_radix(value.trim(), 16).ok()).unwrap_or(0)
        };
        mask("ShdPnd:") & mask("SigBlk:") & !mask("SigIgn:") != 0
    }
}

#[cfg(target_os = "linux")]
use linux::has_come;
#[cfg(target_os = "linux")]
pub(crate) use linux::watch;

/// The same where only taking a signal tells that it has come: for an instant nobody knows of it.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn watch() {
    let Ok((ours, before)) = block() else { return };
    let serve = move || {
        while let Ok(signal) = ours.wait() {
            let _all = BUSY.write().unwrap_or_else(PoisonError::into_inner);
            // One that is ignored does not come here.
            remove_passing();
            let mut one = SigSet::empty();
            one.add(signal);
            _ = one.thread_unblock();
            _ = nix::sys::signal::raise(signal);
            _ = one.thread_block();
        }
    };
    if std::thread::Builder::new().stack_size(STACK).spawn(serve).is_err() {
        _ = before.thread_set_mask();
    }
}

#[cfg(not(unix))]
pub(crate) fn watch() {}

#[cfg(not(target_os = "linux"))]
fn has_come() -> bool {
    false
}
