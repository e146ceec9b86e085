//! The table in `docs/records/overlap.md` is the result, and running while reading reaches its
//! bound.

use std::num::NonZeroUsize;

use silcrow_parser::Dialect;

use crate::RESEARCH;
use crate::played::{Played, actions, actions_at, closed, simulation, written};

const PAGE: &str = include_str!("../../../../docs/records/overlap.md");
const STUBS: &str = include_str!("../wire/research.json");
const RATES: [u32; 4] = [30, 60, 100, 200];

/// First text of the answer and end of the turn, in milliseconds.
#[derive(Clone, Copy)]
struct Times {
    answered: f64,
    done: f64,
}

impl Times {
    fn new(play: &Played) -> Self {
        Self { answered: play.answered(), done: play.done() }
    }

    fn after(self, ms: f64) -> Self {
        Self { answered: self.answered + ms, done: self.done + ms }
    }
}

/// Nothing that waits for its inputs is faster: a call for its closing tag and its dependencies,
/// the answer for `analyze` before it and for being written.
fn bound(rate: u32) -> Times {
    let closed = |id| closed(RESEARCH, id, rate);
    let fetched = (closed("wiki") + 1500.0).max(closed("arxiv") + 1900.0);
    let fetched = fetched.max(closed("news") + 1200.0);
    let analyzed = fetched.max(closed("analyze")) + 1500.0;
    Times {
        answered: analyzed.max(written(RESEARCH, "<response>", "#", rate)),
        done: analyzed.max(generation(rate)),
    }
}

/// The time for writing all of the text.
fn generation(rate: u32) -> f64 {
    written(RESEARCH, "", RESEARCH, rate)
}

#[test]
fn running_while_reading_reaches_the_bound() {
    for rate in RATES.into_iter().chain([1, 7, 85, 90, 1_000, 100_000]) {
        let (is, bound) = (Times::new(&actions_at(rate, STUBS, RESEARCH)), bound(rate));
        // A token comes at the next whole millisecond, because tokio's timers do.
        for late in [is.answered - bound.answered, is.done - bound.done] {
            assert!((-0.001..1.0).contains(&late), "{rate}: {late} ms after the bound");
        }
    }
}

#[test]
fn documented_overlap_figures_match() {
    let one_by_one =
        simulation(Dialect::Action, STUBS, RESEARCH).with_max_parallel(NonZeroUsize::MIN);
    let serial = Times::new(&Played::run(&one_by_one));
    let parallel = Times::new(&actions(STUBS, RESEARCH));
    let mut rows = Vec::new();
    let (mut times, mut parts) = (Vec::new(), Vec::new());
    for rate in RATES {
        let (serial, parallel) = (serial.after(generation(rate)), parallel.after(generation(rate)));
        let eager = Times::new(&actions_at(rate, STUBS, RESEARCH));
        let ways =
            [("serial", serial), ("parallel", parallel), ("eager", eager), ("bound", bound(rate))];
        rows.extend(ways.map(|(way, times)| row(rate, way, times, serial)));
        times.push(serial.done / eager.done);
        parts.push(100.0 - 100.0 * eager.done / parallel.done);
    }
    let lines = Vec::from_iter(PAGE.lines().filter(|line| line.ends_with("× |")));
    assert_eq!(lines, rows, "the page needs these rows:\n{}", rows.join("\n"));
    times.sort_by(f64::total_cmp);
    parts.sort_by(f64::total_cmp);
    for said in [
        format!("It has {} tokens of 4", generation(1) / 1000.0),
        format!("{} s one after the other", serial.done / 1000.0),
        format!("{} s as their dependencies allow", parallel.done / 1000.0),
        format!("at most {:.2} × by running side by side", serial.done / parallel.done),
        format!("end {:.2} to {:.2} × sooner", times[0], times[3]),
        format!("end {:.0} to {:.0} % sooner", parts[0], parts[3]),
    ] {
        assert!(PAGE.contains(&said), "{said}");
    }
}

fn row(rate: u32, way: &str, Times { answered, done }: Times, serial: Times) -> String {
    format!(
        "| {rate} | {way} | {:.2} s | {:.2} s | {:.2} × | {:.2} × |",
        answered / 1000.0,
        done / 1000.0,
        serial.answered / answered,
        serial.done / done,
    )
}
