//! The steps of a workflow: actions, and the blocks that choose, repeat and group them.
//!
//! This module reads the fields of one entry, without the workflow around it.

use std::collections::HashSet;
use std::str::FromStr;
use std::time::Duration;

use serde_json::{Map, Value, json};
use silcrow_event::{
    ActionAttributes, Call, CallKind, CallMode, Compensation, Json, OnError, UnknownWord,
};
use silcrow_plan::{ControlBlock, ControlKind, ControlStep, ParallelJoin, expression_flaw};

use crate::error::Error;
use crate::names::CallableNames;
use crate::toml_text::TomlText;
use crate::written::{WrittenAction, WrittenCompensation};

/// Reads the steps of one workflow, whose ids all differ.
pub(crate) struct StepReader<'a> {
    source: &'a TomlText<'a>,
    names: &'a CallableNames<'a>,
    taken: HashSet<String>,
}

impl<'a> StepReader<'a> {
    pub(crate) fn new(source: &'a TomlText<'a>, names: &'a CallableNames<'a>) -> Self {
        Self { source, names, taken: HashSet::new() }
    }

    /// Reads the entries of the list at a field.
    pub(crate) fn steps(
        &mut self,
        at: &str,
        written: &[WrittenAction],
    ) -> Result<Vec<ControlStep>, Error> {
        let written = written.iter().enumerate();
        written.map(|(index, written)| self.step(&format!("{at}[{index}]"), written)).collect()
    }

