//! The laws as functions over bytes, one for each reader of bodies. Fuzz targets call them.

use std::sync::Arc;

use serde_json::json;
use silcrow_native::{FamilyKind, NativeFamily, ToolSchemas};

use crate::reading::Setup;

pub(crate) fn json(bytes: &[u8]) {
    check(bytes, &[FamilyKind::Object, FamilyKind::Array, FamilyKind::Header]);
}

pub(crate) fn parameters(bytes: &[u8]) {
    check(bytes, &[FamilyKind::Parameters]);
}

pub(crate) fn elements(bytes: &[u8]) {
    check(bytes, &[FamilyKind::Elements]);
}

pub(crate) fn expression(bytes: &[u8]) {
    check(bytes, &[FamilyKind::Expression]);
}

pub(crate) fn loose(bytes: &[u8]) {
    check(bytes, &[FamilyKind::Loose]);
}

pub(crate) fn messages(bytes: &[u8]) {
    check(bytes, &[FamilyKind::Messages, FamilyKind::Thought]);
}

/// Checks the laws. The first byte chooses the family, and the second the cuts and the start.
fn check(bytes: &[u8], kinds: &[FamilyKind]) {
    let [first, second, text @ ..] = bytes else { return };
    let families: Vec<NativeFamily> =
        NativeFamily::all().filter(|family| kinds.contains(&family.kind())).collect();
    let family = families[usize::from(*first) % families.len()];
    let mut setup = Setup::new(family);
    setup.in_thought = second & 1 == 1;
    setup.tools = tools();
    setup.check(&String::from_utf8_lossy(text), u64::from(*second) << 8 | 7);
}

/// Tools with arguments of every type.
pub(crate) fn tools() -> Arc<ToolSchemas> {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": ["object", "array"]},
            "d": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "e": {"type": "number"},
        },
    });
    let names = ["f", "a", "write", "get_weather", "special_function", "run"];
    Arc::new(
        names.iter().fold(ToolSchemas::new(), |all, name| all.with_tool(*name, schema.clone())),
    )
}
