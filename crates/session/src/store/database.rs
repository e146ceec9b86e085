//! A database as the place of conversations: `--store postgres://USER@HOST/DATABASE`.
//!
//! Files of this machine are in a folder here: outputs that are too long, changes of files by
//! tools, and which process of this machine works where.

#[cfg_attr(not(feature = "postgres"), path = "database/absent.rs")]
mod server;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use silcrow_store::{Error, Store};

use server::Address;

/// A database, and the folder for files that stay on this machine.
///
/// ```
/// # #[cfg(feature = "postgres")] {
/// use std::path::Path;
///
/// use silcrow_session::StorePlace;
///
/// let address = Path::new("postgres://ann:secret@db.example.org/agents");
/// let Ok(StorePlace::Database(place)) = StorePlace::choose(Some(address)) else { panic!() };
/// assert_eq!(place.shown(), "postgres://ann@db.example.org/agents");
/// # }
/// ```
#[derive(Clone)]
pub struct DatabasePlace {
    given: String,
    address: Address,
    folder: PathBuf,
    /// Whether this process serves its runs to others, which continue them if it is gone.
    is_serving: bool,
    /// The address at which other servers read the runs of this process.
    serves_at: Option<String>,
}

/// Shows no password.
impl fmt::Debug for DatabasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DatabasePlace").field(&self.address.to_string()).finish()
    }
}

/// Returns whether a word of `--store` names a database.
pub(crate) fn is_address(word: &str) -> bool {
    server::is_address(word)
}

impl DatabasePlace {
    /// Parses an address. Data that stays on this machine is in a folder in `data`.
    pub(crate) fn parse(given: &str, data: &Path) -> Result<Self, Error> {
        let address = server::parse(given)?;
        let hash = Sha256::digest(address.to_string());
        let name = hash[..8].iter().fold(String::new(), |name, byte| format!("{name}{byte:02x}"));
        let folder = data.join("silcrow-databases").join(name);
        Ok(Self { given: given.to_owned(), address, folder, is_serving: false, serves_at: None })
    }

    /// Lets the servers of the database read the runs of this process at an address, if there is one,
    /// and continue them if this process is gone.
    pub fn serve_at(&mut self, address: Option<String>) {
        (self.is_serving, self.serves_at) = (true, address);
    }

    /// Returns the address as it was given.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// Returns the address as a person may see it, without a password.
    pub fn shown(&self) -> String {
        self.address.to_string()
    }

    /// Returns the folder for files that stay on this machine, which may not exist.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Connects to the database, and makes the tables that are missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be reached or used.
    pub async fn open(&self) -> Result<Arc<dyn Store>, Error> {
        server::open(&self.address, self.serves_at.clone(), self.is_serving).await
    }
}
