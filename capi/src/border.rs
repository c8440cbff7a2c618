//! The exported functions. `include/charpipe.h` documents them for C.
//!
//! Every function checks its pointers as far as that is possible, and catches panics, so that none reaches the caller.
//! The header lists the rules that cannot be checked and that the caller has to follow.

#![allow(unsafe_code, reason = "C passes pointers")]

use crate::cells::chart;
use crate::failure::Failure;
pub use crate::handle::Handle;
use crate::handle::{Moved, Task, Texts};
use crate::list;
#[cfg(feature = "inspect")]
use crate::{cells, fields, inspect, rows, schema};
#[cfg(not(target_family = "wasm"))]
use charpipe::CharStop;
use charpipe::Status;
#[cfg(target_family = "wasm")]
use std::alloc::Layout;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{null, null_mut};

/// The number of this interface. It changes if a program has to be compiled again.
const ABI: u32 = 1;

/// `CHARPIPE_NEED_INPUT` and so on.
const NEED_INPUT: c_int = 0;
const NEED_ROOM: c_int = 1;
const DONE: c_int = 2;
#[cfg(not(target_family = "wasm"))]
const BAD_CHAR: c_int = 3;
const ERROR: c_int = -1;

const NULL_LENGTHS: &str = "the pointers for the lengths read and written must not be null";

// --- From pointers and back ------------------------------------------------------------------------------------------

/// Returns the bytes at `start`.
///
/// # Safety
/// `len` bytes at `start` can be read for as long as `'a`, and no one writes them.
#[inline]
unsafe fn bytes<'a>(start: *const c_void, len: usize) -> Result<&'a [u8], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    check(start.cast(), len)?;
    // SAFETY: `start` is not null, `len` is not too large, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(start.cast(), len) })
}

/// Returns the space at `start`.
///
/// # Safety
/// `len` bytes at `start` can be written for as long as `'a`, and no one else reads or writes them.
unsafe fn room<'a>(start: *mut c_void, len: usize) -> Result<&'a mut [u8], Failure> {
    if len == 0 {
        return Ok(&mut []);
    }
    check(start.cast(), len)?;
    // SAFETY: `start` is not null, `len` is not too large, and the caller promises the rest. The library writes the
    // bytes before it reads them.
    Ok(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) })
}

#[inline]
fn check(start: *const u8, len: usize) -> Result<(), Failure> {
    // Nothing that is in memory is longer, or continues beyond the last address.
    let is_possible = isize::try_from(len).is_ok() && start.addr().checked_add(len).is_some();
    if !start.is_null() && is_possible { Ok(()) } else { Err(not_a_buffer(start, len)) }
}

#[cold]
fn not_a_buffer(start: *const u8, len: usize) -> Failure {
    Failure::Usage(match start.is_null() {
        true => format!("a buffer of {len} bytes is a null pointer"),
        false => format!("{len} is not a possible length of a buffer"),
    })
}

/// Returns the bytes of the input and the space for the output, or an error if they have bytes in common.
///
/// # Safety
/// As for [`bytes`] and [`room`]; but that they are apart is checked here.
#[inline]
unsafe fn buffers<'a>(
    input: *const c_void,
    input_len: usize,
    output: *mut c_void,
    output_len: usize,
) -> Result<(&'a [u8], &'a mut [u8]), Failure> {
    // SAFETY: the caller promises it.
    let input = unsafe { bytes(input, input_len)? };
    if output_len == 0 {
        return Ok((input, &mut []));
    }
    check(output.cast(), output_len)?;
    let (start, to) = (input.as_ptr().addr(), output.addr());
    if start < to + output_len && to < start + input_len && input_len > 0 {
        return Err(Failure::Usage("the input and the output overlap".to_owned()));
    }
    // SAFETY: the same as in `room`, and no byte of it is in `input`.
    Ok((input, unsafe { std::slice::from_raw_parts_mut(output.cast(), output_len) }))
}

/// Stores a length where the caller wants to have it.
///
/// # Safety
/// `at` is null or can be written.
unsafe fn store(at: *mut usize, len: usize) {
    if !at.is_null() {
        // SAFETY: `at` is not null, and the caller promises the rest.
        unsafe { at.write(len) };
    }
}

