//! stub
/// x
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    /// x
    AppXml,
    /// x
    TextXml,
    /// x
    Html,
    /// x
    Text,
    /// x
    Other,
    /// x
    Missing,
}
/// x
pub struct ContentType {
    /// x
    pub essence: Option<String>,
    /// x
    pub charset: Option<String>,
}
impl ContentType {
    /// x
    pub fn parse(_: &str) -> ContentType {
        ContentType { essence: None, charset: None }
    }
    /// x
    pub fn kind(&self) -> MediaKind {
        MediaKind::Missing
    }
}
