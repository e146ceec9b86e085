//! Random runs, as events that a run emits.

use proptest::collection::vec;
use proptest::prelude::*;
use silcrow_event::{
    Call, CallResult, CallTextFragment, CallTransition, Entry, ErrorEvent, ErrorOrigin, Event,
    LogPosition, Metric, Progress, Respond, RunEvent, RunEventRef, RunOpening, TextFragment,
    TextKind, Usage,
};

/// One thing that a model does in a turn.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Think(String),
    Answer(String),
    Call {
        args: String,
        ends: CallFate,
        prints: bool,
    },
    /// A call of an agent, which answers this.
    Agent(String),
    Rejected(String),
    Notice,
    Steer,
    Fault,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CallFate {
    Succeeds,
    Fails,
    /// Its result comes at the end of the run.
    Late,
}

/// Turns of deeds, and whether they come in pieces.
pub(crate) fn run() -> impl Strategy<Value = (Vec<Vec<Deed>>, bool)> {
    let text = || "[a-zé§<>\"\\\\ \n]{1,12}".prop_map(|text| format!("x{text}x"));
    let args = prop_oneof![
        Just("{}".to_owned()),
        "[a-z\u{e9} ]{0,8}".prop_map(|text| format!("{{\"text\":\"{text}\",\"n\":[1,{{}}]}}")),
    ];
    let fate = prop_oneof![Just(CallFate::Succeeds), Just(CallFate::Fails), Just(CallFate::Late)];
    let deed = prop_oneof![
        3 => text().prop_map(Deed::Think),
        3 => text().prop_map(Deed::Answer),
        4 => (args, fate, any::<bool>())
            .prop_map(|(args, ends, prints)| Deed::Call { args, ends, prints }),
        1 => text().prop_map(Deed::Agent),
        1 => text().prop_map(Deed::Rejected),
        1 => Just(Deed::Notice),
        1 => Just(Deed::Steer),
        1 => Just(Deed::Fault),
    ];
    (vec(vec(deed, 0..6), 1..4), any::<bool>())
}

/// Returns the events of a run.
pub(crate) fn events(turns: &[Vec<Deed>], in_pieces: bool) -> Vec<RunEvent> {
    let mut log = RandomLog { events: Vec::new(), seq: 0, turn: 1, in_pieces };
    log.store(Event::user("Begin."));
    let mut late = Vec::new();
    for (turn, deeds) in (1..).zip(turns) {
        log.turn = turn;
        let mut part = 0;
        for (number, deed) in (1..).zip(deeds) {
            log.deed(deed, number, &mut part, &mut late);
        }
        log.pass(Event::Metric(Metric::new(Usage::default(), Usage::default())));
    }
    for (turn, id) in late {
        log.turn = turn;
        log.store(Event::Result(CallResult::success(id, "slow", "done", "late")));
    }
    log.pass(Event::End);
    log.events
}

struct RandomLog {
    events: Vec<RunEvent>,
    seq: u64,
    turn: u32,
    in_pieces: bool,
}

impl RandomLog {
    fn deed(&mut self, deed: &Deed, number: u32, part: &mut u32, late: &mut Vec<(u32, String)>) {
        let id = format!("a{number}");
        match deed {
            Deed::Think(text) => {
                self.text(TextKind::Think, part, text);
                self.store(Event::think(text.trim_end()));
            }
            Deed::Answer(text) => {
                self.text(TextKind::Respond { last: true }, part, text);
                self.store(Event::respond(text.trim_end()));
            }
            Deed::Call { args, ends, prints } => {
                self.call(number, "file_read", args);
                self.start(&id, args);
                if *prints {
                    let (channel, content) = ("stdout".to_owned(), "line\n".to_owned());
                    self.pass(Event::Progress(Progress { id: id.clone(), channel, n: 0, content }));
                }
                let result = match ends {
                    CallFate::Succeeds => CallResult::success(id, "file_read", "1 line", "text"),
                    CallFate::Fails => CallResult::failure(id, Some("file_read"), "no file", "no"),
                    CallFate::Late => return late.push((self.turn, id)),
                };
                self.store(Event::Result(result));
            }
            Deed::Agent(text) => {
                self.call(number, "helper", "{\"task\":\"x\"}");
                for (seq, event) in (1..).zip([Event::user("x"), Event::respond(&**text)]) {
                    self.events.push(RunEvent::Entry(Box::new(Entry {
                        seq: Some(seq),
                        turn: Some(1),
                        agent_path: Some("helper".to_owned()),
                        opening: Some(RunOpening {
                            conversation: format!("talk/{}/{id}", self.turn),
                            run: "r2".to_owned(),
                        }),
                        ..Entry::from(event)
                    })));
                }
                self.store(Event::Result(CallResult::success(id, "helper", "", &**text)));
            }
            Deed::Rejected(text) => {
                self.store(Event::Respond(Respond::malformed(&*id, &**text)));
                self.store(Event::Result(CallResult::framework_failure(
                    id, None, "bad", "no call",
                )));
            }
            Deed::Notice => self.store(Event::Notice { content: "Write a call.".to_owned() }),
            Deed::Steer => self.store(Event::steer("Faster.")),
            Deed::Fault => self.pass(Event::Error(ErrorEvent {
                code: "rate_limited".to_owned(),
                content: "wait".to_owned(),
                origin: ErrorOrigin::Provider,
                retry: true,
                at: None,
            })),
        }
    }

    fn text(&mut self, kind: TextKind, part: &mut u32, text: &str) {
        *part += 1;
        if self.in_pieces {
            for char in text.chars() {
                let text = char.to_string();
                let piece = TextFragment { kind, part: *part, id: None, text: &text };
                self.events.push(RunEventRef::Text(piece, self.place()).to_owned());
            }
        }
    }

    fn call(&mut self, number: u32, name: &str, args: &str) {
        let (id, body) = (format!("a{number}"), format!(r#"{{"name":"{name}","args":{args}}}"#));
        if self.in_pieces {
            let named = format!(r#"{{"name":"{name}""#).len();
            for (at, char) in body.char_indices() {
                let text = char.to_string();
                let name = (at >= named).then_some(name);
                let piece = CallTextFragment { call: number, id: None, name, text: &text };
                self.events.push(RunEventRef::CallText(piece, self.place()).to_owned());
            }
            let (id, name) = (Some(&*id), Some(name));
            let piece = CallTextFragment { call: number, id, name, text: "" };
            self.events.push(RunEventRef::CallText(piece, self.place()).to_owned());
        }
        self.store(Event::Call(Call::parse(id, body).unwrap()));
    }

    fn start(&mut self, id: &str, args: &str) {
        let (id, args) = (id.to_owned().into(), args.to_owned().into());
        let started = CallTransition::Started { id, attempt: 1, args };
        self.events.push(RunEvent::Call(started, self.place()));
    }

    fn store(&mut self, event: Event) {
        self.seq += 1;
        self.pass(event);
    }

    fn pass(&mut self, event: Event) {
        let LogPosition { turn, seq, .. } = self.place();
        self.events.push(RunEvent::Entry(Box::new(Entry { turn, seq, ..Entry::from(event) })));
    }

    fn place(&self) -> LogPosition {
        LogPosition { turn: Some(self.turn), seq: Some(self.seq), timestamp: None }
    }
}
