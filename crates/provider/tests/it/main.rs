//! The provider's parts through their public faces.

mod decoded;
mod estimate;
mod limits;
mod pace;
mod played;
mod record;
mod reference;
mod retry;
mod rotate;
mod script;
mod sent;
mod sessions;
mod sse;
mod wrappers;
