//! A tool as its server describes it, and the policy that follows from that.

use std::time::Duration;

use rmcp::model::{Tool as ListedTool, ToolAnnotations};
use silcrow_tool::{ApprovalNeed, ToolPolicy};

/// The time limits of a server.
#[derive(Clone, Copy)]
pub(crate) struct CallLimits {
    pub(crate) start: Duration,
    /// The time of a call, with all progress that it reports.
    pub(crate) call: Duration,
}

/// A tool of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolDefinition {
    /// The name in the toolbox: the server's, a dot, and the tool's own.
    pub(crate) name: String,
    /// The name at the server.
    pub(crate) own_name: String,
    pub(crate) description: String,
    /// The JSON schema of the arguments, as the server wrote it.
    pub(crate) schema: String,
    pub(crate) policy: ToolPolicy,
}

impl ToolDefinition {
    /// Reads a listed tool, or returns why it is left out.
    pub(crate) fn read(
        server: &str,
        tool: &ListedTool,
        is_trusted: bool,
        limits: CallLimits,
    ) -> Result<Self, String> {
        let own_name = tool.name.to_string();
        if !is_name(&own_name) {
            return Err(format!(
                "a tool is left out, because its name cannot be one: {own_name:?}"
            ));
        }
        let hints = tool.annotations.as_ref().filter(|_| is_trusted);
        let description = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
        let schema = serde_json::to_string(&*tool.input_schema).unwrap_or_default();
        Ok(Self {
            name: format!("{server}.{own_name}"),
            own_name,
            description: description.trim().to_owned(),
            schema,
            policy: policy(hints, limits),
        })
    }

    /// Returns the number of bytes that the definition takes in a request, about.
    pub(crate) fn size(&self) -> usize {
        self.name.len() + self.description.len() + self.schema.len()
    }

    /// Returns whether a call may be repeated if it is unknown whether it was carried out.
    pub(crate) const fn is_repeatable(&self) -> bool {
        self.policy.read_only || self.policy.idempotent
    }
}

/// Returns the policy of a tool. Without hints that are believed, it may do anything.
fn policy(hints: Option<&ToolAnnotations>, limits: CallLimits) -> ToolPolicy {
    // The tool itself measures the time, so that its message can say what is unknown then. A server
    // may have to be started first, and a call that is repeated is sent twice.
    let timeout = 2 * (limits.start + limits.call) + MARGIN;
    let policy = ToolPolicy { timeout, output_cap: Some(OUTPUT_CAP), ..ToolPolicy::default() };
    let Some(hints) = hints else {
        return ToolPolicy { sends_out: true, approval: ApprovalNeed::Always, ..policy };
    };
    let read_only = hints.read_only_hint == Some(true);
    let asks = !read_only && hints.is_destructive();
    ToolPolicy {
        read_only,
        sends_out: hints.open_world_hint == Some(true),
        idempotent: read_only || hints.is_idempotent(),
        approval: if asks { ApprovalNeed::Always } else { ApprovalNeed::Never },
        ..policy
    }
}

/// Returns whether a text can be the name of a tool: not empty, not long, and of characters that need
/// no escape in a call, a rule or a list.
fn is_name(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte);
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(is_fine)
}

/// The time that a tool has to say that its own time is over.
const MARGIN: Duration = Duration::from_secs(2);

/// The length of the text that the model reads of one call, in bytes.
const OUTPUT_CAP: usize = 64 << 10;

/// The number of bytes of the longest name, which the protocol recommends.
const LONGEST_NAME: usize = 128;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn read(name: &str, annotations: ToolAnnotations, is_trusted: bool) -> Option<ToolPolicy> {
        let tool = ListedTool::new(name.to_owned(), "", Arc::default());
        let tool = tool.with_annotations(annotations);
        let limits = CallLimits { start: Duration::from_secs(30), call: Duration::from_secs(60) };
        let read = ToolDefinition::read("s", &tool, is_trusted, limits);
        read.ok().map(|tool| tool.policy)
    }

    #[test]
    fn only_a_trusted_server_is_believed() {
        let reads = ToolAnnotations::new().read_only(true);
        let adds = ToolAnnotations::new().destructive(false).idempotent(true);
        let trusted = read("t", reads.clone(), true).unwrap();
        assert!(trusted.may_start_early() && trusted.is_repeatable());
        let trusted = read("t", adds, true).unwrap();
        assert!(!trusted.read_only && trusted.idempotent);
        assert_eq!(trusted.approval, ApprovalNeed::Never);
        let silent = read("t", ToolAnnotations::new(), true).unwrap();
        assert_eq!(silent.approval, ApprovalNeed::Always);
        let untrusted = read("t", reads, false).unwrap();
        assert!(!untrusted.read_only && !untrusted.idempotent && untrusted.sends_out);
        assert_eq!(untrusted.approval, ApprovalNeed::Always);
    }

    #[test]
    fn a_name_needs_no_escape() {
        for (name, is_one) in [
            ("read_file", true),
            ("a.b/c-d:e", true),
            ("", false),
            ("a b", false),
            ("a,b", false),
            ("a\"b", false),
            ("ä", false),
        ] {
            let found = read(name, ToolAnnotations::new(), true);
            assert_eq!(found.is_some(), is_one, "{name}");
        }
    }
}
