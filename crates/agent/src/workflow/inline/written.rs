//! Actions and blocks as a call writes them, in JSON.
//!
//! This module reads the keys of an entry; expressions and calls are checked elsewhere.

use std::collections::HashSet;
use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event::{ActionAttributes, Call, Compensation, Json, OnError, Seconds, UnknownWord};
use silcrow_plan::{ControlBlock, ControlKind, ControlStep, ParallelJoin};

/// Reads the arguments of a call: its steps, and the id of the one whose output is wanted. An error is
/// a text for the model.
pub(super) fn read(args: &str) -> Result<(Vec<ControlStep>, Option<String>), String> {
    let written: InlineActions =
        serde_json::from_str(args).map_err(|why| format!("the actions cannot be read: {why}"))?;
    let mut ids = StepIds::default();
    ids.note(&written.actions);
    let steps = ids.steps(written.actions, "actions")?;
    Ok((steps, written.output))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InlineActions {
    actions: Vec<WrittenStep>,
    output: Option<String>,
}

/// An entry with all the keys that one may have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    id: Option<String>,
    output_key: Option<String>,
    on_error: Option<String>,
    name: Option<String>,
    #[serde(alias = "args", alias = "arguments", alias = "input")]
    parameters: Option<Box<RawValue>>,
    #[serde(rename = "type")]
    kind: Option<String>,
    mode: Option<String>,
    #[serde(default)]
    depends_on: Vec<String>,
    timeout: Option<Box<RawValue>>,
    retry: Option<u32>,
    compensate: Option<Box<RawValue>>,
    #[serde(default)]
    show: bool,
    #[serde(rename = "if")]
    test: Option<String>,
    then: Option<Vec<Self>>,
    #[serde(rename = "else")]
    otherwise: Option<Vec<Self>>,
    foreach: Option<String>,
    #[serde(rename = "as")]
    item: Option<String>,
    index: Option<String>,
    max_parallel: Option<usize>,
    limit: Option<usize>,
    parallel: Option<String>,
    max: Option<usize>,
    actions: Option<Vec<Self>>,
    transaction: Option<Vec<Self>>,
    value: Option<String>,
}

/// The ids that are taken, for steps that have none.
#[derive(Default)]
struct StepIds {
    taken: HashSet<String>,
    last: usize,
}

impl StepIds {
    fn note(&mut self, steps: &[WrittenStep]) {
        for step in steps {
            self.taken.extend(step.id.clone());
            for inner in [&step.then, &step.otherwise, &step.actions, &step.transaction]
                .into_iter()
                .flatten()
            {
                self.note(inner);
            }
        }
    }

    fn generate(&mut self) -> String {
        loop {
            self.last += 1;
            let id = format!("a{}", self.last);
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }

    fn steps(&mut self, steps: Vec<WrittenStep>, at: &str) -> Result<Vec<ControlStep>, String> {
        let steps = steps.into_iter().enumerate();
        steps.map(|(index, step)| self.step(step, &format!("{at}[{index}]"))).collect()
    }

    fn step(&mut self, mut step: WrittenStep, at: &str) -> Result<ControlStep, String> {
        let id = step.id.take().unwrap_or_else(|| self.generate());
        let forms = [&step.name, &step.test, &step.foreach, &step.parallel, &step.value];
        let forms = forms.into_iter().flatten().count();
        if forms + usize::from(step.transaction.is_some()) != 1 {
            return Err(format!(
                "{at}: an entry has one of `name`, `if`, `foreach`, `parallel`, `transaction` and \
                 `value`"
            ));
        }
        if step.name.is_some() {
            return call(step, id).map_err(|why| format!("{at}: {why}")).map(ControlStep::Call);
        }
        let is_choice = step.test.is_some();
        let kind = step.block_kind().map_err(|why| format!("{at}: {why}"))?;
        if let Some(body) = step.transaction.take()
            && step.actions.replace(body).is_some()
        {
            return Err(format!("{at}: what is in a transaction is under `transaction`"));
        }
        let block = ControlBlock { output_key: step.output_key, ..ControlBlock::new(id, kind) };
        let (then, rest) =
            if is_choice { (step.then, step.actions) } else { (step.actions, step.then) };
        if rest.is_some() || (step.otherwise.is_some() && !is_choice) {
            let keys = if is_choice { "`then` and `else`" } else { "`actions`" };
            return Err(format!("{at}: what is in this block is under {keys}"));
        }
        let name = if is_choice { "then" } else { "actions" };
        let body = self.steps(then.unwrap_or_default(), &format!("{at}.{name}"))?;
        let otherwise = step.otherwise.unwrap_or_default();
        let otherwise = self.steps(otherwise, &format!("{at}.else"))?;
        Ok(ControlStep::Block { block, body, otherwise })
    }
}

impl WrittenStep {
    fn time_limit(&self) -> Result<Option<Duration>, String> {
        let seconds = self.timeout.as_ref().map(|timeout| timeout.get().parse::<Seconds>());
        let seconds = seconds.transpose().map_err(|_| "`timeout` is not a number of seconds")?;
        Ok(seconds.map(|Seconds(timeout)| timeout))
    }