/// Returns the handle, and where the length written goes, which is 0 now; `None` if one is null. Then the handle, if
/// there is one, has the error.
///
/// # Safety
/// `handle` is null, or open and used by no other thread; `written` is null or can be written. Both stay so for as long
/// as `'a`.
unsafe fn with_length<'a>(handle: *mut Handle, written: *mut usize) -> Option<(&'a mut Handle, &'a mut usize)> {
    // SAFETY: the caller promises it.
    let (handle, written) = unsafe {
        store(written, 0);
        (handle.as_mut()?, written.as_mut())
    };
    if written.is_none() {
        handle.fail(Failure::Usage("the pointer for the length written must not be null".to_owned()));
    }
    Some((handle, written?))
}

/// Returns a text that ends with a NUL; empty for a null pointer.
///
/// # Safety
/// `start` is null, or the bytes from `start` to the next NUL can be read for as long as `'a`, and no one writes them.
unsafe fn text<'a>(start: *const c_char) -> Result<&'a str, Failure> {
    if start.is_null() {
        return Ok("");
    }
    // SAFETY: the caller promises it.
    let text = unsafe { CStr::from_ptr(start) };
    text.to_str().map_err(|error| Failure::Usage(format!("the text is not valid UTF-8: {error}")))
}

/// Returns `text` for C. Its JSON and its messages have no NUL; if one had, it would end there.
fn c_string(text: String) -> CString {
    CString::new(text).unwrap_or_else(|error| {
        let len = error.nul_position();
        let mut bytes = error.into_vec();
        bytes.truncate(len);
        CString::new(bytes).unwrap_or_default()
    })
}

/// Runs `action`, and returns `otherwise` if it panics.
fn guarded<T>(otherwise: T, action: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or(otherwise)
}

/// Lends a text: keeps it where `slot` says, and returns a pointer to it. Null if there is no text.
fn lend(
    handle: Option<&mut Handle>,
    slot: fn(&mut Texts) -> &mut CString,
    make: impl FnOnce(&Handle) -> Option<String>,
) -> *const c_char {
    let Some(handle) = handle else { return null() };
    guarded(null(), || match make(handle) {
        Some(text) => {
            let slot = slot(handle.texts());
            *slot = c_string(text);
            slot.as_ptr()
        }
        None => null(),
    })
}

/// Gives a text away: the caller frees it. Null if it panics.
fn give(make: impl FnOnce() -> Result<String, Failure>) -> *mut c_char {
    guarded(null_mut(), || {
        let text = make().unwrap_or_else(|failure| serde_json::json!({ "error": failure.json() }).to_string());
        c_string(text).into_raw()
    })
}

// --- The interface ---------------------------------------------------------------------------------------------------

/// Returns the number of this interface.
#[unsafe(no_mangle)]
pub extern "C" fn charpipe_abi() -> u32 {
    ABI
}

/// Returns the version of charpipe.
#[unsafe(no_mangle)]
pub extern "C" fn charpipe_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}

/// # Safety
/// `options` is null or ends with a NUL.
unsafe fn open(task: Task, options: *const c_char) -> *mut Handle {
    let make = || {
        // SAFETY: the caller promises it.
        let handle = match unsafe { text(options) } {
            Ok(options) => Handle::open(task, options),
            Err(failure) => Handle::failed(failure),
        };
        Box::into_raw(Box::new(handle))
    };
    guarded(null_mut(), make)
}

/// Opens a conversion.
///
/// # Safety
/// `options` is null or ends with a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_open(options: *const c_char) -> *mut Handle {
    // SAFETY: the caller promises it.
    unsafe { open(Task::Convert, options) }
}

/// Opens a detection.
///
/// # Safety
/// `options` is null or ends with a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_open_detector(options: *const c_char) -> *mut Handle {
    // SAFETY: the caller promises it.
    unsafe { open(Task::Detect, options) }
}

