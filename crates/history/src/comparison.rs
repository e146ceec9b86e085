//! Two conversations side by side: their common beginning, and the place where they part.
//!
//! Times, ids and positions do not count. Either of the two may be a branch of the other.

use silcrow_event::{Entry, Json};
use silcrow_store::Store;
use silcrow_store::verify::{Report, read_whole};

use crate::conversations::stored_head;
use crate::entry_text::entry_text;
use crate::error::Error;

/// Two conversations, compared event by event.
///
/// ```
/// use silcrow_event::{Entry, Event};
/// use silcrow_history::Comparison;
///
/// let log = |answer: &str| [Event::user("go"), Event::respond(answer)].map(Entry::from).to_vec();
/// let comparison = Comparison::new(["a", "b"], [log("one"), log("two")]);
/// assert_eq!(comparison.shared(), 1);
/// // Each of the two answers is in one conversation only.
/// assert!(comparison.pairs().all(|(a, b)| a.is_some() != b.is_some()));
/// ```
#[derive(Clone, Debug)]
pub struct Comparison {
    ids: [String; 2],
    logs: [Vec<Entry>; 2],
    /// The number of events at the beginning that both have.
    shared: usize,
    /// The events after those, each by its position in its log.
    pairs: Vec<IndexPair>,
}

/// An event of one conversation, of the other, or of both.
type IndexPair = (Option<usize>, Option<usize>);

impl Comparison {
    /// Reads two conversations, each meant by an id or by the beginning of one, and compares them.
    /// Damaged events are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them does not exist, or if the store fails.
    pub async fn read(store: &dyn Store, ids: [&str; 2]) -> Result<Self, Error> {
        let (mut logs, mut found) = (Vec::new(), Vec::new());
        for typed in ids {
            let (id, head) = stored_head(store, typed).await?;
            logs.push(read_whole(store, &id, 1..=head, &mut Report::default()).await?);
            found.push(id);
        }
        let (b, a) = (logs.pop().unwrap_or_default(), logs.pop().unwrap_or_default());
        let (to, from) = (found.pop().unwrap_or_default(), found.pop().unwrap_or_default());
        Ok(Self::new([from, to], [a, b]))
    }

    /// Compares two logs with their ids.
    pub fn new(ids: [impl Into<String>; 2], logs: [Vec<Entry>; 2]) -> Self {
        let [left, right] = &logs;
        let shared = left.iter().zip(right).take_while(|(a, b)| key(a) == key(b)).count();
        let moved = |at: Option<usize>| at.map(|at| at + shared);
        let pairs = pairs(&left[shared..], &right[shared..]).into_iter();
        let pairs = pairs.map(|(a, b)| (moved(a), moved(b))).collect();
        Self { ids: ids.map(Into::into), logs, shared, pairs }
    }

    /// Returns the ids of the two conversations.
    pub fn ids(&self) -> [&str; 2] {
        self.ids.each_ref().map(String::as_str)
    }

    /// Returns the number of events at the beginning that both have.
    pub const fn shared(&self) -> usize {
        self.shared
    }

    /// Returns the events after the shared ones in order: of the first conversation, of the second, or
    /// of both if they say the same.
    pub fn pairs(&self) -> impl Iterator<Item = (Option<&Entry>, Option<&Entry>)> {
        let [left, right] = &self.logs;
        self.pairs.iter().map(|(a, b)| (a.map(|at| &left[at]), b.map(|at| &right[at])))
    }

    /// Returns the comparison as lines of JSON: the ids, and then a line for each pair.
    pub fn to_json_lines(&self) -> String {
        let [a, b] = self.ids().map(Json::string);
        let mut out = format!("{{\"a\":{a},\"b\":{b},\"shared\":{}}}\n", self.shared);
        let event = |entry: Option<&Entry>| entry.map_or_else(|| "null".to_owned(), Entry::to_json);
        for (a, b) in self.pairs() {
            let same = a.is_some() && b.is_some();
            out += &format!("{{\"same\":{same},\"a\":{},\"b\":{}}}\n", event(a), event(b));
        }
        out
    }
}

/// Returns the common part of two events if they say the same.
fn key(entry: &Entry) -> (&'static str, String) {
    (entry.event.type_name(), entry_text(entry))
}

/// Pairs the events that say the same, as many as can be paired in order.
fn pairs(left: &[Entry], right: &[Entry]) -> Vec<IndexPair> {
    let keys = |entries: &[Entry]| entries.iter().map(key).collect::<Vec<_>>();
    let (a, b) = (keys(left), keys(right));
    let mut pairs = Vec::new();
    if a.len().saturating_mul(b.len()) > MAX_CELLS {
        pairs.extend((0..a.len()).map(|at| (Some(at), None)));
        pairs.extend((0..b.len()).map(|at| (None, Some(at))));
        return pairs;
    }
    // `most[i][j]` is the number of pairs from `a[i..]` and `b[j..]`.
    let mut most = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            most[i][j] = match a[i] == b[j] {
                true => most[i + 1][j + 1] + 1,
                false => most[i + 1][j].max(most[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            pairs.push((Some(i), Some(j)));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && most[i + 1][j] >= most[i][j + 1]) {
            pairs.push((Some(i), None));
            i += 1;
        } else {
            pairs.push((None, Some(j)));
            j += 1;
        }
    }
    pairs
}

/// The largest table in which pairs are looked for.
const MAX_CELLS: usize = 4 << 20;
