//! Questions about hosts: one for each host, however many connections wait for its answer.
//!
//! A question is dropped, and so withdrawn, when the last connection that waits for it is gone.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use silcrow_event::{Grant, Grants};
use tokio::time::timeout;

use crate::destination::{Destination, in_one_spelling};

/// The answer to a question: whether the door opens, or why not.
type DoorAnswer = Result<(), String>;

/// The function that asks.
pub(crate) type AskForHost = dyn Fn(Grant) -> BoxFuture<'static, DoorAnswer> + Send + Sync;

/// The grants of a pass, and its questions.
pub(crate) struct HostQuestions {
    ask: Box<AskForHost>,
    longest: Duration,
    most: usize,
    doors: Mutex<HostDoors>,
}

#[derive(Default)]
struct HostDoors {
    granted: Grants,
    denied: BTreeMap<Grant, String>,
    asked: BTreeMap<Grant, WeakShared<BoxFuture<'static, DoorAnswer>>>,
    /// The number of questions so far.
    count: usize,
}

/// The state of a host.
enum HostDoor {
    Open,
    Closed(String),
    Asked(Shared<BoxFuture<'static, DoorAnswer>>),
}

impl HostQuestions {
    pub(crate) fn new(
        grants: &Grants,
        ask: Box<AskForHost>,
        longest: Duration,
        most: usize,
    ) -> Self {
        let doors = HostDoors { granted: in_one_spelling(grants), ..HostDoors::default() };
        Self { ask, longest, most, doors: Mutex::new(doors) }
    }

    /// Returns whether a connection may lead there, and asks if the grants do not decide it.
    ///
    /// # Errors
    ///
    /// Returns the reason of a denial.
    pub(crate) async fn admit(&self, to: &Destination) -> DoorAnswer {
        let question = match self.door(to) {
            HostDoor::Open => return Ok(()),
            HostDoor::Closed(why) => return Err(why),
            HostDoor::Asked(question) => question,
        };
        let answer = question.await;
        let mut doors = self.lock();
        match &answer {
            Ok(()) => doors.granted.add(to.wanted()),
            Err(why) => {
                doors.denied.insert(to.wanted(), why.clone());
            }
        }
        answer
    }

    fn door(&self, to: &Destination) -> HostDoor {
        let wanted = to.wanted();
        let mut doors = self.lock();
        if to.is_granted(&doors.granted) {
            return HostDoor::Open;
        }
        if let Some(why) = doors.denied.get(&wanted) {
            return HostDoor::Closed(why.clone());
        }
        if let Some(question) = doors.asked.get(&wanted).and_then(WeakShared::upgrade) {
            return HostDoor::Asked(question);
        }
        if doors.count >= self.most {
            return HostDoor::Closed("the command has asked for too many hosts".to_owned());
        }
        doors.count += 1;
        let answer = timeout(self.longest, (self.ask)(wanted.clone()));
        let late = || Err("nobody has answered in time".to_owned());
        let question = answer.map(move |answer| answer.unwrap_or_else(|_| late())).boxed().shared();
        if let Some(weak) = question.downgrade() {
            doors.asked.insert(wanted, weak);
        }
        HostDoor::Asked(question)
    }

    fn lock(&self) -> MutexGuard<'_, HostDoors> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
