//! The services behind relics: who opens them, and placeholders for absent ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput};

use crate::error::{Error, ErrorKind};
use crate::manifest::Manifest;
use crate::relic::{HttpDeclaration, ReadyRelic, SqlDeclaration};

/// Opens the services that a manifest declares, such as `silcrow_web::HttpService` and
/// `silcrow_sql::SqlService`.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_manifest::{
///     DeclaredManifest, HttpDeclaration, KnownTools, ServiceOpener, SqlDeclaration,
/// };
/// use silcrow_models::{Environment, ModelOptions, Models};
/// use silcrow_parser::Dialect;
/// use silcrow_tool::{Tool, Toolbox};
///
/// /// Opens nothing, so that a manifest cannot reach the network.
/// struct Offline;
///
/// impl ServiceOpener for Offline {
///     fn http(
///         &self,
///         name: &str,
///         _description: &str,
///         _declared: &HttpDeclaration,
///     ) -> Result<Arc<dyn Tool>, String> {
///         Err(format!("`{name}` needs the network"))
///     }
///     fn sql(
///         &self,
///         name: &str,
///         _description: &str,
///         _declared: &SqlDeclaration,
///     ) -> Result<Arc<dyn Tool>, String> {
///         Err(format!("`{name}` needs a database"))
///     }
/// }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("silcrow-offline-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let file = folder.join("silcrow.toml");
/// let text = "[relics.issues]\nkind = \"http\"\ndescription = \"The issues.\"\n\
///     base = \"https://api.example.com/v1\"\n\
///     [relics.issues.operations.list]\ndescription = \"Lists the issues.\"\n";
/// std::fs::write(&file, text)?;
/// let tools = Toolbox::new();
/// let declared = DeclaredManifest::read(&file, Dialect::Sigil, &KnownTools::new(&tools))?;
/// let models = Models::new(ModelOptions::read(Environment::process())?);
/// let error = declared.trust().open(&models)?.with_services(&Offline).unwrap_err();
/// let why = "the relic `issues` cannot be used: `issues` needs the network";
/// assert_eq!(error.to_string(), why);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
pub trait ServiceOpener {
    /// Opens an HTTP API.
    ///
    /// # Errors
    ///
    /// Returns an error, such as a key that is not set.
    fn http(
        &self,
        name: &str,
        description: &str,
        declared: &HttpDeclaration,
    ) -> Result<Arc<dyn Tool>, String>;

    /// Opens a database.
    ///
    /// # Errors
    ///
    /// Returns an error, such as an address that is not set.
    fn sql(
        &self,
        name: &str,
        description: &str,
        declared: &SqlDeclaration,
    ) -> Result<Arc<dyn Tool>, String>;
}

impl Manifest {
    /// Opens the services of its relics. Without this, a call of one fails and says so.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Service`] that names the relic.
    pub fn with_services(mut self, opener: &dyn ServiceOpener) -> Result<Self, Error> {
        let mut services = BTreeMap::new();
        for (name, relic) in &self.relics {
            let description = self.written.relics[name].description.as_deref().unwrap_or_default();
            let opened = match relic {
                ReadyRelic::Http(declared) => opener.http(name, description, declared),
                ReadyRelic::Sql(declared) => opener.sql(name, description, declared),
                ReadyRelic::KeyValue | ReadyRelic::Server(_) => continue,
            };
            let opened = opened.map_err(|why| {
                Error::new(ErrorKind::Service, format!("the relic `{name}` cannot be used: {why}"))
            })?;
            services.insert(name.clone(), opened);
        }
        self.services = services;
        Ok(self)
    }
}

/// A service that the program has not opened.
pub(crate) struct UnopenedService {
    pub(crate) name: String,
}

impl Tool for UnopenedService {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        "A service that is not available here."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async { Err(ToolError::new("this program does not open services of this kind")) }.boxed()
    }
}
