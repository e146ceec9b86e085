//! The error about a database in a program that was built without databases.

use std::sync::Arc;

use silcrow_manifest::SqlDeclaration;
use silcrow_tool::Tool;

pub(super) fn open(_: &str, _: &str, _: &SqlDeclaration) -> Result<Arc<dyn Tool>, String> {
    Err("this program was built without the feature `postgres`".to_owned())
}
