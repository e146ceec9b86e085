//! A ledger that a run shares with everything that its calls run, and that outlives the run.
//!
//! The account of a run is in memory. The accounts of the conversation and the user are also in an
//! [`AccountStore`], in which other processes charge them too: a change is saved only if nobody
//! else has saved one meanwhile. A purse whose accounts have limits saves each reservation before
//! the request is made, so that a process that dies leaves it spent.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use futures_util::future::join_all;
use silcrow_event::{Balances, Spending, SpendingLimit, Usage};
use tokio::sync::Mutex;

use crate::account_store::{AccountError, AccountStore};
use crate::ledger::{AccountKind, Ledger, SpendingExhausted, SpendingLimits};
use crate::overdraft::Overdraft;
use crate::prices::PriceTable;

/// A shared ledger with prices. Clones share the ledger.
///
/// ```
/// use silcrow_event::{Spending, Usage};
/// use silcrow_exec::{Overdraft, Purse, SpendingLimits};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let purse = Purse::new(SpendingLimits::default());
/// let most = Spending { tokens: 800, ..Spending::default() };
/// let reserved = purse.reserve(most, Overdraft::Denied).await.unwrap();
/// let usage = Usage { input: 90, output: 10, ..Usage::default() };
/// reserved.settle(Spending { tokens: 100, ..most }, usage).await?;
/// assert_eq!(purse.usage().await, usage);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Purse {
    limits: Arc<RwLock<SpendingLimits>>,
    prices: PriceTable,
    accounts: Option<Arc<dyn AccountStore>>,
    state: Arc<Mutex<PurseState>>,
}

struct PurseState {
    /// The accounts in the order of [`AccountKind::ALL`].
    accounts: [PurseAccount; 3],
    /// The usage of all requests that are settled.
    usage: Usage,
}

struct PurseAccount {
    kind: AccountKind,
    ledger: Ledger,
    /// The version of the account in the store; `None` while it is not known.
    version: Option<u64>,
}

/// The reservation of one request. If it is dropped, it stays spent.
///
/// ```
/// use silcrow_event::{Spending, Usage};
/// use silcrow_exec::{Overdraft, Purse, SpendingLimits};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let tokens = |tokens| Spending { tokens, ..Spending::default() };
/// let purse = Purse::new(SpendingLimits::default());
/// let mut reserved = purse.reserve(tokens(800), Overdraft::Denied).await.unwrap();
/// // The answer is longer than expected.
/// reserved.grow(tokens(200)).await.unwrap();
/// assert_eq!(reserved.amount(), tokens(1000));
/// reserved.settle(tokens(900), Usage::default()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "what is reserved stays spent until it is settled"]
pub struct Reservation {
    purse: Purse,
    amount: Spending,
    /// The reserved amount in each account, in the order of [`AccountKind::ALL`].
    reserved: [Spending; 3],
}

/// The error of a purse that cannot reserve anything.
///
/// ```
/// use silcrow_event::{Spending, SpendingLimit};
/// use silcrow_exec::{AccountKind, Overdraft, Purse, ReserveError, SpendingLimits};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let run = SpendingLimit { tokens: Some(1000), ..SpendingLimit::default() };
/// let purse = Purse::new(SpendingLimits { run, ..SpendingLimits::default() });
/// let most = Spending { tokens: 2000, ..Spending::default() };
/// match purse.reserve(most, Overdraft::Denied).await {
///     Err(ReserveError::Exhausted(full)) => assert_eq!(full.account(), AccountKind::Run),
///     other => panic!("{other:?}"),
/// }
/// # }
/// ```
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "an account is full, or it cannot be saved")]
pub enum ReserveError {
    /// An account has no room.
    Exhausted(SpendingExhausted),
    /// An account cannot be loaded or saved.
    Unsaved(AccountError),
}

impl Purse {
    /// Creates a purse in which nothing is spent. Nothing of it is stored.
    pub fn new(limits: SpendingLimits) -> Self {
        let accounts = AccountKind::ALL.map(|kind| PurseAccount {
            kind,
            ledger: Ledger::new(kind, limits.for_account(kind)),
            version: None,
        });
        let state = PurseState { accounts, usage: Usage::default() };
        let state = Arc::new(Mutex::new(state));
        let limits = Arc::new(RwLock::new(limits));
        Self { limits, prices: PriceTable::default(), accounts: None, state }
    }

    /// Sets the prices of models.
    #[must_use]
    pub fn with_prices(self, prices: PriceTable) -> Self {
        Self { prices, ..self }
    }

    /// Sets the store of the accounts of the conversation and the user.
    #[must_use]
    pub fn with_accounts(self, accounts: Arc<dyn AccountStore>) -> Self {
        Self { accounts: Some(accounts), ..self }
    }

