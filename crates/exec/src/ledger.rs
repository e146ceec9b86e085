//! A ledger of the cost of requests to models, with a limit.
//!
//! A ledger is pure: it has no store, no clock and no vendor. Each request moves through two
//! states: *reserved*, when its maximum cost counts as spent, and *settled*, when its actual cost
//! replaces the reservation. A reservation that is never settled stays spent, so a ledger that lost
//! its last entries never shows less than was spent.

use std::fmt;

use silcrow_event::{AccountBalance, Balances, Spending, SpendingLimit};

use crate::overdraft::Overdraft;

/// The limits of the cost of requests to models, in tokens and in money.
///
/// Nothing is limited by default.
///
/// ```
/// use silcrow_event::SpendingLimit;
/// use silcrow_exec::SpendingLimits;
///
/// let run = SpendingLimit { cost: "0.50".parse().ok(), ..SpendingLimit::default() };
/// let limits = SpendingLimits { run, ..SpendingLimits::default() };
/// // A limit of money rejects requests to models without a price.
/// assert!(limits.needs_prices());
/// assert!(!SpendingLimits::default().needs_prices());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct SpendingLimits {
    /// The limit of the run with everything that its calls run.
    pub run: SpendingLimit,
    /// The limit of all runs of the conversation.
    pub conversation: SpendingLimit,
    /// The limit of all conversations of the user in the store. A run without a user counts with the
    /// other conversations that have none.
    pub user: SpendingLimit,
    /// The number of tokens that are reserved for an answer; 2,048 by default. A longer answer
    /// reserves as many again, as often as it must.
    pub answer_tokens: u64,
}

/// An account that requests to models are charged to. Each request is charged to all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a run has a conversation, and it has a user")]
pub enum AccountKind {
    /// The account of the run with everything that its calls run.
    Run,
    /// The account of the conversation.
    Conversation,
    /// The account of the user.
    User,
}

/// One account with its limit, to which requests are charged.
///
/// Spending never exceeds the limit by more than one reservation, as long as no request costs more
/// than its reservation.
///
/// ```
/// use silcrow_event::{Spending, SpendingLimit};
/// use silcrow_exec::{AccountKind, Ledger, Overdraft};
///
/// let tokens = |tokens| Spending { tokens, ..Spending::default() };
/// let mut ledger = Ledger::new(AccountKind::Run, SpendingLimit { tokens: Some(100), cost: None });
///
/// ledger.reserve(tokens(80), Overdraft::Denied).unwrap();
/// assert!(ledger.reserve(tokens(30), Overdraft::Denied).is_err(), "80 tokens may be used");
/// ledger.settle(tokens(80), tokens(60));
/// ledger.reserve(tokens(30), Overdraft::Denied).unwrap();
///
/// // The last request of a run may exceed the limit, and none may follow it.
/// ledger.reserve(tokens(30), Overdraft::Allowed).unwrap();
/// assert_eq!(ledger.balance().spent, tokens(120));
/// assert!(ledger.reserve(tokens(1), Overdraft::Allowed).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ledger {
    account: AccountKind,
    balance: AccountBalance,
}

/// The error that an account has no room for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpendingExhausted {
    account: AccountKind,
    /// Whether the limit is one of money.
    is_cost: bool,
    balance: AccountBalance,
    needed: Spending,
}

impl Default for SpendingLimits {
    fn default() -> Self {
        let unlimited = SpendingLimit { tokens: None, cost: None };
        Self { run: unlimited, conversation: unlimited, user: unlimited, answer_tokens: 2_048 }
    }
}

impl SpendingLimits {
    /// Returns the limit of an account.
    pub const fn for_account(&self, account: AccountKind) -> SpendingLimit {
        match account {
            AccountKind::Run => self.run,
            AccountKind::Conversation => self.conversation,
            AccountKind::User => self.user,
        }
    }

    /// Returns the limit of an account, to change it.
    pub(crate) const fn of_mut(&mut self, account: AccountKind) -> &mut SpendingLimit {
        match account {
            AccountKind::Run => &mut self.run,
            AccountKind::Conversation => &mut self.conversation,
            AccountKind::User => &mut self.user,
        }
    }

