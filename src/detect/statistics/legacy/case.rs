//! The cases of letters, and what they cost.

/// Whether a character is a letter with two cases, and which of them it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    None,
    Lower,
    Upper,
}

impl Case {
    pub(super) fn of(ch: char) -> Case {
        match ch.is_uppercase() {
            true => Case::Upper,
            false if ch.is_lowercase() => Case::Lower,
            false => Case::None,
        }
    }

    /// Returns the cost of the cases of two letters: a capital within a word mostly means that the page is wrong.
    pub(super) fn cost(first: Case, second: Case) -> f32 {
        match (first, second) {
            (Case::Lower, Case::Upper) => 4.5,
            (Case::Upper, Case::Upper) => 0.9,
            (Case::None, Case::Upper) => 1.2,
            _ => 0.0,
        }
    }
}
