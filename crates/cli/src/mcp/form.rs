//! The fields of a server's question: what a person reads about them, and what a typed text means.

use serde_json::{Number, Value};
use silcrow_mcp::ElicitationField;

/// Returns what is asked for, in a few words: the field, its kind, and the values that it may have.
pub(super) fn about(field: &ElicitationField) -> String {
    let text = |key: &str| field.schema.get(key).and_then(Value::as_str);
    let kind = match (choices(field), text("type")) {
        (choices, _) if !choices.is_empty() => {
            let named: Vec<_> = choices.iter().map(|(value, _)| value.as_str()).collect();
            format!("one of {}", named.join(", "))
        }
        (_, Some("boolean")) => "yes or no".to_owned(),
        (_, Some("integer")) => "a whole number".to_owned(),
        (_, Some("number")) => "a number".to_owned(),
        (_, Some("array")) => "values with commas between them".to_owned(),
        _ => "a text".to_owned(),
    };
    let name = text("title").unwrap_or(&field.name);
    let described = text("description").map(|words| format!(" ({words})")).unwrap_or_default();
    let optional = if field.is_required { "" } else { "; - leaves it out" };
    format!("{name}: {kind}{described}{optional}")
}

/// Returns the value that a typed text means, `None` for a field that is left out, or what to type
/// instead.
pub(super) fn value(field: &ElicitationField, typed: &str) -> Result<Option<Value>, String> {
    let typed = typed.trim();
    if typed == "-" && !field.is_required {
        return Ok(None);
    }
    let choices = choices(field);
    let kind = field.schema.get("type").and_then(Value::as_str);
    let chosen = |typed: &str| {
        let fits = |(value, title): &&(String, String)| {
            value.eq_ignore_ascii_case(typed) || title.eq_ignore_ascii_case(typed)
        };
        let found = choices.iter().find(fits).map(|(value, _)| Value::from(value.clone()));
        found.ok_or_else(|| format!("`{typed}` is not one of the values"))
    };
    let value = match kind {
        Some("array") => {
            let items = typed.split(',').map(str::trim).filter(|item| !item.is_empty());
            let item = |item: &str| match choices.is_empty() {
                true => Ok(Value::from(item)),
                false => chosen(item),
            };
            Value::Array(items.map(item).collect::<Result<_, _>>()?)
        }
        _ if !choices.is_empty() => chosen(typed)?,
        Some("boolean") => match &*typed.to_lowercase() {
            "y" | "yes" | "true" => Value::Bool(true),
            "n" | "no" | "false" => Value::Bool(false),
            _ => return Err(format!("`{typed}` is neither yes nor no")),
        },
        Some("integer") => {
            let number: i64 = typed.parse().map_err(|_| format!("`{typed}` is no whole number"))?;
            within(field, number as f64)?;
            Value::from(number)
        }
        Some("number") => {
            let number = typed.parse().ok().and_then(Number::from_f64);
            let number = number.ok_or_else(|| format!("`{typed}` is no number"))?;
            within(field, number.as_f64().unwrap_or_default())?;
            Value::Number(number)
        }
        _ => {
            let length = typed.chars().count() as f64;
            let bound = |key: &str| field.schema.get(key).and_then(Value::as_f64);
            if bound("minLength").is_some_and(|least| length < least) {
                return Err("the text is too short".to_owned());
            }
            if bound("maxLength").is_some_and(|most| length > most) {
                return Err("the text is too long".to_owned());
            }
            Value::from(typed)
        }
    };
    Ok(Some(value))
}

fn within(field: &ElicitationField, number: f64) -> Result<(), String> {
    let bound = |key: &str| field.schema.get(key).and_then(Value::as_f64);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), _) if number < least => Err(format!("{least} is the least")),
        (_, Some(most)) if number > most => Err(format!("{most} is the most")),
        _ => Ok(()),
    }
}

/// Returns the values that a field may have, each with its title, if it has only some.
fn choices(field: &ElicitationField) -> Vec<(String, String)> {
    let schema = field.schema.get("items").unwrap_or(&field.schema);
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    if let Some(values) = list("enum") {
        let names = list("enumNames");
        let title = |at: usize, value: &str| {
            let name = names.and_then(|names| names.get(at)?.as_str());
            name.unwrap_or(value).to_owned()
        };
        let values = values.iter().enumerate();
        let values = values.filter_map(|(at, value)| {
            let value = value.as_str()?;
            Some((value.to_owned(), title(at, value)))
        });
        return values.collect();
    }
    let titled = list("oneOf").or_else(|| list("anyOf")).into_iter().flatten();
    let titled = titled.filter_map(|one| {
        let value = one.get("const")?.as_str()?;
        let title = one.get("title").and_then(Value::as_str).unwrap_or(value);
        Some((value.to_owned(), title.to_owned()))
    });
    titled.collect()
}
