//! Answers of a person to questions about calls.

use rmcp::model::{ElicitResult, InputResponses};
use silcrow_agent::QuestionGroup;
use silcrow_server::{Error, ErrorKind, RunPlace, ServedRun, Server};
use silcrow_tool::ApprovalDecision;

use crate::question;

/// Stores answers, and returns the run that continues. If others have answered meanwhile, that is
/// the run that they continued.
pub(crate) async fn continued(
    server: &Server,
    place: RunPlace,
    answers: &[(String, ApprovalDecision)],
) -> Result<ServedRun, Error> {
    let taken = match answers.is_empty() {
        true => None,
        false => Some(server.answer(place.clone(), answers, None).await),
    };
    match taken {
        Some(Ok(taken)) if taken.run.is_some() => Ok(taken.run.expect("there is one")),
        Some(Err(error)) if !matches!(error.kind(), ErrorKind::Stale | ErrorKind::Busy) => {
            Err(error)
        }
        other => match (server.run(&place).await?, other) {
            (Some(run), _) => Ok(run),
            (None, Some(Err(error))) => Err(error),
            (None, _) => Err(Error::new(
                ErrorKind::Stale,
                "the conversation has no run here that waits for these answers",
            )),
        },
    }
}

/// Returns the decisions about open questions among the responses to forms, which are by the ids of the
/// forms.
pub(crate) async fn decisions(
    server: &Server,
    place: &RunPlace,
    responses: &InputResponses,
) -> Result<Vec<(String, ApprovalDecision)>, Error> {
    if responses.is_empty() {
        return Ok(Vec::new());
    }
    let open = server.open_questions(place).await?;
    let groups = QuestionGroup::all(&open);
    let decided = |group: &QuestionGroup<'_>| {
        let response = responses.get(&*group.id())?;
        let answer: ElicitResult = serde_json::from_value(response.clone()).ok()?;
        question::decisions(group, &answer)
    };
    Ok(groups.iter().filter_map(decided).flatten().collect())
}
