//! The limits that hold for the readings in every page.

/// By how much the costs of two readings must differ for the cheaper one to be certain.
pub(super) const MARGIN: f32 = 6.0;
/// The difference in cost from the cheapest reading at which a candidate's reported score falls to 1/e.
pub(super) const SCORE_SCALE: f32 = 8.0;
/// The highest mean cost, of the pairs with a byte outside ASCII, at which a reading is text; and how much more is
/// allowed in short text, divided by the square root of the number of different pairs.
pub(super) const MAX_MEAN_COST: f32 = 4.8;
pub(super) const SHORT_ALLOWANCE: f32 = 10.0;
