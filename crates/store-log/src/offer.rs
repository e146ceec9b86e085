//! Runs that their process has left to others: they wait until a process continues them.
//!
//! ```text
//! DIR/offers/HASH   DUE IS_HELD LOST HEAD
//!                   the place
//!                   the conversation
//!
//! offered ─ request ─► due ─ take ─► taken ─ hold ─► held ─┬─ release ─► offered
//!                       ▲    a later time to be due        └─ its process is gone
//!                       └──────────────────────────────────────────┘
//! ```
//!
//! A file exists only while its run may be continued, so that there are never more files than such
//! runs. A file is locked before it is changed. A place is any text; `next` compares it.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use silcrow_store::Error;

use crate::fault::failed;
use crate::file_identity::FileIdentity;
use crate::{file, names, trust};

/// The file of a run that waits, which this process has locked.
pub(crate) struct OfferFile {
    file: File,
    path: PathBuf,
    pub(crate) offer: RunOffer,
}

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunOffer {
    /// When a process may take the run, in milliseconds since 1970; none for one that waits for answers.
    pub(crate) due: Option<u64>,
    /// Whether a process has it. If its hold is not locked, that process is gone.
    pub(crate) is_held: bool,
    /// The number of consecutive processes that were lost at the same head.
    pub(crate) lost: u32,
    /// The head at which the last one took it over.
    pub(crate) head: u64,
    /// The place, without characters that end a line.
    place: String,
    pub(crate) conversation: String,
}

impl RunOffer {
    pub(crate) fn new(conversation: &str, place: &str) -> Self {
        let (place, conversation) = (in_one_line(place), conversation.to_owned());
        Self { place, conversation, ..Self::default() }
    }

    /// Returns whether a process that works at this place may continue the run.
    pub(crate) fn is_for(&self, place: &str) -> bool {
        self.place == in_one_line(place)
    }

    fn write(&self) -> String {
        let due = self.due.map_or_else(|| "-".to_owned(), |due| due.to_string());
        let (held, lost, head) = (u8::from(self.is_held), self.lost, self.head);
        format!("{due} {held} {lost} {head}\n{}\n{}", self.place, self.conversation)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.splitn(3, '\n');
        let mut numbers = lines.next()?.split(' ');
        let due = match numbers.next()? {
            "-" => None,
            due => Some(due.parse().ok()?),
        };
        Some(Self {
            due,
            is_held: numbers.next()? == "1",
            lost: numbers.next()?.parse().ok()?,
            head: numbers.next()?.parse().ok()?,
            place: lines.next()?.to_owned(),
            conversation: lines.next()?.to_owned(),
        })
    }
}

impl OfferFile {
    /// Locks the file of a conversation, whose hold has this name; `None` if its run is not
    /// offered.
    pub(crate) fn find(dir: &Path, name: &str) -> Result<Option<Self>, Error> {
        let path = dir.join(names::OFFERS).join(name);
        let found = Self::open(&path, false);
        found.map_err(|error| failed("opening", &path, error))
    }

    /// Offers a run.
    pub(crate) fn write_new(dir: &Path, name: &str, offer: RunOffer) -> Result<(), Error> {
        let folder = dir.join(names::OFFERS);
        let path = folder.join(name);
        let made = trust::new_folder().recursive(true).create(&folder);
        let written = made.and_then(|()| match Self::open(&path, true)? {
            Some(mut file) => file.keep(offer),
            None => Ok(()),
        });
        written.map_err(|error| failed("writing", &path, error))
    }

    /// Returns the names of all files.
    pub(crate) fn names(dir: &Path) -> Result<Vec<String>, Error> {
        file::names(&dir.join(names::OFFERS))
    }

    fn open(path: &Path, makes: bool) -> io::Result<Option<Self>> {
        loop {
            let mut options = trust::open_options();
            let options = options.read(true).write(true).create(makes).truncate(false);
            let mut file = match options.open(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                opened => opened?,
            };
            file.lock()?;
            // The process that locked it before may have removed it.
            let is_there = FileIdentity::from_file(&file)?.is_at(path);
            if !is_there.map_err(|error| io::Error::other(error.to_string()))? {
                continue;
            }
            let mut text = String::new();
            (&mut file).take(MOST).read_to_string(&mut text)?;
            return Ok(match RunOffer::parse(&text) {
                Some(offer) => Some(Self { file, path: path.to_owned(), offer }),
                None if makes => {
                    let offer = RunOffer::default();
                    Some(Self { file, path: path.to_owned(), offer })
                }
                None => None,
            });
        }
    }

    /// Changes the contents of the file.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut RunOffer)) -> Result<(), Error> {
        let mut offer = self.offer.clone();
        change(&mut offer);
        self.keep(offer).map_err(|error| failed("writing", &self.path, error))
    }

    fn keep(&mut self, offer: RunOffer) -> io::Result<()> {
        let text = offer.write();
        // A process that ends here leaves either the old contents or the new ones.
        file::write_all_at(&self.file, text.as_bytes(), 0)?;
        self.file.set_len(text.len() as u64)?;
        self.offer = offer;
        Ok(())
    }

    /// Removes the file: the run is not continued any more.
    pub(crate) fn remove(self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(|error| failed("removing", &self.path, error))
    }
}

/// Returns the time of the machine, in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

fn in_one_line(place: &str) -> String {
    place.escape_default().to_string()
}

/// The maximum length of a file that is read, in bytes.
const MOST: u64 = 64 << 10;
