//! Code pages and table files compared with what other converters make of them.

mod tables;
mod ucm;