    fn block_kind(&mut self) -> Result<ControlKind, String> {
        if let Some(test) = self.test.take() {
            return Ok(ControlKind::Choice { test });
        }
        if let Some(expression) = self.value.take() {
            return Ok(ControlKind::Value { expression });
        }
        if self.transaction.is_some() {
            return Ok(ControlKind::Transaction { timeout: self.time_limit()? });
        }
        if let Some(join) = &self.parallel {
            let known = ParallelJoin::ALL.into_iter().find(|known| known.as_str() == join);
            let join = known.ok_or("`parallel` is one of all, any, race, settled")?;
            let timeout = self.time_limit()?;
            return Ok(ControlKind::Parallel { join, max: self.max, timeout });
        }
        Ok(ControlKind::ForEach {
            items: self.foreach.take().unwrap_or_default(),
            item: self.item.take().ok_or("`as` is missing: the name of an item")?,
            index: self.index.take(),
            max_parallel: self.max_parallel.unwrap_or(ControlKind::MAX_PARALLEL),
            limit: self.limit.unwrap_or(ControlKind::LIMIT),
            on_error: word(self.on_error.as_deref())?.unwrap_or(OnError::Fail),
        })
    }
}

fn call(step: WrittenStep, id: String) -> Result<Call, String> {
    let timeout = step.time_limit()?;
    let args = step.parameters.as_ref().map_or("{}", |args| args.get());
    let compensate = step.compensate.as_ref().map(|undo| Compensation::parse(undo.get()));
    let compensate = compensate.transpose().map_err(|why| format!("`compensate`: {why}"))?;
    let name = Json::string(&step.name.unwrap_or_default());
    let content = format!(r#"{{"name":{name},"args":{args}}}"#);
    let call = Call::parse(id, content).map_err(|why| why.to_string())?;
    Ok(call.with_action(ActionAttributes {
        kind: word(step.kind.as_deref())?.unwrap_or_default(),
        mode: word(step.mode.as_deref())?.unwrap_or_default(),
        depends_on: step.depends_on,
        output_key: step.output_key,
        timeout,
        retry: step.retry,
        on_error: word(step.on_error.as_deref())?,
        compensate: compensate.map(Box::new),
        show: step.show,
        ..ActionAttributes::default()
    }))
}

/// Parses one of a closed set of words.
fn word<T: FromStr<Err = UnknownWord>>(word: Option<&str>) -> Result<Option<T>, String> {
    let unknown = |why: UnknownWord| {
        let words = why.words().join(", ");
        format!("`{}` is not one of {words}", word.unwrap_or_default())
    };
    word.map(T::from_str).transpose().map_err(unknown)
}
