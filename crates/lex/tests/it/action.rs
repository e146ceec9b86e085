//! P-3, P-8, P-19, P-21: tags with attributes, and the places where tags count.

use silcrow_lex::{Dialect, Lexer, MAX_TAG};

use crate::notation::Notation;

#[track_caller]
fn check(wire: &str, tokens: &str) {
    assert_eq!(Notation::lex(wire, Dialect::Action), tokens);
}

#[test]
fn attributes_are_followed() {
    check("<action>x", "tag ‹<action› ▸> body ‹x› ◂unclosed");
    check(
        "<action a=\"b>c\">",
        "tag ‹<action› glue ‹ › name ‹a› glue ‹=\"› value ‹b>c› glue ‹\"› ▸> ◂truncated",
    );
    check(
        "<action\n a = 'b\"c' d=e.f-1>",
        "tag ‹<action› glue ‹␊ › name ‹a› glue ‹ = '› value ‹b\"c› glue ‹' › \
         name ‹d› glue ‹=› value ‹e.f-1› ▸> ◂truncated",
    );
    check(
        "<action a=[\"]>\\\"\",[1]]b=c >",
        "tag ‹<action› glue ‹ › name ‹a› glue ‹=› value ‹[\"]>\\\"\",[1]]› name ‹b› \
         glue ‹=› value ‹c› glue ‹ › ▸> ◂truncated",
    );
    check(
        "<action\r\n\ta=b>",
        "tag ‹<action› glue ‹␍␊␉› name ‹a› glue ‹=› value ‹b› ▸> ◂truncated",
    );
    check("<response final=\"\">x", "tag ‹<response› glue ‹ › name ‹final› glue ‹=\"\"› ▸> ‹x›");
}

#[test]
fn failed_tag_is_text_up_to_disproof() {
    for name in ["<actions>", "<action/>", "<Action>", "< action>", "<action", "<act", "<thought >"]
    {
        check(name, &format!("‹{name}›"));
    }
    check("<action a>", "tag ‹<action› glue ‹ › name ‹a› ◂malformed ‹>›");
    check("<action a=>", "tag ‹<action› glue ‹ › name ‹a› glue ‹=› ◂malformed ‹>›");
    check("<action /> ", "tag ‹<action› glue ‹ › ◂malformed ‹/> ›");
    check("<action a=b/c>", "tag ‹<action› glue ‹ › name ‹a› glue ‹=› value ‹b› ◂malformed ‹/c>›");
    check("<action =b>", "tag ‹<action› glue ‹ › ◂malformed ‹=b>›");
    check(
        "<action a=\"x<action>",
        "tag ‹<action› glue ‹ › name ‹a› glue ‹=\"› value ‹x› ◂malformed tag ‹<action› ▸> ◂truncated",
    );
    check("<action \n<thought>", "tag ‹<action› glue ‹ ␊› ◂malformed ▸<thought>");
    check("<action a=[", "tag ‹<action› glue ‹ › name ‹a› glue ‹=› value ‹[› ◂malformed");
    check("<action ", "tag ‹<action› glue ‹ › ◂malformed");
}

#[test]
fn a_tag_has_at_most_a_kibibyte() {
    let ends = |len: usize, last: &str| {
        let value = "x".repeat(len - "<action a=\"\">".len() - last.len());
        let tokens = Notation::lex(&format!("<action a=\"{value}{last}\">"), Dialect::Action);
        tokens.trim_start_matches(|char| char != 'x').trim_start_matches('x').to_owned()
    };
    assert_eq!(ends(MAX_TAG, ""), "› glue ‹\"› ▸> ◂truncated");
    assert_eq!(ends(MAX_TAG, "é"), "é› glue ‹\"› ▸> ◂truncated");
    assert_eq!(ends(MAX_TAG + 1, ""), "› glue ‹\"› ◂malformed ‹>›");
    assert_eq!(ends(MAX_TAG + 2, ""), "› ◂malformed ‹\">›");
    assert_eq!(ends(MAX_TAG + 2, "é"), "é› ◂malformed ‹\">›");
    assert_eq!(ends(MAX_TAG + 3, "é"), "› ◂malformed ‹é\">›");
}

#[test]
fn only_whole_doubled_tag_is_an_escape() {
    check("<<action a=b>", "‹<› tag ‹<action› glue ‹ › name ‹a› glue ‹=› value ‹b› ◂escaped ‹>›");
    check("<<<action>", "‹<<› tag ‹<action› ◂escaped ‹>›");
    check("<<action a>", "‹<› tag ‹<action› glue ‹ › name ‹a› ◂malformed ‹>›");
    check("<<actions>", "‹<<actions>›");
    check("<<thought>", "‹<› escape ‹<› ‹thought>›");
}

