//! Files of the person with learned facts about models.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::store::{StorePlace, state_folder};

/// A folder with a file for each model, whose name reveals neither the model nor its server.
pub(crate) struct FactsFolder(PathBuf);

impl FactsFolder {
    /// Returns the folder of this name. Beside a store in memory there is none.
    pub(crate) fn beside(place: &StorePlace, name: &str) -> Option<Self> {
        place.folder()?;
        Some(Self(state_folder()?.join(name)))
    }

    /// Returns the file of the model with this key.
    pub(crate) fn file(&self, key: &str) -> PathBuf {
        let hash = Sha256::digest(key);
        let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        self.0.join(name)
    }
}

/// Returns the seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
