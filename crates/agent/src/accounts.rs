//! The accounts of a conversation and its user, as values beside the logs.
//!
//! The account of a conversation is deleted with it. The account of a user is separate, so that
//! deleting a conversation gives nothing back.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::Spending;
use silcrow_exec::{AccountError, AccountKind, AccountStore};
use silcrow_store::{Error, ErrorKind, Store, Versioned, spaces};

use crate::names::fitting;

/// The accounts of a conversation and its user in a store.
///
/// An agent uses them for each run whose scope has no budget. A caller that makes a budget passes
/// them to [`Budget::with_accounts`](silcrow_exec::Budget::with_accounts); without them, the
/// spending of a conversation and a user is forgotten with the budget.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_agent::StoredAccounts;
/// use silcrow_event::Spending;
/// use silcrow_exec::{AccountKind, AccountStore as _};
/// use silcrow_store::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_exec::AccountError> {
/// let store = Arc::new(MemoryStore::new());
/// let first = StoredAccounts::new(store.clone(), "c1", Some("ada"));
/// let spent = Spending { tokens: 1200, ..Spending::default() };
/// first.save(AccountKind::User, 0, spent).await?;
/// // Another conversation of the same user begins with what is spent.
/// let second = StoredAccounts::new(store, "c2", Some("ada"));
/// assert_eq!(second.load(AccountKind::User).await?, (1, spent));
/// assert_eq!(second.load(AccountKind::Conversation).await?, (0, Spending::default()));
/// # Ok(())
/// # }
/// ```
pub struct StoredAccounts {
    store: Arc<dyn Store>,
    conversation: String,
    user: String,
}

impl StoredAccounts {
    /// Creates the accounts of a conversation and a user. All runs without a user share one.
    pub fn new(store: Arc<dyn Store>, conversation: &str, user: Option<&str>) -> Self {
        let user = user.map_or_else(|| NOBODY.to_owned(), |user| fitting(format!("user/{user}")));
        Self { store, conversation: spaces::spent(conversation), user }
    }

    /// Returns the space and the key of an account.
    fn place(&self, account: AccountKind) -> (&str, &str) {
        match account {
            AccountKind::User => (spaces::SPENT, &self.user),
            AccountKind::Run | AccountKind::Conversation => (&self.conversation, ACCOUNT),
        }
    }
}

impl AccountStore for StoredAccounts {
    fn load(&self, account: AccountKind) -> BoxFuture<'_, Result<(u64, Spending), AccountError>> {
        async move {
            let (space, key) = self.place(account);
            let Some(Versioned { version, value }) = self.store.get(space, key).await? else {
                return Ok((0, Spending::default()));
            };
            let spent = parse(&value).ok_or_else(|| {
                let why = format!("the account {key:?} in {space:?} cannot be read");
                Error::new(ErrorKind::Damaged, why)
            })?;
            Ok((version, spent))
        }
        .boxed()
    }

    fn save(
        &self,
        account: AccountKind,
        expected: u64,
        spent: Spending,
    ) -> BoxFuture<'_, Result<Option<u64>, AccountError>> {
        async move {
            let (space, key) = self.place(account);
            match self.store.put(space, key, expected, write(spent)).await {
                Ok(version) => Ok(Some(version)),
                Err(error) if error.kind() == ErrorKind::Conflict => Ok(None),
                Err(error) => Err(error.into()),
            }
        }
        .boxed()
    }
}

/// Writes the tokens and the cost, such as `1200 0.0031`.
fn write(Spending { tokens, cost }: Spending) -> Vec<u8> {
    format!("{tokens} {cost}").into_bytes()
}

fn parse(value: &[u8]) -> Option<Spending> {
    let (tokens, cost) = str::from_utf8(value).ok()?.split_once(' ')?;
    Some(Spending { tokens: tokens.parse().ok()?, cost: cost.parse().ok()? })
}

/// The key of a conversation's account in its space.
const ACCOUNT: &str = "account";

/// The key of the account that all runs without a user share.
const NOBODY: &str = "nobody";

impl fmt::Debug for StoredAccounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredAccounts")
            .field("conversation", &self.conversation)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