#[test]
fn each_section_has_separate_delimiters() {
    check("</thought></action></response>-->", "‹</thought></action></response>-->›");
    check(
        "<thought><thought></action><response><!--</thought>",
        "▸<thought> ‹<thought></action><response><!--› ▸</thought>",
    );
    check(
        "<response><action></thought>\n<response><!--</response>x",
        "tag ‹<response› ▸> ‹<action></thought>␊<response><!--› ▸</response> ‹x›",
    );
    check("<action><thought></action>", "tag ‹<action› ▸> body ‹<thought>› ◂unclosed ▸</action>");
}

#[test]
fn thought_survives_action_but_not_response_line() {
    check(
        "<thought>a<action>{}</action>b</thought>c",
        "▸<thought> ‹a› tag ‹<action› ▸> body ‹{}› ◂complete ▸</action> ‹b› ▸</thought> ‹c›",
    );
    check("<thought>a\n<response>b", "▸<thought> ‹a␊› tag ‹<response› ▸> ‹b›");
    check("<thought>a\n<<response>b", "▸<thought> ‹a␊<› tag ‹<response› ◂escaped ‹>b›");
    check("<thought>a <<response>\n<response", "▸<thought> ‹a <<response>␊<response›");
    check("<thought>\n <response>", "▸<thought> ‹␊ <response>›");
    check("<thought><response>", "▸<thought> ‹<response>›");
    check(
        "<thought><action \n<response>",
        "▸<thought> tag ‹<action› glue ‹ ␊› ◂malformed tag ‹<response› ▸>",
    );
}

#[test]
fn body_ends_at_bracket_action_at_tag() {
    check(
        "<action> {\"a\":\"</action>\"} so </action>",
        "tag ‹<action› ▸> glue ‹ › body ‹{\"a\":\"</action>\"}› ◂complete glue ‹ so › ▸</action>",
    );
    check(
        "<action>```json\n[1]\n```</action>",
        "tag ‹<action› ▸> glue ‹```json␊› body ‹[1]› ◂complete glue ‹␊```› ▸</action>",
    );
    check(
        "<action>{\"a\":\"\n</action>",
        "tag ‹<action› ▸> body ‹{\"a\":\"␊› ◂truncated ▸</action>",
    );
    check(
        "<action>{\"a\":\"\n </action>",
        "tag ‹<action› ▸> body ‹{\"a\":\"␊ </action>› ◂truncated",
    );
    check("<action></action>", "tag ‹<action› ▸> ◂unclosed ▸</action>");
    check("<action>{}", "tag ‹<action› ▸> body ‹{}› ◂complete");
    check(
        "<action>{},{}; so {}</action>",
        "tag ‹<action› ▸> body ‹{}› ◂complete glue ‹,› body ‹{}› ◂complete glue ‹; so {}› \
         ▸</action>",
    );
}

#[test]
fn comments_hide_all_delimiters() {
    check("<!-- <action> -- > --->x", "▸<!-- ‹ <action> -- > -› ▸--> ‹x›");
    check("<!-->--->", "▸<!-- ‹>-› ▸-->");
    check("<!---->", "▸<!-- ▸-->");
    check("<!-- a --", "▸<!-- ‹ a --›");
    check("<<!-- a", "‹<› escape ‹<› ‹!-- a›");
    check("<thought><!-- a --></thought>", "▸<thought> ‹<!-- a -->› ▸</thought>");
}

/// At most a proper prefix of a delimiter is pending, and of a tag only its name.
#[test]
fn nothing_more_is_pending() {
    let withheld = |wire: &str| {
        let mut lexer = Lexer::new(Dialect::Action);
        let mut rest = wire;
        let mut given = 0;
        while let Some(token) = lexer.next(&mut rest) {
            given += token.text().len();
        }
        wire.len() - given
    };
    for (wire, expected) in [
        ("a <", 1),
        ("a <action", 7),
        ("a <response", 9),
        ("a <action ", 0),
        ("a <action id=\"x", 0),
        ("a </action", 0),
        ("<thought>x <res", 0),
        ("<thought>x\n<res", 4),
        ("<thought>x\n<<res", 4),
        ("<thought></though", 8),
        ("<response></response", 10),
        ("<response><act", 0),
        ("<action>{\"a\":\"</act", 0),
        ("<action>{\"a\":1</act", 5),
        ("<!-- ---", 2),
    ] {
        assert_eq!(withheld(wire), expected, "{wire:?}");
    }
}
