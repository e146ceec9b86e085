//! The cost of requests to models, in tokens and in money, and its limits.
//!
//! This module defines the JSON of an account. The crate `silcrow-exec` keeps accounts.

use std::ops::{Add, AddAssign};

use crate::fields::Fields;
use crate::json::Object;
use crate::money::Money;

/// Tokens and money that requests to models have cost, or that are reserved for them.
///
/// ```
/// use silcrow_event::{Money, Spending};
///
/// let reserved = Spending { tokens: 1000, cost: Money::from_micros(300) };
/// let used = Spending { tokens: 1200, cost: Money::from_micros(240) };
/// // More was used than reserved, so no token is left to return.
/// let left = reserved.saturating_sub(used);
/// assert_eq!(left, Spending { tokens: 0, cost: Money::from_micros(60) });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "there are tokens and their price")]
pub struct Spending {
    /// The number of tokens read and written.
    pub tokens: u64,
    /// The price of the tokens; zero without a price table.
    pub cost: Money,
}

/// The limit of an account. A field that is `None` sets no limit.
///
/// ```
/// use silcrow_event::{Money, SpendingLimit};
///
/// let limit = SpendingLimit { cost: "2.50".parse::<Money>().ok(), ..SpendingLimit::default() };
/// assert!(!limit.is_unlimited());
/// assert!(SpendingLimit::default().is_unlimited());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "there are tokens and their price")]
pub struct SpendingLimit {
    /// The greatest number of tokens read and written.
    pub tokens: Option<u64>,
    /// The greatest cost.
    pub cost: Option<Money>,
}

/// The state of an account that has a limit. A reservation for a request counts as spent until the
/// vendor reports the usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct AccountBalance {
    /// The tokens and the money that were spent.
    pub spent: Spending,
    /// The limit of them.
    pub limit: SpendingLimit,
}

/// The accounts of a run that have a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Balances {
    /// The account of the run with everything that its calls run.
    pub run: Option<AccountBalance>,
    /// The account of the conversation: of all of its runs.
    pub conversation: Option<AccountBalance>,
    /// The account of the user: of all of the user's conversations in the store.
    pub user: Option<AccountBalance>,
}

impl Spending {
    /// Subtracts `other`; neither the tokens nor the cost go below zero.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            cost: self.cost.saturating_sub(other.cost),
        }
    }
}

impl Add for Spending {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.saturating_add(other.cost),
        }
    }
}

impl AddAssign for Spending {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SpendingLimit {
    /// Returns whether neither tokens nor money are limited.
    pub const fn is_unlimited(&self) -> bool {
        self.tokens.is_none() && self.cost.is_none()
    }
}

impl Balances {
    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        let account = |key| fields.object(key).map(|account| AccountBalance::read(&account));
        Self { run: account("run"), conversation: account("conversation"), user: account("user") }
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        let accounts =
            [("run", self.run), ("conversation", self.conversation), ("user", self.user)];
        for (key, account) in accounts {
            if let Some(account) = account {
                to.object(key, |to| account.write(to));
            }
        }
    }
}

impl AccountBalance {
    fn read(fields: &Fields<'_>) -> Self {
        Self {
            spent: Spending {
                tokens: fields.number("tokens").unwrap_or_default(),
                cost: fields.number("cost").unwrap_or_default(),
            },
            limit: SpendingLimit {
                tokens: fields.number("max_tokens"),
                cost: fields.number("max_cost"),
            },
        }
    }

    fn write(&self, to: &mut Object<'_>) {
        to.integer("tokens", self.spent.tokens);
        to.number("cost", self.spent.cost);
        if let Some(tokens) = self.limit.tokens {
            to.integer("max_tokens", tokens);
        }
        if let Some(cost) = self.limit.cost {
            to.number("max_cost", cost);
        }
    }
}
