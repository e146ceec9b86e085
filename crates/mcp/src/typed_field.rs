//! The fields of a server's question in a terminal: their descriptions, and how typed text is read.

use serde_json::{Number, Value};

use crate::elicit::ElicitationField;

impl ElicitationField {
    /// Describes the field in a few words: its name, its kind, and the values that it may have.
    pub fn label(&self) -> String {
        let text = |key: &str| self.schema.get(key).and_then(Value::as_str);
        let kind = match (choices(self), text("type")) {
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
        let name = text("title").unwrap_or(&self.name);
        let described = text("description").map(|words| format!(" ({words})")).unwrap_or_default();
        let optional = if self.is_required { "" } else { "; - leaves it out" };
        format!("{name}: {kind}{described}{optional}")
    }

    /// Returns the value of a typed text, or `None` for a field that is left out with `-`.
    ///
    /// A choice is typed by its value or its title, a switch as yes or no, and a list with commas between
    /// its items.
    ///
    /// # Errors
    ///
    /// Returns why the text cannot be a value, for the person who types again.
    ///
    /// ```
    /// use serde_json::json;
    /// use silcrow_mcp::ElicitationField;
    ///
    /// let schema = json!({"type": "integer", "minimum": 1, "title": "Copies"});
    /// let field = ElicitationField::new("copies", schema, true);
    /// assert_eq!(field.label(), "Copies: a whole number");
    /// assert_eq!(field.parse("3"), Ok(Some(json!(3))));
    /// assert_eq!(field.parse("0"), Err("1 is the least".to_owned()));
    /// ```
    pub fn parse(&self, typed: &str) -> Result<Option<Value>, String> {
        let typed = typed.trim();
        if typed == "-" && !self.is_required {
            return Ok(None);
        }
        let choices = choices(self);
        let kind = self.schema.get("type").and_then(Value::as_str);
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
                let number: i64 =
                    typed.parse().map_err(|_| format!("`{typed}` is not a whole number"))?;
                within(self, number as f64)?;
                Value::from(number)
            }
            Some("number") => {
                let number = typed.parse().ok().and_then(Number::from_f64);
                let number = number.ok_or_else(|| format!("`{typed}` is not a number"))?;
                within(self, number.as_f64().unwrap_or_default())?;
                Value::Number(number)
            }
            _ => {
                let length = typed.chars().count() as f64;
                let bound = |key: &str| self.schema.get(key).and_then(Value::as_f64);
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(schema: Value, is_required: bool) -> ElicitationField {
        ElicitationField::new("f", schema, is_required)
    }

    #[test]
    fn a_choice_is_typed_by_value_or_title() {
        let schema = json!({"description": "of the car", "oneOf": [
            {"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]});
        let color = field(schema, false);
        assert_eq!(color.label(), "f: one of r, b (of the car); - leaves it out");
        assert_eq!(color.parse(" RED "), Ok(Some(json!("r"))));
        assert_eq!(color.parse("b"), Ok(Some(json!("b"))));
        assert_eq!(color.parse("-"), Ok(None));
        assert_eq!(color.parse("green"), Err("`green` is not one of the values".to_owned()));
        let named = field(json!({"enum": ["x", "y"], "enumNames": ["First", "Second"]}), true);
        assert_eq!(named.parse("second"), Ok(Some(json!("y"))));
        assert!(named.parse("-").is_err());
    }

    #[test]
    fn kinds_have_their_texts_and_bounds() {
        let switch = field(json!({"type": "boolean"}), true);
        assert_eq!(switch.parse("Yes"), Ok(Some(json!(true))));
        assert!(switch.parse("perhaps").is_err());
        let number = field(json!({"type": "number", "maximum": 2.5}), true);
        assert_eq!(number.parse("2.5"), Ok(Some(json!(2.5))));
        assert_eq!(number.parse("3"), Err("2.5 is the most".to_owned()));
        assert!(number.parse("NaN").is_err());
        let list = field(json!({"type": "array", "items": {"enum": ["a", "b"]}}), true);
        assert_eq!(list.parse("a, b,"), Ok(Some(json!(["a", "b"]))));
        assert!(list.parse("a, c").is_err());
        let text = field(json!({"type": "string", "minLength": 2, "maxLength": 3}), true);
        assert_eq!(text.parse("ab"), Ok(Some(json!("ab"))));
        assert_eq!(text.parse("a"), Err("the text is too short".to_owned()));
        assert_eq!(text.parse("abcd"), Err("the text is too long".to_owned()));
    }
}