/// Runs `action`, and keeps its error, or that it panicked, in the handle. Returns how many bytes were read and written,
/// and the status for C.
fn act(
    handle: &mut Handle,
    action: impl FnOnce(&mut Handle) -> Result<(usize, usize, c_int), Failure>,
) -> (usize, usize, c_int) {
    const FAILED: (usize, usize, c_int) = (0, 0, ERROR);
    // The closure returns plain numbers: for a short text, a result that has to be dropped would take noticeable time.
    let caught = catch_unwind(AssertUnwindSafe(|| match action(handle) {
        Ok(moved) => {
            handle.forgive();
            moved
        }
        Err(failure) => {
            handle.fail(failure);
            FAILED
        }
    }));
    caught.unwrap_or_else(|_| {
        handle.fail(Failure::Internal);
        FAILED
    })
}

/// Makes a step, and maps its outcome to what C sees.
fn advance(handle: &mut Handle, step: impl FnOnce(&mut Handle) -> Result<Moved, Failure>) -> (usize, usize, c_int) {
    act(handle, |handle| {
        let (read, written, status) = step(handle)?;
        let status = match status {
            Status::NeedInput => NEED_INPUT,
            Status::NeedRoom => NEED_ROOM,
            Status::Done => DONE,
        };
        Ok((read, written, status))
    })
}

/// Takes input and gives output.
///
/// # Safety
/// As `charpipe.h` says: the handle is open and no other thread uses it; the buffers have these lengths and do not
/// overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_step(
    handle: *mut Handle,
    input: *const c_void,
    input_len: usize,
    read: *mut usize,
    output: *mut c_void,
    output_len: usize,
    written: *mut usize,
) -> c_int {
    // SAFETY: the caller promises that each of these is null or valid.
    let handle = unsafe {
        store(read, 0);
        store(written, 0);
        handle.as_mut()
    };
    let Some(handle) = handle else { return ERROR };
    if read.is_null() || written.is_null() {
        handle.fail(Failure::Usage(NULL_LENGTHS.to_owned()));
        return ERROR;
    }
    let (taken, given, status) = advance(handle, |handle| {
        // SAFETY: the caller promises it.
        let (input, output) = unsafe { buffers(input, input_len, output, output_len)? };
        handle.step(input, output, false)
    });
    // SAFETY: the caller promises that they are valid.
    unsafe {
        store(read, taken);
        store(written, given);
    }
    status
}

/// Takes whole characters, as far as it gives all of their output. The WebAssembly module does not have this function.
///
/// # Safety
/// As for [`charpipe_step`].
#[cfg(not(target_family = "wasm"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_convert(
    handle: *mut Handle,
    input: *const c_void,
    input_len: usize,
    read: *mut usize,
    output: *mut c_void,
    output_len: usize,
    written: *mut usize,
) -> c_int {
    // SAFETY: the caller promises that each of these is null or valid.
    let (handle, lengths) = unsafe {
        store(read, 0);
        store(written, 0);
        (handle.as_mut(), read.as_mut().zip(written.as_mut()))
    };
    let Some(handle) = handle else { return ERROR };
    let Some((read, written)) = lengths else {
        handle.fail(Failure::Usage(NULL_LENGTHS.to_owned()));
        return ERROR;
    };
    let (taken, given, status) = attempt(handle, |handle| {
        // SAFETY: the caller promises it.
        let (input, output) = unsafe { buffers(input, input_len, output, output_len)? };
        handle.convert(input, output)
    });
    (*read, *written) = (taken, given);
    status
}

/// Makes an attempt, and maps its outcome to what C sees.
#[cfg(not(target_family = "wasm"))]
fn attempt(
    handle: &mut Handle,
    action: impl FnOnce(&mut Handle) -> Result<(usize, usize, CharStop), Failure>,
) -> (usize, usize, c_int) {
    act(handle, |handle| {
        let (read, written, stop) = action(handle)?;
        let status = match stop {
            CharStop::NoRoom => NEED_ROOM,
            CharStop::Fault => BAD_CHAR,
            _ => NEED_INPUT,
        };
        Ok((read, written, status))
    })
}

