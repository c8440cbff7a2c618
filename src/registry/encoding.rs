//! [`Encoding`]: a built-in charset by its name, as a small value.

use super::Registry;
use crate::codec::Codec;
use crate::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

/// A charset: a codec that is compared, hashed and printed by its name.
///
/// Use it as a field of a configuration, as a key of a map, or as an argument. [`encodings`] has constants for the
/// commonest; any other comes [from a label](Encoding::for_label).
///
/// ```
/// use charpipe::encodings::{IBM037, UTF_8};
/// use charpipe::{Encoding, Transcode};
///
/// let page: Encoding = "cp037".parse()?;
/// assert_eq!(page, IBM037);
/// assert_eq!(page.to_string(), "IBM037");
/// assert_eq!(Transcode::new().source(&page).target(&UTF_8)?.decode(b"\xC8\x89")?, "Hi");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Clone)]
pub struct Encoding(Named);

#[derive(Clone)]
enum Named {
    /// A built-in codec, by its name. Its codec is looked up when it is needed.
    Builtin(&'static str),
    Codec(Arc<dyn Codec>),
}

impl Encoding {
    /// Returns the built-in encoding that has this label. [`Registry::codec`] looks labels up in other registries.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownLabel`](crate::ErrorKind::UnknownLabel) and
    /// [`ErrorKind::UnsupportedLabel`](crate::ErrorKind::UnsupportedLabel).
    ///
    /// ```
    /// use charpipe::Encoding;
    ///
    /// assert_eq!(Encoding::for_label("latin1")?.name(), "ISO-8859-1");
    /// assert_eq!(Encoding::for_label("latin99").unwrap_err().code(), "unknown-label");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn for_label(label: &str) -> Result<Self, Error> {
        Registry::builtin().codec(label).map(Encoding::from)
    }

    /// Returns the preferred name: IANA's if there is one.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            Named::Builtin(name) => name,
            Named::Codec(codec) => codec.name(),
        }
    }

    /// Returns the codec.
    #[must_use]
    pub fn codec(&self) -> Arc<dyn Codec> {
        match &self.0 {
            Named::Builtin(name) => Registry::builtin().codec(name).expect("a constant names a built-in codec"),
            Named::Codec(codec) => codec.clone(),
        }
    }
}

/// Any codec, your own too.
impl From<Arc<dyn Codec>> for Encoding {
    fn from(codec: Arc<dyn Codec>) -> Self {
        Encoding(Named::Codec(codec))
    }
}

/// Does what [`Encoding::for_label`] does.
impl FromStr for Encoding {
    type Err = Error;

    fn from_str(label: &str) -> Result<Self, Error> {
        Encoding::for_label(label)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Encoding").field(&self.name()).finish()
    }
}

/// Two encodings are equal if they have the same name.
impl PartialEq for Encoding {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Encoding {}

impl Hash for Encoding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

/// The commonest encodings, as constants.
///
/// ```
/// use charpipe::{Encoding, encodings};
///
/// for encoding in encodings::ALL {
///     assert_eq!(Encoding::for_label(encoding.name())?, **encoding);
/// }
/// # Ok::<(), charpipe::Error>(())
/// ```
pub mod encodings {
    use super::{Encoding, Named};

    macro_rules! encodings {
        ($($(#[$attribute:meta])* $constant:ident $name:literal $about:literal)*) => {
            $(
                #[doc = concat!("`", $name, "`: ", $about, ".")]
                $(#[$attribute])*
                pub static $constant: Encoding = Encoding(Named::Builtin($name));
            )*

            /// All of them.
            pub static ALL: &[&Encoding] = &[$($(#[$attribute])* &$constant),*];
        };
    }

    encodings! {
        UTF_8 "UTF-8" "Unicode, in one to four bytes"
        UTF_16LE "UTF-16LE" "Unicode, in units of two bytes, low byte first: Windows"
        UTF_16BE "UTF-16BE" "Unicode, in units of two bytes, high byte first"
        US_ASCII "US-ASCII" "the 128 characters that most charsets share"
        ISO_8859_1 "ISO-8859-1" "Western European; in contrast to the web's meaning of the label, 80 to 9F are controls"
        IBM037 "IBM037" "EBCDIC, United States and Canada"
        IBM1047 "IBM1047" "EBCDIC, z/OS UNIX"
        #[cfg(feature = "whatwg")]
        WINDOWS_1252 "windows-1252" "Western European, Windows"
        #[cfg(feature = "whatwg")]
        SHIFT_JIS "Shift_JIS" "Japanese, Windows"
        #[cfg(feature = "whatwg")]
        GB18030 "gb18030" "Chinese, all of Unicode"
        #[cfg(feature = "whatwg")]
        BIG5 "Big5" "Chinese (traditional)"
        #[cfg(feature = "whatwg")]
        EUC_KR "EUC-KR" "Korean"
    }
}
