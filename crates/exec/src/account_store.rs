//! The store of accounts that several processes charge.

use futures_util::future::BoxFuture;
use silcrow_event::Spending;

use crate::ledger::AccountKind;

/// Keeps the spending of accounts.
///
/// ```
/// use std::sync::Mutex;
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_event::Spending;
/// use silcrow_exec::{AccountError, AccountKind, AccountStore};
///
/// /// Keeps the account of the user in memory.
/// #[derive(Default)]
/// struct InMemory(Mutex<(u64, Spending)>);
///
/// impl AccountStore for InMemory {
///     fn load(&self, _: AccountKind) -> BoxFuture<'_, Result<(u64, Spending), AccountError>> {
///         ready(Ok(*self.0.lock().unwrap())).boxed()
///     }
///     fn save(
///         &self,
///         _: AccountKind,
///         expected: u64,
///         spent: Spending,
///     ) -> BoxFuture<'_, Result<Option<u64>, AccountError>> {
///         let mut kept = self.0.lock().unwrap();
///         let is_current = kept.0 == expected;
///         if is_current {
///             *kept = (expected + 1, spent);
///         }
///         ready(Ok(is_current.then_some(expected + 1))).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), AccountError> {
/// let store = InMemory::default();
/// let spent = Spending { tokens: 100, ..Spending::default() };
/// assert_eq!(store.save(AccountKind::User, 0, spent).await?, Some(1));
/// // Another process that read version 0 has to read again.
/// assert_eq!(store.save(AccountKind::User, 0, spent).await?, None);
/// # Ok(())
/// # }
/// ```
pub trait AccountStore: Send + Sync {
    /// Returns the spending of an account, with a version; version 0 if it has spent nothing.
    fn load(&self, account: AccountKind) -> BoxFuture<'_, Result<(u64, Spending), AccountError>>;

    /// Saves the spending of an account if its version is `expected`, and returns the new version.
    /// Returns `None` if the version differs.
    fn save(
        &self,
        account: AccountKind,
        expected: u64,
        spent: Spending,
    ) -> BoxFuture<'_, Result<Option<u64>, AccountError>>;
}

/// The error of an [`AccountStore`].
pub type AccountError = Box<dyn std::error::Error + Send + Sync>;
