//! The processes' shared knowledge about each other's runs, and runs that they hand over.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_store::search::SearchedUser;
use silcrow_store::{
    Error, ErrorKind, HeldRun, Holder, MAX_ORDER, SharedRuns, Summary, WaitingRun, validate,
};

use crate::fault::failed;
use crate::hold::note::{HoldNote, MOST};
use crate::hold::{self, orders, path};
use crate::offer::{OfferFile, RunOffer, now};
use crate::shared::Shared;
use crate::{file, names, trust};

/// The runs of all processes of a store.
#[derive(Debug)]
pub(crate) struct LogRuns {
    shared: Arc<Shared>,
    /// Whether this process takes runs that others have left.
    is_worker: AtomicBool,
}

impl LogRuns {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), is_worker: AtomicBool::new(false) }
    }

    /// Returns whether this process continues the runs of others, which then continue its own.
    pub(crate) fn is_worker(&self) -> bool {
        self.is_worker.load(Ordering::Relaxed)
    }

    fn dir(&self) -> &Path {
        &self.shared.dir
    }

    /// Takes a run that waits, if this file is about one.
    fn take(
        &self,
        name: &str,
        users: &SearchedUser,
        place: &str,
    ) -> Result<Option<WaitingRun>, Error> {
        let Some(mut offered) = OfferFile::find(self.dir(), name)? else { return Ok(None) };
        let offer = offered.offer.clone();
        let is_due = offer.due.map_or(offer.is_held, |due| due <= now());
        let is_here = offer.is_for(place) && hold::name(&offer.conversation) == name;
        if !is_due || !is_here || HoldNote::read(&path(self.dir(), &offer.conversation)).is_some() {
            return Ok(None);
        }
        let found = self.shared.read(|log| log.summary_of(&offer.conversation))?;
        let Some(Summary { conversation, user, events, .. }) = found else {
            // Somebody has deleted the conversation.
            offered.remove()?;
            return Ok(None);
        };
        if *users != SearchedUser::Any && users.name() != user.as_deref() {
            return Ok(None);
        }
        let lost = match offer.is_held {
            true if offer.head == events => offer.lost.saturating_add(1),
            true => 1,
            false => 0,
        };
        offered.change(|offer| {
            (offer.due, offer.lost, offer.head) = (Some(now() + TAKEN), lost, events);
        })?;
        let (is_orphaned, is_abandoned) = (offer.is_held, lost >= MOST_LOST);
        Ok(Some(WaitingRun { conversation, user, is_orphaned, is_abandoned }))
    }
}

impl SharedRuns for LogRuns {
    fn holder<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Option<Holder>, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            let note = HoldNote::read(&path(self.dir(), conversation));
            Ok(note.filter(|note| !note.is_own()).map(HoldNote::holder))
        }
        .boxed()
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<HeldRun>, Error>> {
        async move {
            let folder = self.dir().join(names::HOLDS);
            let names = file::names(&folder)?;
            let notes = names.iter().filter(|name| !name.contains('.'));
            let notes = notes.filter_map(|name| HoldNote::read(&folder.join(name)));
            let others = notes.filter(|note| !note.is_own());
            let held = others.map(|note| HeldRun {
                conversation: note.conversation.clone(),
                user: None,
                holder: note.holder(),
            });
            Ok(held.collect())
        }
        .boxed()
    }

    fn order<'a>(
        &'a self,
        conversation: &'a str,
        order: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            if order.len() > MAX_ORDER || order.contains('\n') {
                let why = format!("an order is one line of at most {MAX_ORDER} bytes");
                return Err(Error::new(ErrorKind::Refused, why));
            }
            let path = path(self.dir(), conversation);
            let Some(note) = HoldNote::read(&path) else { return Ok(false) };
            let path = orders(&path);
            let wrong = |error| failed("writing", &path, error);
            let mut options = trust::open_options();
            let mut file = options.append(true).create(true).open(&path).map_err(wrong)?;
            if file.metadata().map_err(wrong)?.len() > MOST {
                let why = "too many orders wait for the run; its process does not take them";
                return Err(Error::new(ErrorKind::Refused, why));
            }
            file.write_all(format!("{} {order}\n", note.number).as_bytes()).map_err(wrong)?;
            Ok(true)
        }
        .boxed()
    }

    fn offer<'a>(
        &'a self,
        conversation: &'a str,
        place: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        async move {
            validate::name("conversation id", conversation)?;
            if HoldNote::read(&path(self.dir(), conversation)).is_some() {
                return Ok(false);
            }
            let offer = RunOffer::new(conversation, place);
            OfferFile::write_new(self.dir(), &hold::name(conversation), offer)?;
            Ok(true)
        }
        .boxed()
    }

    fn withdraw<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            match OfferFile::find(self.dir(), &hold::name(conversation))? {
                Some(offered) if !offered.offer.is_held => offered.remove(),
                _ => Ok(()),
            }
        }
        .boxed()
    }

    fn request<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            match OfferFile::find(self.dir(), &hold::name(conversation))? {
                Some(mut offered) => offered.change(|offer| offer.due = Some(now())),
                None => Ok(()),
            }
        }
        .boxed()
    }

    fn waits<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<bool, Error>> {
        async move {
            let offered = OfferFile::find(self.dir(), &hold::name(conversation))?;
            let is_held = HoldNote::read(&path(self.dir(), conversation)).is_some();
            let waits = |offer: &RunOffer| offer.due.is_some() || offer.is_held;
            Ok(!is_held && offered.is_some_and(|offered| waits(&offered.offer)))
        }
        .boxed()
    }

    fn next<'a>(
        &'a self,
        users: &'a SearchedUser,
        place: &'a str,
    ) -> BoxFuture<'a, Result<Option<WaitingRun>, Error>> {
        async move {
            self.is_worker.store(true, Ordering::Relaxed);
            for name in OfferFile::names(self.dir())? {
                if let Some(waiting) = self.take(&name, users, place)? {
                    return Ok(Some(waiting));
                }
            }
            Ok(None)
        }
        .boxed()
    }
}

/// The time for which a process that takes a run holds its conversation, in milliseconds.
const TAKEN: u64 = 15_000;

/// The number of consecutive processes that may be lost while they have a run and store nothing.
const MOST_LOST: u32 = 3;
