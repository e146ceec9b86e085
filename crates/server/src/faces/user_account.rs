//! The account of a user alone, for answers that belong to no stored conversation.

use futures_util::FutureExt as _;
use futures_util::future::{self, BoxFuture};
use silcrow_agent::StoredAccounts;
use silcrow_event::Spending;
use silcrow_exec::{AccountError, AccountKind, AccountStore};

/// Charges the user, and forgets what the conversation has spent.
pub(super) struct UserAccount(pub(super) StoredAccounts);

impl AccountStore for UserAccount {
    fn load(&self, account: AccountKind) -> BoxFuture<'_, Result<(u64, Spending), AccountError>> {
        match account {
            AccountKind::User => self.0.load(account),
            _ => future::ready(Ok((0, Spending::default()))).boxed(),
        }
    }

    fn save(
        &self,
        account: AccountKind,
        expected: u64,
        spent: Spending,
    ) -> BoxFuture<'_, Result<Option<u64>, AccountError>> {
        match account {
            AccountKind::User => self.0.save(account, expected, spent),
            _ => future::ready(Ok(Some(expected + 1))).boxed(),
        }
    }
}
