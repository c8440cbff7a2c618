//! UTF-8, validated and copied, with NEON.

use super::vector::*;
use crate::arch::utf8_blocks::copy_by_blocks;

copy_by_blocks!("neon");
