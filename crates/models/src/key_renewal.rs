//! Models that are made again when the keys in their file or from their command change.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_provider::{self as provider, KeyRotation, ModelRenewal, Provider, Renewed};

use crate::error::{Error, ErrorKind};
use crate::key_place::{FileStamp, KeyPlace};
use crate::keys::KeyText;

/// Makes one or more models for the keys in a text.
pub(crate) type ModelMaker<P> = dyn Fn(&KeyText) -> Result<Vec<P>, Error> + Send + Sync;

/// Returns the models of some keys in rotation, made again when the keys change.
pub(crate) fn renewed<P: Provider + 'static>(
    text: KeyText,
    place: KeyPlace,
    make: Box<ModelMaker<P>>,
) -> Result<Renewed<KeyRotation<P>>, Error> {
    let stamp = place.stamp();
    let first = rotation(make(&text)?)?;
    let last = Mutex::new(LastKeys { text: text.text, stamp });
    Ok(Renewed::new(first, RenewedKeys { place, make: make.into(), last: last.into() }))
}

pub(crate) fn rotation<P: Provider + 'static>(ways: Vec<P>) -> Result<KeyRotation<P>, Error> {
    let mut ways = ways.into_iter();
    let first = ways.next().ok_or_else(|| Error::new(ErrorKind::Key, "no key for the model"))?;
    Ok(KeyRotation::new(first, ways))
}

/// The keys of a file or a command.
struct RenewedKeys<P> {
    place: KeyPlace,
    make: Arc<ModelMaker<P>>,
    last: Arc<Mutex<LastKeys>>,
}

/// The keys with which the last model was made.
struct LastKeys {
    text: String,
    stamp: FileStamp,
}

impl<P: Provider + 'static> ModelRenewal<KeyRotation<P>> for RenewedKeys<P> {
    fn renewed(
        &self,
        is_rejected: bool,
    ) -> BoxFuture<'_, Result<Option<KeyRotation<P>>, provider::Error>> {
        async move {
            let stamp = self.place.stamp();
            let has_changed = stamp != self.lock().stamp;
            if !has_changed && !is_rejected {
                return Ok(None);
            }
            let place = self.place.clone();
            let read = tokio::task::spawn_blocking(move || place.text(is_rejected)).await;
            let text =
                match read.map_err(|error| Error::new(ErrorKind::Key, error.to_string())).flatten()
                {
                    Ok(text) => text,
                    // A file that is being replaced is there again for a later request.
                    Err(_) if !is_rejected => return Ok(None),
                    Err(error) => return Err(unrenewed(&error)),
                };
            let mut last = self.lock();
            let is_other = text != last.text;
            *last = LastKeys { text: text.clone(), stamp };
            drop(last);
            if !is_other {
                return Ok(None);
            }
            let text = KeyText { text, source: self.place.source().to_owned() };
            let made = (self.make)(&text).and_then(rotation);
            made.map(Some).map_err(|error| unrenewed(&error))
        }
        .boxed()
    }
}

impl<P> RenewedKeys<P> {
    fn lock(&self) -> MutexGuard<'_, LastKeys> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unrenewed(error: &Error) -> provider::Error {
    let why = format!("the key was rejected, and no other key is left: {error}");
    provider::Error::new(provider::ErrorKind::Auth, why)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use silcrow_provider::ScriptedModel;

    use super::*;

    #[tokio::test]
    async fn key_file_rereads_after_change_or_rejection() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "first\n").unwrap();
        let source = "key (THE_KEY_FILE)".to_owned();
        let place = KeyPlace::File { path: path.clone(), variable: "THE_KEY_FILE".into(), source };
        let made = Arc::new(Mutex::new(Vec::new()));
        let texts = Arc::clone(&made);
        let make = move |text: &KeyText| {
            texts.lock().unwrap().push(text.text.clone());
            Ok(vec![ScriptedModel::parse("§end", 1)])
        };
        let last = LastKeys { text: "first\n".to_owned(), stamp: place.stamp() };
        let last = Arc::new(Mutex::new(last));
        let keys = RenewedKeys { place, make: Arc::new(make), last };
        let is_other = async |is_rejected| keys.renewed(is_rejected).await.unwrap().is_some();
        assert!(!is_other(false).await && !is_other(true).await);
        fs::write(&path, "the second\n").unwrap();
        assert!(is_other(false).await);
        assert!(!is_other(false).await && !is_other(true).await);
        // A change that its time and its size do not show.
        fs::write(&path, "the 3rd\n").unwrap();
        keys.lock().stamp = keys.place.stamp();
        assert!(!is_other(false).await && is_other(true).await);
        assert_eq!(*made.lock().unwrap(), ["the second\n", "the 3rd\n"]);
        // A file that is being replaced does not fail a request.
        fs::remove_file(&path).unwrap();
        assert!(!is_other(false).await);
        let why = keys.renewed(true).await.unwrap_err().to_string();
        assert!(why.starts_with("the key was rejected") && why.contains("THE_KEY_FILE"), "{why}");
    }
}
