//! Validation errors, in the words of [`ArgumentErrors`].

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::{Location, LocationSegment};
use serde_json::{Map, Value};
use silcrow_tool::ArgumentErrors;

use super::CompiledSchema;

/// Writes the errors in an order that does not depend on this build's order of maps.
pub(super) fn write(
    schema: &CompiledSchema,
    errors: &[ValidationError<'_>],
    messages: &mut ArgumentErrors,
) {
    let mut errors: Vec<_> = errors.iter().collect();
    errors.sort_by_key(|error| (error.instance_path(), error.schema_path()));
    for error in errors {
        write_one(schema, error, messages);
    }
}

fn write_one(schema: &CompiledSchema, error: &ValidationError<'_>, messages: &mut ArgumentErrors) {
    let field = field(error.instance_path());
    let got = error.instance().as_ref();
    let mut must_be = |expected: String| messages.must_be(&field, &expected, got);
    match error.kind() {
        Kind::Type { kind } => messages.must_be_of(&field, &types(kind), got),
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let known = siblings(schema, error).and_then(|known| known.get(name));
            messages.missing(&inner(&field, name), &declared(known));
        }
        Kind::AdditionalProperties { unexpected } => {
            let known = siblings(schema, error);
            for name in unexpected {
                let known = known.into_iter().flat_map(Map::keys).map(String::as_str);
                messages.unknown(&inner(&field, name), known);
            }
        }
        Kind::UnevaluatedProperties { unexpected } => {
            for name in unexpected {
                messages.forbidden(&inner(&field, name));
            }
        }
        Kind::FalseSchema => messages.forbidden(&field),
        Kind::Constant { expected_value } => must_be(expected_value.to_string()),
        Kind::Enum { options } => must_be(one_of(options.as_array().into_iter().flatten())),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            write_forms(schema, error, context, messages);
        }
        Kind::OneOfMultipleValid { .. } => {
            must_be("of exactly one of the forms that the schema allows".to_owned());
        }
        Kind::Minimum { limit } => must_be(format!("at least {limit}")),
        Kind::Maximum { limit } => must_be(format!("at most {limit}")),
        Kind::ExclusiveMinimum { limit } => must_be(format!("more than {limit}")),
        Kind::ExclusiveMaximum { limit } => must_be(format!("less than {limit}")),
        Kind::MultipleOf { multiple_of } => must_be(format!("a multiple of {multiple_of}")),
        Kind::MinLength { limit } => must_be(format!("at least {limit} characters long")),
        Kind::MaxLength { limit } => must_be(format!("at most {limit} characters long")),
        Kind::Pattern { pattern } => must_be(format!("a string that matches `{pattern}`")),
        Kind::Format { format } => must_be(format!("a string of the format `{format}`")),
        Kind::MinItems { limit } => must_be(format!("an array of at least {limit} items")),
        Kind::MaxItems { limit } => must_be(format!("an array of at most {limit} items")),
        Kind::UniqueItems => must_be("an array whose items differ".to_owned()),
        Kind::MinProperties { limit } => must_be(format!("an object of at least {limit} members")),
        Kind::MaxProperties { limit } => must_be(format!("an object of at most {limit} members")),
        other => must_be(format!("right by the schema's `{}`", other.keyword())),
    }
}

/// Writes the errors of a value that matches none of the forms that a schema allows: the errors of
/// the form that was most likely meant, if there is one.
fn write_forms(
    schema: &CompiledSchema,
    error: &ValidationError<'_>,
    forms: &[Vec<ValidationError<'static>>],
    messages: &mut ArgumentErrors,
) {
    let (field, got) = (field(error.instance_path()), error.instance());
    let types: Option<Vec<_>> = forms.iter().map(|form| other_type(form, error)).collect();
    if let Some(types) = types {
        let mut types = types.concat();
        types.sort_unstable();
        types.dedup();
        return messages.must_be_of(&field, &null_last(types), got);
    }
    let forms = || forms.iter().filter(|form| other_type(form, error).is_none());
    let tags: Vec<_> = forms().filter_map(|form| other_tag(form)).collect();
    let mut meant = forms().filter(|form| other_tag(form).is_none());
    match (meant.next(), meant.next(), &tags[..]) {
        (Some(form), None, _) => write(schema, form, messages),
        (None, None, [first, rest @ ..]) if rest.iter().all(|tag| tag.at == first.at) => {
            let values = tags.iter().flat_map(|tag| tag.expected.iter().copied());
            messages.must_be(&self::field(first.at), &one_of(values), first.got);
        }
        _ => messages.must_be(&field, "of one of the forms that the schema allows", got),
    }
}

/// Returns the types of a form, if the value has another type.
fn other_type(
    form: &[ValidationError<'_>],
    whole: &ValidationError<'_>,
) -> Option<Vec<&'static str>> {
    form.iter().find_map(|error| match error.kind() {
        Kind::Type { kind } if error.instance_path() == whole.instance_path() => Some(types(kind)),
        _ => None,
    })
}

/// A constant that distinguishes a form from the others.
struct FormTag<'e> {
    at: &'e Location,
    expected: Vec<&'e Value>,
    got: &'e Value,
}

/// Returns the tag of a form, if the value has another tag.
fn other_tag<'e>(form: &'e [ValidationError<'_>]) -> Option<FormTag<'e>> {
    form.iter().find_map(|error| {
        let expected = match error.kind() {
            Kind::Constant { expected_value } => vec![&**expected_value],
            Kind::Enum { options } => options.as_array().into_iter().flatten().collect(),
            _ => return None,
        };
        Some(FormTag { at: error.instance_path(), expected, got: error.instance() })
    })
}

/// Returns the schemas of all members of the object that an error is about.
fn siblings<'s>(
    schema: &'s CompiledSchema,
    error: &ValidationError<'_>,
) -> Option<&'s Map<String, Value>> {
    let (object, _keyword) = error.schema_path().as_str().rsplit_once('/')?;
    schema.text.pointer(object)?.get("properties")?.as_object()
}

/// Returns the types that a schema names, or none if it allows any.
fn declared(schema: Option<&Value>) -> Vec<&str> {
    match schema.and_then(|schema| schema.get("type")) {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn types(kind: &TypeKind) -> Vec<&'static str> {
    match kind {
        TypeKind::Single(name) => vec![name.as_str()],
        TypeKind::Multiple(names) => null_last(names.iter().map(|name| name.as_str()).collect()),
    }
}

/// Puts `null` at the end, as in "a string or null".
fn null_last(mut names: Vec<&'static str>) -> Vec<&'static str> {
    names.sort_by_key(|name| *name == "null");
    names
}

fn one_of<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    let values: Vec<_> = values.into_iter().map(Value::to_string).collect();
    match &values[..] {
        [one] => one.clone(),
        all => format!("one of {}", all.join(", ")),
    }
}

/// Returns the path to a value, such as `from.lines[2]`.
fn field(at: &Location) -> String {
    at.segments().fold(String::new(), |field, segment| match segment {
        LocationSegment::Property(name) => inner(&field, &name),
        LocationSegment::Index(index) => format!("{field}[{index}]"),
    })
}

fn inner(field: &str, name: &str) -> String {
    if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") }
}
