//! The limits that servers list, remembered for a day in files of the person.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use silcrow_context::ModelLimits;
use silcrow_models::WindowMemory;
use silcrow_settings::owned;

use crate::model_facts::{FactsFolder, now};
use crate::store::StorePlace;

struct KeptWindows(FactsFolder);

/// Returns where windows are remembered. Beside a store in memory nothing is.
pub(crate) fn kept_windows(place: &StorePlace) -> Option<Arc<dyn WindowMemory>> {
    Some(Arc::new(KeptWindows(FactsFolder::beside(place, "silcrow-windows")?)))
}

impl WindowMemory for KeptWindows {
    /// Returns the window from a list of the last day. One that was kept without a longest answer
    /// is asked again.
    fn read(&self, key: &str) -> Option<ModelLimits> {
        let kept: Value = serde_json::from_str(&owned::read(&self.0.file(key)).ok()?).ok()?;
        let is_valid = now().checked_sub(kept["asked"].as_u64()?)? < DAY;
        let mut limits = ModelLimits::default();
        (limits.context, limits.output) = (kept["window"].as_u64(), kept["output"].as_u64());
        (is_valid && kept.get("output").is_some()).then_some(limits)
    }

    fn write(&self, key: &str, limits: ModelLimits) {
        // Facts that cannot be stored are requested again.
        let _ = remember(&self.0.file(key), limits);
    }
}

fn remember(file: &Path, limits: ModelLimits) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), owned::make_folder)?;
    let kept = json!({"window": limits.context, "output": limits.output, "asked": now()});
    owned::write(file, &format!("{kept}\n"))
}

/// The seconds for which a window is remembered.
const DAY: u64 = 24 * 60 * 60;
