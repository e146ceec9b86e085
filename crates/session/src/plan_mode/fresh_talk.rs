//! A plan in the place of the conversation before it: a summary that includes the person's
//! requests.

use silcrow_event::{ContextSummary, Entry, Event, SummaryAuthor};
use silcrow_store::verify::{Report, read_whole};
use silcrow_store::{Error, Store};

use crate::add_event::add_event;

/// Leaves the conversation before a turn out of later requests, except for the prompt that the turn
/// answers. Returns whether there was something to leave out.
pub(super) async fn begin_afresh(
    store: &dyn Store,
    conversation: &str,
    turn: u32,
) -> Result<bool, Error> {
    let head = store.head(conversation).await?;
    if head == 0 {
        return Ok(false);
    }
    // Damaged events are left out; `silcrow log verify` reports them.
    let entries = read_whole(store, conversation, 1..=head, &mut Report::default()).await?;
    let own = |entry: &&Entry| entry.agent_path.is_none() && entry.turn == Some(turn);
    let first = entries.iter().find(own).and_then(|entry| entry.seq);
    let until = first.map_or(head, |first| first - 1);
    if until == 0 {
        return Ok(false);
    }
    let asked = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::User { content, steer: false } if entry.agent_path.is_none() => {
            Some(content.parts().first()?.text().into_owned())
        }
        _ => None,
    });
    let asked = asked.unwrap_or_default();
    let end = asked.floor_char_boundary(LONGEST);
    let content = format!("{ABOUT}{}", &asked[..end]);
    let summary = ContextSummary {
        content,
        until,
        author: SummaryAuthor::Person,
        ..ContextSummary::default()
    };
    add_event(store, conversation, Event::Summary(summary)).await?;
    Ok(true)
}

/// The words before the prompt.
const ABOUT: &str = "\
What was said and read before is left out: the person accepted the plan that follows, and wants it carried out \
from here. Read again what you need. The person had asked:\n\n";

/// The number of bytes of a prompt that are repeated.
const LONGEST: usize = 8_000;

#[cfg(test)]
mod tests {
    use silcrow_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn entries_before_the_plan_are_left_out() {
        let store = MemoryStore::new();
        let of_turn = |event: Event, turn| Entry { turn: Some(turn), ..Entry::from(event) };
        let entries = vec![
            Event::user("Mend it").into(),
            of_turn(Event::think("reads"), 1),
            of_turn(Event::think("plans"), 2),
        ];
        store.append("c", 0, entries).await.unwrap();
        assert!(begin_afresh(&store, "c", 2).await.unwrap());
        let last = store.read("c", 4..=4).await.unwrap().remove(0);
        let Event::Summary(summary) = last.event else { panic!("{last:?}") };
        assert_eq!((summary.until, summary.author), (2, SummaryAuthor::Person));
        assert!(
            summary.content.ends_with("The person had asked:\n\nMend it"),
            "{}",
            summary.content
        );
        assert!(!begin_afresh(&store, "none", 1).await.unwrap());
    }
}