/// Ends a text of which all was converted by [`charpipe_convert`], so that another one can begin.
///
/// # Safety
/// As for [`charpipe_step`].
#[cfg(not(target_family = "wasm"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_end_text(
    handle: *mut Handle,
    output: *mut c_void,
    output_len: usize,
    written: *mut usize,
) -> c_int {
    // SAFETY: the caller promises it.
    let Some((handle, written)) = (unsafe { with_length(handle, written) }) else { return ERROR };
    let (_, given, status) = attempt(handle, |handle| {
        // SAFETY: the caller promises it.
        let output = unsafe { room(output, output_len)? };
        handle.end_text(output)
    });
    *written = given;
    status
}

/// Returns how many characters that the target lacks were replaced or dropped.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[cfg(not(target_family = "wasm"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_replaced(handle: *const Handle) -> u64 {
    // SAFETY: the caller promises it.
    unsafe { handle.as_ref() }.map_or(0, Handle::replaced)
}

/// Says that there is no more input, and gives the rest of the output.
///
/// # Safety
/// As for [`charpipe_step`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_finish(
    handle: *mut Handle,
    output: *mut c_void,
    output_len: usize,
    written: *mut usize,
) -> c_int {
    // SAFETY: the caller promises it.
    let Some((handle, written)) = (unsafe { with_length(handle, written) }) else { return ERROR };
    let (_, given, status) = advance(handle, |handle| {
        // SAFETY: the caller promises it.
        let output = unsafe { room(output, output_len)? };
        handle.step(&[], output, true)
    });
    *written = given;
    status
}

/// Converts a whole input from the beginning: a value of many that have the same options.
///
/// # Safety
/// As for [`charpipe_step`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_value(
    handle: *mut Handle,
    input: *const c_void,
    input_len: usize,
    output: *mut c_void,
    output_len: usize,
    written: *mut usize,
) -> c_int {
    // SAFETY: the caller promises it.
    let Some((handle, written)) = (unsafe { with_length(handle, written) }) else { return ERROR };
    let (.., status) = advance(handle, |handle| {
        // SAFETY: the caller promises it.
        let (input, output) = unsafe { buffers(input, input_len, output, output_len)? };
        handle.value(input, output, written)
    });
    status
}

/// Returns a copy of a stream, or null. The WebAssembly module has neither this nor the next function: nothing in
/// `web/` uses them, and its size matters.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[cfg(not(target_family = "wasm"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_fork(handle: *const Handle) -> *mut Handle {
    // SAFETY: the caller promises it.
    let handle = unsafe { handle.as_ref() };
    guarded(null_mut(), || handle.and_then(Handle::fork).map_or(null_mut(), |copy| Box::into_raw(Box::new(copy))))
}

/// Returns how many of the bytes that were taken mean nothing before more input comes.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[cfg(not(target_family = "wasm"))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_pending(handle: *const Handle) -> usize {
    // SAFETY: the caller promises it.
    let handle = unsafe { handle.as_ref() };
    guarded(0, || handle.map_or(0, Handle::pending))
}

/// Begins a new stream with the same options.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_reset(handle: *mut Handle) {
    // SAFETY: the caller promises it.
    if let Some(handle) = unsafe { handle.as_mut() } {
        guarded((), || handle.reset());
    }
}

/// Frees a handle.
///
/// # Safety
/// `handle` is null or open, and no one uses it, or a text that it lent, from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_free(handle: *mut Handle) {
    if !handle.is_null() {
        // SAFETY: `open` made it with `Box::into_raw`, and the caller promises the rest.
        guarded((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// Returns the verdict as JSON.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_verdict(handle: *mut Handle) -> *const c_char {
    // SAFETY: the caller promises it.
    lend(unsafe { handle.as_mut() }, |texts| &mut texts.verdict, Handle::verdict)
}

/// Returns the report as JSON.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_report(handle: *mut Handle) -> *const c_char {
    // SAFETY: the caller promises it.
    lend(unsafe { handle.as_mut() }, |texts| &mut texts.report, Handle::report)
}

/// Returns the last error as JSON.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_error(handle: *mut Handle) -> *const c_char {
    let json = |handle: &Handle| handle.failure().map(|failure| failure.json().to_string());
    // SAFETY: the caller promises it.
    lend(unsafe { handle.as_mut() }, |texts| &mut texts.error, json)
}

