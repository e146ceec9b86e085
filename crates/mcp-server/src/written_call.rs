//! A model that writes one call and answers with its output, for tools that are declared.
//!
//! So the call has everything that a model's call has: its permission, its limits, and its place in
//! the log.

use futures_util::stream;
use silcrow_agent::Agent;
use silcrow_event::{ActionAttributes, Call, CallKind, CallMode, Event, Respond};
use silcrow_parser::{Dialect, write};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};

/// Lets an agent make a call instead of asking its model. `None` if the arguments are not an
/// object.
pub(crate) fn making(
    kind: CallKind,
    name: &str,
    args: &str,
) -> Option<impl FnOnce(Agent) -> Agent> {
    let content = format!(r#"{{"name":{},"args":{args}}}"#, silcrow_event::Json::string(name));
    let call = Call::parse(CALL, content).ok()?.with_action(ActionAttributes {
        kind,
        mode: CallMode::Async,
        ..ActionAttributes::default()
    });
    let answer = Respond { content: format!("${CALL}"), wire: None, last: true, malformed: None };
    let wire = write([&Event::Call(call), &Event::Respond(answer)], Dialect::Action);
    Some(move |agent: Agent| agent.with_dialect(Dialect::Action).with_provider(CallWriter(wire)))
}

struct CallWriter(String);

impl Provider for CallWriter {
    fn name(&self) -> &str {
        "call"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let deltas = [Delta::Text(self.0.clone()), Delta::Done(FinishReason::Stop)];
        Box::pin(stream::iter(deltas.map(Ok)))
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// The id of the call, which no model chooses.
pub(crate) const CALL: &str = "mcp_call";
