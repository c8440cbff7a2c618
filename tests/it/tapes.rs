//! Tests that a tape that is read and written again has the same blocks, the same files, and the same bytes.

use crate::common::invariant;
use charpipe::Transcode;
use charpipe::records::Shape;

/// Returns a tape image of these blocks. An empty block is a tape mark.
fn tape(blocks: &[&[u8]]) -> Vec<u8> {
    let (mut image, mut previous) = (Vec::new(), 0u16);
    for block in blocks {
        let len = block.len() as u16;
        image.extend(len.to_le_bytes());
        image.extend(previous.to_le_bytes());
        image.extend(if block.is_empty() { [0x40, 0] } else { [0xA0, 0] });
        image.extend_from_slice(block);
        previous = len;
    }
    image
}

fn text(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|at| if at % 80 > 60 { 0x40 } else { 0x81 + ((at / 7 + seed) % 9) as u8 }).collect()
}

/// Converts records to records.
fn through(page: &str, to: &str, read_as: &str, write_as: &str, input: &[u8]) -> Vec<u8> {
    let job = Transcode::new().source_encoding(page).unwrap().target_encoding(to).unwrap();
    let job = job.records(read_as.parse().unwrap()).to_records(write_as.parse().unwrap());
    let mut output = Vec::new();
    job.run(input, &mut output).unwrap();
    output
}

#[test]
fn blocks_of_3200_bytes_round_trip() {
    let (block, other, short) = (text(3200, 0), text(3200, 3), text(1120, 5));
    let mark: &[u8] = b"";
    for image in [
        tape(&[&block, &other, &short, mark]),
        tape(&[&block, &other, mark, mark]),
        tape(&[&short, mark, &block, &short, mark, mark]),
        tape(&[mark, &block, mark]),
        tape(&[mark]),
    ] {
        // Converted by a table, and through text.
        for (page, other) in [("IBM037", "IBM037"), ("IBM939", "IBM939"), ("IBM037", "IBM1047")] {
            let output = through(page, other, "awstape,fb:80", "awstape,fb:80,blksize=3200", &image);
            assert!(output == image, "{page}");
        }
        let lines = through("IBM037", "IBM037", "awstape,fb:80", "awstape,fb:80,blksize=3120", &image);
        assert!(lines != image || image.len() < 20);
    }
}

#[test]
fn blocks_of_vb_round_trip() {
    let records: Vec<u8> = [0x08u8, 0x0C, 0x06]
        .iter()
        .flat_map(|len| [vec![0, *len, 0, 0], text(usize::from(*len) - 4, 1)].concat())
        .collect();
    let block = [&[0, records.len() as u8 + 4, 0, 0][..], &records].concat();
    // Another record as long as the first does not fit into 32 bytes.
    let image = tape(&[&block, &[&[0, 12, 0, 0, 0, 8, 0, 0][..], &text(4, 2)].concat(), b"", b""]);
    for write_as in ["awstape,vb:32", "awstape,vb,blksize=32"] {
        assert!(through("IBM037", "IBM037", "awstape,vb", write_as, &image) == image, "{write_as}");
    }
}

#[test]
fn cutting_a_tape_makes_no_difference() {
    let image = tape(&[&text(32, 0), &text(16, 1), b"", &text(16, 2), b"", b""]);
    let job = Transcode::new()
        .source_encoding("IBM037")
        .unwrap()
        .target_encoding("IBM500")
        .unwrap()
        .records("awstape,fb:8".parse().unwrap());
    for write_as in ["awstape,fb:8,blksize=16", "mode-b", "rdw", "fb:9"] {
        invariant(&job.clone().to_records(write_as.parse().unwrap()), &image, write_as);
    }
}

/// A tape mark is written after the last file, even if the input has none there.
#[test]
fn a_missing_mark_is_written() {
    let (without, with) = (tape(&[&text(16, 0)]), tape(&[&text(16, 0), b""]));
    assert!(through("IBM037", "IBM037", "awstape,fb:8", "awstape,fb:8", &without) == with);
    assert!(through("IBM037", "IBM037", "fb:8", "awstape,fb:8", &text(16, 0)) == with);
}

