//! The buffers of arrays, as slices whose sizes follow from the type and the length.

#![allow(unsafe_code, reason = "Arrow's C interface consists of pointers")]

use crate::interface::{ArrowArray, entry, reference};
use crate::schema::{Field, Kind, Width};
use crate::{Malformed, Result};

/// An array and its type. The promise of the producer (`Stream`) holds for it.
#[derive(Clone, Copy)]
pub(crate) struct Array<'a> {
    array: &'a ArrowArray,
    field: &'a Field,
}

/// The part of the buffers that an array has: `len` values from `offset` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) offset: usize,
    pub(crate) len: usize,
}

/// Which values are not null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Validity<'a> {
    /// A bit for each value; `None` if no value is null.
    bits: Option<&'a [u8]>,
    offset: usize,
}

/// The buffers of an array, apart from its validity. Numbers of any width begin at any address.
pub(crate) enum Buffers<'a> {
    /// None of its own: a struct, or values that are all null.
    None,
    /// Values of this width.
    Fixed(&'a [u8], usize),
    /// Where values begin and end, and their bytes. Lists have no bytes.
    Run(&'a [u8], Width, &'a [u8]),
    /// Views, and the buffers that they are of.
    Views(&'a [u8], Vec<&'a [u8]>),
}

impl Validity<'_> {
    /// No value is null.
    pub(crate) const ALL: Self = Validity { bits: None, offset: 0 };

    /// Whether no value is null for certain.
    pub(crate) fn is_all(&self) -> bool {
        self.bits.is_none()
    }

    #[inline]
    pub(crate) fn has(&self, index: usize) -> bool {
        let Some(bits) = self.bits else { return true };
        let at = self.offset + index;
        bits.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    }
}

impl<'a> Array<'a> {
    /// Takes an array of this type.
    ///
    /// # Safety
    /// The promise of the producer holds for the array and the type, for as long as `'a`.
    pub(crate) unsafe fn new(array: &'a ArrowArray, field: &'a Field) -> Self {
        Array { array, field }
    }

