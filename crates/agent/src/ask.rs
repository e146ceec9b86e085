use silcrow_context::{CONTINUE, ToolCard, assemble, assemble_with_notice, system_prompt};
use silcrow_event::{CallKind, Message, Role};
use silcrow_parser::Dialect;
use silcrow_provider::Request;

use crate::agent::Agent;
use crate::drive::Run;

impl Run<'_> {
    /// Returns the request of the next step, made of the log.
    pub(crate) fn request(&self, last: bool) -> Request {
        let (entries, options) = (self.tap.log.entries(), self.agent.options);
        let told = match last {
            true => assemble_with_notice(entries, options, LAST_STEP),
            false => assemble(entries, options),
        };
        let told = match told.last() {
            // Nothing came of it that it could go on from.
            Some(message) if message.role == Role::Assistant => {
                assemble_with_notice(entries, options, CONTINUE)
            }
            _ => told,
        };
        let messages = std::iter::once(self.system.clone()).chain(told).collect();
        Request { streaming: self.agent.streaming, ..Request::new(messages) }
    }
}

/// How to write, and what there is to call: actions may call more than tools.
pub(crate) fn system(agent: &Agent) -> Message {
    let kinds = match agent.options.dialect {
        Dialect::Action => &CallKind::ALL[..],
        _ => &[CallKind::Tool],
    };
    let cards = kinds.iter().flat_map(|&kind| {
        agent.tools.iter_as(kind).map(move |tool| ToolCard {
            kind,
            name: tool.name(),
            description: tool.description(),
            schema: tool.schema(),
        })
    });
    let cards: Vec<_> = cards.collect();
    let text = system_prompt(agent.options, &cards, agent.instructions.as_deref());
    Message::new(Role::System, text)
}

/// Told at the end of the last request that a run may make.
const LAST_STEP: &str =
    "[This is the last step of the run: answer now with what you have, and call nothing.]";
