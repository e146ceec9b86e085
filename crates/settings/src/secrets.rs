//! The secrets that nothing may show: those in the environment, and others that are found later.

mod known;
mod printed;

pub use known::{
    COMPATIBLE_KEY, KEYS, header_secrets, is_key_name, known_secrets, known_secrets_with, separate,
    split,
};
pub use printed::{add_secrets, printed_secrets};
