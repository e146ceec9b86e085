//! The request of a step, which the agent's context makes from the log.

use std::sync::{Arc, LazyLock};

use silcrow_context::{ContextInput, PromptPart, SystemPrompt, ToolCard};
use silcrow_event::{CallKind, Content, Entry, Event, MessageList};
use silcrow_media::ImageTokenRule;
use silcrow_parser::{Dialect, Options, write};
use silcrow_provider::{Request, ToolDeclaration};
use silcrow_tool::Toolbox;

use crate::parts::AgentParts;

/// Returns the parts of the request of the next step. `system` is the agent's [`system`] text, and
/// `notice` ends the request.
pub(crate) fn context_input<'a>(
    parts: &'a AgentParts,
    entries: &'a [Entry],
    system: &'a Content,
    notice: Option<&'static str>,
) -> ContextInput<'a> {
    let options = &parts.options;
    ContextInput::new(entries, options.dialect)
        .with_examples(&options.examples)
        .with_shared_system(system)
        .with_run_text(options.run_text.as_deref())
        .with_native(options.calls.is_native().then(|| parts.provider.name()))
        .with_data_marks(options.data_marks)
        .with_notice(notice)
        .with_limits(options.model)
        .with_senses(parts.senses(), ImageTokenRule::of_model(parts.provider.name()))
}

/// Returns the request of the next step.
pub(crate) fn request(
    messages: MessageList,
    parts: &AgentParts,
    tools: Arc<[ToolDeclaration]>,
) -> Request {
    let options = &parts.options;
    Request::new(messages)
        .with_streaming(options.streaming)
        .with_sampling(options.sampling.clone())
        .with_tools(tools)
}

/// Returns the system text: the guide to the dialect, the tools, and the instructions. All runs of
/// an agent share that with its own tools.
pub(crate) fn system(parts: &AgentParts, tools: &Arc<Toolbox>) -> Content {
    let text = || Content::from(text_of(&system_parts(parts, tools)));
    match Arc::ptr_eq(tools, &parts.tools) {
        true => parts.system.get_or_init(text).clone(),
        false => text(),
    }
}

/// Returns the text of all parts.
pub(crate) fn text_of(parts: &[PromptPart]) -> String {
    let text: String = parts.iter().map(|part| &*part.text).collect();
    // It is kept, and does not grow.
    text.into_boxed_str().into_string()
}

/// Returns the parts of the system text. Only the dialect `action` can call more than tools.
pub(crate) fn system_parts(parts: &AgentParts, tools: &Toolbox) -> Vec<PromptPart> {
    let options = &parts.options;
    let kinds = match options.dialect.dialect {
        Dialect::Action if !options.calls.is_native() => &CallKind::ALL[..],
        _ => &[CallKind::Tool],
    };
    let cards = kinds.iter().flat_map(|&kind| {
        tools.iter_as(kind).map(move |tool| ToolCard {
            kind,
            name: tool.name(),
            description: tool.description(),
            schema: tool.schema(),
        })
    });
    let cards: Vec<_> = cards.collect();
    let prompt = SystemPrompt::new(options.dialect).with_guide(options.guide).with_tools(&cards);
    let prompt = if options.calls.is_native() { prompt.with_native_tools() } else { prompt };
    prompt
        .with_data_marks(options.data_marks)
        .with_identity(options.identity.as_deref())
        .with_instructions(options.instructions.as_deref())
        .with_instruction_texts(&options.instruction_texts)
        .parts()
}

/// Returns the notice that asks for the end of an answer without one. In `action` an empty response is
/// the end.
pub(crate) fn end_question(options: Options) -> &'static str {
    static QUESTIONS: LazyLock<[String; 3]> =
        LazyLock::new(|| [Dialect::Sigil, Dialect::Phase, Dialect::Action].map(question));
    let [sigil, phase, action] = &*QUESTIONS;
    match options.dialect {
        Dialect::Sigil => sigil,
        Dialect::Phase => phase,
        Dialect::Action => action,
    }
}

fn question(dialect: Dialect) -> String {
    let (lack, end) = match dialect {
        Dialect::Sigil | Dialect::Phase => ("has no end", write([&Event::End], dialect)),
        Dialect::Action => ("is outside of `<response>`", "<response></response>".to_owned()),
    };
    let end = end.trim();
    format!(
        "[Your last answer {lack}. If it is your whole answer to the person, write `{end}` alone, and \
         nothing else. If you announced a call, write the call now.]"
    )
}

/// The notice at the end of the last request of a run.
pub(crate) const LAST_STEP: &str =
    "[This is the last step of the run: answer now with what you have, and call nothing.]";

/// The notice at the end of the last request of a run whose budget is used up.
pub(crate) const BUDGET_USED_UP: &str = "[The budget of the run is used up, and no call will run: \
     this is the last step, so answer now with what you have.]";
