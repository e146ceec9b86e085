//! Random logs: properties of the spans of each.

use proptest::prelude::*;
use silcrow_event::{
    Approval, ApprovalState, CallResult, Entry, Event, Grants, Metric, Parked, RunOpening,
    Timestamp, Usage,
};
use silcrow_testkit::{action_turn, turn};

use crate::span_tree::{check, drawn, read};

/// The events after a model's events in a turn.
#[derive(Clone, Debug)]
enum TurnEnd {
    Results { failed: bool },
    ResultsWithoutIds,
    Crash,
    Parked,
    Cancelled,
}

#[derive(Clone, Debug)]
struct RandomTurn {
    events: Vec<Event>,
    end: TurnEnd,
    has_metric: bool,
    is_steered: bool,
    has_approvals: bool,
    /// The seconds between its events, which may be negative: clocks are set.
    pace: i64,
    begins_run: bool,
    /// Whether an agent that a call runs has the same turns.
    has_agent: bool,
}

fn random_turn() -> impl Strategy<Value = RandomTurn> {
    let end = prop_oneof![
        5 => any::<bool>().prop_map(|failed| TurnEnd::Results { failed }),
        1 => Just(TurnEnd::ResultsWithoutIds),
        1 => Just(TurnEnd::Crash),
        1 => Just(TurnEnd::Parked),
        1 => Just(TurnEnd::Cancelled),
    ];
    let events = prop_oneof![turn(), action_turn()];
    (events, end, any::<[bool; 5]>(), -2..20_i64).prop_map(|(events, end, flags, pace)| {
        let [has_metric, is_steered, has_approvals, begins_run, has_agent] = flags;
        RandomTurn {
            events,
            end,
            has_metric,
            is_steered,
            has_approvals,
            pace,
            begins_run,
            has_agent,
        }
    })
}

struct RandomLog {
    entries: Vec<Entry>,
    time: i64,
    seq: u64,
    has_openings: bool,
    run: u32,
}

impl RandomLog {
    fn push(&mut self, turn: u32, pace: i64, event: Event) {
        self.time += pace * 1_000_000;
        self.seq += u64::from(event.is_stored());
        self.entries.push(Entry {
            timestamp: Some(Timestamp::from_nanos(self.time)),
            turn: Some(turn),
            seq: Some(self.seq),
            ..Entry::from(event)
        });
    }

    fn begin_run(&mut self, turn: u32) {
        self.run += 1;
        self.push(turn, 1, Event::user(format!("Prompt {turn}.")));
        let run = format!("r{}", self.run);
        let opening = RunOpening { conversation: "c".into(), run, caller: None };
        if let Some(entry) = self.entries.last_mut().filter(|_| self.has_openings) {
            entry.opening = Some(opening);
        }
    }

    fn turn(&mut self, number: u32, turn: &RandomTurn) {
        let pace = turn.pace;
        if turn.begins_run || number == 1 {
            self.begin_run(number);
        }
        let mut calls = Vec::new();
        for event in &turn.events {
            if let Event::Call(call) = event {
                calls.push(call.clone());
            }
            self.push(number, pace, event.clone());
        }
        if turn.is_steered {
            self.push(number, pace, Event::steer("Hurry."));
        }
        for call in calls.iter().filter(|_| turn.has_approvals) {
            self.push(number, pace, Event::Approval(allowed(call.id())));
        }
        if let (Some(call), true) = (calls.first(), turn.has_agent) {
            self.agent(number, call.id(), call.name(), turn);
        }
        for call in &calls {
            let (id, name) = (call.id(), Some(call.name()));
            match &turn.end {
                TurnEnd::Results { failed: true } => {
                    let result = CallResult::failure(id, name, "failed", "failed");
                    self.push(number, pace, Event::Result(result));
                }
                TurnEnd::Results { failed: false } => {
                    let result = CallResult::success(id, call.name(), "done", "done");
                    self.push(number, pace, Event::Result(result));
                }
                TurnEnd::ResultsWithoutIds => {
                    self.push(number, pace, Event::Result(CallResult::unknown("done")));
                }
                TurnEnd::Crash | TurnEnd::Parked | TurnEnd::Cancelled => {}
            }
        }
        match &turn.end {
            TurnEnd::Parked => self.push(number, pace, parked()),
            TurnEnd::Cancelled => {
                self.push(number, pace, Event::Cancelled { content: "stopped".into() });
            }
            _ => {}
        }
        if turn.has_metric {
            let step = Usage { input: 7, output: 3, ..Usage::default() };
            self.push(number, pace, Event::Metric(Metric::new(step, step)));
        }
    }

    /// Writes the events of an agent that a call runs.
    fn agent(&mut self, number: u32, id: &str, name: &str, turn: &RandomTurn) {
        let (begin, seq) = (self.entries.len(), self.seq);
        self.push(1, turn.pace, Event::user("Do it."));
        for event in &turn.events {
            self.push(1, turn.pace, event.clone());
        }
        let conversation = format!("c/{number}/{}", id.replace('~', "~0").replace('/', "~1"));
        let opening = RunOpening { conversation, run: format!("inner {number}"), caller: None };
        for entry in &mut self.entries[begin..] {
            entry.agent_path = Some(name.replace('/', ""));
            entry.opening = Some(opening.clone());
        }
        self.seq = seq;
    }
}

fn allowed(id: &str) -> Approval {
    Approval {
        id: id.to_owned(),
        state: ApprovalState::Allowed,
        args_sha256: None,
        target: None,
        risk: None,
        scope: None,
        grants: Grants::none(),
        reason: None,
    }
}

fn parked() -> Event {
    Event::Parked(Parked {
        wire: String::new(),
        dialect: "sigil".into(),
        inline: false,
        families: Vec::new(),
        root: String::new(),
        questions: Vec::new(),
        inside: Vec::new(),
    })
}

const LAST: u32 = 100;

fn random_log() -> impl Strategy<Value = Vec<Entry>> {
    let turns = prop::collection::vec(random_turn(), 1..5);
    (turns, any::<bool>()).prop_map(|(turns, has_openings)| {
        let mut log =
            RandomLog { entries: Vec::new(), time: 1 << 60, seq: 0, has_openings, run: 0 };
        for (number, turn) in (1..).zip(&turns) {
            log.turn(number, turn);
        }
        // A call that waits has no span before a later run ends.
        log.begin_run(LAST);
        log.push(LAST, 1, Event::respond("Done."));
        log.entries
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_spans_of_a_log_are_trees(log in random_log()) {
        check(&read("c", &log));
    }

    #[test]
    fn each_call_has_one_span(log in random_log()) {
        let calls = log.iter().filter(|entry| matches!(entry.event, Event::Call(_))).count();
        let spans = read("c", &log);
        let found = spans.iter().filter(|span| span.attribute("gen_ai.tool.call.id").is_some());
        prop_assert_eq!(found.count(), calls, "{}", drawn(&spans));
    }

    #[test]
    fn rereading_a_log_gives_same_spans(log in random_log()) {
        prop_assert_eq!(read("c", &log), read("c", &log));
    }
}
