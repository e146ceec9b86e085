//! The message of `silcrow mcp serve` in a program that was built without it.

use silcrow_interactive::AskOptions;

use crate::failure::Failure;
use crate::serve;

/// Serves nothing.
pub(crate) fn serve(_: AskOptions) -> Result<(), Failure> {
    Err(serve::absent("silcrow mcp serve"))
}