/// Returns the code of the last error.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_error_code(handle: *mut Handle) -> *const c_char {
    // SAFETY: the caller promises it.
    match unsafe { handle.as_mut() } {
        None => c"no-handle".as_ptr(),
        handle => lend(handle, |texts| &mut texts.code, |handle| handle.failure().map(|it| it.code().to_owned())),
    }
}

/// Returns the message of the last error.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_error_message(handle: *mut Handle) -> *const c_char {
    // SAFETY: the caller promises it.
    match unsafe { handle.as_mut() } {
        None => c"the handle is a null pointer".as_ptr(),
        handle => lend(handle, |texts| &mut texts.message, |handle| handle.failure().map(Failure::message)),
    }
}

/// Returns the position of the last error, or -1.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_error_offset(handle: *const Handle) -> i64 {
    // SAFETY: the caller promises it.
    let offset = unsafe { handle.as_ref() }.and_then(Handle::failure).and_then(Failure::offset);
    offset.and_then(|offset| offset.try_into().ok()).unwrap_or(-1)
}

/// Returns the number of the record of the last error, or 0.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_error_record(handle: *const Handle) -> u64 {
    // SAFETY: the caller promises it.
    let record = unsafe { handle.as_ref() }.and_then(Handle::failure).and_then(Failure::record);
    record.map_or(0, |(number, _)| number)
}

/// Returns the line of the last error, or 0.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_error_line(handle: *const Handle) -> u64 {
    // SAFETY: the caller promises it.
    unsafe { handle.as_ref() }.and_then(Handle::failure).and_then(Failure::line).unwrap_or(0)
}

/// Returns the column of the last error in its line or in its record, or 0.
///
/// # Safety
/// `handle` is null or open, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_error_column(handle: *const Handle) -> u64 {
    // SAFETY: the caller promises it.
    unsafe { handle.as_ref() }.and_then(Handle::failure).and_then(Failure::column).unwrap_or(0)
}

/// Returns the encodings as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn charpipe_names() -> *mut c_char {
    give(|| Ok(list::encodings()))
}

/// Returns the options as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn charpipe_options() -> *mut c_char {
    give(|| Ok(list::options()))
}

/// Returns a code chart as JSON.
///
/// # Safety
/// `label` is null or ends with a NUL; `lead_len` bytes at `lead` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_chart(label: *const c_char, lead: *const c_void, lead_len: usize) -> *mut c_char {
    // SAFETY: the caller promises it.
    give(|| Ok(chart(unsafe { text(label)? }, unsafe { bytes(lead, lead_len)? }).to_string()))
}

/// Returns what each byte is, as JSON.
///
/// # Safety
/// `label` is null or ends with a NUL; `len` bytes at `input` can be read.
#[cfg(feature = "inspect")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_explain(
    label: *const c_char,
    input: *const c_void,
    len: usize,
    is_last: c_int,
) -> *mut c_char {
    // SAFETY: the caller promises it.
    give(|| Ok(cells::explain(unsafe { text(label)? }, unsafe { bytes(input, len)? }, is_last != 0).to_string()))
}

/// Returns where the records are, as JSON.
///
/// # Safety
/// `shape` is null or ends with a NUL; `len` bytes at `input` can be read.
#[cfg(feature = "inspect")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_records(
    shape: *const c_char,
    input: *const c_void,
    len: usize,
    is_last: c_int,
) -> *mut c_char {
    // SAFETY: the caller promises it.
    give(|| Ok(inspect::records(unsafe { text(shape)? }, unsafe { bytes(input, len)? }, is_last != 0).to_string()))
}

/// Returns where the records are, as JSON, with the options and the layout of a rows job.
///
/// # Safety
/// `options` is null or ends with a NUL; `layout_len` bytes at `layout` and `len` bytes at `input` can be read.
#[cfg(feature = "inspect")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_records_with(
    options: *const c_char,
    layout: *const c_void,
    layout_len: usize,
    input: *const c_void,
    len: usize,
) -> *mut c_char {
    let json = || {
        // SAFETY: the caller promises it.
        let (options, layout, input) = unsafe { (text(options)?, bytes(layout, layout_len)?, bytes(input, len)?) };
        Ok(rows::places(options, layout, input).to_string())
    };
    give(json)
}

