//! The errors of manifests.

use super::sandbox;
use crate::support::Sandbox;

/// The one line that a manifest gives.
#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let sandbox = sandbox();
    let file = sandbox.write("m.toml", text);
    // A mistake that is reported before the manifest is trusted stays one.
    sandbox.silcrow(&["manifest", "trust", &file]);
    let said =
        sandbox.silcrow(&["run", "go", "--manifest", &file, "--store", "memory", "--rate", "9999"]);
    said.ends(2);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    for word in words {
        assert!(said.err.contains(word), "`{word}` is missing: {}", said.err);
    }
}

#[test]
fn manifest_errors_name_line_and_field() {
    let agent = "[agents.a]\ndescription = \"x\"\n";
    let flow = "[workflows.w]\ndescription = \"x\"\n[[workflows.w.actions]]\n";
    let list = "id = \"a\"\nname = \"file_list\"\n";
    let second = "[[workflows.w.actions]]\nid = \"b\"\nname = \"file_list\"\n";
    let cases: &[(&[&str], &[&str])] = &[
        (&["x = = 1"], &["line 1", "`=`"]),
        (&["[agents.a]\n[agents.a]\n"], &["line 2", "duplicate key"]),
        (&["[agent.a]\n"], &["line 1, `agent`", "unknown field", "`agents`"]),
        (&[agent, "modle = \"x\"\n"], &["line 3, `agents.a.modle`", "unknown field", "`model`"]),
        (&["[agents.a]\n"], &["line 1, `agents.a`", "missing field `description`"]),
        (&[agent, "max_steps = \"3\"\n"], &["line 3, `agents.a.max_steps`", "string \"3\"", "u32"]),
        (&[agent, "max_steps = 0\n"], &["line 3, `agents.a.max_steps`", "nonzero"]),
        (
            &[agent, "tools = [\"file_list\",\n  5]\n"],
            &["line 4, `agents.a.tools[1]`", "expected a string"],
        ),
        (
            &[agent, "tools = [\n\"file_raed\"]\n"],
            &["line 4, `agents.a.tools[0]`", "did you mean `file_read`?"],
        ),
        (
            &[agent, "agents = [\"b\"]\n"],
            &["line 3, `agents.a.agents[0]`", "unknown agent `b`", "`a`"],
        ),
        (&[agent, "relics = [\"b\"]\n"], &["`agents.a.relics[0]`", "unknown relic `b`", "declare"]),
        (&[agent, "model = \"gpt\"\n"], &["line 3, `agents.a.model`", "`gpt`", "rehearsal"]),
        (
            &[agent, "model = \"compatible:http:#m\"\n"],
            &["line 3, `agents.a.model`", "address cannot be read"],
        ),
        (&["[agents.\"a/b\"]\ndescription = \"x\"\n"], &["line 1, `agents.a/b`", "letters"]),
        (&["[relics.r]\nkind = \"redis\"\n"], &["line 2, `relics.r.kind`", "`redis`", "`kv`"]),
        (
            &["[workflows.w]\ndescription = \"x\"\nactions = []\n"],
            &["line 3, `workflows.w.actions`"],
        ),
        (
            &[flow, "id = \"a\"\nname = \"file_lst\"\n"],
            &["line 5, `workflows.w.actions[0].name`", "file_list"],
        ),
        (&[flow, list, "type = \"tol\"\n"], &["line 6, `workflows.w.actions[0].type`", "`agent`"]),
        (&[flow, list, "mode = \"fast\"\n"], &["line 6, `workflows.w.actions[0].mode`", "`async`"]),
        (&[flow, list, "on_error = \"x\"\n"], &["actions[0].on_error`", "`retry`"]),
        (&[flow, list, "timeout = -1\n"], &["line 6, `workflows.w.actions[0].timeout`", "above 0"]),
        (&[flow, list, "parameters = { n = nan }\n"], &["actions[0].parameters.n`", "JSON"]),
        (
            &[flow, list, "depends_on = [\"z\"]\n"],
            &["line 6, `workflows.w.actions[0].depends_on`", "`z`"],
        ),
        (
            &[
                flow,
                list,
                "mode = \"async\"\ndepends_on = [\"b\"]\n",
                second,
                "mode = \"async\"\ndepends_on = [\"a\"]\n",
            ],
            &["line 7, `workflows.w.actions[0].depends_on`", "`a`, `b`", "cycle"],
        ),
        (
            &[flow, list, flow.rsplit_once("x\"\n").unwrap().1, list],
            &["line 7, `workflows.w.actions[1].id`", "taken"],
        ),
        (
            &[flow, "id = \"a b\"\nname = \"file_list\"\n"],
            &["line 4, `workflows.w.actions[0].id`", "letters"],
        ),
        (
            &[
                "[workflows.w]\ndescription = \"x\"\noutput = \"z\"\n[[workflows.w.actions]]\n",
                list,
            ],
            &["line 3, `workflows.w.output`", "`z`", "`a`"],
        ),
        (
            &[
                "[workflows.w]\ndescription = \"x\"\n[workflows.w.inputs.i]\ntype = \"text\"\n[[workflows.w.actions]]\n",
                list,
            ],
            &["line 4, `workflows.w.inputs.i.type`", "`string`"],
        ),
        (
            &[
                "[workflows.w]\ndescription = \"x\"\n[workflows.w.inputs.a]\n[[workflows.w.actions]]\n",
                list,
            ],
            &["line 3, `workflows.w.inputs.a`", "rename"],
        ),
        (
            &["[agents.file_read]\ndescription = \"x\"\n"],
            &[
                "line 1, `agents.file_read`",
                "agent `file_read`",
                "built-in tool `file_read`",
                "--dialect action",
            ],
        ),
        (
            &[agent, "[relics.a]\nkind = \"kv\"\n"],
            &["line 3, `relics.a`", "relic `a`", "`agents.a`"],
        ),
    ];
    for (text, words) in cases {
        refused(&text.concat(), &[&["m.toml"], *words].concat());
    }
    let sandbox = Sandbox::new();
    sandbox.silcrow(&["run", "go", "--manifest", "/no/such"]).ends(2);
}
