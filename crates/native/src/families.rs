//! The marks of all families, grouped by the encoding of their calls.
//!
//! A family is data: a name, marks, and one of the forms that the readers support.

mod array;
mod header;
mod messages;
mod object;
mod other;
mod pairs;
mod tags;
mod thought;

use crate::family_data::FamilyData;

pub(crate) const ALL: &[&[FamilyData]] = &[
    object::FAMILIES,
    array::FAMILIES,
    header::FAMILIES,
    tags::FAMILIES,
    pairs::FAMILIES,
    other::FAMILIES,
    messages::FAMILIES,
    thought::FAMILIES,
];
