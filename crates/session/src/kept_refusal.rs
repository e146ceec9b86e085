//! A model whose server refused pictures, remembered for four weeks in a file of the person.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use silcrow_agent::RefusalMemory;
use silcrow_models::{Environment, server_key};
use silcrow_settings::owned;

use crate::model_facts::{FactsFolder, now};
use crate::store::StorePlace;

/// The file that says when the server of a model refused pictures.
pub(crate) struct KeptRefusal {
    file: PathBuf,
}

impl KeptRefusal {
    /// Returns the file in which a refusal of a model is remembered. Beside a store in memory none
    /// is.
    pub(crate) fn for_model(model: &str, place: &StorePlace) -> Option<Self> {
        let key = server_key(model, &Environment::process())?;
        let file = FactsFolder::beside(place, "silcrow-refused-media")?.file(&key);
        Some(Self { file })
    }

    /// Forgets a refusal.
    pub(crate) fn forget(&self) {
        // One that cannot be removed counts again only without the setting, and for four weeks.
        let _ = fs::remove_file(&self.file);
    }
}

impl RefusalMemory for KeptRefusal {
    fn refused(&self) -> Option<Duration> {
        let kept: Value = serde_json::from_str(&owned::read(&self.file).ok()?).ok()?;
        let ago = now().checked_sub(kept["refused"].as_u64()?)?;
        (ago < FOUR_WEEKS).then_some(Duration::from_secs(ago))
    }

    fn remember(&self) {
        // A refusal that cannot be stored is tried again.
        let _ = remember(&self.file);
    }
}

fn remember(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), owned::make_folder)?;
    owned::write(file, &format!("{}\n", json!({"refused": now()})))
}

/// The seconds for which a refusal is remembered. A server may get a model that sees meanwhile.
const FOUR_WEEKS: u64 = 28 * 24 * 60 * 60;
