//! The conversations in the order of their last changes, for pages of the list.
//!
//! It is made when a page is first requested, and updated from then on, so that a page costs only
//! its rows, and a program that lists nothing pays nothing. It has only ids and numbers of records.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The ids of conversations by the numbers of the records that changed them last, which are all
/// different.
#[derive(Debug, Default)]
pub(crate) struct ListOrder(OnceLock<BTreeMap<u64, Box<str>>>);

impl ListOrder {
    /// Returns the ids of the conversations that were changed before a record, or of all, most
    /// recently changed first. `all` are the conversations, which are read if the order was never
    /// requested.
    pub(crate) fn before<'a>(
        &'a self,
        record: Option<u64>,
        all: impl Iterator<Item = (u64, &'a str)>,
    ) -> impl Iterator<Item = &'a str> {
        let order = self.0.get_or_init(|| all.map(|(changed, id)| (changed, id.into())).collect());
        order.range(..record.unwrap_or(u64::MAX)).rev().map(|(_, id)| &**id)
    }

    /// Takes into account that a record changed a conversation, which `before` had changed last.
    pub(crate) fn change(&mut self, id: &str, before: u64, record: u64) {
        if let Some(order) = self.0.get_mut() {
            let known = order.remove(&before).filter(|known| **known == *id);
            order.insert(record, known.unwrap_or_else(|| id.into()));
        }
    }

    /// Takes into account that the conversation that a record had changed last is gone.
    pub(crate) fn remove(&mut self, changed: u64) {
        if let Some(order) = self.0.get_mut() {
            order.remove(&changed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ListOrder;

    #[test]
    fn changes_keep_the_requested_order() {
        let mut order = ListOrder::default();
        // The order was never requested, so nothing is kept.
        order.change("old", 0, 1);
        let all = || [(1, "old"), (3, "new")].into_iter();
        assert!(order.before(None, all()).eq(["new", "old"]));

        order.change("old", 1, 4);
        order.change("first", 0, 5);
        let asked = |order: &ListOrder, record| {
            let never = || -> Option<(u64, &str)> { panic!("the order is known") };
            let ids = order.before(record, std::iter::from_fn(never));
            ids.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(asked(&order, None), ["first", "old", "new"]);
        assert_eq!(asked(&order, Some(5)), ["old", "new"]);
        order.remove(4);
        assert_eq!(asked(&order, None), ["first", "new"]);
    }
}
