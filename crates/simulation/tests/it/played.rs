use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;
use silcrow_event::Json;
use silcrow_parser::Dialect;
use silcrow_simulation::{Simulation, Stubs};

/// A simulation that was played: its events, each at its virtual millisecond.
pub(super) struct Played(Vec<Value>);

pub(super) fn simulation(dialect: Dialect, stubs: &str, wire: &str) -> Simulation {
    Simulation::new(wire, dialect).with_stubs(Stubs::parse(stubs).unwrap())
}

pub(super) fn played(dialect: Dialect, stubs: &str, wire: &str) -> Played {
    Played::run(&simulation(dialect, stubs, wire))
}

/// A turn of the dialect `action`.
pub(super) fn actions(stubs: &str, wire: &str) -> Played {
    played(Dialect::Action, stubs, wire)
}

/// The same, its text at this many tokens a second.
pub(super) fn actions_at(rate: u32, stubs: &str, wire: &str) -> Played {
    Played::run(&simulation(Dialect::Action, stubs, wire).with_rate(rate.into()))
}

/// The values of names, as a JSON object has them.
pub(super) fn presets(json: &str) -> BTreeMap<String, Json> {
    let values: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap();
    values.into_iter().map(|(name, raw)| (name, Json::parse(raw.get()).unwrap())).collect()
}

/// When the token comes that holds the end of the first such piece of text, behind `from`.
#[track_caller]
pub(super) fn written(wire: &str, from: &str, piece: &str, rate: u32) -> f64 {
    let start = wire.find(from).unwrap();
    let end = start + wire[start..].find(piece).unwrap() + piece.len();
    let tokens = wire[..end].chars().count().div_ceil(4);
    tokens as f64 * 1000.0 / f64::from(rate)
}

/// When the tag comes that closes this action.
#[track_caller]
pub(super) fn closed(wire: &str, id: &str, rate: u32) -> f64 {
    written(wire, &format!("id=\"{id}\""), "</action>", rate)
}

impl Played {
    pub(super) fn run(simulation: &Simulation) -> Self {
        let events = simulation.run().unwrap();
        let lines = events.iter().filter_map(|event| event.to_json());
        Self(lines.map(|line| serde_json::from_str(&line).unwrap()).collect())
    }

    /// Each event is a line; texts at the same time are joined.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for line in self.0.iter().filter_map(line) {
            match (lines.last_mut(), line.split_once(" say ")) {
                (Some(last), Some((at, more))) if last.starts_with(&format!("{at} say ")) => {
                    last.push_str(more);
                }
                _ => lines.push(line),
            }
        }
        lines
    }

    /// From its first start to its end.
    #[track_caller]
    pub(super) fn span(&self, id: &str) -> Range<f64> {
        self.at("start", "id", id)..self.at("finish", "id", id)
    }

    /// When the first text of an answer was shown.
    #[track_caller]
    pub(super) fn answered(&self) -> f64 {
        self.at("text", "kind", "respond")
    }

    #[track_caller]
    pub(super) fn done(&self) -> f64 {
        self.at("done", "type", "done")
    }

    /// The text that was shown.
    pub(super) fn shown_text(&self) -> String {
        let texts = self.all("text").filter_map(|text| text["content"].as_str());
        texts.collect()
    }

    /// The arguments with which the call was started.
    #[track_caller]
    pub(super) fn args(&self, id: &str) -> &Value {
        &self.the("start", "id", id)["args"]
    }

    /// Why the call did not end well.
    #[track_caller]
    pub(super) fn reason(&self, id: &str) -> &str {
        self.the("finish", "id", id)["reason"].as_str().unwrap()
    }

    pub(super) fn notes(&self) -> Vec<&str> {
        self.all("error").filter_map(|note| note["code"].as_str()).collect()
    }

    pub(super) fn events(&self) -> &[Value] {
        &self.0
    }

    pub(super) fn all(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |event| event["type"] == kind)
    }

    #[track_caller]
    fn at(&self, kind: &str, key: &str, value: &str) -> f64 {
        self.the(kind, key, value)["at"].as_f64().unwrap()
    }

    /// The first of this type that says so.
    #[track_caller]
    fn the(&self, kind: &str, key: &str, value: &str) -> &Value {
        let found = self.all(kind).find(|event| event[key] == value);
        found.unwrap_or_else(|| panic!("no {kind} with {key} {value}: {:#?}", self.lines()))
    }
}

fn line(event: &Value) -> Option<String> {
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let what = match text("type") {
        "start" => format!("start {} {}", text("id"), event["attempt"]),
        "finish" => format!("{} {}", text("status"), text("id")),
        "bind" => format!("bind {} {}", text("name"), event["value"]),
        "text" => format!("say {}", text("content")),
        "done" => "done".to_owned(),
        _ => return None,
    };
    Some(format!("{} {what}", event["at"]))
}