#[test]
fn files_in_block_mode_stay_separate_on_a_tape() {
    let ftp = b"\x80\0\x01\xC1\x40\0\0\x80\0\x01\xC2\x40\0\0";
    assert_eq!(through("IBM037", "IBM037", "mode-b", "mode-b", ftp), ftp);
    let image = through("IBM037", "IBM037", "mode-b", "awstape,fb:2", ftp);
    assert_eq!(image, tape(&[b"\xC1\x40", b"", b"\xC2\x40", b""]));
    assert_eq!(through("IBM037", "IBM037", "awstape,fb:2", "rdw", &image), b"\0\x06\0\0\xC1\x40\0\x06\0\0\xC2\x40");
}

#[test]
fn parsing_and_formatting_block_sizes() {
    for (text, expected) in [
        ("awstape,fb:80,blksize=3200", "awstape,fb:80,blksize=3200"),
        ("AWSTAPE,FB:80,BLKSIZE=80", "awstape,fb:80,blksize=80"),
        ("awstape:sl,fb:80,blksize=3200", "awstape:sl,fb:80,blksize=3200"),
        ("awstape,f:4,blksize=65532", "awstape,fb:4,blksize=65532"),
        ("awstape,vb,blksize=800", "awstape,vb:800"),
        ("awstape,vbs,blksize=32760", "awstape,vbs"),
        ("awstape,vbs:800", "awstape,vbs:800"),
    ] {
        let shape: Shape = text.parse().unwrap();
        assert_eq!(shape.to_string(), expected, "{text}");
        assert_eq!(expected.parse(), Ok(shape));
    }
    let longest = |text: &str| text.parse::<Shape>().unwrap().longest();
    assert_eq!((longest("awstape,fb:80,blksize=3200"), longest("awstape,vb,blksize=800")), (80, 792));
    for (text, why) in [
        ("awstape,fb:80,blksize=3210", "blksize=3210: expected a multiple of the record length 80, at most 65535"),
        ("awstape,fb:80,blksize=0", "blksize=0: expected a multiple of the record length 80, at most 65535"),
        ("awstape,fb:80,blksize=40", "blksize=40: expected a multiple of the record length 80, at most 65535"),
        ("awstape,fb:80,blksize=65600", "blksize=65600: expected a multiple of the record length 80, at most 65535"),
        ("awstape,fb:80,blksize=x", "blksize=x: expected a multiple of the record length 80, at most 65535"),
        ("awstape,vb:800,blksize=800", "blksize=800: vb:800 already contains a block size"),
        (
            "awstape,rdw,blksize=800",
            "blksize=800: rdw has no block size, because each record is a block; only fb, vb and vbs have one",
        ),
        (
            "fb:80,blksize=3200",
            "fb:80,blksize=3200 is not a record shape: only a tape image preserves blocks of fixed-length records \
             (awstape,fb:80,blksize=3200); for any other file use fb:80",
        ),
    ] {
        assert_eq!(text.parse::<Shape>().unwrap_err().to_string(), why, "{text}");
    }
}

/// The error comes before anything is read, which is why this test has no input.
#[test]
fn tape_labels_cannot_be_written() {
    let job = Transcode::new().target_encoding("IBM037").unwrap();
    for shape in ["awstape:sl,fb:80", "awstape:sl,fb:80,blksize=3200", "awstape:sl,vb"] {
        let error = job.clone().to_records(shape.parse().unwrap()).transcoder().map(|_| ()).unwrap_err();
        assert_eq!(error.code(), "cannot-frame");
        let without = shape.replace(":sl", "");
        assert!(error.to_string().ends_with(&format!("without labels, use {without}")), "{error}");
    }
    let invalid = Shape::FixedBlocks { lrecl: 80, blksize: 3200 };
    assert_eq!(job.to_records(invalid).transcoder().map(|_| ()).unwrap_err().code(), "cannot-frame");
}
