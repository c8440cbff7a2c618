//! Tests that the memory of a C stream does not grow with the input: peak memory, counted by the allocator, is the same
//! for an input that is sixteen times as long. A call for a few characters allocates nothing.

#![allow(unsafe_code, reason = "C passes pointers")]

#[path = "../../tests/it/common/work.rs"]
mod work;

use charpipe_capi::*;
use std::ffi::CString;

/// Counts allocations; see `work`.
#[global_allocator]
static ALLOCATOR: work::Counting = work::Counting;

/// Converts `piece` again and again, as often as `times`.
fn convert(options: &str, piece: &[u8], times: usize) {
    let options = CString::new(options).unwrap();
    let (mut read, mut written, mut room) = (0, 0, vec![0_u8; 3 * 4096]);
    // SAFETY: the options end with a NUL, and the handle and the buffers are valid until the end of this function.
    unsafe {
        let stream = charpipe_open(options.as_ptr());
        for _ in 0..times {
            let mut rest = piece;
            while !rest.is_empty() {
                let (input, output) = (rest.as_ptr().cast(), room.as_mut_ptr().cast());
                let status = charpipe_step(stream, input, rest.len(), &mut read, output, room.len(), &mut written);
                assert!(status >= 0, "{options:?}");
                rest = &rest[read..];
            }
        }
        charpipe_free(stream);
    }
}

#[test]
fn it_does_not_grow_with_the_input() {
    for (options, unit) in [
        ("", "plain text, é and 漢字\r\n".as_bytes()),
        ("from=UTF-8\nto=IBM1047\nunmappable=replace\neol=lf", "é漢\n".as_bytes()),
        ("from=IBM930\nmalformed=replace", b"\xC1\x0E\x45\x66\x45\x0F\x25"),
        ("from=IBM037\nrecords=rdw\nto=IBM1047\nto-records=vb", b"\x00\x08\x00\x00\xC1\xC2\xC3\x40"),
    ] {
        let piece = unit.repeat(4096 / unit.len());
        let peak = |times| work::work_in(|| convert(options, &piece, times)).peak;
        // Tables are made once, and not for each stream.
        peak(64);
        let (short, long) = (peak(64), peak(16 * 64));
        assert!(long <= short + (160 << 10) && long < 8 << 20, "{options:?}: {short} bytes at most, then {long}");
    }
}

/// Returns how many allocations `calls` calls of `charpipe_convert` with `input` make, after the first ones.
fn allocations(options: &str, input: &[u8], calls: usize) -> u64 {
    let options = CString::new(format!("{options}\nas=text\nrelabel=never\neol=keep")).unwrap();
    let (mut read, mut written, mut room) = (0, 0, [0_u8; 64]);
    // SAFETY: the options end with a NUL, and the handle and the buffers are valid until the end of this function.
    unsafe {
        let stream = charpipe_open(options.as_ptr());
        let mut convert = || {
            let (start, output) = (input.as_ptr().cast(), room.as_mut_ptr().cast());
            let status = charpipe_convert(stream, start, input.len(), &mut read, output, room.len(), &mut written);
            assert_eq!((status, read), (0, input.len()), "{options:?}");
        };
        // The second of them may still need a larger part of a table than the first.
        (0..3).for_each(|_| convert());
        let work = work::work_in(|| (0..calls).for_each(|_| convert()));
        charpipe_free(stream);
        work.allocations
    }
}

/// Returns how many allocations `calls` calls of `charpipe_value` with `input` make, after the first ones.
fn allocations_of_values(options: &str, input: &[u8], calls: usize) -> u64 {
    let options = CString::new(options).unwrap();
    let (mut written, mut room) = (0, [0_u8; 64]);
    // SAFETY: the options end with a NUL, and the handle and the buffers are valid until the end of this function.
    unsafe {
        let stream = charpipe_open(options.as_ptr());
        let mut value = || {
            let (start, output) = (input.as_ptr().cast(), room.as_mut_ptr().cast());
            let status = charpipe_value(stream, start, input.len(), output, room.len(), &mut written);
            assert_eq!(status, 2, "{options:?}");
        };
        (0..3).for_each(|_| value());
        let work = work::work_in(|| (0..calls).for_each(|_| value()));
        charpipe_free(stream);
        work.allocations
    }
}

#[test]
fn a_short_value_allocates_nothing() {
    for (options, input) in [
        ("", &b"abc"[..]),
        ("from=IBM1047", b"\x81\x82\x83\x51"),
        ("from=UTF-8\nto=UTF-16LE\nbom=strip\nas=text\nrelabel=never", "abcé".as_bytes()),
        // Another one than in the next test: after many texts in any thread, the whole table is made.
        ("from=IBM1399", b"\x81\x82\x83\x0E\x45\x62\x0F"),
        ("from=windows-1252\nmalformed=replace", b"\xE9"),
    ] {
        assert_eq!(allocations_of_values(options, input, 100), 0, "{options:?}");
    }
}

#[test]
fn a_short_call_allocates_nothing() {
    for (options, input) in [
        ("from=ISO-8859-1\nto=UTF-8", &b"abc\xE9"[..]),
        ("from=UTF-8\nto=ISO-8859-1", "abcé".as_bytes()),
        ("from=IBM1047\nto=UTF-8", b"\x81\x82\x83\x51"),
        ("from=UTF-8\nto=UTF-16LE\nbom=strip", "abcé".as_bytes()),
        ("from=Shift_JIS\nto=UTF-8", b"abc\x93\xFA"),
        ("from=UTF-8\nto=EUC-JP", "abc日".as_bytes()),
        ("from=IBM939\nto=UTF-8", b"\x81\x82\x83\x0E\x45\x62\x0F"),
        ("from=UTF-8\nto=ISO-2022-JP", "abc日".as_bytes()),
        ("from=UTF-8\nto=US-ASCII\nunmappable=replace", b"abcd"),
    ] {
        assert_eq!(allocations(options, input, 100), 0, "{options:?}");
    }
}
