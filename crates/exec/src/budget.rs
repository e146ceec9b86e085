//! The budget of a run, which it shares with everything that its calls run.
//!
//! A budget only counts. The run decides what to do at a limit.

use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use silcrow_tool::Scope;
use tokio::time::{Instant, sleep_until};

use crate::account_store::AccountStore;
use crate::ledger::{AccountKind, SpendingExhausted, SpendingLimits};
use crate::prices::PriceTable;
use crate::purse::Purse;

/// The limits of one run: of its agent and of everything that its calls run, taken together.
///
/// ```
/// use silcrow_exec::{Budget, BudgetLimits, BudgetResource};
///
/// let budget = Budget::new(BudgetLimits { agents: 1, ..BudgetLimits::default() });
/// let first = budget.enter().unwrap();
/// assert_eq!(budget.enter().unwrap_err().resource(), BudgetResource::Agents);
/// drop(first);
/// assert!(budget.enter().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct BudgetLimits {
    /// The number of requests to models. A request that its provider repeats counts once.
    pub requests: u32,
    /// The number of agents and workflows that calls run at the same time.
    pub agents: u32,
    /// The number of complete events, whether they are stored or not.
    pub events: u64,
    /// The number of bytes of text and reasoning that models write.
    pub bytes: u64,
    /// The time since the run began.
    pub time: Duration,
    /// The limits of the cost of requests to models.
    pub spending: SpendingLimits,
}

impl Default for BudgetLimits {
    /// Returns 200 requests, 64 agents at once, 500,000 events, 256 MiB, 6 hours, and any cost.
    fn default() -> Self {
        Self {
            requests: 200,
            agents: 64,
            events: 500_000,
            bytes: 256 << 20,
            time: Duration::from_secs(6 * 60 * 60),
            spending: SpendingLimits::default(),
        }
    }
}

/// The budget of one run: its limits and its usage. Clones share it, and a run passes a clone to
/// everything that its calls run.
///
/// ```
/// use silcrow_exec::{Budget, BudgetLimits, BudgetResource};
///
/// let budget = Budget::new(BudgetLimits { requests: 1, ..BudgetLimits::default() });
/// let for_a_call = budget.clone();
/// assert_eq!(for_a_call.take_request(0), Ok(0));
/// // The call has taken the only request of the run.
/// let exhausted = budget.take_request(0).unwrap_err();
/// assert_eq!(exhausted.resource(), BudgetResource::Requests);
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    counters: Arc<BudgetCounters>,
    purse: Purse,
}

#[derive(Debug)]
struct BudgetCounters {
    limits: BudgetLimits,
    requests: AtomicU32,
    agents: AtomicU32,
    events: AtomicU64,
    bytes: AtomicU64,
    /// The moment at which the time is used up, or `None` if it is too late to be represented.
    deadline: Option<Instant>,
}

/// Something that a [`Budget`] limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BudgetResource {
    /// The limit [`BudgetLimits::requests`].
    Requests,
    /// The limit [`BudgetLimits::agents`].
    Agents,
    /// The limit [`BudgetLimits::events`].
    Events,
    /// The limit [`BudgetLimits::bytes`].
    Bytes,
    /// The limit [`BudgetLimits::time`].
    Time,
    /// The limit of an account's tokens in [`BudgetLimits::spending`].
    Tokens(AccountKind),
    /// The limit of an account's cost in [`BudgetLimits::spending`].
    Cost(AccountKind),
}

/// The error of a run that has reached a limit of its budget; it names the limit.
///
/// ```
/// use silcrow_exec::{Budget, BudgetLimits, BudgetResource};
///
/// let budget = Budget::new(BudgetLimits { agents: 1, ..BudgetLimits::default() });
/// let permit = budget.enter().unwrap();
/// let exhausted = budget.enter().unwrap_err();
/// assert_eq!(exhausted.resource(), BudgetResource::Agents);
/// // The other agent has ended.
/// drop(permit);
/// assert!(budget.enter().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetExhausted {
    resource: BudgetResource,
    limits: Box<BudgetLimits>,
    spending: Option<Box<SpendingExhausted>>,
}

/// Counts one agent or workflow as running until it is dropped.
#[derive(Debug)]
pub struct AgentPermit(Budget);

impl Budget {
    /// Creates the budget of a run that begins now.
    pub fn new(limits: BudgetLimits) -> Self {
        let counters = BudgetCounters {
            limits,
            requests: AtomicU32::new(0),
            agents: AtomicU32::new(0),
            events: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            deadline: Instant::now().checked_add(limits.time),
        };
        Self { counters: Arc::new(counters), purse: Purse::new(limits.spending) }
    }

    /// Returns the budget of the run to which a scope belongs; `None` outside a run. A run adds it as
    /// an [extension](Scope::with_extension).
    ///
    /// ```
    /// use silcrow_exec::{Budget, BudgetLimits};
    /// use silcrow_tool::Scope;
    ///
    /// let budget = Budget::new(BudgetLimits { requests: 1, ..BudgetLimits::default() });
    /// let scope = Scope::new("sums").with_extension(budget);
    /// let budget = Budget::from_scope(&scope).expect("it was added");
    /// assert_eq!(budget.take_request(0), Ok(0));
    /// assert!(budget.take_request(0).is_err());
    /// ```
    pub fn from_scope(scope: &Scope) -> Option<&Self> {
        scope.extension()
    }

    /// Sets the prices of models, with which the cost of requests is counted.
    #[must_use]
    pub fn with_prices(self, prices: PriceTable) -> Self {
        Self { purse: self.purse.with_prices(prices), ..self }
    }

