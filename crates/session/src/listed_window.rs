//! The limits that servers list, remembered for a day in files of the person.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use silcrow_context::ModelLimits;
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
    /// Returns what a list of the last day said. One that was kept without a longest answer is asked
    /// again.
    fn read(&self, key: &str) -> Option<ModelLimits> {
        let kept: Value = serde_json::from_str(&owned::read(&self.file(key)).ok()?).ok()?;
        let is_valid = now().checked_sub(kept["asked"].as_u64()?)? < DAY;
        let mut limits = ModelLimits::default();
        (limits.context, limits.output) = (kept["window"].as_u64(), kept["output"].as_u64());
        (is_valid && kept.get("output").is_some()).then_some(limits)
    }

    fn write(&self, key: &str, limits: ModelLimits) {
        // What cannot be remembered is asked for again.
        let _ = remember(&self.file(key), limits);
    }
}

impl KeptWindows {
    fn file(&self, key: &str) -> PathBuf {
        let hash = Sha256::digest(key);
        let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name)
    }
}

fn remember(file: &Path, limits: ModelLimits) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), owned::make_folder)?;
    let kept = json!({"window": limits.context, "output": limits.output, "asked": now()});
    owned::write(file, &format!("{kept}\n"))
}

/// Returns the seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The seconds for which a window is remembered.
const DAY: u64 = 24 * 60 * 60;
