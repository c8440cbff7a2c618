//! The names and types of columns: [`Field`], from Arrow's notation for them.

use std::fmt;

/// A column, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The fields of a struct, or the elements of a list.
    pub(crate) children: Vec<Field>,
    /// The values of a dictionary, whose keys are of this kind.
    pub(crate) dictionary: Option<Box<Field>>,
}

/// A type, without its children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Null,
    Number(Number),
    /// Text (UTF-8) or bytes, one after the other.
    Run {
        is_text: bool,
        width: Width,
    },
    /// Text (UTF-8) or bytes, anywhere in several buffers.
    View {
        is_text: bool,
    },
    /// As many bytes in each value.
    FixedBytes(usize),
    Struct,
    List(Width),
    /// A type that no field can contain, with its name.
    Other(&'static str),
}

/// The width of offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    Narrow,
    Wide,
}

/// How a number is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    /// With its scale.
    Decimal(i8),
    /// Days since 1970-01-01.
    Date,
    /// Parts of a second since then; so many make a second.
    Timestamp(i64),
}

impl Width {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Width::Narrow => 4,
            Width::Wide => 8,
        }
    }
}

impl Number {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 | Number::Date => 4,
            Number::I64 | Number::U64 | Number::F64 | Number::Timestamp(_) => 8,
            Number::Decimal(_) => 16,
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        !matches!(self, Number::F32 | Number::F64 | Number::Decimal(_) | Number::Date | Number::Timestamp(_))
    }
}

impl Kind {
    /// Reads the notation of the C interface.
    pub(crate) fn of(format: &str) -> Kind {
        if let Some((_, kind, _)) = TYPES.iter().find(|(notation, ..)| *notation == format) {
            return *kind;
        }
        match format.split_once(':') {
            Some(("w", length)) => {
                length.parse().map_or(Kind::Other("a FixedSizeBinary without a length"), Kind::FixedBytes)
            }
            Some(("d", parts)) => decimal(parts),
            _ => Kind::Other(other(format)),
        }
    }
}

/// The types whose notation has no parts: the notation, and the name.
const TYPES: [(&str, Kind, &str); 25] = [
    ("n", Kind::Null, "Null"),
    ("c", Kind::Number(Number::I8), "Int8"),
    ("C", Kind::Number(Number::U8), "UInt8"),
    ("s", Kind::Number(Number::I16), "Int16"),
    ("S", Kind::Number(Number::U16), "UInt16"),
    ("i", Kind::Number(Number::I32), "Int32"),
    ("I", Kind::Number(Number::U32), "UInt32"),
    ("l", Kind::Number(Number::I64), "Int64"),
    ("L", Kind::Number(Number::U64), "UInt64"),
    ("f", Kind::Number(Number::F32), "Float32"),
    ("g", Kind::Number(Number::F64), "Float64"),
    ("tdD", Kind::Number(Number::Date), "Date32"),
    ("tss:", Kind::Number(Number::Timestamp(1)), "Timestamp(s)"),
    ("tsm:", Kind::Number(Number::Timestamp(1_000)), "Timestamp(ms)"),
    ("tsu:", Kind::Number(Number::Timestamp(1_000_000)), "Timestamp(us)"),
    ("tsn:", Kind::Number(Number::Timestamp(1_000_000_000)), "Timestamp(ns)"),
    ("u", Kind::Run { is_text: true, width: Width::Narrow }, "Utf8"),
    ("U", Kind::Run { is_text: true, width: Width::Wide }, "LargeUtf8"),
    ("z", Kind::Run { is_text: false, width: Width::Narrow }, "Binary"),
    ("Z", Kind::Run { is_text: false, width: Width::Wide }, "LargeBinary"),
    ("vu", Kind::View { is_text: true }, "Utf8View"),
    ("vz", Kind::View { is_text: false }, "BinaryView"),
    ("+s", Kind::Struct, "Struct"),
    ("+l", Kind::List(Width::Narrow), "List"),
    ("+L", Kind::List(Width::Wide), "LargeList"),
];

/// Reads `precision,scale` or `precision,scale,bits`.
fn decimal(parts: &str) -> Kind {
    let mut parts = parts.split(',').skip(1);
    let scale = parts.next().and_then(|scale| scale.parse().ok());
    match (scale, parts.next()) {
        (Some(scale), None | Some("128")) => Kind::Number(Number::Decimal(scale)),
        (Some(_), Some("32")) => Kind::Other("Decimal32"),
        (Some(_), Some("64")) => Kind::Other("Decimal64"),
        (Some(_), Some("256")) => Kind::Other("Decimal256"),
        _ => Kind::Other("a decimal of an unknown size"),
    }
}

/// Returns the names of types that no field can contain, by how their notation begins.
fn other(format: &str) -> &'static str {
    const NAMES: [(&str, &str); 13] = [
        ("b", "Boolean"),
        ("e", "Float16"),
        ("td", "Date64"),
        ("tt", "Time"),
        ("ts", "Timestamp with a time zone"),
        ("tD", "Duration"),
        ("ti", "Interval"),
        ("+vl", "ListView"),
        ("+vL", "LargeListView"),
        ("+w", "FixedSizeList"),
        ("+m", "Map"),
        ("+u", "Union"),
        ("+r", "RunEndEncoded"),
    ];
    NAMES.iter().find(|(begin, _)| format.starts_with(begin)).map_or("of an unknown type", |(_, name)| name)
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.dictionary {
            Some(values) => write!(f, "Dictionary({}, {})", self.kind, values.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::FixedBytes(length) => return write!(f, "FixedSizeBinary({length})"),
            Kind::Number(Number::Decimal(_)) => "Decimal128",
            Kind::Other(name) => name,
            kind => TYPES.iter().find(|(_, known, _)| known == kind).map_or("of an unknown type", |(.., name)| name),
        })
    }
}
