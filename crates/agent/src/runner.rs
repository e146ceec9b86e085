use silcrow_event::{Approval, Decision, Entry, Event, Kind};
use silcrow_exec::{Answer, Extent, News, Runner};

use crate::agent::Agent;
use crate::log::Log;

/// A runner for a turn of a conversation, which knows what the person allowed for all of it.
pub(crate) fn runner(agent: &Agent, log: &Log<'_>, turn: u32) -> Runner {
    let Agent { tools, approver, validator, settings, root, spill, .. } = agent;
    let runner = Runner::new(tools.clone(), approver.clone())
        .with_settings(*settings)
        .with_validator(validator.clone())
        .with_journal(log.marks(agent.store.clone(), turn))
        .in_turn(log.conversation(), turn)
        .within(agent.path.clone());
    let runner = match root {
        Some(root) => runner.at(root),
        None => runner,
    };
    let mut runner = match spill {
        Some(spill) => runner.with_spill(spill.clone()),
        None => runner,
    };
    for (kind, name, covers) in grants(log.entries()) {
        runner.grant(kind, name, covers);
    }
    runner
}

/// What is stored of a question and of its answer.
pub(crate) fn approval(news: News) -> Option<Event> {
    let (id, state, scope, reason) = match news {
        News::Asked { id } => (id, Decision::Asked, None, None),
        News::Answered { id, answer, covers } => match answer {
            Answer::Allow(Extent::Once) => (id, Decision::Allowed, None, None),
            Answer::Allow(Extent::Conversation) => (id, Decision::Allowed, Some(covers), None),
            Answer::Deny(reason) => (id, Decision::Denied, None, Some(reason)),
        },
        _ => return None,
    };
    Some(Event::Approval(Approval { id, state, scope, reason }))
}

/// What a person allowed for the whole conversation: of what is called, and what it covers.
fn grants(entries: &[Entry]) -> impl Iterator<Item = (Kind, &str, &str)> {
    entries.iter().enumerate().filter_map(|(index, entry)| {
        let Event::Approval(approval) = &entry.event else { return None };
        let covers = approval.scope.as_deref().filter(|_| approval.state == Decision::Allowed)?;
        let call = entries[..index].iter().rev().find_map(|earlier| match &earlier.event {
            Event::Call(call) if earlier.turn == entry.turn && call.id() == approval.id => {
                Some(call)
            }
            _ => None,
        })?;
        let kind = call.action().map(|action| action.kind).unwrap_or_default();
        Some((kind, call.name(), covers))
    })
}
