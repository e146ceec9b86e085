//! The items of a loop in one question: the subject of each call, and the ones that a person names.

use silcrow_sanitize::sanitize_exact;
use silcrow_tool::{ApprovalRequest, ItemRequest};

use super::QuestionWriter;
use super::leaves::leaves;

/// Returns the places of the items that typed words name, from 0: numbers from 1 to `count`, and ranges of
/// them, with commas or blanks between them. `None` if the words are anything else.
///
/// ```
/// use silcrow_console::question::picked;
///
/// assert_eq!(picked("1, 3-4", 5), Some(vec![0, 2, 3]));
/// assert_eq!(picked("2", 1), None);
/// assert_eq!(picked("the first", 5), None);
/// ```
pub fn picked(words: &str, count: usize) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    let number = |text: &str| text.parse().ok().filter(|number| (1..=count).contains(number));
    for word in words.split([',', ' ']).filter(|word| !word.is_empty()) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        places.extend(number(first)? - 1..number(last)?);
    }
    places.sort_unstable();
    places.dedup();
    (!places.is_empty()).then_some(places)
}

impl QuestionWriter {
    /// Writes a row for each item of a loop: the differences of its call from the first one.
    pub(super) fn short_items(&mut self, asked: ApprovalRequest<'_>) {
        if asked.items.is_empty() {
            return;
        }
        let first = item(asked);
        let [next, ..] = asked.items else { return };
        let mut label = "items";
        for (number, (own, other)) in (1..).zip(with_others(first, next, asked.items)) {
            let what = facts(own, other);
            self.theirs(label, &format!("{number}: {what}"));
            label = "";
        }
    }

    /// Writes everything about all items but the first one.
    pub(super) fn whole_items(&mut self, asked: ApprovalRequest<'_>) {
        let all = asked.items.len() + 1;
        for (number, item) in (2..).zip(asked.items) {
            self.ours("", &format!("Item {number} of {all}:"));
            if let Some(diff) = item.diff {
                self.diff_labelled("", diff);
            }
            let is_shown = |name: &String| item.diff.is_some_and(|diff| diff.args.contains(name));
            for leaf in leaves(item.args).iter().filter(|leaf| !is_shown(&leaf.argument)) {
                self.leaf(leaf);
            }
            let facts = [("target", item.target), ("effect", item.effect), ("risk", item.risk)];
            for (label, text) in facts {
                if let Some(text) = text {
                    self.clause(label, text);
                }
            }
            if !item.grants.is_empty() {
                self.clause("opens", &item.grants.to_string());
            }
        }
    }
}

/// Returns each item with another one to compare it with.
fn with_others<'a>(
    first: ItemRequest<'a>,
    next: &'a ItemRequest<'a>,
    items: &'a [ItemRequest<'a>],
) -> impl Iterator<Item = (ItemRequest<'a>, ItemRequest<'a>)> {
    let others = items.iter().map(move |item| (*item, first));
    [(first, *next)].into_iter().chain(others)
}

/// Returns the call that a request is about as one of its items.
fn item<'a>(asked: ApprovalRequest<'a>) -> ItemRequest<'a> {
    let mut item = ItemRequest::new(asked.id, asked.args);
    (item.target, item.effect, item.risk) = (asked.target, asked.effect, asked.risk);
    (item.diff, item.grants) = (asked.diff, asked.grants);
    item
}

/// Returns how an item differs from another: in its arguments, its risk and its doors.
fn facts(own: ItemRequest<'_>, other: ItemRequest<'_>) -> String {
    let others = leaves(other.args);
    let same = |path: &str, text: &str| {
        others.iter().any(|other| other.path == path && other.text == text)
    };
    let leaves = leaves(own.args);
    let differing = leaves.iter().filter(|leaf| !same(&leaf.path, &leaf.text));
    let mut facts: Vec<_> = differing
        .map(|leaf| match leaf.is_block() {
            true => format!("{}: {} bytes", leaf.path, leaf.text.len()),
            false if leaf.is_string => format!("{}: \"{}\"", leaf.path, sanitize_exact(&leaf.text)),
            false => format!("{}: {}", leaf.path, leaf.text),
        })
        .collect();
    if facts.is_empty() {
        facts.push("the same arguments".to_owned());
    }
    if own.effect != other.effect {
        facts.extend(own.effect.map(str::to_owned));
    }
    if own.risk != other.risk {
        facts.extend(own.risk.map(|risk| format!("risk: {risk}")));
    }
    if own.grants != other.grants {
        facts.push(format!("opens: {}", own.grants));
    }
    facts.join(", ")
}