    fn step(&mut self, at: &str, written: &WrittenAction) -> Result<ControlStep, Error> {
        let wrong = |field: &str, why: &str| self.source.wrong(&format!("{at}.{field}"), why);
        let WrittenAction { name, r#if, foreach, parallel, value, transaction, .. } = written;
        let forms = [name, r#if, foreach, parallel, value].into_iter().flatten().count();
        if forms + usize::from(transaction.is_some()) != 1 {
            let why = "an entry has one of `name`, `if`, `foreach`, `parallel`, `transaction` and \
                       `value`";
            return Err(self.source.wrong(at, why));
        }
        for (field, word) in [
            ("id", Some(&written.id)),
            ("output_key", written.output_key.as_ref()),
            ("as", written.r#as.as_ref()),
            ("index", written.index.as_ref()),
        ] {
            if word.is_some_and(|word| !is_name(word)) {
                return Err(wrong(field, NO_NAME));
            }
        }
        if !self.taken.insert(written.id.clone()) {
            return Err(wrong("id", &format!("the id `{}` is taken", written.id)));
        }
        if let Some(field) = written.misplaced() {
            return Err(wrong(field, "this kind of entry does not have it; leave it out"));
        }
        if let Some(name) = name {
            return self.call(at, name, written).map(ControlStep::Call);
        }
        let kind = block_kind(written).map_err(|(field, why)| wrong(field, &why))?;
        if let Some(why) = expression_flaw(&kind) {
            return Err(wrong(kind.as_str(), &why));
        }
        let block = ControlBlock::new(&*written.id, kind);
        let block = ControlBlock { output_key: written.output_key.clone(), ..block };
        let (field, body) = match (r#if, transaction) {
            (Some(_), _) => ("then", &written.then),
            (None, Some(body)) => ("transaction", body),
            (None, None) => ("actions", &written.actions),
        };
        let body = self.steps(&format!("{at}.{field}"), body)?;
        let otherwise = self.steps(&format!("{at}.else"), &written.r#else)?;
        Ok(ControlStep::Block { block, body, otherwise })
    }

    fn call(&self, at: &str, name: &str, written: &WrittenAction) -> Result<Call, Error> {
        let wrong = |field: &str, why: String| self.source.wrong(&format!("{at}.{field}"), why);
        let kind: Option<CallKind> =
            known(written.r#type.as_deref(), "type").map_err(|why| wrong("type", why))?;
        let kind = kind.unwrap_or_default();
        let mode: Option<CallMode> =
            known(written.mode.as_deref(), "mode").map_err(|why| wrong("mode", why))?;
        let on_error: Option<OnError> =
            known(written.on_error.as_deref(), "policy").map_err(|why| wrong("on_error", why))?;
        self.names.check(self.source, &format!("{at}.name"), kind, name)?;
        let timeout = time_limit(written).map_err(|why| wrong("timeout", why))?;
        let args = self.args(at, &written.parameters)?;
        let content = json!({"name": name, "args": args}).to_string();
        let call =
            Call::parse(&*written.id, content).map_err(|why| wrong("name", why.to_string()))?;
        Ok(call.with_action(ActionAttributes {
            kind,
            mode: mode.unwrap_or_default(),
            depends_on: written.depends_on.clone(),
            output_key: written.output_key.clone(),
            timeout,
            retry: written.retry,
            on_error,
            compensate: self.compensation(at, written)?,
            show: written.show.unwrap_or_default(),
            ..ActionAttributes::default()
        }))
    }

    /// Returns the call that takes a call back (P-32).
    fn compensation(
        &self,
        at: &str,
        written: &WrittenAction,
    ) -> Result<Option<Box<Compensation>>, Error> {
        let Some(WrittenCompensation { r#type, name, parameters }) = &written.compensate else {
            return Ok(None);
        };
        let field = |field: &str| format!("{at}.compensate.{field}");
        let kind = known(r#type.as_deref(), "type");
        let kind: Option<CallKind> = kind.map_err(|why| self.source.wrong(&field("type"), why))?;
        let kind = kind.unwrap_or_default();
        self.names.check(self.source, &field("name"), kind, name)?;
        let args = self.args(&format!("{at}.compensate"), parameters)?;
        let args = Json::parse(&Value::Object(args).to_string());
        Ok(args.map(|args| Box::new(Compensation { kind, name: name.clone(), args })))
    }

    /// Returns parameters as JSON.
    fn args(&self, at: &str, written: &toml::Table) -> Result<Map<String, Value>, Error> {
        let mut args = Map::new();
        for (key, value) in written {
            let wrong = |why| self.source.wrong(&format!("{at}.parameters.{key}"), why);
            args.insert(key.clone(), to_json(value).map_err(wrong)?);
        }
        Ok(args)
    }
}

/// Returns the kind of a block, or a field of it that is wrong with the reason.
fn block_kind(written: &WrittenAction) -> Result<ControlKind, (&'static str, String)> {
    if let Some(test) = &written.r#if {
        return Ok(ControlKind::Choice { test: test.clone() });
    }
    if let Some(expression) = &written.value {
        return Ok(ControlKind::Value { expression: expression.clone() });
    }
    if written.transaction.is_some() {
        let timeout = time_limit(written).map_err(|why| ("timeout", why))?;
        return Ok(ControlKind::Transaction { timeout });
    }
    if let Some(join) = &written.parallel {
        let known = ParallelJoin::ALL.into_iter().find(|known| known.as_str() == join);
        let words = ParallelJoin::ALL.map(ParallelJoin::as_str);
        let join = known.ok_or_else(|| ("parallel", one_of("join", &words)))?;
        let timeout = time_limit(written).map_err(|why| ("timeout", why))?;
        return Ok(ControlKind::Parallel { join, max: written.max, timeout });
    }
    let missing = || ("as", "it is missing; it is the name of an item".to_owned());
    let on_error = match written.on_error.as_deref() {
        None | Some("fail") => OnError::Fail,
        Some("skip") => OnError::Skip,
        Some(_) => return Err(("on_error", one_of("policy", &["fail", "skip"]))),
    };
    Ok(ControlKind::ForEach {
        items: written.foreach.clone().unwrap_or_default(),
        item: written.r#as.clone().ok_or_else(missing)?,
        index: written.index.clone(),
        max_parallel: written.max_parallel.unwrap_or(ControlKind::MAX_PARALLEL),
        limit: written.limit.unwrap_or(ControlKind::LIMIT),
        on_error,
    })
}

fn time_limit(written: &WrittenAction) -> Result<Option<Duration>, String> {
    if written.timeout.is_some_and(|seconds| !seconds.is_finite() || seconds <= 0.0) {
        return Err("it is a number of seconds above 0".to_owned());
    }
    let limit = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Ok(written.timeout.map(limit))
}

/// The word's meaning, or the default without one.
fn known<T: FromStr<Err = UnknownWord>>(
    word: Option<&str>,
    what: &str,
) -> Result<Option<T>, String> {
    let parsed = word.map(str::parse).transpose();
    parsed.map_err(|unknown: UnknownWord| one_of(what, unknown.words()))
}

pub(crate) fn one_of(what: &str, words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    format!("unknown {what}; use one of {}", words.join(", "))
}

/// The sources that `$name` may refer to (P-26).
pub(crate) fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

pub(crate) const NO_NAME: &str =
    "`$` cannot name it: it has letters, digits and `_`, and begins with no digit; rename it";

pub(crate) fn to_json(value: &toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text.clone()),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) if number.is_finite() => json!(number),
        toml::Value::Float(_) => {
            return Err("JSON has neither NaN nor infinity; write another number".to_owned());
        }
        toml::Value::Boolean(is) => json!(is),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(values) => {
            Value::Array(values.iter().map(to_json).collect::<Result<_, _>>()?)
        }
        toml::Value::Table(table) => {
            let member = |(key, value): (&String, &_)| Ok((key.clone(), to_json(value)?));
            Value::Object(table.iter().map(member).collect::<Result<_, String>>()?)
        }
    })
}
