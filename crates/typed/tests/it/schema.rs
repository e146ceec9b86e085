use schemars::JsonSchema;
use serde::Deserialize;
use silcrow_tool::{Tool as _, ToolOutput};
use silcrow_typed::typed;

#[cfg(feature = "validator")]
use crate::{check, wrong};

/// The name and the comment of the struct are for the programmer; of the comment the model sees
/// this.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Search {
    /// What to look for.
    #[schemars(length(max = 10), regex(pattern = "^[a-z]+$"))]
    zest: String,
    /// How many at most.
    #[schemars(range(min = 1, max = 100))]
    most: Option<u32>,
    order: Order,
    from: Vec<Place>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Up,
    Down,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Place {
    line: u64,
    column: Option<u64>,
}

#[cfg(feature = "validator")]
/// A type with forms that a tag distinguishes.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Edit {
    Insert { text: String },
    Delete { lines: u32 },
}

fn schema<A: serde::de::DeserializeOwned + JsonSchema>() -> String {
    typed("it", "", |_: A, _| async { Ok(ToolOutput::new("", "")) }).schema().to_owned()
}

#[test]
fn schemas_are_deterministic_and_inline() {
    let expected = concat!(
        r#"{"additionalProperties":false,"#,
        r#""description":"The name and the comment of the struct are for the programmer; of the "#,
        r#"comment the model sees\nthis.","#,
        r#""properties":{"#,
        r#""from":{"items":{"properties":{"#,
        r#""column":{"format":"uint64","minimum":0,"type":["integer","null"]},"#,
        r#""line":{"format":"uint64","minimum":0,"type":"integer"}},"#,
        r#""required":["line"],"type":"object"},"type":"array"},"#,
        r#""most":{"description":"How many at most.","format":"uint32","maximum":100,"#,
        r#""minimum":1,"type":["integer","null"]},"#,
        r#""order":{"enum":["up","down"],"type":"string"},"#,
        r#""zest":{"description":"What to look for.","maxLength":10,"pattern":"^[a-z]+$","#,
        r#""type":"string"}},"#,
        r#""required":["zest","order","from"],"type":"object"}"#,
    );
    assert_eq!(schema::<Search>(), expected);
    assert_eq!(schema::<Search>(), expected, "again");
}

#[cfg(feature = "validator")]
#[test]
fn arguments_are_validated_against_struct_attributes() {
    let schema = schema::<Search>();
    let fits = r#"{"zest":"abc","order":"up","from":[{"line":1},{"line":2,"column":null}]}"#;
    assert_eq!(check(&schema, fits), Ok(()));
    assert_eq!(
        wrong(
            &schema,
            r#"{"zest":"A","most":0,"order":"left","from":[{"line":1},{"line":-1}],"x":1}"#
        ),
        "`x` is unknown, expected only `from`, `most`, `order`, `zest`; \
         `from[1].line` must be at least 0, but is the number `-1`; \
         `most` must be at least 1, but is the number `0`; \
         `order` must be one of \"up\", \"down\", but is the string `\"left\"`; \
         `zest` must be a string that matches `^[a-z]+$`, but is the string `\"A\"`",
    );
}

#[cfg(feature = "validator")]
#[test]
fn enum_variants_are_selected_by_tag() {
    let schema = schema::<Edit>();
    assert!(schema.contains(r#""type":"object""#), "{schema}");
    assert_eq!(check(&schema, r#"{"do":"insert","text":"x"}"#), Ok(()));
    let table = [
        (r#"{"do":"insert"}"#, "`text` is missing, expected a string"),
        (
            r#"{"do":"delete","lines":"all"}"#,
            "`lines` must be an integer, but is the string `\"all\"`",
        ),
        (
            r#"{"do":"move","text":"x"}"#,
            "`do` must be one of \"insert\", \"delete\", but is the string `\"move\"`",
        ),
    ];
    for (args, expected) in table {
        assert_eq!(wrong(&schema, args), expected, "{args}");
    }
}

#[cfg(feature = "validator")]
#[test]
fn a_struct_within_itself_has_a_schema_too() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Tree {
        name: String,
        children: Vec<Self>,
    }
    let schema = schema::<Tree>();
    assert_eq!(check(&schema, r#"{"name":"a","children":[{"name":"b","children":[]}]}"#), Ok(()));
    assert_eq!(
        wrong(&schema, r#"{"name":"a","children":[{"name":7,"children":[]}]}"#),
        "`children[0].name` must be a string, but is the number `7`",
    );
}
