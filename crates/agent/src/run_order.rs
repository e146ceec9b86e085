//! Orders of a person to the run at work in a conversation, in this process or another one.
//!
//! ```text
//! {"order":"stop"}
//! {"order":"budget","account":"run","tokens":90000,"cost":"0.50"}
//! ```
//!
//! The store passes orders on, and the run that holds the conversation carries them out. They are not
//! part of the log.

use serde_json::{Map, Value};
use silcrow_event::SpendingLimit;
use silcrow_exec::AccountKind;
use silcrow_store::{Store, validate};

use crate::error::Error;

/// An order to the run at work in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunOrder {
    /// The run stops its model and its tools, and leaves a valid history.
    Stop,
    /// The limit of an account changes. A field of the new limit that is `None` leaves the old one.
    Limit {
        /// The account.
        account: AccountKind,
        /// The new limit.
        limit: SpendingLimit,
    },
}

impl RunOrder {
    /// Sends the order to the run at work in a conversation of a user, and returns whether the store
    /// reached such a run. The run carries the order out within a second.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use silcrow_agent::RunOrder;
    /// use silcrow_store::MemoryStore;
    ///
    /// let store = MemoryStore::new();
    /// assert!(!RunOrder::Stop.send(&store, "c1", None).await.unwrap(), "nothing runs");
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation belongs to another user, or if the store fails.
    pub async fn send(
        self,
        store: &dyn Store,
        conversation: &str,
        user: Option<&str>,
    ) -> Result<bool, Error> {
        let head = store.head(conversation).await?;
        if head > 0 {
            // The first entry of a conversation is the prompt, or the first of its history.
            let mut owner = None;
            for first in (1..=head).step_by(PAGE as usize) {
                let page = store.read(conversation, first..=head.min(first + PAGE - 1)).await?;
                owner = page.into_iter().find_map(|entry| entry.user);
                if owner.is_some() {
                    break;
                }
            }
            validate::access(conversation, owner.as_deref(), user)?;
        }
        Ok(store.shared_runs().order(conversation, &self.write()).await?)
    }

    fn write(self) -> String {
        match self {
            Self::Stop => r#"{"order":"stop"}"#.to_owned(),
            Self::Limit { account, limit } => {
                let mut order = Map::new();
                order.insert("order".to_owned(), "budget".into());
                order.insert("account".to_owned(), account.as_str().into());
                if let Some(tokens) = limit.tokens {
                    order.insert("tokens".to_owned(), tokens.into());
                }
                if let Some(cost) = limit.cost {
                    order.insert("cost".to_owned(), cost.to_string().into());
                }
                Value::Object(order).to_string()
            }
        }
    }

    /// Reads an order; `None` if it is unknown to this version.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let order: Value = serde_json::from_str(text).ok()?;
        match order["order"].as_str()? {
            "stop" => Some(Self::Stop),
            "budget" => {
                let named = order["account"].as_str()?;
                let account = AccountKind::ALL.into_iter().find(|kind| kind.as_str() == named)?;
                let tokens = order["tokens"].as_u64();
                let cost = order["cost"].as_str().map(str::parse).transpose().ok()?;
                Some(Self::Limit { account, limit: SpendingLimit { tokens, cost } })
            }
            _ => None,
        }
    }
}

/// The number of entries that are read at once.
const PAGE: u64 = 64;

#[cfg(test)]
mod tests {
    use super::{AccountKind, RunOrder, SpendingLimit};

    #[test]
    fn an_order_is_read_as_it_was_written() {
        let limits = [
            SpendingLimit { tokens: Some(9), cost: None },
            SpendingLimit { tokens: None, cost: Some("0.5".parse().unwrap()) },
        ];
        let limits = limits.into_iter().flat_map(|limit| {
            AccountKind::ALL.into_iter().map(move |account| RunOrder::Limit { account, limit })
        });
        for order in limits.chain([RunOrder::Stop]) {
            assert_eq!(RunOrder::parse(&order.write()), Some(order));
        }
        for other in ["", "stop", r#"{"order":"dance"}"#, r#"{"order":"budget","account":"x"}"#] {
            assert_eq!(RunOrder::parse(other), None, "{other}");
        }
    }
}
