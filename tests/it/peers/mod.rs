//! Compares code pages and table files with other converters.

mod tables;
mod ucm;
