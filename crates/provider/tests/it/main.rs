//! The provider's parts through their public faces.

mod decoded;
mod limits;
mod reference;
mod script;
mod sse;
