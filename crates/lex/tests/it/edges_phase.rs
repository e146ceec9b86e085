//! P-3, P-8, P-16, P-17: the places where a tag counts, and lists of calls.

use silcrow_lex::Dialect;

use crate::notation::Notation;

#[track_caller]
fn check(wire: &str, tokens: &str) {
    assert_eq!(Notation::lex(wire, Dialect::Phase), tokens);
}

#[test]
fn each_section_has_separate_delimiters() {
    check("a<think>b</think>c<end>d", "‹a› ▸<think> ‹b› ▸</think> ‹c› ▸<end> ‹d›");
    check("</think></execute></results>", "‹</think></execute></results>›");
    check(
        "<think><think><execute><results><end></execute></think>",
        "▸<think> ‹<think><execute><results><end></execute>› ▸</think>",
    );
    check(
        "<results><think></think><end></results>x",
        "▸<results> ‹<think></think><end>› ▸</results> ‹x›",
    );
    check("<end><think>", "▸<end> ‹<think>›");
}

#[test]
fn incomplete_tags_are_text() {
    for text in
        ["<", "<<", "<t", "<think", "<Think>", "< think>", "<think >", "<thinks>", "</think", "<é>"]
    {
        check(text, &format!("‹{text}›"));
    }
    check("<t<think>", "‹<t› ▸<think>");
    check("<think></think</think>", "▸<think> ‹</think› ▸</think>");
    check("<e<ex<execute>", "‹<e<ex› ▸<execute>");
}

#[test]
fn doubled_tag_escapes_wherever_tag_is_recognized() {
    check("<<think>", "‹<› escape ‹<› ‹think>›");
    check("a<<<end>b", "‹a<<› escape ‹<› ‹end>b›");
    check("<<</think>", "‹<<</think>›");
    check("<think><<</think>", "▸<think> ‹<<› escape ‹<› ‹/think>›");
    check("<<endx", "‹<<endx›");
}

#[test]
fn list_items_complete_one_by_one() {
    check(
        "<execute> [ {\"a\":1} ,\n[2]\t, \"x]\" ] </execute>y",
        "▸<execute> glue ‹ [ › body ‹{\"a\":1}› ◂complete glue ‹ ,␊› body ‹[2]› \
         ◂complete glue ‹␉, › body ‹\"x]\"› ◂complete glue ‹ ] › ▸</execute> ‹y›",
    );
    check("<execute>[]</execute>", "▸<execute> glue ‹[]› ▸</execute>");
    check("<execute></execute>", "▸<execute> ▸</execute>");
    check("<execute>{}</execute>", "▸<execute> body ‹{}› ◂complete ▸</execute>");
    check(
        "<execute>{}{} , {}]",
        "▸<execute> body ‹{}› ◂complete body ‹{}› ◂complete glue ‹ , › body ‹{}› ◂complete \
         glue ‹]›",
    );
    check(
        "<execute>[{}] so </execute>",
        "▸<execute> glue ‹[› body ‹{}› ◂complete glue ‹] so › ▸</execute>",
    );
    check("<execute>[,,]", "▸<execute> glue ‹[,,]›");
}

#[test]
fn stray_list_text_ends_at_item_or_bracket() {
    check("<execute>[tru, 1", "▸<execute> glue ‹[tru, 1›");
    check("<execute>[1{}", "▸<execute> glue ‹[1› body ‹{}› ◂complete");
    check("<execute>[1[]", "▸<execute> glue ‹[1› body ‹[]› ◂complete");
    check("<execute>[\"a\"", "▸<execute> glue ‹[› body ‹\"a\"› ◂complete");
    check("<execute>[1\"a\"", "▸<execute> glue ‹[1\"a\"›");
    check("<execute>[}{}", "▸<execute> glue ‹[}› body ‹{}› ◂complete");
    check("<execute>[1</execute>", "▸<execute> glue ‹[1› ▸</execute>");
    check("<execute>[1</x{}", "▸<execute> glue ‹[1</x› body ‹{}› ◂complete");
    check("<execute>[1] \"a\"]", "▸<execute> glue ‹[1] \"a\"]›");
}

#[test]
fn another_list_may_follow() {
    check(
        "<execute>[{}],[[]] so [\"a\"]{}",
        "▸<execute> glue ‹[› body ‹{}› ◂complete glue ‹],[› body ‹[]› ◂complete \
         glue ‹] so [› body ‹\"a\"› ◂complete glue ‹]› body ‹{}› ◂complete",
    );
    check(
        "<execute>```\n[{}\n```\n[{}",
        "▸<execute> glue ‹```␊[› body ‹{}› ◂complete glue ‹␊```␊[› body ‹{}› ◂complete",
    );
    check("<execute>{}[{}", "▸<execute> body ‹{}› ◂complete glue ‹[› body ‹{}› ◂complete");
}

#[test]
fn closing_tag_is_recognized_outside_strings() {
    check(
        "<execute>[{\"</execute>\":\"\\\"</execute>",
        "▸<execute> glue ‹[› body ‹{\"</execute>\":\"\\\"</execute>› ◂truncated",
    );
    check(
        "<execute>[{\"a\":</execute>",
        "▸<execute> glue ‹[› body ‹{\"a\":› ◂unclosed ▸</execute>",
    );
    check("<execute>[{\"\n</execute>", "▸<execute> glue ‹[› body ‹{\"␊› ◂truncated ▸</execute>");
    check(
        "<execute>[{\"\nx</execute>\"}",
        "▸<execute> glue ‹[› body ‹{\"␊x</execute>\"}› ◂complete",
    );
    check("<execute>[<<</execute>", "▸<execute> glue ‹[<<</execute>›");
    check("<execute>[<think>]</execute>", "▸<execute> glue ‹[<think>]› ▸</execute>");
    check("<execute>ls</execute>", "▸<execute> body ‹ls› ◂unclosed ▸</execute>");
}

#[test]
fn a_list_may_be_in_a_code_fence() {
    check(
        "<execute>\n```json\n[{}]\n```\n</execute>",
        "▸<execute> glue ‹␊```json␊[› body ‹{}› ◂complete glue ‹]␊```␊› ▸</execute>",
    );
    check("<execute>```\n{}\n```x", "▸<execute> glue ‹```␊› body ‹{}› ◂complete glue ‹␊```x›");
    check("<execute>[```\n{}", "▸<execute> glue ‹[```␊› body ‹{}› ◂complete");
    check("<execute>``x", "▸<execute> body ‹``x› ◂unclosed");
}
