//! The secrets that commands have printed and files have had.

use std::sync::LazyLock;

use silcrow_sanitize::{Secret, Secrets};

/// Returns the secrets that commands have printed and files of keys have had in this process, also
/// secrets that are no longer valid. Later ones join them.
///
/// A set that [follows](Secrets::following) this one masks keys that are renewed while it is used.
///
/// ```
/// use silcrow_environment::{add_secrets, printed_secrets};
///
/// add_secrets([("sk-canary-0123", "key_command")].into_iter());
/// assert_eq!(printed_secrets().mask("sk-canary-0123?"), "[secret key_command]?");
/// ```
pub fn printed_secrets() -> &'static Secrets {
    &RENEWED
}

/// Adds secrets that a command has printed or a file had to [`printed_secrets`]. Each comes with its
/// source.
pub fn add_secrets<'a>(secrets: impl Iterator<Item = (&'a str, &'a str)>) {
    for (text, source) in secrets {
        // A file is read often, and without this check the set would grow each time.
        if RENEWED.mask(text) == text {
            RENEWED.add(Secret::new(text, source));
        }
    }
}

static RENEWED: LazyLock<Secrets> = LazyLock::new(Secrets::default);
