//! The tables of a charset as a decoder or an encoder of a web page uses them: always all of them, because there the size
//! of the program counts for more than the time that a short text takes. See `part.rs`, which has the same interface.

use super::draft::{Keys, Tables};
use crate::codec::Packed;
use std::sync::Arc;

/// The tables of a charset for one direction, which its decoders or encoders share.
#[derive(Debug)]
pub(in crate::codec::engine) struct Shared<T>(T);

impl<T: Tables> Shared<T> {
    pub(in crate::codec::engine) fn new(tables: T) -> Self {
        Shared(tables)
    }

    pub(in crate::codec::engine) fn of_page(page: Packed) -> Self {
        let mut draft = T::draft(page);
        T::add_all(&mut draft);
        Shared(T::finish(draft))
    }
}

/// The tables that one decoder or encoder uses.
#[derive(Debug)]
pub(super) struct InUse<T>(Arc<Shared<T>>);

impl<T> Clone for InUse<T> {
    fn clone(&self) -> Self {
        InUse(self.0.clone())
    }
}

impl<T> InUse<T> {
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        InUse(shared)
    }

    /// Returns true.
    #[inline(always)]
    pub(super) fn have_all(&self) -> bool {
        true
    }

    /// Has nothing to do.
    #[inline(always)]
    pub(super) fn prepare(&mut self, _: usize, _: &dyn Fn(Packed, &mut Keys)) {}

    #[inline(always)]
    pub(super) fn get(&self) -> &T {
        &self.0.0
    }
}
