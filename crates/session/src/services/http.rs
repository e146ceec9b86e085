//! An HTTP API behind the walls of the tools for the web.

use std::sync::Arc;

use silcrow_event::error_chain;
use silcrow_manifest::HttpDeclaration;
use silcrow_tool::Tool;
use silcrow_web::{Error, HttpOperation, HttpService, SearchKey};

use super::variable;
use crate::options::WebOptions;
use crate::web;

pub(super) fn open(
    options: &WebOptions,
    name: &str,
    description: &str,
    declared: &HttpDeclaration,
) -> Result<Arc<dyn Tool>, String> {
    let words = |error: &Error| error_chain(error);
    let operations = declared.operations.iter().map(|one| {
        HttpOperation::new(one.operation.clone(), &one.method, &one.path)
            .map_err(|error| format!("`{}`: {}", one.operation.name, words(&error)))
    });
    let operations = operations.collect::<Result<Vec<_>, _>>()?;
    let service = HttpService::new(name, description, declared.base.as_str(), operations);
    let service = service.map_err(|error| words(&error))?;
    let fetcher = web::fetcher(options).map_err(|error| error.to_string())?;
    let service = service.with_fetcher(fetcher);
    let Some(key) = &declared.key else { return Ok(Arc::new(service)) };
    let value = SearchKey::new(format!("{}{}", key.prefix, variable(&key.variable)?));
    let value = value.map_err(|error| format!("{}: {}", key.variable, words(&error)))?;
    let service = service.with_key(&key.header, value).map_err(|error| words(&error))?;
    Ok(Arc::new(service))
}
