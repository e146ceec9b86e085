//! Events as JSON (section 8 of the protocol).
//!
//! This module writes the members of each event in their order. `read.rs` is its inverse.

use super::{Event, ThoughtOrigin};
use crate::approval::Approval;
use crate::json::Object;

impl Event {
    /// Returns the event as a JSON object on one line that begins with `type`, without time and
    /// position.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(128);
        let mut object = Object::open(&mut out);
        self.write(&mut object);
        object.close();
        out
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("type", self.type_name());
        match self {
            Self::User { content, steer } => {
                content.write(false, to);
                if *steer {
                    to.bool("steer", true);
                }
            }
            Self::Cancelled { content } | Self::Notice { content } | Self::Title { content } => {
                to.string("content", content);
            }
            Self::Summary(summary) => summary.write(to),
            Self::Think(think) => {
                to.string("content", &think.content);
                if think.origin == ThoughtOrigin::Provider {
                    to.string("origin", "provider");
                }
                if let Some(opaque) = &think.opaque {
                    to.object("opaque", |to| opaque.write(to));
                }
            }
            Self::Call(call) => {
                to.string("id", call.id());
                to.string("content", call.content());
                if let Some(action) = call.action() {
                    to.object("action", |to| action.write(to));
                }
                if call.is_instance() {
                    to.bool("instance", true);
                }
                if let Some(opaque) = call.opaque() {
                    to.object("opaque", |to| opaque.write(to));
                }
            }
            Self::Block(mark) => mark.write(to),
            Self::Result(result) => result.write(to),
            Self::Batch(batch) => batch.write(to),
            Self::Respond(respond) => {
                to.string("content", &respond.content);
                if let Some(wire) = &respond.wire {
                    to.string("wire", wire);
                }
                if !respond.last {
                    to.bool("final", false);
                }
                if let Some(id) = &respond.malformed {
                    to.bool("malformed", true);
                    if !id.is_empty() {
                        to.string("id", id);
                    }
                }
            }
            Self::Metric(metric) => {
                to.object("step", |to| metric.step.write(to));
                to.object("total", |to| metric.total.write(to));
                if let Some(all) = &metric.all {
                    to.object("all", |to| all.write(to));
                }
                if let Some(budget) = &metric.budget {
                    to.object("budget", |to| budget.write(to));
                }
                if let Some(window) = metric.window {
                    to.integer("window", window);
                }
            }
            Self::Error(fault) | Self::Failed(fault) => {
                to.string("code", &fault.code);
                to.string("content", &fault.content);
                to.string("scope", fault.origin.as_str());
                to.bool("retry", fault.retry);
                if let Some(at) = fault.at {
                    to.integer("at", at);
                }
            }
            Self::Interrupt { reason } => to.string("reason", reason),
            Self::Progress(progress) => {
                to.string("id", &progress.id);
                to.string("channel", &progress.channel);
                to.integer("n", progress.n);
                to.string("content", &progress.content);
            }
            Self::Changes(changes) => changes.write(to),
            Self::Approval(approval) => {
                to.string("id", &approval.id);
                to.string("state", approval.state.as_str());
                let Approval { args_sha256, target, risk, scope, reason, .. } = approval;
                let fields = [
                    ("args_sha256", args_sha256),
                    ("target", target),
                    ("risk", risk),
                    ("scope", scope),
                    ("reason", reason),
                ];
                for (key, text) in fields {
                    if let Some(text) = text {
                        to.string(key, text);
                    }
                }
                approval.grants.write(to);
            }
            Self::Parked(parked) => parked.write(to),
            Self::Mode { mode } => to.string("mode", mode),
            Self::PersonCommand(ran) => ran.write(to),
            Self::Hook(run) => run.write(to),
            Self::Execute | Self::End => {}
        }
    }
}
