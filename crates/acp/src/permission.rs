//! Questions whether a call may run, which the person answers in the client.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use silcrow_front::call_title;
use silcrow_tool::{ApprovalDecision, ApprovalRequest, ApprovalScope, Approver};
use tokio::sync::{mpsc, oneshot};

use crate::client::AcpClient;
use crate::tool_call;

/// Asks the client about all calls at once. The answers may come in any order.
#[derive(Debug)]
pub(crate) struct ClientApprover {
    client: Arc<AcpClient>,
    session: String,
    folder: PathBuf,
    asked: mpsc::Sender<AskedCall>,
}

/// A call that the person is asked about, whose id in the session is wanted.
#[derive(Debug)]
pub(crate) struct AskedCall {
    pub(crate) conversation: String,
    pub(crate) turn: u32,
    pub(crate) id: String,
    /// Content that shows the call's changes, and stays with it.
    pub(crate) diffs: Vec<Value>,
    pub(crate) name: oneshot::Sender<String>,
}

impl ClientApprover {
    /// Creates the approver of a session. The run receives the calls in question through `asked`.
    pub(crate) fn new(
        client: Arc<AcpClient>,
        session: String,
        folder: PathBuf,
        asked: mpsc::Sender<AskedCall>,
    ) -> Self {
        Self { client, session, folder, asked }
    }

    /// Returns the id of a call in the session.
    async fn name(&self, request: &ApprovalRequest<'_>, diffs: Vec<Value>) -> Option<String> {
        let (name, answer) = oneshot::channel();
        let (conversation, turn) = (request.conversation.to_owned(), request.turn);
        let asked = AskedCall { conversation, turn, id: request.id.to_owned(), diffs, name };
        self.asked.send(asked).await.ok()?;
        answer.await.ok()
    }

    async fn put(&self, request: ApprovalRequest<'_>) -> ApprovalDecision {
        let files = request.diff.iter().flat_map(|diff| &diff.files);
        let diffs: Vec<_> = files.flat_map(|file| tool_call::diffs(file, &self.folder)).collect();
        let Some(call) = self.name(&request, diffs.clone()).await else {
            return ApprovalDecision::Deny("the run is over".to_owned());
        };
        let params = json!({
            "sessionId": self.session,
            "toolCall": self.call(&call, &request, diffs),
            "options": options(&request),
        });
        match self.client.ask("session/request_permission", &params).await {
            Ok(answer) => decision(&answer["outcome"], &request),
            Err(why) => {
                ApprovalDecision::Deny(format!("nobody approved `{}`: {why}", request.tool))
            }
        }
    }

    /// Returns the text about the call for the person: its exact effect, and the reason of the
    /// question.
    fn call(&self, id: &str, request: &ApprovalRequest<'_>, diffs: Vec<Value>) -> Value {
        let args: Value = serde_json::from_str(request.args).unwrap_or_default();
        let target = request.target.map(|target| format!("target: {target}"));
        let effect = request.effect.map(str::to_owned);
        let risk = request.risk.map(|risk| format!("risk: {risk}"));
        let why = request.why.map(|why| format!("asked because: {why}"));
        let opens = match request.grants.is_empty() {
            true => None,
            false => Some(format!("opens: {}", request.grants)),
        };
        let lines: Vec<_> = [target, effect, opens, risk, why].into_iter().flatten().collect();
        let mut content = Vec::new();
        if !request.items.is_empty() {
            content.push(tool_call::text(&items(request)));
        }
        if !lines.is_empty() {
            content.push(tool_call::text(&lines.join("\n")));
        }
        content.extend(diffs);
        for item in request.items {
            let files = item.diff.iter().flat_map(|diff| &diff.files);
            content.extend(files.flat_map(|file| tool_call::diffs(file, &self.folder)));
        }
        json!({
            "toolCallId": id,
            "title": call_title(request.tool, &args),
            "kind": tool_call::kind(request.tool),
            "status": "pending",
            "locations": tool_call::locations(&args, &self.folder),
            "content": content,
            "rawInput": args,
        })
    }
}

impl Approver for ClientApprover {
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        self.put(request).boxed()
    }

    fn is_asked_at_once(&self) -> bool {
        true
    }

    fn takes_items(&self) -> bool {
        true
    }
}

/// Returns the calls for all items of a loop, a line for each.
fn items(request: &ApprovalRequest<'_>) -> String {
    let first = (request.args, request.effect, request.risk, request.grants);
    let others = request.items.iter().map(|item| (item.args, item.effect, item.risk, item.grants));
    let lines =
        [first].into_iter().chain(others).zip(1..).map(|((args, effect, risk, grants), at)| {
            let effect = effect.map(|effect| format!("; {effect}")).unwrap_or_default();
            let risk = risk.map(|risk| format!("; risk: {risk}")).unwrap_or_default();
            let opens =
                if grants.is_empty() { String::new() } else { format!("; opens: {grants}") };
            format!("{at}. {} {args}{effect}{opens}{risk}", request.tool)
        });
    let lines: Vec<_> = lines.collect();
    format!("A loop makes these {} calls:\n{}", lines.len(), lines.join("\n"))
}

