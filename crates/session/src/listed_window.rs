//! The windows that servers list, remembered for a day in files of the person.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use silcrow_models::WindowMemory;
use silcrow_settings::owned;

use crate::store::{StorePlace, state_folder};

/// A folder with a file for each model, whose name says neither the model nor its server.
struct KeptWindows {
    folder: PathBuf,
}

/// Returns where windows are remembered. Beside a store in memory nothing is.
pub(crate) fn kept_windows(place: &StorePlace) -> Option<Arc<dyn WindowMemory>> {
    place.folder()?;
    let folder = state_folder()?.join("silcrow-windows");
    Some(Arc::new(KeptWindows { folder }))
}

impl WindowMemory for KeptWindows {
    /// Returns what a list of the last day said of the window.
    fn read(&self, key: &str) -> Option<Option<u64>> {
        let kept: Value = serde_json::from_str(&owned::read(&self.file(key)).ok()?).ok()?;
        let is_valid = now().checked_sub(kept["asked"].as_u64()?)? < DAY;
        is_valid.then(|| kept["window"].as_u64())
    }

    fn write(&self, key: &str, window: Option<u64>) {
        // A window that cannot be remembered is asked for again.
        let _ = remember(&self.file(key), window);
    }
}

impl KeptWindows {
    fn file(&self, key: &str) -> PathBuf {
        let hash = Sha256::digest(key);
        let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name)
    }
}

fn remember(file: &Path, window: Option<u64>) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), owned::make_folder)?;
    owned::write(file, &format!("{}\n", json!({"window": window, "asked": now()})))
}

/// Returns the seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The seconds for which a window is remembered.
const DAY: u64 = 24 * 60 * 60;
