//! A store in memory with one flaw.

use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event::{Entry, Event, Json, Timestamp};
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, ErrorKind, Hold, ListPage, MemoryStore, Store, Summary, Versioned};

use super::flaws::Flaw;

/// A store with one flaw.
pub(super) struct Broken {
    pub(super) inner: MemoryStore,
    pub(super) flaw: Flaw,
    /// The number of listed conversations.
    pub(super) listed: Arc<AtomicU64>,
}

impl Broken {
    pub(super) fn new(flaw: Flaw) -> Self {
        Self { inner: MemoryStore::new(), flaw, listed: Arc::default() }
    }

    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    fn name<'a>(&self, name: &'a str) -> &'a str {
        match self.flaw {
            Flaw::TakesAnyName if name.is_empty() || name.len() > 256 => "any",
            Flaw::EndsNamesAtNul => match name.split_once('\0') {
                Some(("", _)) | None => name,
                Some((name, _)) => name,
            },
            _ => name,
        }
    }
}

impl Store for Broken {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        mut expected: u64,
        mut batch: Vec<Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            let conversation = self.name(conversation);
            let head = self.inner.head(conversation).await?;
            let claimed = expected.saturating_add(batch.len() as u64);
            if self.is(Flaw::IgnoresHead) {
                tokio::task::yield_now().await;
                let claimed = head + batch.len() as u64;
                expected = self.inner.head(conversation).await?;
                self.inner.append(conversation, expected, batch).await?;
                return Ok(claimed);
            }
            if self.is(Flaw::LosesSecond) && batch.len() > 1 {
                batch.remove(1);
                self.inner.append(conversation, expected, batch).await?;
                return Ok(claimed);
            }
            if self.is(Flaw::HalfOnConflict) && head != expected && !batch.is_empty() {
                self.inner.append(conversation, head, batch[..1].to_vec()).await?;
            }
            if self.is(Flaw::DropsUnstored) {
                batch.retain(|entry| entry.event.is_stored());
            }
            if self.is(Flaw::ForgetsSometimes) && expected == 7 {
                return Ok(claimed);
            }
            self.inner.append(conversation, expected, batch).await
        })
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<Entry>, Error>> {
        Box::pin(async move {
            let (first, mut last) = positions.into_inner();
            if self.is(Flaw::ReadsOneMore) {
                last = last.saturating_add(1);
            }
            let mut entries = self.inner.read(self.name(conversation), first..=last).await?;
            for entry in &mut entries {
                match (self.flaw, &mut entry.event) {
                    (Flaw::KeepsSeq, _) => entry.seq = Some(99),
                    (Flaw::RoundsTimes, _) => {
                        let whole = |time: Timestamp| time.as_nanos() / 1_000_000 * 1_000_000;
                        entry.timestamp = entry.timestamp.map(whole).map(Timestamp::from_nanos);
                    }
                    (Flaw::DropsBlanks, Event::Result(outcome)) => {
                        if let Some(payload) = &mut outcome.payload {
                            let value = payload.value.as_mut();
                            if let Some(value) = value {
                                *value = Json::parse(&value.as_str().replace(' ', "")).unwrap();
                            }
                        }
                    }
                    (Flaw::CutsLong, Event::Respond(respond)) => {
                        respond.content.truncate(65_536);
                    }
                    _ => {}
                }
            }
            Ok(entries)
        })
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        self.inner.head(self.name(conversation))
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<Entry, Error>> {
        let entries = self.inner.follow(self.name(conversation), after);
        match self.flaw {
            Flaw::FollowSkips => Box::pin(entries.filter(|entry| {
                let skip = matches!(entry, Ok(entry) if entry.seq == Some(150));
                std::future::ready(!skip)
            })),
            Flaw::FollowEnds => Box::pin(entries.take_until(std::future::ready(()))),
            _ => entries,
        }
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        Box::pin(async move {
            if self.is(Flaw::Hangs) {
                std::future::pending::<()>().await;
            }
            let user = match self.flaw {
                Flaw::MixesUsers => None,
                Flaw::TakesAnyUser => user.filter(|user| (1..=256).contains(&user.len())),
                _ => user,
            };
            let mut list = self.inner.list(user).await?;
            self.listed.fetch_add(list.len() as u64, Ordering::Relaxed);
            if self.is(Flaw::SortsByTime) {
                list.sort_by_key(|one| Reverse(one.first));
            }
            if self.is(Flaw::ListsBackwards) {
                list.reverse();
            }
            for summary in &mut list {
                if self.is(Flaw::LastTitle) {
                    let entries = self.inner.read(&summary.conversation, 1..=u64::MAX).await?;
                    for entry in &entries {
                        let mut last = Summary::new("");
                        last.apply(entry);
                        if !last.title.is_empty() {
                            summary.title = last.title;
                        }
                    }
                }
            }
            Ok(list)
        })
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        Box::pin(async move {
            if self.is(Flaw::SummaryFromList) {
                let mut list = self.list(None).await?.into_iter();
                return Ok(list.find(|one| one.conversation == conversation));
            }
            let summary = self.inner.summary(conversation).await?;
            let is_old = self.is(Flaw::OldSummary);
            Ok(summary.map(|one| if is_old { Summary { events: 1, ..one } } else { one }))
        })
    }

    fn ids_beginning_with<'a>(
        &'a self,
        beginning: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move {
            let mut ids = self.inner.ids_beginning_with(beginning).await?;
            if self.is(Flaw::ListsLogsOnly) {
                let logs = self.inner.list(None).await?;
                ids.retain(|id| logs.iter().any(|one| one.conversation == *id));
            }
            Ok(ids)
        })
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        Box::pin(async move {
            let mut kept = self.inner.get(self.name(space), self.name(key)).await?;
            if let (Flaw::TextValues, Some(kept)) = (self.flaw, &mut kept) {
                kept.value = String::from_utf8_lossy(&kept.value).into_owned().into();
            }
            if self.is(Flaw::IgnoresVersion) {
                tokio::task::yield_now().await;
            }
            Ok(kept)
        })
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        mut expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            let (space, key) = (self.name(space), self.name(key));
            let claimed = expected.saturating_add(1);
            if self.is(Flaw::IgnoresVersion) {
                expected = self.inner.get(space, key).await?.map_or(0, |kept| kept.version);
                self.inner.put(space, key, expected, value).await?;
                return Ok(claimed);
            }
            self.inner.put(space, key, expected, value).await
        })
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        Box::pin(async move {
            let mut keys = self.inner.keys().await?;
            if self.is(Flaw::RepeatsKeys) {
                keys.extend(keys.clone());
            }
            Ok(keys)
        })
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        mut expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            let conversation = self.name(conversation);
            if self.is(Flaw::DeletesAnyHead) {
                expected = self.inner.head(conversation).await?;
            }
            let keys = self.inner.keys().await?;
            let mut values = Vec::new();
            for (space, key) in keys {
                let kept = self.inner.get(&space, &key).await?;
                values.extend(kept.map(|kept| (space, key, kept.value)));
            }
            self.inner.delete(conversation, expected).await?;
            for (space, key, value) in values {
                if self.is(Flaw::KeepsValues) && space.ends_with("/a") {
                    let _ = self.inner.put(&space, &key, 0, value).await;
                }
            }
            Ok(())
        })
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        Box::pin(async move {
            let mut report = self.inner.verify().await?;
            if self.is(Flaw::CountsNothing) {
                report.events = 0;
            }
            Ok(report)
        })
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        Box::pin(async move {
            let mut query = query.clone();
            if self.is(Flaw::FindsItself) {
                query.except = None;
            }
            if self.is(Flaw::MixesUsers) {
                query.user = silcrow_store::search::SearchedUser::Any;
            }
            let mut hits = self.inner.search(&query).await?;
            if self.is(Flaw::OldestFirst) {
                hits.reverse();
            }
            Ok(hits)
        })
    }

    fn list_page<'a>(
        &'a self,
        user: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ListPage, Error>> {
        Box::pin(async move {
            let mut page = self.inner.list_page(user, after, limit).await?;
            if self.is(Flaw::LosesBetweenPages) && after.is_some() {
                page.conversations.pop();
            }
            Ok(page)
        })
    }

    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        match self.flaw {
            Flaw::NeverHolds => {
                Box::pin(async { Err(Error::new(ErrorKind::Locked, "it is held")) })
            }
            Flaw::HoldsForAll => Box::pin(async { Ok(Hold::nothing()) }),
            _ => self.inner.hold(conversation),
        }
    }
}
