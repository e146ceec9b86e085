//! The law of runs that wait (P-40): however a run is parked, answered, killed and continued, its
//! history equals the history of a run that waited for each answer, no call starts twice, and each
//! answer is used once.
//!
//! A kill may leave a call with an unknown outcome, or a part of an answer that nobody reads again.
//! From there on the history differs, but the rest of the law holds.

use std::fmt;

use history::ParkedHistory;

mod checks;
mod history;
pub(crate) mod mortal;
mod process;
mod script;

#[test]
#[expect(clippy::print_stdout, reason = "a campaign prints it")]
fn parking_and_dying_keeps_the_same_history() {
    let number = |name| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let runs = number("SILCROW_PARKED_RUNS").unwrap_or(300);
    let mut tried = Tried::default();
    for seed in silcrow_testkit::run_seeds(runs) {
        tried.add(&ParkedHistory::run(seed));
    }
    println!("@ tried {tried}");
    let Tried { runs, equal, answers, kills, .. } = tried;
    assert!(equal > runs / 2, "most runs lost something in a kill: {tried}");
    assert!(answers > runs && kills > runs / 2, "too little happens: {tried}");
}

/// Counts over the runs of the law.
#[derive(Default)]
struct Tried {
    runs: u64,
    /// The number of runs with the same history as the run that waited.
    equal: u64,
    kills: u64,
    /// The answers that were stored for parked questions.
    answers: u64,
    /// The answers that were refused, because the question was answered.
    refusals: u64,
}

impl Tried {
    fn add(&mut self, history: &ParkedHistory) {
        self.runs += 1;
        self.equal += u64::from(!history.is_excused);
        self.kills += history.kills;
        self.answers += history.given.len() as u64;
        self.refusals += history.refusals;
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, equal, kills, answers, refusals } = self;
        write!(
            f,
            "{runs} runs with {kills} kills, {answers} answers and {refusals} refusals; {equal} \
             lost nothing"
        )
    }
}
