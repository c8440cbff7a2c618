//! Choices about how the input is converted. Each is a small enum with a word for every value.

use crate::words::words;

/// What to do with malformed input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnMalformed {
    /// Fails with [`ErrorKind::Malformed`](crate::ErrorKind::Malformed).
    #[default]
    Fail,
    /// Writes one U+FFFD for each maximal subpart (Unicode L2/08-150), or the target's substitute if it lacks U+FFFD.
    Replace,
    /// Writes nothing.
    Drop,
    /// Writes `\xNN` for each byte. Fails if the target cannot write that.
    Escape,
}

words! { OnMalformed { Fail: "fail", Replace: "replace", Drop: "drop", Escape: "escape" } }

/// What to do with a character that the target lacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum OnUnmappable {
    /// Fails with [`ErrorKind::Unmappable`](crate::ErrorKind::Unmappable).
    Fail,
    /// Writes the target's substitution character.
    Replace,
    /// Writes nothing.
    Drop,
    /// Writes a character reference: `&#xHEX;`, or decimal if the target has no `x`. In XML this is possible only in
    /// text and attribute values, and only for characters that XML allows; elsewhere it fails.
    Xml,
    /// Writes `\u{HEX}`.
    Escape,
    /// Writes the target's one-way mapping; if it has none, a readable approximation (`é` → `e`, `€` → `EUR`, `“` →
    /// `"`); if there is none either, the target's substitution character. Control characters are never used: the last
    /// resort is then `?`. In XML and HTML, approximations with `<`, `>`, `&`, `"` or `'` become references to the
    /// entities, and where XML has no place for these, only letters and digits are written.
    ///
    /// Needs the feature `translit`.
    Translit,
}

words! { OnUnmappable {
    Fail: "fail", Replace: "replace", Drop: "drop", Xml: "xml", Escape: "escape", Translit: "translit",
} }

/// What to do with input that is not recognised as text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnUnknown {
    /// Converts it like any other input, which usually fails at its first byte that is not UTF-8.
    #[default]
    Fail,
    /// Copies it byte for byte.
    Pass,
}

words! { OnUnknown { Fail: "fail", Pass: "pass" } }

/// Whether to correct the document's own label.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Relabel {
    /// In XML, replaces the declared name. A declaration without a name, or a document without a declaration, gets one
    /// if the target needs it. In HTML, and in XML whose root element is `html`, replaces the labels of `meta` elements
    /// within the [prescan](crate::Transcode::prescan), and in HTML also the label in an XML declaration; nothing is
    /// inserted.
    #[default]
    Auto,
    /// Leaves the text as it is.
    Never,
}

words! { Relabel { Auto: "auto", Never: "never" } }

/// Whether the output begins with a byte order mark.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Bom {
    /// For `UTF-16`, `UTF-32` and `ISO-10646-UCS-4`, but not for UTF-8 or if the label includes the byte order.
    #[default]
    Auto,
    /// If the input has one and the target can write it.
    Keep,
    /// Always.
    Add,
    /// Never.
    Strip,
}

words! { Bom { Auto: "auto", Keep: "keep", Add: "add", Strip: "strip" } }

/// What to do with spaces at the end of a record, as decoded text: U+0020, or U+3000 if the charset has no U+0020.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Padding {
    /// Trims them if records become lines, and keeps them if records become records.
    #[default]
    Trim,
    /// Trims NULs, and keeps spaces.
    Nuls,
    /// Trims spaces and NULs. If runs of spaces and runs of NULs alternate more than eight times, keeps the earlier
    /// runs.
    TrimNuls,
    /// Keeps them.
    Keep,
}

words! { Padding { Trim: "blanks", Nuls: "nuls", TrimNuls: "blanks,nuls", Keep: "none" } }

/// What to do with the bytes of a record that are not in [`columns`](crate::Transcode::columns).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Gaps {
    /// Drops them.
    #[default]
    Drop,
    /// Writes two upper-case hex digits for each byte.
    Hex,
    /// Copies them unchanged from records to records. The text of each column is converted in place:
    ///
    /// * It is decoded by its own charset (`1-27=IBM1047`), or by that of the input, and encoded in the target. A
    ///   column whose charset is the target is copied byte for byte, without any check.
    /// * The column keeps its width. The spaces at its end are padding and become spaces of the target. If the
    ///   converted text is shorter than the column, spaces fill the rest. If a space does not fit, that is
    ///   [`ErrorKind::CannotPad`](crate::ErrorKind::CannotPad).
    /// * If the converted text is longer than the column, that is
    ///   [`ErrorKind::ColumnTooLong`](crate::ErrorKind::ColumnTooLong); with [`Cut`](crate::OnOverlong::Cut) the text
    ///   is cut between two characters. On a mixed page the shift codes of a column are balanced within its width.
    /// * A record that ends before a column does not get that column. A record that ends within a column keeps its
    ///   length, unless the converted text is longer: it may fill the whole column. (In a column without an end, it may
    ///   fill the output record.)
    /// * A record that is too long for the output is an error, even with [`OnOverlong::Cut`](crate::OnOverlong::Cut).
    ///
    /// There is no byte order mark, and no label is corrected. The choices about newlines, control characters, printer
    /// control codes, NULs and shift codes cannot be combined with this one, because there are no lines of text.
    Keep,
}

words! { Gaps { Drop: "drop", Hex: "hex", Keep: "keep" } }