    pub(crate) fn field(self) -> &'a Field {
        self.field
    }

    /// Returns which part of its buffers it has. The sum of both numbers is a possible length.
    pub(crate) fn span(self) -> Result<Span> {
        let ArrowArray { length, offset, .. } = *self.array;
        let possible = |number: i64| usize::try_from(number).ok().filter(|number| isize::try_from(*number).is_ok());
        match (possible(length), possible(offset), offset.checked_add(length).and_then(possible)) {
            (Some(len), Some(offset), Some(_)) => Ok(Span { offset, len }),
            _ => Err(Malformed::new(format!("{length} values from {offset} on are not possible"))),
        }
    }

    /// Returns which of its values are null.
    pub(crate) fn validity(self) -> Result<Validity<'a>> {
        let (Span { offset, len }, nulls) = (self.span()?, self.array.null_count);
        if nulls < -1 || nulls > self.array.length {
            return Err(Malformed::new(format!("{nulls} of {len} values are null")));
        }
        // The interface allows to leave them out if nothing is null. Even then they count if they are there: pyarrow
        // does the same.
        let bits = match self.is_null(0)? {
            // An array without values is not read, regardless of its offset.
            _ if len == 0 => None,
            true if nulls > 0 => return Err(Malformed::new(format!("{nulls} values are null, but not said which"))),
            true => None,
            // SAFETY: The first buffer of all types except `Null` has a bit for each value.
            false => Some(unsafe { self.buffer(0, (offset + len).div_ceil(8))? }),
        };
        Ok(Validity { bits, offset })
    }

    /// Returns its other buffers.
    pub(crate) fn buffers(self) -> Result<Buffers<'a>> {
        let expected = match self.field.kind {
            Kind::Null | Kind::Other(_) => return Ok(Buffers::None),
            Kind::Struct => 1,
            Kind::Number(_) | Kind::FixedBytes(_) | Kind::List(_) => 2,
            Kind::Run { .. } => 3,
            Kind::View { .. } => self.array.n_buffers.max(3),
        };
        if self.array.n_buffers != expected {
            return Err(Malformed::new(format!("it has {} buffers instead of {expected}", self.array.n_buffers)));
        }
        Ok(match self.field.kind {
            Kind::Number(number) => self.fixed(number.bytes())?,
            Kind::FixedBytes(width) => self.fixed(width)?,
            Kind::List(width) => Buffers::Run(self.offsets(width)?, width, &[]),
            Kind::Run { width, .. } => self.run(width)?,
            Kind::View { .. } => self.views()?,
            Kind::Struct | Kind::Null | Kind::Other(_) => Buffers::None,
        })
    }

    fn fixed(self, width: usize) -> Result<Buffers<'a>> {
        // SAFETY: The second buffer of such a type has the values, of this width.
        Ok(Buffers::Fixed(unsafe { self.numbers(1, 0, width)? }, width))
    }

    /// Returns where each value begins, and where the last one ends.
    fn offsets(self, width: Width) -> Result<&'a [u8]> {
        // SAFETY: The second buffer of such a type has the offsets, of this width: one more than values.
        unsafe { self.numbers(1, 1, width.bytes()) }
    }

    fn run(self, width: Width) -> Result<Buffers<'a>> {
        let (offsets, Span { offset: first, len }) = (self.offsets(width)?, self.span()?);
        let end = if len == 0 { 0 } else { offset(offsets, width, first + len).unwrap_or(-1) };
        let end = usize::try_from(end).map_err(|_| Malformed::new(format!("its last value ends at {end}")))?;
        // SAFETY: The third buffer of such a type has the bytes of all values. The last offset is where they end.
        Ok(Buffers::Run(offsets, width, unsafe { self.buffer(2, end)? }))
    }

    fn views(self) -> Result<Buffers<'a>> {
        // SAFETY: The second buffer of such a type has the views, of 16 bytes.
        let views = unsafe { self.numbers(1, 0, 16)? };
        let last = self.array.n_buffers as usize - 1;
        // SAFETY: The last buffer of such a type has the lengths of all buffers after the views.
        let lengths = unsafe { self.buffer(last, size(last - 2, 8)?)? };
        let buffers = (2..last).map(|index| {
            let length = offset(lengths, Width::Wide, index - 2).unwrap_or(-1);
            let length = usize::try_from(length)
                .map_err(|_| Malformed::new(format!("buffer {} has {length} bytes", index - 2)))?;
            // SAFETY: That is the length of this buffer.
            unsafe { self.buffer(index, length) }
        });
        Ok(Buffers::Views(views, buffers.collect::<Result<_>>()?))
    }

    /// Returns a buffer of numbers, of which there are `more` than values. An array without values may lack it.
    ///
    /// # Safety
    /// The type has such a buffer.
    unsafe fn numbers(self, index: usize, more: usize, width: usize) -> Result<&'a [u8]> {
        let Span { offset, len } = self.span()?;
        if len == 0 {
            return Ok(&[]);
        }
        // SAFETY: The promise of the producer: buffers have the size that follows from the type and the length.
        unsafe { self.buffer(index, size(offset + len + more, width)?) }
    }

    /// Returns a buffer of `len` bytes.
    ///
    /// # Safety
    /// The buffer has as many bytes, if it is not a null pointer.
    unsafe fn buffer(self, index: usize, len: usize) -> Result<&'a [u8]> {
        if len == 0 {
            return Ok(&[]);
        }
        if isize::try_from(len).is_err() {
            return Err(Malformed::new(format!("buffer {index} has {len} bytes")));
        }
        let pointer = self.pointer(index)?;
        if pointer.is_null() {
            return Err(Malformed::new(format!("buffer {index} of {len} bytes is missing")));
        }
        // SAFETY: The pointer is not null, the length is possible, and the caller promises that there are as many
        // bytes. The promise of the producer: no one writes there, and they stay until the batch is released, which
        // `'a` does not outlive.
        Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
    }

    fn is_null(self, index: usize) -> Result<bool> {
        self.pointer(index).map(|pointer| pointer.is_null())
    }

    fn pointer(self, index: usize) -> Result<*const u8> {
        let ArrowArray { n_buffers, buffers, .. } = *self.array;
        if buffers.is_null() || i64::try_from(index).is_ok_and(|index| index >= n_buffers) {
            return Err(Malformed::new(format!("buffer {index} is missing")));
        }
        // SAFETY: The promise of the producer: there are `n_buffers` pointers. They do not have to be aligned.
        Ok(unsafe { buffers.add(index).read_unaligned() }.cast())
    }

    /// Returns a field of a struct, or the elements of a list.
    pub(crate) fn child(self, index: usize) -> Result<Array<'a>> {
        let expected = self.field.children.len();
        let (Some(field), true) = (self.field.children.get(index), self.array.n_children == expected as i64) else {
            return Err(Malformed::new(format!("it has {} children instead of {expected}", self.array.n_children)));
        };
        // SAFETY: The promise of the producer: there are `n_children` pointers to arrays, which live as long as this
        // one.
        let child = unsafe { entry(self.array.children, index) };
        let array = child.ok_or_else(|| Malformed::new(format!("{:?} is missing", field.name)))?;
        Ok(Array { array, field })
    }

    /// Returns the values of a dictionary.
    pub(crate) fn dictionary(self) -> Result<Option<Array<'a>>> {
        let Some(field) = self.field.dictionary.as_deref() else { return Ok(None) };
        // SAFETY: The promise of the producer: a pointer to an array that lives as long as this one, or null.
        let values = unsafe { reference(self.array.dictionary) };
        let array = values.ok_or_else(|| Malformed::new("its dictionary is missing"))?;
        Ok(Some(Array { array, field }))
    }
}

fn size(count: usize, width: usize) -> Result<usize> {
    count.checked_mul(width).ok_or_else(|| Malformed::new(format!("{count} values of {width} bytes are not possible")))
}

/// Returns the number of `N` bytes with this index.
#[inline]
pub(crate) fn word<const N: usize>(bytes: &[u8], index: usize) -> Option<[u8; N]> {
    bytes.get(index * N..)?.first_chunk().copied()
}

/// Returns the offset with this index.
#[inline]
pub(crate) fn offset(offsets: &[u8], width: Width, index: usize) -> Option<i64> {
    match width {
        Width::Narrow => word(offsets, index).map(|bytes| i32::from_ne_bytes(bytes).into()),
        Width::Wide => word(offsets, index).map(i64::from_ne_bytes),
    }
}
