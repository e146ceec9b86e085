//! Whether a reservation may exceed the limit of an account.

/// Whether a reservation may exceed the limit of an account, in [`Ledger::reserve`](crate::Ledger::reserve).
///
/// The last request of a run is allowed it, so that a run whose accounts are nearly empty can still
/// answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a reservation may exceed the limit or not")]
pub enum Overdraft {
    /// The whole reservation has to fit within the limit.
    Denied,
    /// The reservation may exceed the limit, unless the account exceeds it already.
    Allowed,
}
