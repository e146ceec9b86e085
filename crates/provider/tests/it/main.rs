//! The provider's parts through their public faces.

mod decoded;
mod estimate;
mod key_rotation;
mod masked_errors;
mod played;
mod rate_limit;
mod record;
mod reference;
mod renewed;
mod retry;
mod scripted;
mod sent_bytes;
mod sessions;
mod silence;
mod sse;
mod wrappers;
