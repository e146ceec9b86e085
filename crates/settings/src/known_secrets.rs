//! The secrets that nothing of a run may show: those of the environment, and others that are found later.

use silcrow_environment::{Environment, printed_secrets};
use silcrow_sanitize::{Secret, Secrets};

/// Returns all secrets that are known: those in the environment of this process
/// ([`Environment::secrets`]), and what commands print and files have from then on.
pub fn known_secrets() -> Secrets {
    known_secrets_with(&[])
}

/// Returns all known secrets and `more`, such as those that servers get.
pub fn known_secrets_with(more: &[Secret]) -> Secrets {
    let all = Environment::process().secrets().into_iter().chain(more.iter().cloned());
    Secrets::named(all).following(printed_secrets())
}