/// Opens a conversion of records to rows.
///
/// # Safety
/// `options` is null or ends with a NUL; `layout_len` bytes at `layout` can be read.
#[cfg(feature = "inspect")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_open_rows(
    options: *const c_char,
    layout: *const c_void,
    layout_len: usize,
) -> *mut Handle {
    let make = || {
        // SAFETY: the caller promises it.
        let given = unsafe { text(options) }.and_then(|options| Ok((options, unsafe { bytes(layout, layout_len)? })));
        let handle = match given {
            Ok((options, layout)) => Handle::open_rows(options, layout),
            Err(failure) => Handle::failed(failure),
        };
        Box::into_raw(Box::new(handle))
    };
    guarded(null_mut(), make)
}

/// Returns the likely record shapes, as JSON.
///
/// # Safety
/// `len` bytes at `input` can be read.
#[cfg(feature = "inspect")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_sniff(input: *const c_void, len: usize, is_last: c_int) -> *mut c_char {
    // SAFETY: the caller promises it.
    give(|| Ok(inspect::sniff(unsafe { bytes(input, len)? }, is_last != 0).to_string()))
}

/// Returns the fields of a record, as JSON.
///
/// # Safety
/// `options` is null or ends with a NUL; `layout_len` bytes at `layout` and `len` bytes at `record` can be read.
#[cfg(feature = "inspect")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_fields(
    options: *const c_char,
    layout: *const c_void,
    layout_len: usize,
    record: *const c_void,
    len: usize,
) -> *mut c_char {
    let json = || {
        // SAFETY: the caller promises it.
        let (options, layout, record) = unsafe { (text(options)?, bytes(layout, layout_len)?, bytes(record, len)?) };
        Ok(fields::fields(options, layout, record).to_string())
    };
    give(json)
}

/// Returns the schema of the rows of a layout, as JSON.
///
/// # Safety
/// `options` and `format` are null or end with a NUL; `layout_len` bytes at `layout` can be read.
#[cfg(feature = "inspect")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_schema(
    options: *const c_char,
    layout: *const c_void,
    layout_len: usize,
    format: *const c_char,
) -> *mut c_char {
    let json = || {
        // SAFETY: the caller promises it.
        let (options, layout, format) = unsafe { (text(options)?, bytes(layout, layout_len)?, text(format)?) };
        Ok(schema::schema(options, layout, format).to_string())
    };
    give(json)
}

/// Frees a text that a function gave away.
///
/// # Safety
/// `text` is null or comes from a function whose texts the caller frees, and no one uses it from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_free_text(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: `give` made it with `CString::into_raw`, and the caller promises the rest.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Returns `len` bytes of memory, for a host that cannot allocate in the memory of this module. Null if there is none.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub extern "C" fn charpipe_alloc(len: usize) -> *mut c_void {
    match Layout::from_size_align(len.max(1), ALIGN) {
        // SAFETY: the size is not 0.
        Ok(layout) => unsafe { std::alloc::alloc(layout) }.cast(),
        Err(_) => null_mut(),
    }
}

/// The alignment of this memory: that of the lengths that the functions write.
#[cfg(target_family = "wasm")]
const ALIGN: usize = 8;

/// Frees memory of [`charpipe_alloc`].
///
/// # Safety
/// `memory` comes from `charpipe_alloc` with this `len`, and no one uses it from now on.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn charpipe_dealloc(memory: *mut c_void, len: usize) {
    if let (Ok(layout), false) = (Layout::from_size_align(len.max(1), ALIGN), memory.is_null()) {
        // SAFETY: `charpipe_alloc` made it with this layout, and the caller promises the rest.
        unsafe { std::alloc::dealloc(memory.cast(), layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A handle may move from thread to thread.
    #[test]
    fn handles_are_send() {
        fn is_send<T: Send>() {}
        is_send::<Handle>();
    }
}
