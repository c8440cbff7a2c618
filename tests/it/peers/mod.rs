//! Compares code pages and table files with other converters.

#[cfg(all(feature = "whatwg", feature = "dos", feature = "legacy"))]
mod legacy;
mod tables;
mod ucm;
