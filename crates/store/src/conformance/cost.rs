//! Checks of the cost of a question about one conversation among many others.

use std::fmt;

use futures_util::StreamExt as _;

use super::must;
use super::sample::{batch, said};
use crate::store::Store;

/// The work that a store has done so far, in units that its test can count.
///
/// ```
/// use silcrow_store::conformance::StoreCost;
///
/// let cost = StoreCost { steps: 3, bytes: 200 };
/// assert_eq!(cost.to_string(), "3 steps, 200 bytes");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store's test fills in each field")]
pub struct StoreCost {
    /// Reads of files, statements, or allocations; 0 if they are not counted.
    pub steps: u64,
    /// The bytes of them.
    pub bytes: u64,
}

impl fmt::Display for StoreCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} steps, {} bytes", self.steps, self.bytes)
    }
}

impl StoreCost {
    fn since(self, before: Self) -> Self {
        let steps = self.steps.saturating_sub(before.steps);
        Self { steps, bytes: self.bytes.saturating_sub(before.bytes) }
    }

    /// Returns whether a cost is as good as this one. A store's tree may be a little higher, and
    /// concurrent work is counted, too.
    fn allows(self, many: Self) -> bool {
        many.steps <= self.steps + self.steps / 5 + 8 && many.bytes <= 2 * self.bytes + 4_096
    }
}

/// Checks that each operation of a store on one conversation, and a page of the list, costs the
/// same among 400 other conversations as among two. `cost` returns the work that the store has done
/// so far.
///
/// # Panics
///
/// Panics if an operation costs more.
pub async fn check_costs<S: Store>(store: S, cost: impl AsyncFn() -> StoreCost) {
    fill(&store, 0..2).await;
    // The first execution is not counted.
    each(&store, "warm", &cost).await;
    let few = each(&store, "few", &cost).await;
    fill(&store, 2..OTHERS).await;
    each(&store, "warm", &cost).await;
    let many = each(&store, "many", &cost).await;
    for ((what, few), (_, many)) in few.into_iter().zip(many) {
        let why = format!("{what} costs {few} among 2 conversations, and {many} among {OTHERS}");
        assert!(few.allows(many), "{why}");
    }
}

/// Makes other conversations, each with a value.
async fn fill(store: &dyn Store, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let id = format!("other-{number}");
        must("appending", store.append(&id, 0, batch(number..number + 3)).await);
        must("putting", store.put(&format!("spent/{id}"), "k", 0, b"value".to_vec()).await);
    }
}

/// Does each operation, in a conversation that is new and gone afterwards, and in an unknown one.
/// Returns the cost of each.
async fn each(
    store: &dyn Store,
    id: &str,
    cost: &impl AsyncFn() -> StoreCost,
) -> Vec<(&'static str, StoreCost)> {
    let space = &*format!("spent/{id}");
    let mut costs = Vec::new();
    macro_rules! counted {
        ($what:literal, $operation:expr) => {{
            let before = cost().await;
            let done = must($what, $operation.await);
            costs.push(($what, cost().await.since(before)));
            done
        }};
    }
    counted!("appending to a new conversation", store.append(id, 0, batch(0..4)));
    counted!("appending", store.append(id, 4, vec![said(5)]));
    counted!("putting a value", store.put(space, "k", 0, b"first".to_vec()));
    counted!("replacing a value", store.put(space, "k", 1, b"second".to_vec()));
    counted!("asking for the head", store.head(id));
    counted!("asking for the head of an unknown conversation", store.head("nobody"));
    let summary = counted!("asking for a summary", store.summary(id));
    assert_eq!(summary.map(|one| one.events), Some(5), "the events of a summary");
    let summary = counted!("asking for the summary of an unknown one", store.summary("nobody"));
    assert_eq!(summary, None, "the summary of an unknown conversation");
    let page = counted!("listing the first of many", store.list_page(None, None, 2));
    assert_eq!(page.conversations[0].conversation, id, "the most recently changed comes first");
    let page = counted!("listing the next ones", store.list_page(None, page.next.as_deref(), 1));
    assert_eq!(page.conversations.len(), 1, "a page of the list");
    let read = counted!("reading", store.read(id, 2..=4));
    assert_eq!(read.len(), 3, "the events 2 to 4");
    counted!("reading an unknown conversation", store.read("nobody", 1..=9));
    let entry = counted!("following", async { store.follow(id, 0).next().await.transpose() });
    assert_eq!(entry.and_then(|entry| entry.seq), Some(1), "the first event of a follower");
    counted!("reading a value", store.get(space, "k"));
    counted!("reading an unknown value", store.get(space, "unknown"));
    let ids = counted!("asking for ids", store.ids_beginning_with(id));
    assert_eq!(ids, [id], "the ids that begin with {id:?}");
    counted!("asking for ids that nobody has", store.ids_beginning_with("nobody/"));
    counted!("holding", async {
        store.hold(id).await?.release().await;
        Ok(())
    });
    counted!("deleting", store.delete(id, 5));
    counted!("deleting an unknown conversation", store.delete("nobody", 0));
    costs
}

/// The number of other conversations.
const OTHERS: usize = 400;
