//! A conversation and its data, and their form in a checkpoint.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bytes::{ByteReader, ByteWriter};
use crate::conversation_log::ConversationLog;
use crate::file_bytes::FileBytes;
use crate::frame_place::{FramePlace, ValuePlace};

/// A conversation and the values that belong to it.
#[derive(Debug, Default)]
pub(crate) struct OwnedRecords {
    pub(crate) id: String,
    pub(crate) log: ConversationLog,
    /// By space and key.
    pub(crate) values: BTreeMap<(String, String), ValuePlace>,
}

impl OwnedRecords {
    /// Appends it to a checkpoint.
    pub(crate) fn write(&self, to: &mut ByteWriter) {
        to.text(&self.id);
        self.log.write(to);
        to.number(self.values.len() as u64);
        for ((space, key), ValuePlace { version, place }) in &self.values {
            to.text(space);
            to.text(key);
            to.number(*version);
            to.number(u64::from(place.is_some()));
            if let Some(place) = place {
                to.number(u64::from(place.segment));
                to.number(place.range().start);
                to.number(place.len());
            }
        }
    }

    /// Reads an encoding by [`write`](Self::write); `None` if it is something else.
    pub(crate) fn read(file: &Arc<FileBytes>, from: &mut ByteReader<'_>) -> Option<Self> {
        let id = from.text()?.to_owned();
        let log = ConversationLog::read(file, &id, from)?;
        let value = |from: &mut ByteReader<'_>| {
            let name = (from.text()?.to_owned(), from.text()?.to_owned());
            let version = from.number()?;
            let place = match from.number()? {
                0 => None,
                _ => Some(FramePlace::checked(from.small()?, from.number()?, from.number()?)?),
            };
            Some((name, ValuePlace { version, place }))
        };
        let values = (0..from.number()?).map(|_| value(from)).collect::<Option<_>>()?;
        Some(Self { id, log, values })
    }

    /// Creates the records of an owner whose data in a checkpoint cannot be read: an event is
    /// damaged.
    pub(crate) fn unreadable(id: &str) -> Self {
        let mut unreadable = Self { id: id.to_owned(), ..Self::default() };
        unreadable.log.grow(1);
        unreadable
    }
}
