//! The tool `ask_person`: questions to the person in the middle of a run, each with answers to choose from.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use silcrow_mcp::{Elicitation, ElicitationAnswer, ElicitationField, Elicitor};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

/// The tool, and the interface for asking the person.
pub(super) struct AskPerson {
    person: Arc<dyn Elicitor>,
}

/// The arguments of a call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedQuestions {
    questions: Vec<AskedQuestion>,
}

/// A question.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedQuestion {
    question: String,
    #[serde(default)]
    options: Vec<OfferedAnswer>,
}

/// An answer that the person may choose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfferedAnswer {
    label: String,
    #[serde(default)]
    description: String,
}

impl AskPerson {
    pub(super) fn new(person: Arc<dyn Elicitor>) -> Self {
        Self { person }
    }

    /// Asks a question. Returns the answer, or `None` if the person gives none.
    async fn ask(&self, asked: &AskedQuestion, conversation: Option<String>) -> Option<String> {
        let field = ElicitationField::new(ANSWER, json!({"type": "string", "minLength": 1}), true);
        let mut question =
            Elicitation::new("your agent", asked.text()).with_conversation(conversation);
        question.fields.push(field);
        let ElicitationAnswer::Accept(mut values) = self.person.elicit(question).await else {
            return None;
        };
        let said = values.remove(ANSWER)?;
        let said = said.as_str()?.trim();
        Some(asked.chosen(said).unwrap_or(said).to_owned()).filter(|said| !said.is_empty())
    }
}

impl AskedQuestions {
    fn read(args: ToolArgs<'_>) -> Result<Self, ToolError> {
        let asked: Self = args.read()?;
        let is_empty = |asked: &AskedQuestion| {
            asked.question.trim().is_empty()
                || asked.options.iter().any(|option| option.label.trim().is_empty())
        };
        match &*asked.questions {
            [] => Err(ToolError::new("no question given; call again with one")),
            questions if questions.len() > MOST_QUESTIONS => Err(ToolError::new(format!(
                "there are {} questions; ask at most {MOST_QUESTIONS} at once",
                questions.len()
            ))),
            questions if questions.iter().any(|asked| asked.options.len() > MOST_OPTIONS) => {
                Err(ToolError::new(format!("a question has at most {MOST_OPTIONS} options")))
            }
            questions if questions.iter().any(is_empty) => {
                Err(ToolError::new("a question and an option need words; call again with them"))
            }
            _ => Ok(asked),
        }
    }
}

impl AskedQuestion {
    /// Returns the question with its options, which have numbers.
    fn text(&self) -> String {
        let mut text = self.question.trim().to_owned();
        for (number, option) in (1..).zip(&self.options) {
            text += &format!("\n{number}  {}", option.label.trim());
            if !option.description.trim().is_empty() {
                text += &format!(": {}", option.description.trim());
            }
        }
        if !self.options.is_empty() {
            text += "\nType a number, or an answer of your own.";
        }
        text
    }

    /// Returns the option whose number was typed.
    fn chosen(&self, said: &str) -> Option<&str> {
        let index = said.parse::<usize>().ok()?.checked_sub(1)?;
        self.options.get(index).map(|option| option.label.trim())
    }
}

impl Tool for AskPerson {
    fn name(&self) -> &str {
        "ask_person"
    }

    fn description(&self) -> &str {
        DESCRIPTION
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        // A person may take their time.
        ToolPolicy { read_only: true, timeout: DAY, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let asked = AskedQuestions::read(args)?;
            let (mut told, mut answered) = (String::new(), 0);
            for one in &asked.questions {
                let said = self.ask(one, context.scope().conversation.clone()).await;
                answered += usize::from(said.is_some());
                let said = said.as_deref().unwrap_or(NONE);
                told += &format!("{}\n{said}\n\n", one.question.trim());
            }
            Ok(ToolOutput::new(format!("{answered} answered"), told.trim_end().to_owned()))
        }
        .boxed()
    }
}

impl fmt::Debug for AskPerson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskPerson").finish_non_exhaustive()
    }
}

/// The name of the field that has the answer.
const ANSWER: &str = "answer";

/// The text for the model if the person gave no answer.
const NONE: &str = "[The person gives no answer: decide it yourself, and say so in the plan.]";

/// The time that a person has.
const DAY: Duration = Duration::from_hours(24);

const MOST_QUESTIONS: usize = 3;
const MOST_OPTIONS: usize = 4;

const DESCRIPTION: &str = "\
Asks the person what the files cannot answer and the plan depends on. Ask little, and all of it at once.";

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":3,"#,
    r#""items":{"type":"object","properties":{"question":{"type":"string"},"#,
    r#""options":{"type":"array","maxItems":4,"items":{"type":"object","#,
    r#""properties":{"label":{"type":"string"},"description":{"type":"string"}},"#,
    r#""required":["label"],"additionalProperties":false}}},"#,
    r#""required":["question"],"additionalProperties":false}}},"#,
    r#""required":["questions"],"additionalProperties":false}"#,
);

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::Map;

    use super::*;

    /// A person who gives these answers, one after the other.
    struct Answering(Mutex<Vec<Option<&'static str>>>, Mutex<Vec<String>>);

    impl Elicitor for Answering {
        fn elicit(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
            self.1.lock().unwrap().push(question.message);
            let answer = match self.0.lock().unwrap().remove(0) {
                Some(said) => {
                    ElicitationAnswer::Accept(Map::from_iter([(ANSWER.to_owned(), json!(said))]))
                }
                None => ElicitationAnswer::Decline,
            };
            async move { answer }.boxed()
        }
    }

    #[tokio::test]
    async fn numbers_choose_and_words_answer() {
        let answers = vec![Some("2"), Some("as in a.rs"), None];
        let person = Arc::new(Answering(Mutex::new(answers), Mutex::default()));
        let tool = AskPerson::new(Arc::clone(&person) as Arc<dyn Elicitor>);
        let args = r#"{"questions":[
            {"question":"Which name?","options":[{"label":"a"},{"label":"b","description":"short"}]},
            {"question":"Which style?","options":[{"label":"x"}]},
            {"question":"Anything else?"}]}"#;
        let context = CallContext::new("c", "a1");
        let output = tool.call(ToolArgs::new(args), &context).await.unwrap();
        let expected =
            format!("Which name?\nb\n\nWhich style?\nas in a.rs\n\nAnything else?\n{NONE}");
        assert_eq!((output.content.text().as_ref(), &*output.summary), (&*expected, "2 answered"));
        let shown = person.1.lock().unwrap().remove(0);
        assert_eq!(
            shown,
            "Which name?\n1  a\n2  b: short\nType a number, or an answer of your own."
        );
        for wrong in [r#"{"questions":[]}"#, r#"{"questions":[{"question":" "}]}"#] {
            assert!(tool.call(ToolArgs::new(wrong), &context).await.is_err(), "{wrong}");
        }
    }
}
