//! The parts of the system message, and the omitted ones.

use silcrow_agent::{Agent, NextContext};
use silcrow_event::{Json, Message};
use silcrow_provider::Estimate;
use silcrow_term::quantity::size;

use super::ContextShare;

/// The parts of a system message with their origins and sizes.
#[derive(Debug)]
pub(super) struct SystemParts {
    parts: Vec<PartSize>,
    /// The lines about instructions that were left out.
    left_out: Vec<String>,
}

/// A part with its approximate number of tokens.
#[derive(Debug)]
struct PartSize {
    name: String,
    tokens: u64,
    omitted: usize,
}

impl SystemParts {
    /// Measures the parts of the next request of an agent.
    pub(super) fn new(agent: &Agent, next: &NextContext, left_out: Vec<String>) -> Self {
        let part = |name: &str, text: &str, omitted| {
            let tokens = Estimate::of_messages(&[Message::system(text)]);
            PartSize { name: name.to_owned(), tokens, omitted }
        };
        let parts = next.system.iter().map(|found| part(&found.name, &found.text, found.omitted));
        let of_run = agent.options().run_text.as_deref().map(|text| part("this run", text, 0));
        Self { parts: parts.chain(of_run).collect(), left_out }
    }

    /// Returns the parts with their sizes.
    pub(super) fn shares(&self) -> impl Iterator<Item = ContextShare> {
        let share = |part: &PartSize| ContextShare { name: part.name.clone(), tokens: part.tokens };
        self.parts.iter().map(share)
    }

    /// Returns a line for each part, and lines about omitted parts.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let parts = self.parts.iter().map(|PartSize { name, tokens, omitted }| match omitted {
            0 => format!("{name}, about {tokens} tokens"),
            omitted => format!("{name}, about {tokens} tokens, {} left out", size(*omitted)),
        });
        parts.chain(self.left_out.iter().cloned())
    }

    /// Returns the members `system` and `left_out` of a JSON object.
    pub(super) fn to_members(&self) -> String {
        let part = |PartSize { name, tokens, omitted }: &PartSize| {
            let name = Json::string(name);
            format!("{{\"name\":{name},\"tokens\":{tokens},\"omitted_bytes\":{omitted}}}")
        };
        let parts: Vec<_> = self.parts.iter().map(part).collect();
        let left_out = self.left_out.iter().map(|line| Json::string(line).to_string());
        let left_out: Vec<_> = left_out.collect();
        format!("\"system\":[{}],\"left_out\":[{}]", parts.join(","), left_out.join(","))
    }
}
