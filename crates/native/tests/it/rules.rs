//! Rules that readers of native forms often break, one text each.

use crate::reading::{Joined, Setup};

/// Returns a short notation of a text's meaning. `(` marks text that begins inside a thought.
fn summary(family: &str, text: &str) -> String {
    let mut setup = Setup::new(family.parse().unwrap());
    let text = text.strip_prefix('(').inspect(|_| setup.in_thought = true).unwrap_or(text);
    let read = setup.check(text, 11);
    let one = |one: &Joined| match one {
        Joined::Thought(text) => Some(format!("think {:?}", text.trim_end())),
        Joined::Answer(text) => Some(format!("say {:?}", text.trim_end())),
        Joined::Call(name, args, _) => Some(format!("{name} {args}")),
        Joined::Invalid(_, true, _) => Some("cut".to_owned()),
        Joined::Invalid(_, false, _) => Some("malformed".to_owned()),
        Joined::Pieces(..) => None,
        Joined::Other(other) if other.contains("Execute") => None,
        Joined::Other(other) if other.contains("StrayText") => Some("stray".to_owned()),
        Joined::Other(_) => None,
    };
    read.iter().filter_map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn rules_hold() {
    let rows = [
        // Text around calls stays, in order.
        (
            "hermes",
            "a <tool_call>{\"name\": \"f\"}</tool_call> b\n<tool_call>{\"name\": \"g\"}</tool_call>\nc",
            r#"say "a", f {}, say "b", g {}, say "c""#,
        ),
        // A call is whole when its arguments are.
        (
            "hermes",
            "<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": 1}</tool_call>",
            r#"f {"x": 1}"#,
        ),
        ("hermes", "<tool_call>{\"arguments\": {\"x\": 1}, \"name\": \"f\"}", r#"f {"x": 1}"#),
        ("hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": \"</tool_call>", "cut"),
        ("hermes", "<tool_call>", "cut"),
        ("hermes", "<tool_ca", r#"say "<tool_ca""#),
        // Stray marks are dropped and told; prose that names a mark is text.
        ("hermes", "done</tool_call> now</think>.", r#"say "done now.", stray, stray"#),
        (
            "hermes",
            "Use <tool_call> or <tool_call>{json}</tool_call>.",
            r#"say "Use <tool_call> or <tool_call>{json}</tool_call>.""#,
        ),
        ("hermes", "<tool_call>{name: \"f\"}</tool_call>", "malformed"),
        // Arguments twice have two readings.
        (
            "hermes",
            "<tool_call>{\"name\": \"f\", \"arguments\": {}, \"parameters\": {\"x\": 1}}</tool_call>",
            "malformed",
        ),
        (
            "mistral_args",
            "[TOOL_CALLS]f[ARGS]{\"a\": 1}[TOOL_CALLS][{\"name\": \"g\", \"arguments\": {}}]",
            r#"f {"a": 1}, g {}"#,
        ),
        (
            "kimi_k2",
            "<|tool_calls_section_begin|><|tool_call_begin|>f:0<|tool_call_argument_begin|><|tool_call_end|>",
            "f {}",
        ),
        (
            "deepseek_v3",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n{\"a\": 1}<｜tool▁call▁end｜>",
            r#"f {"a": 1}"#,
        ),
        (
            "solar_open",
            "<|think|>hm<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>id1<|tool_call:name|>f<|tool_call:args|>{\"a\": 1}<|tool_call:end|><|calls|>",
            r#"think "hm", f {"a": 1}"#,
        ),
        ("functionary32", "all\nHi\n>>>f\n{\"a\": 1}", r#"say "Hi", f {"a": 1}"#),
        ("functionary32", "I write >>>f and x >>> y", r#"say "I write >>>f and x >>> y""#),
        // A closer inside a value; the text after it decides.
        (
            "glm45",
            "<tool_call>f\n<arg_key>s</arg_key>\n<arg_value>a</arg_value>b</tool_call></arg_value></tool_call>",
            r#"f {"s":"a</arg_value>b</tool_call>"}"#,
        ),
        ("glm45", "<tool_call>f</tool_call> <tool_call>g\n</tool_call>", "f {}, g {}"),
        ("glm45", "<tool_call>f<arg_key>a</arg_key><arg_value>1", "cut"),
        (
            "deepseek_v32",
            "<｜DSML｜function_calls><｜DSML｜invoke name=\"a>b\"><｜DSML｜parameter name=\"x<y\" string=\"true\">1</｜DSML｜parameter></｜DSML｜invoke>",
            r#"a>b {"x<y":"1"}"#,
        ),
        (
            "minimax_m2",
            "<minimax:tool_call><invoke name=\"f\"><parameter name=\"a\">x</parameter></invoke>\n<invoke name=\"g\"></invoke></minimax:tool_call>ok",
            r#"f {"a":"x"}, g {}, say "ok""#,
        ),
        (
            "minimax_m2",
            "See <invoke name=\"f\"></invoke> there.",
            r#"say "See <invoke name=\"f\"> there.", stray"#,
        ),
        (
            "k2_horizon",
            "<ifm|tool_calls><ifm|tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</ifm|tool_call></ifm|tool_calls>",
            r#"f {"a": 1}"#,
        ),
        (
            "minicpm5",
            "<function name=\"f\"><param name=\"a\"><![CDATA[x]]></param></function>",
            r#"f {"a":"x"}"#,
        ),
        (
            "minicpm5",
            "<function name=\"f\"><param name=\"a\"><b></param></function>",
            r#"f {"a":"<b>"}"#,
        ),
        // A call ends a thought, or is text of it.
        (
            "(qwen3_coder",
            "hm\n<function=f>\n</function>\n</think>ok",
            r#"think "hm", f {}, stray, say "ok""#,
        ),
        (
            "(lfm2",
            "hm <|tool_call_start|>[f()]<|tool_call_end|>",
            r#"think "hm <|tool_call_start|>[f()]<|tool_call_end|>""#,
        ),
        // A list without a mark counts if it is alone on its line.
        (
            "pythonic",
            "Look:\n[f(a=-1.5, b={'k': (1, 2)})]\nok",
            r#"say "Look:", f {"a":-1.5,"b":{"k":[1,2]}}, say "ok""#,
        ),
        ("pythonic", "[f(a=1)] is a call", r#"say "[f(a=1)] is a call""#),
        ("pythonic", "[f(a=1), g(", r#"say "[f(a=1), g(""#),
        (
            "llama3_json",
            "{\"name\": \"Bob\", \"age\": 3}",
            r#"say "{\"name\": \"Bob\", \"age\": 3}""#,
        ),
        (
            "xlam",
            "Here:\n```json\n[{\"name\": \"f\", \"arguments\": {}}]\n```\nok",
            r#"say "Here:", f {}, say "ok""#,
        ),
        ("xlam", "```json\n[1, 2]\n```", r#"say "```json\n[1, 2]\n```""#),
        ("lfm2", "<|tool_call_start|>[f(1)]<|tool_call_end|>", "malformed"),
        (
            "gemma4",
            "<|tool_call>call:f{a:\"x}\",b:<|\"|>y<|\"|>}<tool_call|>",
            r#"f {"a":"x}","b":"y"}"#,
        ),
        ("gemma4", "<|tool_call>call:f{a:1<tool_call|>ok", r#"malformed, say "ok""#),
        (
            "minimax_m3",
            "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"f\">]<]minimax[>[<a>x]<]minimax[>[</b>]<]minimax[>[</invoke>",
            "malformed",
        ),
        ("harmony", "Hi there", r#"say "Hi there""#),
        (
            "harmony",
            "<|channel|>commentary to=functions.f<|message|>no json<|call|><|start|>assistant<|channel|>final<|message|>ok",
            r#"malformed, say "ok""#,
        ),
        (
            "harmony",
            "<|channel|>final<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
            r#"say "a", say "b""#,
        ),
        ("inkling", "Hello", r#"say "Hello""#),
    ];
    let mut wrong = Vec::new();
    for (family, text, expected) in rows {
        let (family, start) = family.strip_prefix('(').map_or((family, ""), |family| (family, "("));
        let found = summary(family, &format!("{start}{text}"));
        if found != expected {
            wrong.push(format!("{family}: {text:?}\n  gives {found}\n  not   {expected}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Several families are read at once, and the first that fits counts.
#[test]
fn families_are_read_together() {
    let mut setup = Setup::new("hermes".parse().unwrap());
    setup.families.push("qwen3_coder".parse().unwrap());
    setup.families.push("glm47".parse().unwrap());
    let text = "<tool_call>{\"name\": \"f\"}</tool_call><tool_call><function=g>\n</function></tool_call>\
        <tool_call>h<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>";
    let read = setup.check(text, 3);
    let names = read.iter().filter_map(|one| match one {
        Joined::Call(name, ..) => Some(name.as_str()),
        _ => None,
    });
    assert_eq!(names.collect::<Vec<_>>(), ["f", "g", "h"], "{read:?}");
}

/// Texts of marks that nearly count are read again in part, and mean the same however they are cut.
#[test]
fn near_delimiters_are_independent_of_chunking() {
    for family in silcrow_native::NativeFamily::all() {
        for part in [
            "<tool_call>",
            "[f(a=",
            "[TOOL_CALLS]a",
            "<think>",
            "```",
            "{\"name\": \"",
            "</parameter>\n",
            "<|channel|>",
            "]<]minimax[>[<",
        ] {
            let text = part.repeat(600 / part.len());
            let whole = Setup::new(family).read([text.as_str()]);
            let cut = Setup::new(family).read(text.split_inclusive(|_: char| true));
            assert_eq!(whole, cut, "{family}");
        }
    }
}