/// Returns the possible answers of the person. A call with a risk can only be allowed once. For the
/// items of a loop there is an answer to all; who allows one item is asked about the rest.
fn options(request: &ApprovalRequest<'_>) -> Value {
    let of_kind =
        |id: &str, name: &str, kind: &str| json!({"optionId": id, "name": name, "kind": kind});
    let (yes, deny) = match request.items.len() {
        0 => {
            let once = of_kind(ALLOW_ONCE, "Allow", "allow_once");
            (vec![once], of_kind(REJECT, "Deny", "reject_once"))
        }
        more => {
            let all = of_kind(ALLOW_ITEMS, &format!("Allow all {}", more + 1), "allow_once");
            let one = of_kind(ALLOW_ONCE, "Allow the first, and ask on", "allow_once");
            let skip = of_kind(SKIP, "Deny the first, and ask on", "reject_once");
            let none = format!("Deny all {}", more + 1);
            (vec![all, one, skip], of_kind(REJECT, &none, "reject_once"))
        }
    };
    if request.risk.is_some() {
        return Value::Array(yes.into_iter().chain([deny]).collect());
    }
    let always = |id: &str, scope: &str| {
        let name = format!("Allow in this conversation: {} {scope}", request.tool);
        json!({"optionId": id, "name": name, "kind": "allow_always"})
    };
    let wider = request.wider_scopes.iter().enumerate();
    let wider = wider.map(|(index, scope)| always(&format!("{ALLOW_WIDER}{index}"), scope));
    let own = always(ALLOW_ALWAYS, request.scope);
    let all = yes.into_iter().chain([own]).chain(wider).chain([deny]);
    Value::Array(all.collect())
}

fn decision(outcome: &Value, request: &ApprovalRequest<'_>) -> ApprovalDecision {
    let tool = request.tool;
    let index = outcome["optionId"].as_str().and_then(|id| id.strip_prefix(ALLOW_WIDER));
    let index = index.and_then(|index| index.parse::<usize>().ok());
    let wider = index.filter(|index| *index < request.wider_scopes.len());
    match (outcome["outcome"].as_str(), outcome["optionId"].as_str()) {
        (Some("selected"), Some(ALLOW_ONCE)) => ApprovalDecision::Allow(ApprovalScope::Once),
        (Some("selected"), Some(ALLOW_ITEMS)) if !request.items.is_empty() => {
            ApprovalDecision::all(request)
        }
        (Some("selected"), Some(SKIP)) if !request.items.is_empty() => {
            ApprovalDecision::Deny(format!("the person denied this call of `{tool}`"))
        }
        (Some("selected"), Some(ALLOW_ALWAYS)) => {
            ApprovalDecision::Allow(ApprovalScope::Conversation)
        }
        (Some("selected"), Some(_)) if wider.is_some() => {
            ApprovalDecision::Allow(ApprovalScope::Wider(wider.unwrap_or_default()))
        }
        (Some("cancelled"), _) => {
            let why = format!("the prompt was cancelled before `{tool}` was approved");
            ApprovalDecision::none(request, why)
        }
        _ => ApprovalDecision::none(request, format!("the person denied `{tool}`")),
    }
}

const ALLOW_ONCE: &str = "allow-once";
const ALLOW_ALWAYS: &str = "allow-always";
const ALLOW_ITEMS: &str = "allow-items";
const SKIP: &str = "reject-first";
/// The beginning of the options for wider scopes, before their index.
const ALLOW_WIDER: &str = "allow-wider-";
const REJECT: &str = "reject-once";

#[cfg(test)]
mod tests {
    use silcrow_tool::ItemRequest;

    use super::*;

    #[test]
    fn wider_scopes_are_offered_for_riskless_calls() {
        let wider = ["git commit *".to_owned(), "each call".to_owned()];
        let mut request = ApprovalRequest::new("a1", "shell", "{}");
        request.wider_scopes = &wider;
        let shown = options(&request);
        let shown: Vec<_> =
            shown.as_array().unwrap().iter().map(|one| one["optionId"].as_str().unwrap()).collect();
        let expected = [ALLOW_ONCE, ALLOW_ALWAYS, "allow-wider-0", "allow-wider-1", REJECT];
        assert_eq!(shown, expected);
        let decided =
            |id: &str| decision(&json!({"outcome": "selected", "optionId": id}), &request);
        let allowed = ApprovalDecision::Allow(ApprovalScope::Wider(1));
        assert_eq!(decided("allow-wider-1"), allowed);
        for unknown in ["allow-wider-2", "allow-wider-", "allow-wider-x", "other"] {
            assert!(matches!(decided(unknown), ApprovalDecision::Deny(_)), "{unknown}");
        }
        request.risk = Some("it deletes");
        assert_eq!(options(&request).as_array().unwrap().len(), 2);
    }

    #[test]
    fn loop_request_offers_an_answer_for_all_items() {
        let others = [ItemRequest::new("each[1].mail", r#"{"to":"Max"}"#)];
        let mut request = ApprovalRequest::new("each[0].mail", "mail", r#"{"to":"Ada"}"#);
        request.items = &others;
        let shown = options(&request);
        let names: Vec<_> =
            shown.as_array().unwrap().iter().map(|one| one["optionId"].as_str().unwrap()).collect();
        assert_eq!(names, [ALLOW_ITEMS, ALLOW_ONCE, SKIP, ALLOW_ALWAYS, REJECT]);
        assert_eq!(
            items(&request),
            "A loop makes these 2 calls:\n1. mail {\"to\":\"Ada\"}\n2. mail {\"to\":\"Max\"}"
        );
        let decided =
            |id: &str| decision(&json!({"outcome": "selected", "optionId": id}), &request);
        let ApprovalDecision::Items { allowed, .. } = decided(ALLOW_ITEMS) else { panic!() };
        assert_eq!(allowed, [0, 1]);
        let ApprovalDecision::Items { allowed, .. } = decided(REJECT) else { panic!() };
        assert!(allowed.is_empty());
        assert_eq!(decided(ALLOW_ONCE), ApprovalDecision::Allow(ApprovalScope::Once));
        assert!(matches!(decided(SKIP), ApprovalDecision::Deny(_)));
        request.items = &[];
        assert!(matches!(
            decision(&json!({"outcome": "selected", "optionId": ALLOW_ITEMS}), &request),
            ApprovalDecision::Deny(_)
        ));
    }
}
