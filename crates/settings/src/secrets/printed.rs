//! The secrets that commands have printed and files have had.
//!
//! This module does not know how a secret is read, or which others there are.

use std::sync::LazyLock;

use silcrow_sanitize::{Secret, Secrets};

/// Returns the secrets that commands have printed and files have had. Later ones join them.
pub fn printed_secrets() -> &'static Secrets {
    &RENEWED
}

/// Masks secrets that were read of a file, from now on. Each comes with its source.
pub fn add_secrets<'a>(secrets: impl Iterator<Item = (&'a str, &'a str)>) {
    for (text, source) in secrets {
        // A file is read often, and a set would grow by what it has.
        if RENEWED.mask(text) == text {
            RENEWED.add(Secret::new(text, source));
        }
    }
}

/// The secrets that commands have printed and files have had, also those that count no more.
static RENEWED: LazyLock<Secrets> = LazyLock::new(Secrets::default);
