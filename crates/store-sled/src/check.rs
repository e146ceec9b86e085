use std::collections::HashMap;

use silcrow_store::Error;
use silcrow_store::verify::{Damage, Place, Report};

use crate::engine::broken;
use crate::keys;
use crate::read::Reader;

impl Reader<'_> {
    /// Adds to a report what only the trees themselves can tell: summaries that are damaged, and
    /// events that no summary tells of.
    pub(crate) fn check(&self, report: &mut Report) -> Result<(), Error> {
        let mut heads = HashMap::new();
        for item in &self.trees.meta {
            // sled's iterator never moves past a page that it cannot read: each scan ends there.
            let (key, value) = match item {
                Ok(item) => item,
                Err(error) => return report.unread("conversations", broken(self.dir, error)),
            };
            let Some(conversation) = keys::conversation(&key) else { continue };
            match self.open_meta(conversation, &key, &value) {
                Ok(log) => _ = heads.insert(conversation.to_owned(), log.head()),
                Err(error) => {
                    let place = Place::Summary { conversation: conversation.to_owned() };
                    report.damage.push(Damage { place, why: error.to_string() });
                    // How far its events reach is not known.
                    heads.insert(conversation.to_owned(), u64::MAX);
                }
            }
        }
        for key in self.trees.ev.iter().keys() {
            let key = match key {
                Ok(key) => key,
                Err(error) => return report.unread("events", broken(self.dir, error)),
            };
            let Some((conversation, position)) = keys::place(&key) else { continue };
            if heads.get(conversation).is_none_or(|head| position > *head) {
                let positions = position..=position;
                let place = Place::Events { conversation: conversation.to_owned(), positions };
                let why = "no summary tells of it".to_owned();
                report.damage.push(Damage { place, why });
            }
        }
        Ok(())
    }
}
