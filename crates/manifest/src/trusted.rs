//! A manifest that is trusted, and the opening of its models.
//!
//! Who trusts it, and why, is up to the caller.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use silcrow_models::Models;
use silcrow_provider::Provider;

use crate::declared::DeclaredManifest;
use crate::error::{Error, ErrorKind};
use crate::manifest::Manifest;

/// A manifest whose present contents are trusted, before its models are opened.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_manifest::{DeclaredManifest, KnownTools};
/// # use silcrow_parser::Dialect;
/// use silcrow_provider::{Provider, ScriptedModel};
/// # use silcrow_tool::Toolbox;
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-trusted-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let (file, tools) = (folder.join("silcrow.toml"), Toolbox::new());
/// let text = "[agents.poet]\ndescription = \"Writes.\"\nmodel = \"verses\"";
/// std::fs::write(&file, text)?;
/// let declared = DeclaredManifest::read(&file, Dialect::Sigil, &KnownTools::new(&tools))?;
/// // The program supplies a model for each name in the file.
/// let manifest = declared.trust().open_by(|name| match name {
///     "verses" => Ok(Arc::new(ScriptedModel::parse("", 1)) as Arc<dyn Provider>),
///     _ => Err("unknown model"),
/// })?;
/// assert_eq!(manifest.declared().count(), 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TrustedManifest(pub(crate) DeclaredManifest);

impl TrustedManifest {
    /// Opens the models that the manifest names. A server on another machine must be the server of
    /// the chosen model, or one for which there is a key.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Server`] for another server, and one of [`ErrorKind::Model`]
    /// for a model that cannot be opened. The message has the line and the field.
    pub fn open(self, models: &Models) -> Result<Manifest, Error> {
        for (field, url) in self.0.remote_servers() {
            let may = models.may_go_to(url.as_str());
            if !may.map_err(|error| Error::new(ErrorKind::Model, error.to_string()))? {
                let why = "the server is neither the one of the chosen model nor one with a key";
                return Err(self.0.server_error(&field, why));
            }
        }
        self.open_by(|name| models.open(name))
    }

    /// Opens the models that the manifest names, with a function that decides about servers.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Model`] with the message of the function, the line and the
    /// field.
    pub fn open_by<E: fmt::Display>(
        self,
        mut open: impl FnMut(&str) -> Result<Arc<dyn Provider>, E>,
    ) -> Result<Manifest, Error> {
        let Self(declared) = self;
        let mut models = BTreeMap::new();
        for named in &declared.models {
            let wrong = |why: E| declared.wrong(&named.field(), why).with_kind(ErrorKind::Model);
            let opened = open(&named.model).map_err(wrong)?;
            models.insert((named.table, named.key()), opened);
        }
        let DeclaredManifest { written, flows, relics, .. } = declared;
        Ok(Manifest { written, flows, models, relics, services: BTreeMap::new() })
    }
}

impl DeclaredManifest {
    /// Trusts the manifest. The caller has shown its [facts](Self::facts) to a person, or knows or
    /// has written its text.
    pub fn trust(self) -> TrustedManifest {
        TrustedManifest(self)
    }
}
