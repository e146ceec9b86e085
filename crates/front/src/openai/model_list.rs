//! The list of models, which clients request before all else.

use crate::json_object::JsonObject;

/// Returns the answer to `GET /v1/models` for models with these names. `created` is a time in
/// seconds since 1970, which clients only show.
///
/// ```
/// let list = silcrow_front::model_list(["silcrow", "silcrow-plain"], 1_763_712_345);
/// assert!(list.starts_with(r#"{"object":"list","data":[{"id":"silcrow","object":"model","#));
/// ```
pub fn model_list<'a>(names: impl IntoIterator<Item = &'a str>, created: u64) -> String {
    let models = names.into_iter().map(|name| {
        JsonObject::new()
            .text("id", name)
            .text("object", "model")
            .raw("created", created)
            .text("owned_by", "silcrow")
            .finish()
    });
    let models: Vec<_> = models.collect();
    JsonObject::new().text("object", "list").raw("data", format!("[{}]", models.join(","))).finish()
}
