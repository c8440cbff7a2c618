//! stub
use std::ops::Range;
/// x
#[derive(Clone, Debug)]
pub struct Meta {
    /// x
    pub label: String,
    /// x
    pub span: Range<usize>,
}
impl Meta {
    /// x
    pub fn is_pattern(&self) -> bool {
        false
    }
}
/// x
pub fn prescan(_: &[u8], _: &dyn Fn(&str) -> bool) -> Option<Meta> {
    None
}
