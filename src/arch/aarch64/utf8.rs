//! UTF-8, validated and copied, with NEON.

use super::vector::*;
use crate::arch::utf8_blocks::{copy_by_blocks, values_by_vectors};

copy_by_blocks!("neon");
values_by_vectors!("neon");