    /// Returns whether an account limits the cost, so that requests without a price are rejected.
    pub fn needs_prices(&self) -> bool {
        AccountKind::ALL.iter().any(|account| self.for_account(*account).cost.is_some())
    }
}

impl AccountKind {
    /// Lists every account.
    pub const ALL: [Self; 3] = [Self::Run, Self::Conversation, Self::User];

    /// Returns the name of the account: `run`, `conversation` or `user`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Conversation => "conversation",
            Self::User => "user",
        }
    }
}

impl Ledger {
    /// Creates the ledger of an account that has spent nothing.
    pub fn new(account: AccountKind, limit: SpendingLimit) -> Self {
        Self { account, balance: AccountBalance { spent: Spending::default(), limit } }
    }

    /// Replaces the spending of the account, for example by a stored amount.
    pub const fn set_spent(&mut self, spent: Spending) {
        self.balance.spent = spent;
    }

    /// Replaces the limit of the account.
    pub const fn set_limit(&mut self, limit: SpendingLimit) {
        self.balance.limit = limit;
    }

    /// Returns the spending of the account, including reservations, and its limit.
    pub const fn balance(&self) -> AccountBalance {
        self.balance
    }

    /// Reserves the most that a request may cost.
    ///
    /// With [`Overdraft::Allowed`] it may exceed the limit, if that is not exceeded already.
    ///
    /// # Errors
    ///
    /// [`SpendingExhausted`] if the limit has no room for the request.
    pub fn reserve(
        &mut self,
        most: Spending,
        overdraft: Overdraft,
    ) -> Result<(), SpendingExhausted> {
        let Self { account, balance } = *self;
        let after = match overdraft {
            Overdraft::Denied => balance.spent + most,
            Overdraft::Allowed => balance.spent,
        };
        let is_cost = match balance.limit {
            SpendingLimit { tokens: Some(limit), .. } if after.tokens > limit => false,
            SpendingLimit { cost: Some(limit), .. } if after.cost > limit => true,
            _ => {
                self.balance.spent += most;
                return Ok(());
            }
        };
        Err(SpendingExhausted { account, is_cost, balance, needed: most })
    }

    /// Replaces a reservation with the cost of the request.
    pub fn settle(&mut self, reserved: Spending, cost: Spending) {
        self.balance.spent = self.balance.spent.saturating_sub(reserved) + cost;
    }
}

impl SpendingExhausted {
    /// Returns the account that has no room.
    pub const fn account(&self) -> AccountKind {
        self.account
    }

    /// Returns whether the limit is one of cost rather than tokens.
    pub const fn is_cost(&self) -> bool {
        self.is_cost
    }

    /// Returns the spending of the account, and its limit.
    pub const fn balance(&self) -> AccountBalance {
        self.balance
    }
}

impl SpendingExhausted {
    /// Returns the error with the present state of its account.
    #[must_use]
    pub fn with_balances(self, balances: &Balances) -> Self {
        let balance = match self.account {
            AccountKind::Run => balances.run,
            AccountKind::Conversation => balances.conversation,
            AccountKind::User => balances.user,
        };
        Self { balance: balance.unwrap_or(self.balance), ..self }
    }
}

impl fmt::Display for SpendingExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccountBalance { spent, limit } = self.balance;
        let account = self.account.as_str();
        let needed = self.needed;
        match (self.is_cost, limit) {
            (true, SpendingLimit { cost: Some(limit), .. }) => write!(
                f,
                "the money of the {account} is used up ({} of {limit} spent, and a request may \
                 cost {}; with all agents that calls ran)",
                spent.cost, needed.cost,
            ),
            (_, limit) => write!(
                f,
                "the tokens of the {account} are used up ({} of {} spent, and a request may take \
                 {}; with all agents that calls ran)",
                spent.tokens,
                limit.tokens.unwrap_or_default(),
                needed.tokens,
            ),
        }
    }
}

impl std::error::Error for SpendingExhausted {}
