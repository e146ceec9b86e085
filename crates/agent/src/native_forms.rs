//! The native forms that a turn reads: the families, and the schemas of the tools.

use std::sync::Arc;

use silcrow_native::{MixedForms, NativeFamily, ToolSchemas};

/// The native forms that a turn reads; without families it reads none.
#[derive(Clone, Default)]
pub(crate) struct NativeForms {
    pub(crate) families: Vec<NativeFamily>,
    pub(crate) schemas: Arc<ToolSchemas>,
}

impl NativeForms {
    /// Creates the reader of these forms in one answer. Calls are actions in the dialect that has
    /// them.
    pub(crate) fn reader(&self, is_action: bool, call_text: bool) -> Option<MixedForms> {
        if self.families.is_empty() {
            return None;
        }
        let mut reader = MixedForms::new(&self.families).with_tools(Arc::clone(&self.schemas));
        if is_action {
            reader = reader.with_actions();
        }
        Some(if call_text { reader.with_call_text() } else { reader })
    }
}
