//! The error about an HTTP API in a program that was built without the tools for the web.

use std::sync::Arc;

use silcrow_manifest::HttpDeclaration;
use silcrow_tool::Tool;

use crate::options::WebOptions;

pub(super) fn open(
    _: &WebOptions,
    _: &str,
    _: &str,
    _: &HttpDeclaration,
) -> Result<Arc<dyn Tool>, String> {
    Err("this program was built without the feature `web`".to_owned())
}
