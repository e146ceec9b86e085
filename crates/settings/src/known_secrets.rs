//! The secrets that no output of a run may show: the environment's, and others that are found
//! later.

use silcrow_environment::{Environment, printed_secrets};
use silcrow_sanitize::{Secret, Secrets};

/// Returns all known secrets: the secrets in the environment of this process
/// ([`Environment::secrets`]), and values that commands print and files contain from then on.
pub fn known_secrets() -> Secrets {
    known_secrets_with(&[])
}

/// Returns all known secrets and `more`, such as those that servers get.
pub fn known_secrets_with(more: &[Secret]) -> Secrets {
    let all = Environment::process().secrets().into_iter().chain(more.iter().cloned());
    Secrets::named(all).following(printed_secrets())
}