    /// Returns the limits.
    pub fn limits(&self) -> SpendingLimits {
        *self.limits.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the limit of an account while requests are made. A field of `limit` that is `None`
    /// leaves its limit unchanged. Reservations that were made before stay as they are.
    pub async fn set_limit(&self, account: AccountKind, limit: SpendingLimit) {
        let mut state = self.state.lock().await;
        let mut limits = self.limits.write().unwrap_or_else(PoisonError::into_inner);
        let known = limits.of_mut(account);
        known.tokens = limit.tokens.or(known.tokens);
        known.cost = limit.cost.or(known.cost);
        for one in state.accounts.iter_mut().filter(|one| one.kind == account) {
            one.ledger.set_limit(*known);
        }
    }

    /// Returns the prices of models.
    pub const fn prices(&self) -> &PriceTable {
        &self.prices
    }

    /// Reserves the most that a request may cost, in every account; see [`Ledger::reserve`].
    ///
    /// If the future is dropped, the reservation may stay spent.
    ///
    /// # Errors
    ///
    /// [`ReserveError`] if an account has no room or cannot be saved.
    pub async fn reserve(
        &self,
        most: Spending,
        overdraft: Overdraft,
    ) -> Result<Reservation, ReserveError> {
        let reserved = self.add(most, overdraft).await?;
        Ok(Reservation { purse: self.clone(), amount: most, reserved })
    }

    /// Returns the accounts that have a limit, or `None` if none has.
    pub async fn balances(&self) -> Option<Balances> {
        let state = self.state.lock().await;
        let [run, conversation, user] = state.accounts.each_ref().map(|account| {
            let balance = account.ledger.balance();
            (!balance.limit.is_unlimited()).then_some(balance)
        });
        let balances = Balances { run, conversation, user };
        (balances != Balances::default()).then_some(balances)
    }

    /// Returns the usage of all requests that are settled.
    pub async fn usage(&self) -> Usage {
        self.state.lock().await.usage
    }

    /// Reserves an amount, and returns the reserved amount in each account.
    async fn add(
        &self,
        most: Spending,
        overdraft: Overdraft,
    ) -> Result<[Spending; 3], ReserveError> {
        let mut state = self.state.lock().await;
        let mut reserved = [Spending::default(); 3];
        for index in 0..state.accounts.len() {
            let (before, after) = state.accounts.split_at_mut(index);
            let account = &mut after[0];
            if !self.reserves(account.kind) {
                continue;
            }
            if let Err(error) = self.change(account, |ledger| ledger.reserve(most, overdraft)).await
            {
                // If this fails, the reservation stays spent.
                let _ = self.settle(before, reserved, Spending::default()).await;
                return Err(error);
            }
            reserved[index] = most;
        }
        Ok(reserved)
    }

    /// Replaces reservations in accounts, which are saved at the same time.
    async fn settle(
        &self,
        accounts: &mut [PurseAccount],
        reserved: [Spending; 3],
        cost: Spending,
    ) -> Result<(), AccountError> {
        let settled = accounts.iter_mut().zip(reserved).map(|(account, reserved)| async move {
            let change = |ledger: &mut Ledger| {
                ledger.settle(reserved, cost);
                Ok(())
            };
            match self.change(account, change).await {
                Ok(()) | Err(ReserveError::Exhausted(_)) => Ok(()),
                Err(ReserveError::Unsaved(error)) => Err(error),
            }
        });
        join_all(settled).await.into_iter().collect()
    }

    /// Applies a change to an account, and saves it if the account is stored. Nothing is changed if
    /// the change fails.
    async fn change(
        &self,
        account: &mut PurseAccount,
        change: impl Fn(&mut Ledger) -> Result<(), SpendingExhausted>,
    ) -> Result<(), ReserveError> {
        let PurseAccount { kind, ledger, version: known } = account;
        let Some(store) = self.accounts.as_ref().filter(|_| *kind != AccountKind::Run) else {
            return change(ledger).map_err(ReserveError::Exhausted);
        };
        loop {
            // Until the change is saved, the version is not known: the future may be dropped.
            let latest = known.take();
            let version = match latest {
                Some(version) => version,
                None => {
                    let (version, spent) =
                        store.load(*kind).await.map_err(ReserveError::Unsaved)?;
                    ledger.set_spent(spent);
                    version
                }
            };
            match change(ledger) {
                Ok(()) => {}
                // Another process may have settled less than it had reserved.
                Err(_) if latest.is_some() => continue,
                Err(exhausted) => {
                    *known = Some(version);
                    return Err(ReserveError::Exhausted(exhausted));
                }
            }
            let saved = store.save(*kind, version, ledger.balance().spent).await;
            if let Some(version) = saved.map_err(ReserveError::Unsaved)? {
                *known = Some(version);
                return Ok(());
            }
        }
    }

    /// Returns whether an account holds reservations. A stored account without a limit is only
    /// charged with actual costs, which saves half of its changes.
    fn reserves(&self, account: AccountKind) -> bool {
        account == AccountKind::Run || !self.limits().for_account(account).is_unlimited()
    }
}

impl Reservation {
    /// Returns the reserved amount.
    pub const fn amount(&self) -> Spending {
        self.amount
    }

    /// Reserves more for the same request. It may exceed a limit that is not exceeded already, so
    /// that an answer that has begun can come to its end.
    ///
    /// # Errors
    ///
    /// [`ReserveError`] as in [`Purse::reserve`].
    pub async fn grow(&mut self, more: Spending) -> Result<(), ReserveError> {
        let reserved = self.purse.add(more, Overdraft::Allowed).await?;
        self.amount += more;
        self.reserved.iter_mut().zip(reserved).for_each(|(sum, more)| *sum += more);
        Ok(())
    }

    /// Replaces the reservation with the cost of the request, and counts its usage.
    ///
    /// # Errors
    ///
    /// [`AccountError`] if an account cannot be saved. Then the reservation stays spent there.
    pub async fn settle(self, cost: Spending, usage: Usage) -> Result<(), AccountError> {
        let mut state = self.purse.state.lock().await;
        state.usage += usage;
        self.purse.settle(&mut state.accounts, self.reserved, cost).await
    }
}

impl fmt::Debug for Purse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Purse").field("limits", &self.limits()).finish_non_exhaustive()
    }
}

impl From<SpendingExhausted> for ReserveError {
    fn from(exhausted: SpendingExhausted) -> Self {
        Self::Exhausted(exhausted)
    }
}

impl fmt::Display for ReserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhausted(exhausted) => exhausted.fmt(f),
            Self::Unsaved(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReserveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Exhausted(_) => None,
            Self::Unsaved(error) => error.source(),
        }
    }
}