    /// Sets the store of the accounts of the conversation and the user.
    #[must_use]
    pub fn with_accounts(self, accounts: Arc<dyn AccountStore>) -> Self {
        Self { purse: self.purse.with_accounts(accounts), ..self }
    }

    /// Returns the purse from which requests to models are paid.
    pub const fn purse(&self) -> &Purse {
        &self.purse
    }

    /// Takes one request, and returns how many more can be taken. `reserved` requests cannot: an
    /// agent leaves one for each agent above it, so that each of them can still answer.
    ///
    /// ```
    /// use silcrow_exec::{Budget, BudgetLimits};
    ///
    /// let budget = Budget::new(BudgetLimits { requests: 2, ..BudgetLimits::default() });
    /// // An agent below another one leaves a request for it.
    /// assert_eq!(budget.take_request(1), Ok(0));
    /// assert!(budget.take_request(1).is_err());
    /// assert_eq!(budget.take_request(0), Ok(0));
    /// ```
    ///
    /// # Errors
    ///
    /// [`BudgetExhausted`] if no more than `reserved` requests are left, or if another limit is reached.
    pub fn take_request(&self, reserved: u32) -> Result<u32, BudgetExhausted> {
        self.check()?;
        if self.counters.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Err(self.exhausted(BudgetResource::Time));
        }
        let limit = self.counters.limits.requests.saturating_sub(reserved);
        let taken =
            self.counters.requests.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |requests| {
                (requests < limit).then_some(requests + 1)
            });
        match taken {
            Ok(before) => Ok(limit - before - 1),
            Err(_) => Err(self.exhausted(BudgetResource::Requests)),
        }
    }

    /// Counts an agent or a workflow for as long as the permit lives.
    ///
    /// # Errors
    ///
    /// [`BudgetExhausted`] if as many run as the limit allows.
    pub fn enter(&self) -> Result<AgentPermit, BudgetExhausted> {
        let limit = self.counters.limits.agents;
        let entered =
            self.counters.agents.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |agents| {
                (agents < limit).then_some(agents + 1)
            });
        match entered {
            Ok(_) => Ok(AgentPermit(self.clone())),
            Err(_) => Err(self.exhausted(BudgetResource::Agents)),
        }
    }

    /// Counts complete events.
    pub fn add_events(&self, events: u64) {
        self.counters.events.fetch_add(events, Ordering::Relaxed);
    }

    /// Counts bytes that a model wrote.
    pub fn add_bytes(&self, bytes: u64) {
        self.counters.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Checks the events and the bytes, which are counted after they happened.
    ///
    /// # Errors
    ///
    /// [`BudgetExhausted`] if there are more of them than the limits allow.
    pub fn check(&self) -> Result<(), BudgetExhausted> {
        let BudgetCounters { limits, events, bytes, .. } = &*self.counters;
        if events.load(Ordering::Relaxed) > limits.events {
            return Err(self.exhausted(BudgetResource::Events));
        }
        if bytes.load(Ordering::Relaxed) > limits.bytes {
            return Err(self.exhausted(BudgetResource::Bytes));
        }
        Ok(())
    }

    /// Waits until the time is used up. Cancel-safe.
    ///
    /// # Panics
    ///
    /// The future panics if it is polled outside a tokio runtime, or in one without timers.
    pub async fn expired(&self) -> BudgetExhausted {
        match self.counters.deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => pending().await,
        }
        self.exhausted(BudgetResource::Time)
    }

    fn exhausted(&self, resource: BudgetResource) -> BudgetExhausted {
        BudgetExhausted { resource, limits: Box::new(self.counters.limits), spending: None }
    }
}

impl Drop for AgentPermit {
    fn drop(&mut self) {
        self.0.counters.agents.fetch_sub(1, Ordering::Relaxed);
    }
}

impl BudgetExhausted {
    /// Returns the limit that is reached.
    pub const fn resource(&self) -> BudgetResource {
        self.resource
    }

    /// Returns the account that has no room for another request, if the limit is one of spending.
    pub fn spending(&self) -> Option<&SpendingExhausted> {
        self.spending.as_deref()
    }
}

impl Budget {
    /// Returns the error of a request for which an account has no room.
    pub fn overspent(&self, spending: SpendingExhausted) -> BudgetExhausted {
        let resource = match spending.is_cost() {
            true => BudgetResource::Cost(spending.account()),
            false => BudgetResource::Tokens(spending.account()),
        };
        BudgetExhausted { spending: Some(Box::new(spending)), ..self.exhausted(resource) }
    }
}

impl fmt::Display for BudgetExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(spending) = &self.spending {
            return spending.fmt(f);
        }
        let BudgetLimits { requests, agents, events, bytes, time, .. } = *self.limits;
        let (what, limit) = match self.resource {
            BudgetResource::Requests => ("requests", requests.to_string()),
            BudgetResource::Agents => {
                return write!(f, "{agents} agents and workflows of the run are running already");
            }
            BudgetResource::Events => ("events", events.to_string()),
            BudgetResource::Bytes => ("bytes that models may write in the run", bytes.to_string()),
            BudgetResource::Time => ("time", format!("{} s", time.as_secs_f64())),
            BudgetResource::Tokens(_) => ("tokens", String::new()),
            BudgetResource::Cost(_) => ("money", String::new()),
        };
        let of = if self.resource == BudgetResource::Bytes { "" } else { " of the run" };
        let verb = if self.resource == BudgetResource::Time { "is" } else { "are" };
        write!(f, "the {what}{of} {verb} used up ({limit}, with all agents that calls ran)")
    }
}

impl std::error::Error for BudgetExhausted {}
